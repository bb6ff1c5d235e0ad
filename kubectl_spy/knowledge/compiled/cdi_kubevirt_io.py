"""Made by `python -m tools.knowledge` from cdi.kubevirt.io.yaml."""

DATA = {
    'group': 'cdi.kubevirt.io',
    'docs': 'https://github.com/kubevirt/containerized-data-importer/blob/main/doc/datavolumes.md',
    'kinds': {
        'DataVolume': {'health': [{'failed': {'status.phase': 'Failed'}}, {'ended': {'status.phase': 'Succeeded'}}, {'failed': {'conditions': {'Running': {'status': False, 'reason': ['Error', 'ImagePullFailed']}}}, 'grace': 60}, {'paused': {'status.phase': 'Paused'}}, {'waiting': {'status.phase': {'present': True}}}], 'conditions': {'neutral': ['Running']}, 'references': {'spec.source.pvc.name': {'kind': 'PersistentVolumeClaim', 'namespace': 'spec.source.pvc.namespace'}, 'spec.source.http.secretRef': 'Secret', 'spec.source.s3.secretRef': 'Secret', 'spec.source.registry.secretRef': 'Secret', 'spec.sourceRef.name': {'kind': 'DataSource.cdi.kubevirt.io', 'namespace': 'spec.sourceRef.namespace'}}, 'makes': {'metadata.name': 'PersistentVolumeClaim'}, 'owns': ['persistentvolumeclaims', 'pods']},
    },
}
