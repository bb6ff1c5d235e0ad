"""Kubernetes objects, watch events and recorded streams, in as few words as possible.

Say what differs from a usual object. `manifest` is what a user writes, and `obj` what
the API server holds. Other builders return one kind, as its controller writes it.
"""
# ruff: noqa: F403

from tests.builders.objects import *
from tests.builders.pods import *
from tests.builders.serving import *
from tests.builders.streams import *
from tests.builders.watches import *
from tests.builders.workloads import *
