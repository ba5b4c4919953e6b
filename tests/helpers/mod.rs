//! The objects, clients, informers and waits that test programs share, also those of other crates.

mod clients;
mod informers;
mod late_watches;
pub(crate) mod log;
mod objects;
mod protobuf;
mod tasks;
mod times;

pub(crate) use self::clients::*;
pub(crate) use self::informers::*;
pub(crate) use self::late_watches::*;
pub(crate) use self::objects::*;
pub(crate) use self::protobuf::*;
pub(crate) use self::tasks::*;
pub(crate) use self::times::*;
