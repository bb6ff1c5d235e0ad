"""Incidents whose cause is known, played on a real control plane and recorded.

    python -m tools.incidents DIRECTORY [SCENE…]

plays the scenes of this package (all takes fifteen minutes) and writes NAME.spy.gz and
NAME.json, the label, for each. It needs what scripts/control-plane builds. The API
server, the controllers and the scheduler are real. kubelet.py plays the kubelets, since
kwok's Pods never fail by themselves: a Pod fails here because of what its spec and its
ConfigMaps say, and heals when they are mended.

tests/core/summary/incidents holds one run.
"""
