//go:build release_1_36

package main

import (
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1alpha2 "k8s.io/api/scheduling/v1alpha2"
	storagemigrationv1beta1 "k8s.io/api/storagemigration/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
)

// served is what release 1.36 serves beside what is common.
var served = []func(*runtime.Scheme) error{
	resourcev1.AddToScheme,
	schedulingv1alpha2.AddToScheme,
	storagemigrationv1beta1.AddToScheme,
}
