//! Each fault, alone, where the server speaks protobuf.

#[path = "faults/main.rs"]
mod faults;
