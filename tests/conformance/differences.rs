//! The deliberate differences between the embedded server and a real one.

/// A deliberate difference from a real server.
#[derive(Debug)]
pub(crate) struct Difference {
    pub(crate) scenario: &'static str,
    pub(crate) steps: &'static [usize],
    /// The beginnings of the paths that differ; if there are none, the whole step.
    pub(crate) paths: &'static [&'static str],
    pub(crate) reason: &'static str,
}

/// A row is an error if a step agrees, or a path in all of its steps.
pub(crate) const DELIBERATE: &[Difference] = &[
    Difference {
        scenario: "accept",
        steps: &[16],
        paths: &[],
        reason: "the same YAML, but keys with a colon are in quotes",
    },
    Difference {
        scenario: "accept",
        steps: &[35, 36, 37, 38, 39, 40, 41],
        paths: &[],
        reason: "members are in the order of the alphabet, and no character is escaped for HTML",
    },
    Difference {
        scenario: "body-content-types",
        steps: &[20],
        paths: &["message"],
        reason: "a tab before a scalar is white space for the YAML parser",
    },
    Difference {
        scenario: "forbidden",
        steps: &[25],
        paths: &["compiler", "gitCommit", "gitVersion", "goVersion"],
        reason: "the version names this server's build",
    },
    Difference {
        scenario: "unauthorized",
        steps: &[4],
        paths: &["compiler", "gitCommit", "gitVersion", "goVersion"],
        reason: "the version names this server's build",
    },
    Difference {
        scenario: "forbidden",
        steps: &[27],
        paths: &["resources"],
        reason: "discovery has no hashes of storage versions",
    },
    Difference {
        scenario: "not-found",
        steps: &[25, 27, 29],
        paths: &["resources", "groups", "paths"],
        reason: "a cluster's internal types, and older versions of types, are not served",
    },
    Difference {
        scenario: "reviews",
        steps: &[4],
        paths: &["status.reason"],
        reason: "rules are not those of RBAC objects, which a reason would name",
    },
    Difference {
        scenario: "reviews",
        steps: &[20, 21],
        paths: &["status.userInfo"],
        reason: "users have no uid and no groups of their own",
    },
    Difference {
        scenario: "reviews",
        steps: &[9],
        paths: &["message", "details.causes"],
        reason: "members in a quoted value are in the order of the alphabet",
    },
    Difference {
        scenario: "forbidden",
        steps: &[37, 38, 39, 42, 44, 45, 47],
        paths: &[],
        reason: "RBAC objects grant nothing: permissions are access rules",
    },
    Difference {
        scenario: "token-requests",
        steps: &[3, 4, 10, 14],
        paths: &["spec.audiences"],
        reason: "the issuer, which is the default audience, has a name of its own",
    },
    Difference {
        scenario: "watch-options",
        steps: &[9],
        paths: &["events"],
        reason: "the history goes back to the start of the server",
    },
    Difference {
        scenario: "watch-options",
        steps: &[48],
        paths: &[],
        reason: "the same YAML, but a long line is not folded",
    },
    Difference {
        scenario: "size-limits",
        steps: &[11],
        paths: &["message"],
        reason: "the size of the message to the storage differs by some bytes",
    },
    Difference {
        scenario: "certificate-approval",
        steps: &[2, 3, 6],
        paths: &["spec.groups", "spec.uid"],
        reason: "users have no uid and no groups of their own",
    },
    Difference {
        scenario: "concurrency-certificates",
        steps: &[2, 3, 4, 5],
        paths: &["spec.groups", "spec.uid"],
        reason: "users have no uid and no groups of their own",
    },
    Difference {
        scenario: "defaults-other",
        steps: &[43],
        paths: &["spec.groups", "spec.uid"],
        reason: "users have no uid and no groups of their own",
    },
    Difference {
        scenario: "update-other",
        steps: &[27, 28],
        paths: &["spec.groups", "spec.uid"],
        reason: "users have no uid and no groups of their own",
    },
    Difference {
        scenario: "concurrency-apimachinery",
        steps: &[10, 12, 13],
        paths: &["status.conditions"],
        reason: "API services have no conditions",
    },
    Difference {
        scenario: "validation-other",
        steps: &[40],
        paths: &[],
        reason: "only the metadata of API services is checked",
    },
    Difference {
        scenario: "defaults-other",
        steps: &[17],
        paths: &[],
        reason: "older versions of types, such as autoscaling/v1, are not served",
    },
    Difference {
        scenario: "concurrency-flowcontrol",
        steps: &[3, 4, 5],
        paths: &["metadata.managedFields", "status.conditions"],
        reason: "no controller looks for the priority levels of flow schemas",
    },
    Difference {
        scenario: "crd-established",
        steps: &[3],
        paths: &["resources.0.storageVersionHash"],
        reason: "discovery has no hashes of storage versions",
    },
    Difference {
        scenario: "crd-invalid-schemas",
        steps: &[58, 63],
        paths: &[],
        reason: "costs of CEL expressions are not estimated",
    },
    Difference {
        scenario: "crd-invalid-schemas",
        steps: &[62],
        paths: &["message", "details.causes"],
        reason: "costs of CEL expressions are not estimated",
    },
    Difference {
        scenario: "field-validation",
        steps: &[25],
        paths: &["message"],
        reason: "a server goes through the members in random order, up to the first unknown one",
    },
    Difference {
        scenario: "list-selectors",
        steps: &[100, 102],
        paths: &["items"],
        reason: "the two groups of events have their own objects",
    },
    Difference {
        scenario: "patch-no-change",
        steps: &[15],
        paths: &["metadata.resourceVersion"],
        reason: "a scale that changes nothing does not split the entry of its manager",
    },
];
