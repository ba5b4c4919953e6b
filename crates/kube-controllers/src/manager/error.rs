//! The reasons why a manager could not be built, or ended.

use std::error::Error;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::controller::{BoxError, ControllerError};
use crate::leader_election::LeaderElectionError;
use kube_informer::informer::{StartError, SyncError};
use kube_informer::lister_watcher::Collection;

/// The reason why a [`Manager`](super::Manager) could not be built, or ended other than by being
/// stopped.
///
/// The text includes the cause's text and says what to do. [`source`](Error::source) skips that
/// cause, so a report of the whole chain says each thing once. `Debug` writes that report, because
/// it is what a program prints whose `main` returns the error.
///
/// ```
/// use kube_controllers::manager::ManagerError;
///
/// /// Returns the exit code of an operator, and prints the reason if it is not zero.
/// fn exit_code(ended: Result<(), ManagerError>) -> u8 {
///     match &ended {
///         Ok(()) => return 0,
///         Err(ManagerError::Leadership { .. }) => eprintln!("another replica takes over"),
///         Err(ManagerError::Unfinished { names, .. }) => eprintln!("cut off: {names:?}"),
///         Err(error) => eprintln!("{error}"),
///     }
///     1
/// }
/// ```
#[non_exhaustive]
pub enum ManagerError {
    /// Two controllers, tasks or checks have the same name. Names distinguish them in the status,
    /// in metrics and in health checks.
    DuplicateName {
        /// The name.
        name: Arc<str>,
    },
    /// A controller, a task or a check has an empty name.
    EmptyName,
    /// A second elector was given. One election decides for all controllers.
    TwoElections,
    /// A controller has a leader election of its own.
    ControllerElection {
        /// The controller's name.
        controller: Arc<str>,
    },
    /// A sharded controller waits for leadership. Only the leader would work, while the other
    /// replicas hold slots.
    ShardedController {
        /// The controller's name.
        controller: Arc<str>,
    },
    /// The manager stops or has ended, so it runs no more controllers.
    Ended,
    /// A route of the endpoints cannot be served.
    Route {
        /// The path.
        path: Arc<str>,
        /// The reason, and the remedy.
        problem: &'static str,
    },
    /// Another recorder of metrics is installed, whose figures the manager cannot serve.
    RecorderInstalled,
    /// An address could not be bound.
    Address {
        /// The endpoints to be served there: `health`, `metrics`, or `health and metrics`.
        endpoints: &'static str,
        /// The address.
        address: SocketAddr,
        /// The error of the system.
        source: io::Error,
    },
    /// The handlers of signals could not be installed.
    Signals(io::Error),
    /// The informers did not start.
    NotStarted(StartError),
    /// The server does not serve a resource that an informer follows.
    NotServed {
        /// The resource.
        collection: Collection,
        /// The group and version that the program asks for, such as `apps/v1`.
        api_version: String,
    },
    /// An informer follows a namespace of a resource that is cluster-scoped.
    WrongScope {
        /// The resource, and the namespace.
        collection: Collection,
    },
    /// The service account may not list or watch a resource that an informer follows.
    Forbidden {
        /// The first such resource. The log names each in a warning of its own.
        collection: Collection,
        /// The server's message.
        message: String,
    },
    /// Informers did not sync in time.
    NotSynced(SyncError),
    /// A controller failed.
    Controller(ControllerError),
    /// A task returned an error.
    Task {
        /// The name of the task.
        name: Arc<str>,
        /// The task's error.
        source: BoxError,
    },
    /// A task, or a controller's code outside of its reconciles, panicked.
    Panicked {
        /// The name of the task or the controller.
        name: Arc<str>,
        /// The message of the panic.
        message: String,
    },
    /// This replica lost leadership, or its election failed. End the process and start it again, as
    /// client-go does, or set [`rejoins_election`](super::ManagerBuilder::rejoins_election).
    Leadership {
        /// The elector's error.
        source: LeaderElectionError,
    },
    /// Some parts had not ended in time after a stop. They were dropped; code that blocks its
    /// thread may still run.
    Unfinished {
        /// The names of these controllers and tasks.
        names: Vec<Arc<str>>,
        /// The time that they had.
        after: Duration,
    },
    /// A second signal ended the manager at once.
    Interrupted {
        /// The names of the controllers and tasks that had not ended.
        names: Vec<Arc<str>>,
    },
}

impl fmt::Debug for ManagerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)?;
        let mut cause = self.source();
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

impl fmt::Display for ManagerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DuplicateName { name } => {
                write!(
                    f,
                    "the name {name:?} is used twice: give each controller, task and check its own"
                )
            }
            Self::EmptyName => {
                f.write_str("a controller, task or check has an empty name: give it one")
            }
            Self::TwoElections => f.write_str(
                "two leader elections were given: one decides for all controllers; leave one out",
            ),
            Self::ControllerElection { controller } => write!(
                f,
                "controller {controller} has a leader election of its own: give the elector to the \
                 manager's builder instead"
            ),
            Self::ShardedController { controller } => write!(
                f,
                "controller {controller} is sharded and waits for leadership: add it with \
                 controller_on_every_replica, or leave the leader election out"
            ),
            Self::Ended => f.write_str("the manager has ended, so no controller can be added"),
            Self::Route { path, problem } => {
                write!(f, "route {path:?} cannot be served: {problem}")
            }
            Self::RecorderInstalled => f.write_str(
                "another recorder of metrics is installed: serve its figures with \
                 Serve::metrics_from, or leave /metrics out with Serve::without_metrics",
            ),
            Self::Address { endpoints, address, source } => {
                write!(f, "cannot listen on {address} for {endpoints}: {source}")?;
                let first = endpoints.split(' ').next().unwrap_or_default();
                let method = format_args!("Serve::{first}_address");
                match source.kind() {
                    io::ErrorKind::AddrInUse => {
                        write!(f, "; end the process that listens there, or set {method}")
                    }
                    _ => write!(f, "; choose another address with {method}"),
                }
            }
            Self::Signals(source) => write!(f, "cannot listen to signals: {source}"),
            Self::NotStarted(source) => source.fmt(f),
            Self::NotServed { collection: Collection { resource, .. }, api_version } => write!(
                f,
                "the server does not serve {resource} in {api_version}: install the \
                 CustomResourceDefinition, or correct group, version and plural of the type"
            ),
            Self::WrongScope { collection: Collection { resource, namespace, .. } } => write!(
                f,
                "{resource} is cluster-scoped, but an informer follows namespace {:?}: leave the \
                 namespace out, or correct the scope of the type",
                namespace.as_deref().unwrap_or_default()
            ),
            Self::Forbidden { collection, message } => {
                let Collection { resource, namespace, .. } = collection;
                let role = if namespace.is_some() { "role" } else { "cluster role" };
                write!(
                    f,
                    "{collection} may not be listed or watched: {message}; allow list and watch on \
                     {resource} in a {role} of the service account"
                )
            }
            Self::NotSynced(source) => source.fmt(f),
            Self::Controller(source) => source.fmt(f),
            Self::Task { name, source } => write!(f, "task {name} failed: {source}"),
            Self::Panicked { name, message } => write!(f, "{name} panicked: {message}"),
            Self::Leadership { source } => source.fmt(f),
            Self::Unfinished { names, after } => {
                let names = names.join(", ");
                write!(
                    f,
                    "not ended {after:?} after the stop: {names}; let tasks watch their token, make \
                     `timeout` shorter than the grace, and run blocking code by `spawn_blocking`"
                )
            }
            Self::Interrupted { names } if names.is_empty() => {
                f.write_str("ended at once by a second signal")
            }
            Self::Interrupted { names } => {
                write!(f, "ended at once by a second signal, before {}", names.join(", "))
            }
        }
    }
}

impl Error for ManagerError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Address { source, .. } | Self::Signals(source) => source.source(),
            Self::NotStarted(source) => source.source(),
            // Its text includes its source's text.
            Self::NotSynced(source) => source.source().and_then(Error::source),
            Self::Controller(source) => source.source(),
            Self::Task { source, .. } => source.source(),
            Self::Leadership { source } => source.source(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("no room")]
    struct NoRoom(#[source] io::Error);

    #[test]
    fn error_of_main_reads_as_text() {
        let source = NoRoom(io::Error::other("disk full")).into();
        let error = ManagerError::Task { name: "export".into(), source };
        assert_eq!(format!("{error:?}"), "task export failed: no room: disk full");
    }
}
