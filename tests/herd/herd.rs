//! The life of one herd.

use std::fmt;
use std::time::Duration;

use fastrand::Rng;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::{InformerSpec, SharedInformer, SharedInformerFactory};
use tokio::time::{Instant, sleep};

use crate::seeds::in_simulated_time;
use crate::server::{Capacity, Seen, Server};

/// The informers of a whole herd. Most worlds have a tenth of them, and of the seats.
const INFORMERS: usize = 1_000;

/// The limit of a factory, unless it is set.
const CONCURRENT_LISTS: usize = 8;

/// One world of so many has a whole herd.
const WHOLE: u64 = 10;

/// The figures of a world.
#[derive(Debug)]
pub(crate) struct Figures {
    seed: u64,
    informers: usize,
    replicas: usize,
    capacity: Capacity,
    outage: Duration,
    /// The watches whose version the server forgot, in percent.
    pub(crate) lost: usize,
    start: Phase,
    /// Connection attempts during the outage.
    attempts: usize,
    pub(crate) back: Phase,
}

/// The time from a start, or from the return of the server, until every informer is fresh.
#[derive(Debug)]
pub(crate) struct Phase {
    /// The time until half of the informers were fresh, and all.
    half: Duration,
    all: Duration,
    /// The longest wait of an informer that needed no list.
    resumed: Duration,
    lists: usize,
    requests: usize,
    pub(crate) refused: usize,
    /// The largest number of requests in a tenth of a second.
    burst: usize,
    too_soon: usize,
}

impl Phase {
    fn new(seen: &Seen, begun: Instant) -> Self {
        let mut waits: Vec<_> = seen.fresh.values().map(|at| *at - begun).collect();
        waits.sort();
        let resumed = seen.fresh.iter().filter(|(of, _)| !seen.listed.contains(of));
        let resumed = resumed.map(|(_, at)| *at - begun).max().unwrap_or_default();
        let mut tenths: Vec<_> =
            seen.requests.iter().map(|at| (*at - begun).as_millis() / 100).collect();
        tenths.sort_unstable();
        Self {
            half: waits[waits.len() / 2],
            all: *waits.last().unwrap(),
            resumed,
            lists: seen.lists,
            requests: seen.requests.len(),
            refused: seen.refused,
            burst: tenths.chunk_by(|a, b| a == b).map(<[_]>::len).max().unwrap_or(0),
            too_soon: seen.too_soon,
        }
    }
}

impl Figures {
    /// Asserts that the herd neither stormed the server nor starved.
    pub(crate) fn assert_bounds(&self) {
        let Self { informers, replicas, capacity, outage, lost, start, attempts, back, .. } = self;
        let lists = replicas * CONCURRENT_LISTS;
        let rounds = u32::try_from(informers.div_ceil(capacity.seats.min(lists))).unwrap();
        let ideal = capacity.list * rounds;
        assert!(start.all < 5 * ideal + Duration::from_secs(90), "{self}");
        assert!(back.all < 5 * ideal + Duration::from_secs(120), "{self}");
        assert_eq!((start.too_soon, back.too_soon), (0, 0), "{self}");
        assert!(start.refused + back.refused < 20 * informers, "{self}");
        // A list and its watch, as often as a place for lists becomes free in a tenth of a second.
        let turns = 2 + 100 / usize::try_from(capacity.list.as_millis()).unwrap();
        assert!(start.burst <= 2 * lists.min(*informers) * turns, "{self}");
        // An informer whose version was forgotten sends two further requests: a list and a watch.
        let each = if *lost > 0 { 3 } else { 2 };
        assert!(back.burst < each * informers / 10 + 25, "{self}");
        if *outage >= Duration::from_secs(60) {
            let seconds = usize::try_from(outage.as_secs()).unwrap();
            assert!(100 * attempts < 15 * informers * seconds, "{self}");
        }
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, informers, replicas, capacity, outage, lost, start, attempts, back } =
            self;
        let Capacity { seats, queue, list } = capacity;
        write!(
            f,
            "{seed}: {informers} in {replicas} replicas, {seats} seats + {queue}, {list:?} a list; "
        )?;
        write!(f, "start {start}; outage {outage:?}, lost {lost} %, {attempts} attempts; ")?;
        write!(f, "back {back}")
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { half, all, resumed, lists, requests, refused, burst, too_soon } = self;
        let [half, all, resumed] = [half, all, resumed].map(Duration::as_secs_f64);
        write!(f, "half {half:.1} s, all {all:.1} s, resumed {resumed:.1} s, ")?;
        write!(
            f,
            "{lists} lists, {requests} requests, {refused} refused, burst {burst}, {too_soon} too soon"
        )
    }
}

/// Plays one world.
pub(crate) fn play(seed: u64) -> Figures {
    in_simulated_time(seed, live(seed))
}

async fn live(seed: u64) -> Figures {
    let mut rng = Rng::with_seed(seed);
    let mut one_of = |choices: &[usize]| rng.choice(choices.iter().copied()).unwrap();
    let (informers, share) =
        if seed.is_multiple_of(WHOLE) { (INFORMERS, 1) } else { (INFORMERS / 10, 10) };
    let replicas = (one_of(&[1, 10, 100, 1_000]) / share).max(1);
    let capacity = Capacity {
        seats: one_of(&[10, 40, 100]) / share,
        queue: one_of(&[0, 50, 500]) / share,
        list: Duration::from_millis(one_of(&[20, 200, 1_000]) as u64),
    };
    let outage = Duration::from_secs(one_of(&[1, 10, 60, 600]) as u64);
    let lost = one_of(&[0, 50, 100]);
    let server = Server::new(capacity);
    let begun = Instant::now();
    let (factories, caches) = start(&server, informers, replicas);
    all_fresh(&server, informers).await;
    let start = Phase::new(&server.take_seen(), begun);
    // Long enough for every delay to start over.
    sleep(Duration::from_secs(300)).await;
    server.take_seen();
    server.stop();
    sleep(outage).await;
    let attempts = server.take_seen().requests.len();
    let begun = Instant::now();
    server.resume((0..informers).filter(|_| rng.usize(..100) < lost));
    all_fresh(&server, informers).await;
    let back = Phase::new(&server.take_seen(), begun);
    sleep(Duration::from_secs(1)).await;
    let version = server.version().to_string();
    for cache in &caches {
        assert_eq!(cache.snapshot().version().map(ToString::to_string).as_ref(), Some(&version));
        assert_eq!(cache.snapshot().len(), 1);
    }
    for factory in factories {
        factory.shutdown().await;
    }
    Figures { seed, informers, replicas, capacity, outage, lost, start, attempts, back }
}

fn start(
    server: &Server,
    informers: usize,
    replicas: usize,
) -> (Vec<SharedInformerFactory>, Vec<SharedInformer<ConfigMap>>) {
    let (mut factories, mut caches) = (Vec::new(), Vec::new());
    for replica in 0..replicas {
        let factory = SharedInformerFactory::builder(server.client()).on_error(|_| {}).build();
        let own = informers / replicas;
        for n in replica * own..(replica + 1) * own {
            let spec = InformerSpec::new().namespace(format!("n{n}"));
            caches.push(factory.informer_with(spec).unwrap());
        }
        factory.start().unwrap();
        factories.push(factory);
    }
    (factories, caches)
}

/// Waits until the server has served every informer.
async fn all_fresh(server: &Server, informers: usize) {
    let begun = Instant::now();
    while server.fresh() < informers {
        let late = begun.elapsed() > Duration::from_secs(3600);
        assert!(!late, "{} of {informers} are fresh after an hour", server.fresh());
        sleep(Duration::from_millis(100)).await;
    }
}
