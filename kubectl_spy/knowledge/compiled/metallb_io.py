"""Made by `python -m tools.knowledge` from metallb.io.yaml."""

DATA = {'group': 'metallb.io', 'docs': 'https://metallb.io/apis/', 'kinds': {'BGPAdvertisement': {'references': {'spec.ipAddressPools[]': 'IPAddressPool.metallb.io'}, 'owns': []}, 'L2Advertisement': {'references': {'spec.ipAddressPools[]': 'IPAddressPool.metallb.io'}, 'owns': []}, 'BGPPeer': {'references': {'spec.passwordSecret.name': 'Secret', 'spec.bfdProfile': 'BFDProfile.metallb.io'}, 'owns': []}}}
