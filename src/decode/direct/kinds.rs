// Written by tests/protobuf/generate; never by hand.

kinds! {
    k8s_openapi::api::core::v1: Pod 328;
}
