//go:build previous

package main

import (
	schedulingv1alpha2 "k8s.io/api/scheduling/v1alpha2"
	"k8s.io/apimachinery/pkg/runtime"
)

// served is what the release before the newest serves beside what is common.
var served = []func(*runtime.Scheme) error{
	schedulingv1alpha2.AddToScheme,
}
