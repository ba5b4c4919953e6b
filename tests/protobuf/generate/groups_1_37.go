//go:build !older

package main

import (
	lifecyclev1alpha1 "k8s.io/api/lifecycle/v1alpha1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	storagemigrationv1 "k8s.io/api/storagemigration/v1"
	storagemigrationv1beta1 "k8s.io/api/storagemigration/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
)

// served is what the newest release serves beside what is common.
var served = []func(*runtime.Scheme) error{
	lifecyclev1alpha1.AddToScheme,
	resourcev1.AddToScheme,
	schedulingv1alpha3.AddToScheme,
	storagemigrationv1.AddToScheme,
	storagemigrationv1beta1.AddToScheme,
}
