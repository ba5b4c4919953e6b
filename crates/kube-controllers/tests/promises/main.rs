//! The promises of controllers where user code, time and other processes touch them.

mod answers;
#[path = "../../../../tests/promises/stages/bombs.rs"]
mod bombs;
mod controllers;
#[path = "../../../../tests/helpers/draws.rs"]
mod draws;
mod election;
#[path = "../helpers/mod.rs"]
#[expect(dead_code, unused_imports, reason = "`suite` uses the rest")]
mod helpers;
#[path = "../../../../tests/promises/hostile/answers.rs"]
#[expect(dead_code, reason = "the informer's program of this name uses the rest")]
mod hostile;
mod manager;
mod packed_bombs;
mod proxies;
mod quiet;
mod recorder;
mod writing;
