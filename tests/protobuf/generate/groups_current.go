//go:build !previous

package main

import (
	lifecyclev1alpha1 "k8s.io/api/lifecycle/v1alpha1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	storagemigrationv1 "k8s.io/api/storagemigration/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// served is what the newest release serves beside what is common.
var served = []func(*runtime.Scheme) error{
	lifecyclev1alpha1.AddToScheme,
	schedulingv1alpha3.AddToScheme,
	storagemigrationv1.AddToScheme,
}
