// Written by tests/protobuf/generate; never by hand.

messages! { k8s_openapi::apimachinery::pkg::apis::meta::v1;
    Condition (last_transition_time message observed_generation reason status type_) {
        1 always(type_) 2 always(status) 3 omit(observed_generation) 4 always(last_transition_time)
        5 always(reason) 6 always(message)
    }
    LabelSelector {
        1 many(match_labels) 2 many(match_expressions)
    }
    LabelSelectorRequirement {
        1 always(key) 2 always(operator) 3 many(values)
    }
    ManagedFieldsEntry {
        1 omit(manager) 2 omit(operation) 3 omit(api_version) 4 given(time) 6 omit(fields_type)
        7 given(fields_v1) 8 omit(subresource)
    }
    ObjectMeta {
        1 omit(name) 2 omit(generate_name) 3 omit(namespace) 4 omit(self_link) 5 omit(uid)
        6 omit(resource_version) 7 omit(generation) 8 omit(creation_timestamp)
        9 given(deletion_timestamp) 10 given(deletion_grace_period_seconds) 11 many(labels)
        12 many(annotations) 13 many(owner_references) 14 many(finalizers)
        17 managed(managed_fields)
    }
    OwnerReference {
        1 always(kind) 3 always(name) 4 always(uid) 5 always(api_version) 6 given(controller)
        7 given(block_owner_deletion)
    }
}
