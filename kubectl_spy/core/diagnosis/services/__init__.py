"""What a Service needs for traffic to arrive, a question a file.

The questions are those of "why is my Pod not getting any traffic": its selector, the
Pods, the EndpointSlices, the name in the DNS, the address, the nodes' proxies.
https://kubernetes.io/docs/tasks/debug/debug-application/debug-service/
"""
