//! client-go's informer machinery for Rust.
