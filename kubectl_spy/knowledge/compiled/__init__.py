"""The module of each API group, made by `python -m tools.knowledge`."""

GROUPS = {
    'ceph.rook.io': 'ceph_rook_io',
    'cert-manager.io': 'cert_manager_io',
    'core.strimzi.io': 'core_strimzi_io',
    'eventing.keda.sh': 'eventing_keda_sh',
    'gateway.networking.k8s.io': 'gateway_networking_k8s_io',
    'groupsnapshot.storage.k8s.io': 'groupsnapshot_storage_k8s_io',
    '*.k8s.elastic.co': 'k8s_elastic_co',
    'kafka.strimzi.io': 'kafka_strimzi_io',
    'karpenter.azure.com': 'karpenter_azure_com',
    'karpenter.k8s.aws': 'karpenter_k8s_aws',
    'karpenter.sh': 'karpenter_sh',
    'keda.sh': 'keda_sh',
    '*.knative.dev': 'knative_dev',
    'kueue.x-k8s.io': 'kueue_x_k8s_io',
    'objectbucket.io': 'objectbucket_io',
    'operator.tekton.dev': 'operator_tekton_dev',
    'postgresql.cnpg.io': 'postgresql_cnpg_io',
    'snapshot.storage.k8s.io': 'snapshot_storage_k8s_io',
    'tekton.dev': 'tekton_dev',
    'triggers.tekton.dev': 'triggers_tekton_dev',
}
