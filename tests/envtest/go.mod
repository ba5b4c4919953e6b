module kube-informer/envtest

go 1.26
