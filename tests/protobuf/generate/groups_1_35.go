//go:build release_1_35

package main

import (
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1alpha1 "k8s.io/api/scheduling/v1alpha1"
	storagemigrationv1beta1 "k8s.io/api/storagemigration/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
)

// served is what release 1.35 serves beside what is common.
var served = []func(*runtime.Scheme) error{
	resourcev1.AddToScheme,
	schedulingv1alpha1.AddToScheme,
	storagemigrationv1beta1.AddToScheme,
}
