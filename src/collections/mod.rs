//! Collections for many elements, which work in short steps, and for few.

mod chunked_vec;
mod parted_queue;
mod parted_table;
mod vec_map;

pub use chunked_vec::{ChunkedIntoIter, ChunkedVec};
pub(crate) use parted_queue::PartedQueue;
pub(crate) use parted_table::PartedTable;
pub(crate) use vec_map::VecMap;
