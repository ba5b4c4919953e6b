//! Controllers, and the informers that they follow, that come and go at run time.

#[path = "../../../../tests/coming_and_going/definitions.rs"]
#[expect(dead_code, reason = "the informer's program of this name uses the rest")]
mod definitions;
#[path = "../../../../tests/helpers/draws.rs"]
mod draws;
mod following;
mod following_model;
#[path = "../helpers/mod.rs"]
#[expect(dead_code, unused_imports, reason = "`suite` uses the rest")]
mod helpers;
#[path = "../../../../tests/helpers/http.rs"]
mod http;
mod interests;
mod kept;
mod kept_worlds;
mod managers;
mod own_additions;
mod readiness;
mod referenced;
#[path = "../../../../tests/coming_and_going/references.rs"]
mod references;
#[path = "../../../../tests/coming_and_going/seeds.rs"]
mod seeds;
mod serving;
mod sharded;
#[path = "../../../../tests/coming_and_going/watches.rs"]
mod watches;
