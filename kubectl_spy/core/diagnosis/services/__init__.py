"""The rules for Services, a question or two in each file.

The questions are those of "why does my Pod get no traffic": the selector, the Pods, the
EndpointSlices, the name in the DNS, the address, the nodes' proxies.
https://kubernetes.io/docs/tasks/debug/debug-application/debug-service/
"""
