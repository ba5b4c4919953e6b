//! A line to a server that can be cut: TCP both ways, whatever is said.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

pub(crate) struct Line {
    address: SocketAddr,
    whole: watch::Sender<bool>,
    open: Arc<AtomicUsize>,
    accepting: JoinHandle<()>,
}

impl Line {
    /// A line to `target`, a host and a port.
    pub(crate) async fn to(target: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let (whole, state) = watch::channel(true);
        let open = Arc::new(AtomicUsize::new(0));
        let accepting = tokio::spawn(accept(listener, target, state, open.clone()));
        Self { address, whole, open, accepting }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends every connection; every new one is refused.
    pub(crate) fn cut(&self) {
        self.whole.send_replace(false);
    }

    pub(crate) fn mend(&self) {
        self.whole.send_replace(true);
    }

    /// Returns the number of open connections.
    pub(crate) fn connections(&self) -> usize {
        self.open.load(Ordering::SeqCst)
    }
}

async fn accept(
    mut listener: TcpListener,
    target: String,
    mut whole: watch::Receiver<bool>,
    open: Arc<AtomicUsize>,
) {
    let address = listener.local_addr().expect("it is bound");
    let state = whole.clone();
    loop {
        let cut = async { whole.wait_for(|whole| !whole).await.is_ok() };
        tokio::select! {
            accepted = listener.accept() => {
                if let Ok((stream, _)) = accepted {
                    tokio::spawn(carry(stream, target.clone(), state.clone(), open.clone()));
                }
                continue;
            }
            _ = cut => drop(listener),
        }
        if whole.wait_for(|whole| *whole).await.is_err() {
            return;
        }
        listener = TcpListener::bind(address).await.expect("nobody took the port");
    }
}

async fn carry(
    mut near: TcpStream,
    target: String,
    mut whole: watch::Receiver<bool>,
    open: Arc<AtomicUsize>,
) {
    open.fetch_add(1, Ordering::SeqCst);
    let both_ways = async {
        if let Ok(mut far) = TcpStream::connect(target).await {
            // Either side may hang up.
            let _ = copy_bidirectional(&mut near, &mut far).await;
        }
    };
    tokio::select! {
        () = both_ways => {}
        // Cut, or the line is gone altogether.
        _ = whole.wait_for(|whole| !whole) => {}
    }
    open.fetch_sub(1, Ordering::SeqCst);
}

impl Drop for Line {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}
