//! Programs that are killed at a write, and started again, perhaps with another scope.
//!
//! A world is made from a seed. A failing world prints its seed. `RESTARTS_SEED=n` plays only the
//! world of this seed, and `RESTARTS_SEEDS=n` plays this number of worlds.

use std::collections::HashSet;
use std::time::Duration;

use fastrand::Rng;
use kube_informer::testing::ApiServer;

use crate::seeds::{in_simulated_time, play_all};
use crate::world::{Run, Scope, Scratch, View, map};

const SEEDS: u64 = 50;
const ROUNDS: usize = 5;

/// The end of the run before.
enum Before {
    /// It was stopped, and had this view at this version.
    Stopped(View),
    Killed,
}

fn server() -> ApiServer {
    ApiServer::builder().bookmark_interval(Duration::from_secs(20)).build()
}

fn draw_scope(rng: &mut Rng) -> Scope {
    let at = |n| u64::MAX / 4 * n;
    match rng.u8(..5) {
        0 => Scope::Everything,
        1 => Scope::Namespace,
        2 => Scope::Web,
        _ => {
            let from = rng.u64(..3);
            Scope::Shard(at(from), at(rng.u64(from + 1..=4)))
        }
    }
}

/// Makes changes. Adds every uid that an object had meanwhile.
fn change(server: &ApiServer, rng: &mut Rng, changes: usize, ever: &mut HashSet<String>) {
    for _ in 0..changes {
        let namespace = ["shop", "bank"][rng.usize(..2)];
        let object = map(namespace, &format!("map-{}", rng.u8(..24)), rng.u64(..1_000));
        match rng.u8(..4) {
            0 => drop(server.delete(&object)),
            1 => {
                let _none = server.delete(&object);
                server.create(&object).unwrap();
            }
            _ => {
                if server.replace(&object).is_err() {
                    server.create(&object).unwrap();
                }
            }
        }
        ever.extend(Scope::Everything.of(server).into_values().map(|(uid, _)| uid));
    }
}

/// Plays the runs of one program. Returns the number of starts that told of deleted objects.
async fn play(seed: u64) -> usize {
    let mut rng = Rng::with_seed(seed);
    let mut scope = draw_scope(&mut rng);
    let scratch = Scratch::new(&format!("kills-{seed}"));
    let mut server = server();
    let (mut ever, mut before, mut told) = (HashSet::new(), Before::Killed, 0);
    change(&server, &mut rng, 60, &mut ever);
    let mut newest: Option<u64> = None;
    for _ in 0..ROUNDS {
        if rng.u8(..8) == 0 {
            // A backup was restored, whose history may be shorter or longer.
            server = self::server();
            let changes = rng.usize(1..200);
            change(&server, &mut rng, changes, &mut ever);
            (before, newest) = (Before::Killed, None);
        }
        if rng.u8(..6) == 0 {
            let other = draw_scope(&mut rng);
            let shards = [scope, other].iter().all(|scope| scope.is_of_shards());
            if !shards {
                // Another table.
                before = Before::Killed;
            }
            scope = other;
        }
        let run = Run::synced(&server, scratch.path(), scope).await;
        let version = run.informer.snapshot().version().unwrap().to_string().parse().unwrap();
        assert!(newest.is_none_or(|newest| newest <= version), "an older view");
        run.settle(&server, scope).await;
        let now = scope.of(&server);
        let gone = run.told.lock().gone.clone();
        told += usize::from(!gone.is_empty());
        for (key, uid, _) in &gone {
            assert!(ever.contains(uid), "{key} was deleted, and never stored");
            assert!(now.get(key).is_none_or(|(other, _)| other != uid), "{key} exists");
        }
        let keys: HashSet<_> = gone.iter().map(|(key, ..)| key).collect();
        assert_eq!(keys.len(), gone.len(), "deleted twice");
        if let Before::Stopped(last) = &before {
            for (key, (uid, _)) in last {
                // Outside of the shard, another replica is told.
                let exists = now.get(key).is_some_and(|(other, _)| other == uid) || !scope.has(uid);
                let told = gone.iter().any(|(_, gone, _)| gone == uid);
                assert!(exists || told, "the deletion of {key} was not told");
            }
        }
        let mut image = None;
        for _ in 0..rng.usize(..6) {
            let changes = rng.usize(..12);
            change(&server, &mut rng, changes, &mut ever);
            tokio::time::sleep(Duration::from_millis(rng.u64(..150))).await;
            if rng.bool() {
                image = scratch.newest_table().map(|path| (std::fs::read(&path).unwrap(), path));
            }
        }
        run.settle(&server, scope).await;
        let (last, version) =
            (run.stored(), run.informer.snapshot().version().unwrap().to_string());
        run.shutdown().await;
        (before, newest) = (Before::Stopped(last), version.parse().ok());
        if let Some((mut image, table)) = image {
            // The process was killed earlier, and perhaps in the middle of a write.
            if rng.bool() {
                image.truncate(rng.usize(..=image.len()));
            }
            if rng.u8(..4) == 0 && !image.is_empty() {
                let at = rng.usize(..image.len());
                image[at] ^= 1 << rng.u8(..8);
            }
            std::fs::write(table, image).unwrap();
            before = Before::Killed;
        }
        let changes = rng.usize(..20);
        change(&server, &mut rng, changes, &mut ever);
        if rng.u8(..4) == 0 {
            server.compact();
            let changes = rng.usize(..3);
            change(&server, &mut rng, changes, &mut ever);
        }
    }
    told
}

/// The store, and what a handler was told, are the server's state after each start, and no deletion
/// is made up.
#[test]
fn killed_programs_start_with_the_servers_state() {
    let told = play_all("RESTARTS", SEEDS, |seed| in_simulated_time(seed, play(seed)));
    let starts: usize = told.iter().sum();
    assert!(starts * 3 > told.len(), "only {starts} starts told of deleted objects");
}
