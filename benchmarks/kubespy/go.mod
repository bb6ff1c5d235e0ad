module kubespybuild

go 1.24

require github.com/pulumi/kubespy v0.6.0

replace vbom.ml/util => github.com/fvbommel/util v0.0.0-20160121211510-db5cfe13f5cc

replace github.com/Azure/go-autorest => github.com/Azure/go-autorest v14.2.0+incompatible
