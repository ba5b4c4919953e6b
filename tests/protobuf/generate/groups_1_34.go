//go:build release_1_34

package main

import (
	resourcev1 "k8s.io/api/resource/v1"
	storagemigrationv1alpha1 "k8s.io/api/storagemigration/v1alpha1"
	"k8s.io/apimachinery/pkg/runtime"
)

// served is what release 1.34 serves beside what is common.
var served = []func(*runtime.Scheme) error{
	resourcev1.AddToScheme,
	storagemigrationv1alpha1.AddToScheme,
}
