//! Room: the amounts that a node offers and pods take.

use std::ops::AddAssign;

use k8s_openapi::api::core::v1::Node;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use super::pod::{Container, Pod};

/// The number of pods, and of thousandths of a core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Room {
    pub(crate) pods: u64,
    pub(crate) cpu: u64,
}

impl Room {
    /// Returns the room that a node offers, or `None` if it takes no new pods. Tolerations are not
    /// looked at.
    pub(crate) fn of_node(node: &Node) -> Option<Self> {
        let spec = node.spec.as_ref();
        let mut taints = spec.and_then(|spec| spec.taints.as_ref()).into_iter().flatten();
        let closed = spec.and_then(|spec| spec.unschedulable).unwrap_or(false)
            || taints.any(|taint| taint.effect != "PreferNoSchedule");
        let offered = node.status.as_ref()?.allocatable.as_ref()?;
        let pods = offered.get("pods").and_then(|pods| pods.0.parse().ok()).unwrap_or(0);
        let cpu = offered.get("cpu").and_then(thousandths).unwrap_or(0);
        (!closed).then_some(Self { pods, cpu })
    }

    /// Returns the room that a pod takes. A pod whose request is not understood fits nowhere.
    pub(crate) fn of_pod(pod: &Pod) -> Self {
        let spec = &pod.spec;
        let (mut sidecars, mut starting) = (0_u64, 0);
        // Init containers run one after another, beside the sidecars that began before them.
        for container in &spec.init_containers {
            let beside = sidecars.saturating_add(cpu_of(container));
            starting = starting.max(beside);
            if container.restart_policy.as_deref() == Some("Always") {
                sidecars = beside;
            }
        }
        let running = spec.containers.iter().map(cpu_of).fold(sidecars, u64::saturating_add);
        let overhead =
            spec.overhead.get("cpu").map_or(0, |cpu| thousandths(cpu).unwrap_or(u64::MAX));
        Self { pods: 1, cpu: running.max(starting).saturating_add(overhead) }
    }

    /// Returns whether this fits into the room of a node.
    pub(crate) fn fits(self, node: Self) -> bool {
        self.pods <= node.pods && self.cpu <= node.cpu
    }

    /// Returns the share of a node that this takes, in thousandths: of pods or of cores, whichever
    /// is larger.
    pub(crate) fn share(self, node: Self) -> u64 {
        let share = |part: u64, whole: u64| part.saturating_mul(1000) / whole.max(1);
        share(self.pods, node.pods).max(share(self.cpu, node.cpu))
    }
}

impl AddAssign for Room {
    fn add_assign(&mut self, more: Self) {
        self.pods = self.pods.saturating_add(more.pods);
        self.cpu = self.cpu.saturating_add(more.cpu);
    }
}

fn cpu_of(container: &Container) -> u64 {
    container.resources.requests.get("cpu").map_or(0, |cpu| thousandths(cpu).unwrap_or(u64::MAX))
}

/// Returns a quantity in thousandths, rounded up. Understands the form in which a server stores
/// quantities of cores: a whole number and a suffix.
fn thousandths(quantity: &Quantity) -> Option<u64> {
    let number = quantity.0.trim_end_matches(char::is_alphabetic);
    let amount: u64 = number.parse().ok()?;
    match &quantity.0[number.len()..] {
        "n" => Some(amount.div_ceil(1_000_000)),
        "u" => Some(amount.div_ceil(1_000)),
        "m" => Some(amount),
        "" => amount.checked_mul(1_000),
        "k" => amount.checked_mul(1_000_000),
        _ => None,
    }
}
