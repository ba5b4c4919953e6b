//! Collections for many elements, which work in short steps, and for few.
//!
//! Each module names the crate that would do its work, the lines that it would save, and the time
//! on one core to compile what it adds to the tree.

mod chunked_vec;
mod intrusive_list;
mod parted_queue;
mod parted_slab;
mod parted_table;
pub(crate) mod vec_map;

pub use chunked_vec::{ChunkedIntoIter, ChunkedVec};
pub(crate) use intrusive_list::{IntrusiveList, Linked, Links};
pub(crate) use parted_queue::PartedQueue;
pub(crate) use parted_slab::PartedSlab;
pub(crate) use parted_table::{PartedTable, half};
pub(crate) use vec_map::VecMap;
