//! Three replicas share the objects of a cluster. One is killed, another comes, and the objects
//! move.
//!
//! `cargo example sharded` brings its own API server on a local port, and starts itself three
//! times as child processes: the replicas. It prints a table of their shares and kills one. It
//! measures how long the others take to work in its place, starts another, and ends by itself.
//!
//! `-- --cluster --namespace NAME` does the same in the cluster of the present kubeconfig. It
//! creates 264 `ConfigMap`s, as many Secrets and some Leases in the namespace, and deletes them at
//! the end. A namespace that does not exist is created and deleted, too.
//!
//! A server with sharded lists (KEP-5866) sends each replica only its own orders. Any other server
//! sends all of them, and the replica leaves out those of the others before it decodes them.

mod fleet;
#[path = "../support/interrupted.rs"]
mod interrupted;
mod replica;

use std::io::{Read, Write};
use std::thread;
use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use kube::api::{DeleteParams, ListParams, ObjectMeta, PostParams};
use kube::{Api, Client, Config};
use kube_informer::error::BoxError;
use kube_informer::testing::ApiServer;
use tokio_util::sync::CancellationToken;

use self::fleet::Fleet;
use self::replica::{GROUP, LABEL, Replica, order};

/// The number of orders at the beginning.
const ORDERS: usize = 240;

/// The orders that are created while some slots have no owner.
const MORE_ORDERS: usize = 24;

/// The namespaces on the embedded server. The first one has the Leases.
const NAMESPACES: [&str; 4] = ["shop", "bank", "mail", "batch"];

/// The label of the group's Leases.
const LEASES: &str = "kube-informer.dev/sharding";

/// The label of the members' Leases.
const MEMBERS: &str = "kube-informer.dev/sharding-role=member";

/// The period in which a replica reports.
const REPORT_PERIOD: Duration = Duration::from_millis(100);

/// The arguments.
#[derive(Default)]
struct Options {
    cluster: bool,
    namespace: Option<String>,
    /// The name of the replica that this process is. Only the example itself sets it.
    replica: Option<String>,
    /// The address of the embedded server. Only the example itself sets it.
    server: Option<String>,
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, BoxError> {
        let mut options = Self::default();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
            match &*argument {
                "--cluster" => options.cluster = true,
                "--namespace" => options.namespace = Some(value()?),
                "--replica" => options.replica = Some(value()?),
                "--server" => options.server = Some(value()?),
                other => return Err(format!("unknown option {other}").into()),
            }
        }
        if options.cluster && options.namespace.is_none() {
            return Err("--cluster needs --namespace: a namespace to work in".into());
        }
        Ok(options)
    }

    async fn client(&self) -> Result<Client, BoxError> {
        Ok(match &self.server {
            Some(url) => Client::try_from(Config::new(url.parse()?))?,
            None => Client::try_default().await?,
        })
    }

    /// Returns the namespace of the Leases.
    fn home(&self) -> &str {
        self.namespace.as_deref().unwrap_or(NAMESPACES[0])
    }
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::ERROR)
        .with_writer(std::io::stderr)
        .init();
    let mut options = Options::parse(std::env::args().skip(1))?;
    if let Some(name) = &options.replica {
        return replicate(name, &options).await;
    }
    if options.cluster {
        return Box::pin(demonstrate(&options)).await;
    }
    let server = ApiServer::builder().sharded_lists(true).garbage_collection(true).build();
    let listening = server.listen("127.0.0.1:0").await?;
    options.server = Some(listening.url());
    let demonstrated = Box::pin(demonstrate(&options)).await;
    listening.shutdown().await;
    demonstrated
}

/// Runs one replica, until the parent closes the input or has ended.
async fn replicate(name: &str, options: &Options) -> Result<(), BoxError> {
    let (client, namespace) = (options.client().await?, options.namespace.as_deref());
    let replica = Replica::new(client, name, options.home(), namespace)?;
    let (stop, monitor) = (CancellationToken::new(), replica.monitor.clone());
    let ending = stop.clone();
    thread::spawn(move || {
        while std::io::stdin().read(&mut [0; 64]).is_ok_and(|read| read > 0) {}
        ending.cancel();
    });
    let reporting = async {
        let mut ticks = tokio::time::interval(REPORT_PERIOD);
        loop {
            ticks.tick().await;
            writeln!(std::io::stdout(), "{}", serde_json::to_string(&monitor.report())?)?;
        }
    };
    tokio::select! {
        ended = replica.run(stop) => ended,
        failed = reporting => failed,
    }
}

/// Prepares the cluster, plays the story, and cleans up, whatever happens.
async fn demonstrate(options: &Options) -> Result<(), BoxError> {
    let client = options.client().await?;
    let namespaces = match &options.namespace {
        Some(given) => vec![given.as_str()],
        None => NAMESPACES.to_vec(),
    };
    let created = prepare(&client, &namespaces).await?;
    let played = tokio::select! {
        played = play(options, &client, &namespaces) => played,
        _ = interrupted::interrupted() => Err("interrupted".into()),
    };
    // Nothing on the embedded server outlives it.
    let cleaned =
        if options.cluster { clean(&client, options.home(), &created).await } else { Ok(()) };
    played.and(cleaned)
}

async fn play(options: &Options, client: &Client, namespaces: &[&str]) -> Result<(), BoxError> {
    let mut orders = take_orders(client, namespaces, 0..ORDERS).await?;
    println!("{orders} orders wait. Leases last 3 s here, so that a failure is noticed soon.\n");
    let mut arguments = match &options.server {
        Some(url) => vec!["--server".to_owned(), url.clone()],
        None => vec!["--cluster".to_owned()],
    };
    if let Some(namespace) = &options.namespace {
        arguments.extend(["--namespace".to_owned(), namespace.clone()]);
    }
    let mut fleet = Fleet::new(arguments);
    for name in ["replica-1", "replica-2", "replica-3"] {
        fleet.start(name)?;
    }
    let time = fleet.settle(orders).await?;
    println!("Three replicas share the orders after {:.1} s:", time.as_secs_f64());
    fleet.print();

    fleet.kill("replica-2");
    orders += take_orders(client, namespaces, orders..orders + MORE_ORDERS).await?;
    println!("replica-2 was killed, and {MORE_ORDERS} orders were created. The others have:");
    fleet.print();
    let time = fleet.settle(orders).await?;
    println!("They have taken its place after {:.1} s:", time.as_secs_f64());
    fleet.print();

    fleet.start("replica-4")?;
    let time = fleet.settle(orders).await?;
    println!(
        "replica-4 came, and the others have given back its share after {:.1} s:",
        time.as_secs_f64()
    );
    fleet.print();

    let time = fleet.stop().await?;
    let found = count(client, options.home(), namespaces, orders).await?;
    println!("All replicas have ended after {:.1} s. {found}", time.as_secs_f64());
    Ok(())
}

/// Creates those of the namespaces that do not exist, and returns them.
async fn prepare<'a>(client: &Client, namespaces: &[&'a str]) -> Result<Vec<&'a str>, BoxError> {
    let api = Api::<Namespace>::all(client.clone());
    let mut created = Vec::new();
    for name in namespaces {
        if api.get_opt(name).await?.is_none() {
            let metadata = ObjectMeta { name: Some((*name).to_owned()), ..ObjectMeta::default() };
            let namespace = Namespace { metadata, ..Namespace::default() };
            api.create(&PostParams::default(), &namespace).await?;
            created.push(*name);
        }
    }
    Ok(created)
}

/// Creates orders, and returns their number.
async fn take_orders(
    client: &Client,
    namespaces: &[&str],
    numbers: std::ops::Range<usize>,
) -> Result<usize, BoxError> {
    for number in numbers.clone() {
        let namespace = namespaces[number % namespaces.len()];
        let api = Api::<ConfigMap>::namespaced(client.clone(), namespace);
        let order = order(namespace, &format!("order-{number}"));
        api.create(&PostParams::default(), &order).await?;
    }
    Ok(numbers.len())
}

/// Compares the receipts with the orders, and checks that no replica is a member any more.
async fn count(
    client: &Client,
    home: &str,
    namespaces: &[&str],
    orders: usize,
) -> Result<String, BoxError> {
    let mut receipts = 0;
    for namespace in namespaces {
        let api = Api::<Secret>::namespaced(client.clone(), namespace);
        receipts += api.list_metadata(&of_example()).await?.items.len();
    }
    if receipts != orders {
        return Err(format!("there are {receipts} receipts of {orders} orders").into());
    }
    // A replica that leaves deletes its member Lease. From then on its slots have no owner.
    let leases = Api::<Lease>::namespaced(client.clone(), home);
    let members = ListParams::default().labels(&format!("{LEASES}={GROUP},{MEMBERS}"));
    match leases.list_metadata(&members).await?.items.len() {
        0 => Ok("Each order has one receipt, and the group has no member.".to_owned()),
        left => Err(format!("{left} replicas have ended and are still members").into()),
    }
}

/// Deletes what this example has made in a cluster.
async fn clean(client: &Client, namespace: &str, created: &[&str]) -> Result<(), BoxError> {
    let delete = DeleteParams::default();
    let orders = Api::<ConfigMap>::namespaced(client.clone(), namespace);
    orders.delete_collection(&delete, &of_example()).await?;
    let receipts = Api::<Secret>::namespaced(client.clone(), namespace);
    receipts.delete_collection(&delete, &of_example()).await?;
    let leases = Api::<Lease>::namespaced(client.clone(), namespace);
    let group = ListParams::default().labels(&format!("{LEASES}={GROUP}"));
    leases.delete_collection(&delete, &group).await?;
    for name in created {
        Api::<Namespace>::all(client.clone()).delete(name, &delete).await?;
    }
    Ok(())
}

/// Selects orders or receipts.
fn of_example() -> ListParams {
    ListParams::default().labels(&format!("{}={}", LABEL.0, LABEL.1))
}
