//! The deliberate differences between the embedded server and a real one.

use super::ledger::Difference;

/// A row whose steps agree is an error.
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
        paths: &["compiler", "gitCommit", "gitVersion", "goVersion", "platform"],
        reason: "the version names this server's build",
    },
    Difference {
        scenario: "unauthorized",
        steps: &[4],
        paths: &["compiler", "gitCommit", "gitVersion", "goVersion", "platform"],
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
        scenario: "list-selectors",
        steps: &[111],
        paths: &[],
        reason: "no API services are served",
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
];
