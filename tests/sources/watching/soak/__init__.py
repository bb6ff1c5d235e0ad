"""Random faults against a model of the API server, thousands of schedules of them.

Nothing here waits: time is a fake clock's, the network is in memory. What is real is
everything of ours from the open answer on, and http.client below it.
"""
