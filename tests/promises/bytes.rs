//! Hostile bytes: memory, message sizes and foreign lists stay within bounds.
