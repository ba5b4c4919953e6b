//! Controllers under user code that panics, blocks and drops.
