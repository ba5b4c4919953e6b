//! The embedded server over TLS, and a proxy before it that can cut its oldest connection.
//!
//! It writes the kubeconfig to its standard output, then obeys one order a line and answers each
//! with a line: `cut`, `connections` or `requests` (those of watches, and those that list).

use std::io::{BufRead, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_embedded_apiserver::ApiServer;
use parking_lot::Mutex;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// The namespace with lists of 16 MB.
pub(crate) const LARGE: &str = "large";

/// The connections, oldest first.
type Connections = Arc<Mutex<Vec<JoinHandle<()>>>>;

pub(crate) fn run() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let server = ApiServer::builder().max_connections(100_000).build();
    for n in 0..64 {
        let mut map = ConfigMap::default();
        map.metadata.name = Some(format!("map-{n}"));
        map.metadata.namespace = Some(LARGE.to_owned());
        map.data = Some([("text".to_owned(), "x".repeat(256 * 1024))].into());
        server.create(&map).expect("a config map");
    }
    let connections = Connections::default();
    let (listening, port) = runtime.block_on(async {
        let listening = server.listen_tls("127.0.0.1:0").await.expect("a port");
        let proxy = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = proxy.local_addr().expect("an address").port();
        tokio::spawn(forward(proxy, listening.address(), connections.clone()));
        (listening, port)
    });
    let own = format!(":{}", listening.address().port());
    let kubeconfig = listening.kubeconfig(None).replace(&own, &format!(":{port}"));
    println!("{}", serde_json::json!(kubeconfig));
    for order in std::io::stdin().lines() {
        let mut connections = connections.lock();
        connections.retain(|connection| !connection.is_finished());
        match order.expect("an order").as_str() {
            "cut" => {
                connections[0].abort();
                println!("cut");
            }
            "connections" => println!("{}", connections.len()),
            _ => {
                let requests = server.requests();
                let watches = requests.iter().filter(|request| request.watch).count();
                let lists = requests.iter().filter(|request| {
                    let streams = request.target.contains("sendInitialEvents=true");
                    let asks = request.target.split(['?', '&']).any(|one| one == "limit=1");
                    streams || !request.watch && !asks
                });
                println!("{watches} {}", lists.count());
            }
        }
        std::io::stdout().flush().expect("a reader");
    }
}

async fn forward(proxy: TcpListener, to: std::net::SocketAddr, connections: Connections) {
    while let Ok((mut client, _)) = proxy.accept().await {
        let connection = tokio::spawn(async move {
            let Ok(mut server) = TcpStream::connect(to).await else { return };
            let _ = (client.set_nodelay(true), server.set_nodelay(true));
            let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
        });
        connections.lock().push(connection);
    }
}

/// The process with the server. It ends with its owner.
pub(crate) struct Part {
    child: Child,
    orders: ChildStdin,
    answers: std::io::Lines<std::io::BufReader<ChildStdout>>,
}

impl Part {
    pub(crate) fn start() -> (Self, String) {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(["--as", "server"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("a server");
        let orders = child.stdin.take().expect("its input");
        let answers = std::io::BufReader::new(child.stdout.take().expect("its output")).lines();
        let mut part = Self { child, orders, answers };
        let kubeconfig = part.answer();
        (part, serde_json::from_str(&kubeconfig).expect("a kubeconfig"))
    }

    pub(crate) fn order(&mut self, order: &str) -> String {
        writeln!(self.orders, "{order}").expect("the server");
        self.answer()
    }

    /// Returns the requests of watches so far, and those that list.
    pub(crate) fn requests(&mut self) -> (usize, usize) {
        let answer = self.order("requests");
        let (watches, lists) = answer.split_once(' ').expect("two numbers");
        (watches.parse().unwrap(), lists.parse().unwrap())
    }

    fn answer(&mut self) -> String {
        self.answers.next().expect("an answer").expect("an answer")
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
