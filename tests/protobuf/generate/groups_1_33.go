//go:build release_1_33

package main

import (
	networkingv1alpha1 "k8s.io/api/networking/v1alpha1"
	storagemigrationv1alpha1 "k8s.io/api/storagemigration/v1alpha1"
	"k8s.io/apimachinery/pkg/runtime"
)

// served is what release 1.33 serves beside what is common.
var served = []func(*runtime.Scheme) error{
	networkingv1alpha1.AddToScheme,
	storagemigrationv1alpha1.AddToScheme,
}
