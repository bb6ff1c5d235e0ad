"""Tables: what `kubectl get` prints of each kind.

kube-apiserver computes them. The rules are those of its printers:
https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/printers/internalversion/printers.go
"""
