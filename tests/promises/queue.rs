//! The work queue under user code that panics, and its delays.
