//! The deliberate differences in what webhooks are asked, and in what follows from their answers.

use super::differences::Difference;

/// Rows like those of [`DELIBERATE`](super::differences::DELIBERATE).
pub(crate) const WEBHOOKS: &[Difference] = &[
    Difference {
        scenario: "webhooks-configuration-defaults",
        steps: &[11, 23],
        paths: &["columnDefinitions"],
        reason: "the descriptions of columns are those of another version",
    },
    Difference {
        scenario: "webhooks-configuration-defaults",
        steps: &[26],
        paths: &["resources"],
        reason: "discovery has no hashes of storage versions",
    },
    Difference {
        scenario: "webhooks-conversion-answers",
        steps: &[64],
        paths: &["details.causes", "message"],
        reason: "a shown answer is not the webhook's own text",
    },
    Difference {
        scenario: "webhooks-conversion-answers-uncached",
        steps: &[110, 111, 112],
        paths: &["details.causes", "message"],
        reason: "a shown answer is not the webhook's own text",
    },
    Difference {
        scenario: "webhooks-conversion-failing",
        steps: &[21],
        paths: &["events"],
        reason: "no other client writes during a watch",
    },
    Difference {
        scenario: "webhooks-conversion-failing",
        steps: &[23, 25],
        paths: &["details.causes", "message"],
        reason: "no certificate is checked",
    },
    Difference {
        scenario: "webhooks-conversion-failing-uncached",
        steps: &[21],
        paths: &["events"],
        reason: "no other client writes during a watch",
    },
    Difference {
        scenario: "webhooks-conversion-failing-uncached",
        steps: &[23, 25],
        paths: &["details.causes", "message"],
        reason: "no certificate is checked",
    },
    Difference {
        scenario: "webhooks-conversion-storage",
        steps: &[18, 22],
        paths: &[],
        reason: "the cache of a changed definition begins at once",
    },
    Difference {
        scenario: "webhooks-conversion-verbs",
        steps: &[16],
        paths: &["spec.port"],
        reason: "the recording shows the body of the next request",
    },
    Difference {
        scenario: "webhooks-conversion-verbs",
        steps: &[34],
        paths: &["events"],
        reason: "the cache has each write before its response is sent",
    },
    Difference {
        scenario: "webhooks-conversion-verbs",
        steps: &[36],
        paths: &["events"],
        reason: "no other client writes during a watch",
    },
    Difference {
        scenario: "webhooks-conversion-verbs-uncached",
        steps: &[16],
        paths: &["spec.port"],
        reason: "the recording shows the body of the next request",
    },
    Difference {
        scenario: "webhooks-conversion-verbs-uncached",
        steps: &[36],
        paths: &["events"],
        reason: "no other client writes during a watch",
    },
    Difference {
        scenario: "webhooks-custom-resource",
        steps: &[6, 13],
        paths: &["spec.size", "spec.replicas"],
        reason: "the recording shows the body of the next request",
    },
    Difference {
        scenario: "webhooks-custom-resource",
        steps: &[29],
        paths: &[],
        reason: "metadata of a wrong type is refused before validation",
    },
    Difference {
        scenario: "webhooks-dry-run-stored-side-effects",
        steps: &[3, 7, 11, 14, 18, 22, 25, 29, 33, 36, 40, 44],
        paths: &["metadata.generation"],
        reason: "a write of the test process counts as a change, and one of etcd does not",
    },
    Difference {
        scenario: "webhooks-match-conditions",
        steps: &[29, 31],
        paths: &[],
        reason: "an authorizer is not evaluated",
    },
    Difference {
        scenario: "webhooks-match-policy",
        steps: &[29, 33],
        paths: &["metadata.generation", "calls"],
        reason: "older versions of types, and the other group of events, are not served",
    },
    Difference {
        scenario: "webhooks-mutating-connection-fail",
        steps: &[5, 7, 9, 11],
        paths: &["details.causes", "message", "calls"],
        reason: "no certificate is checked",
    },
    Difference {
        scenario: "webhooks-mutating-defaulting",
        steps: &[11],
        paths: &["details.causes", "message"],
        reason: "the difference of two pods is shown in other words",
    },
    Difference {
        scenario: "webhooks-review-cluster-scoped",
        steps: &[12],
        paths: &["calls"],
        reason: "no rules are null, not an empty list",
    },
    Difference {
        scenario: "webhooks-review-cluster-scoped",
        steps: &[19],
        paths: &["details.causes", "message"],
        reason: "the members of a shown object are in another order",
    },
    Difference {
        scenario: "webhooks-review-requests",
        steps: &[20, 24],
        paths: &["spec.size", "status"],
        reason: "the recording shows the body of the next request",
    },
    Difference {
        scenario: "webhooks-validating-answers",
        steps: &[23],
        paths: &[],
        reason: "a code that no response can have does not close the connection",
    },
    Difference {
        scenario: "webhooks-validating-connection-fail",
        steps: &[5, 7, 9, 11],
        paths: &["details.causes", "message", "calls"],
        reason: "no certificate is checked",
    },
    Difference {
        scenario: "webhooks-validating-connection-ignore",
        steps: &[5, 7],
        paths: &["calls"],
        reason: "no certificate is checked",
    },
    Difference {
        scenario: "webhooks-validating-order",
        steps: &[5],
        paths: &[],
        reason: "the recording lacks the delay of an answer",
    },
    Difference {
        scenario: "webhooks-validating-warnings",
        steps: &[14],
        paths: &["header warning"],
        reason: "the recording does not show the bytes of an answer",
    },
    Difference {
        scenario: "webhooks-validating-warnings",
        steps: &[21],
        paths: &["header warning"],
        reason: "the recording lacks the delay of an answer",
    },
];
