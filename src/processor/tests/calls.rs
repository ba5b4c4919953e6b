//! Calls that take long, and what a handler leaves when it ends.

use std::io;
use std::sync::atomic::AtomicUsize;

use futures::FutureExt;
use tokio::time::advance;

use super::*;
use crate::object::Value;
use crate::yield_budget::{TURN, give_way};

/// A log that a test reads.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A handler whose calls take a second and a half. During each of the first three, another event
/// comes.
struct Slow(Arc<SharedProcessor>, Arc<Mutex<Vec<HandlerStatus>>>);

impl EventHandler<Value<u32>> for Slow {
    fn on_event(&mut self, event: Event<Value<u32>>) {
        let version = ***event.object();
        // The clock moves at the first poll.
        let _moved = advance(Duration::from_millis(1_500)).now_or_never();
        if version < 4 {
            self.0.enter().distribute(&[note(version + 1, Recipients::Everyone)]);
        }
        self.1.lock().extend(self.0.status());
    }
}

#[tokio::test(start_paused = true)]
async fn slow_handler_is_named_and_reported_once() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_writer(move || writer.clone()).finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let (processor, seen) = (Arc::new(SharedProcessor::new()), Arc::default());
    let (slow, options) =
        (Slow(processor.clone(), Arc::clone(&seen)), HandlerOptions::new().name("slow"));
    let added = processor.enter().add_handler(slow, &options, stored(&[1]), true);
    tokio::spawn(added.task.take().unwrap());
    tokio::time::sleep(Duration::from_secs(60)).await;
    let seen = std::mem::take(&mut *seen.lock());
    // Microseconds are counted from a moment between two of them.
    let shows = |seen: &HandlerStatus| *seen.name == *"slow" && seen.call_time.as_millis() >= 1_499;
    assert!(seen.len() == 4 && seen.iter().all(shows), "{seen:?}");
    assert_eq!(added.registration.status().call_time, Duration::ZERO, "between calls");
    let told = String::from_utf8(std::mem::take(&mut *log.0.lock())).unwrap();
    assert_eq!(told.matches("takes longer than 1s").count(), 1, "{told}");
    assert!(told.contains("handler=\"slow\""), "{told}");
}

/// A value that counts its drops.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

struct Never;

impl EventHandler<Value<Counted>> for Never {
    fn on_event(&mut self, _: Event<Value<Counted>>) {
        panic!("a removed handler is called");
    }
}

#[tokio::test(start_paused = true)]
async fn removed_handler_frees_its_events_in_turns() {
    // Tokio polls the main future of a runtime more rarely than its tasks.
    tokio::spawn(remove_and_count()).await.unwrap();
}

async fn remove_and_count() {
    const COUNT: u8 = 200;
    let processor = SharedProcessor::new();
    let drops = Arc::new(AtomicUsize::new(0));
    let object = || Cached::any(Arc::new(Value::from(Counted(drops.clone()))));
    let initial: Vec<_> = (0..COUNT).map(|n| (key(n), object())).collect();
    let added = processor.enter().add_handler(Never, &HandlerOptions::new(), initial, true);
    tokio::spawn(added.task.take().unwrap());
    for n in 0..COUNT {
        let event = CachedEvent::Deleted { object: object(), final_state_known: true };
        let gone = Notification { key: key(n), event, recipients: Recipients::Everyone };
        processor.enter().distribute(&[gone]);
    }
    added.registration.remove();
    let (mut freed, mut turns) = (0, 0);
    while freed < 2 * usize::from(COUNT) {
        let before = freed;
        give_way().await;
        freed = drops.load(Ordering::Relaxed);
        assert!(freed - before <= TURN, "{} objects in a turn", freed - before);
        turns += 1;
        assert!(turns < 100, "{freed} objects are freed");
    }
    added.registration.remove_and_wait().await;
}
