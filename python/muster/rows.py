# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The fields of rows, for type checkers and for errors that name the nearest field.

    def gpu_node(name: str) -> muster.rows.NodeSpec:
        return {"name": name, "capacity": {"cpu": 64, "nvidia.com/gpu": 8}}

tools/typed_rows.py writes this file from docs/scenario.schema.json, where each field is explained.
What ends in Keywords is what methods of muster.Cluster take: the fields of the row but its name,
those of a task's shape where the row has one, and amounts by short names. What ends in Columns is
what methods in the plural take: a value for all rows, or a column.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Required, TypedDict

Quantity = int | float | str
Resources = Mapping[str, Quantity]
Labels = Mapping[str, str]


class Taint(TypedDict, total=False):
    key: str
    value: str
    effect: Literal["", "NoSchedule", "PreferNoSchedule", "NoExecute"]


class ZoneSpec(TypedDict, total=False):
    name: str
    capacity: Resources
    available: Resources
    distances: Mapping[str, int]


class DeviceSpec(TypedDict, total=False):
    name: str
    kind: str
    model: str
    zone: str
    links: Sequence[str]
    memory: Quantity
    milli: int
    healthy: bool


class ImageSpec(TypedDict, total=False):
    names: Sequence[str]
    size: int


class UsageWindow(TypedDict, total=False):
    seconds: Required[int]
    average: Resources
    p50: Resources
    p90: Resources
    p95: Resources
    p99: Resources


class UsageDetail(TypedDict, total=False):
    amounts: Resources
    system: Resources
    interval: int
    windows: Sequence[UsageWindow]


class NodeUsage(TypedDict, total=False):
    cpu: Quantity
    memory: Quantity
    measured: int
    detail: UsageDetail


class NodeSpec(TypedDict, total=False):
    name: Required[str]
    capacity: Resources
    allocatable: Resources
    labels: Labels
    taints: Sequence[Taint]
    unschedulable: bool
    ready: bool
    network_unavailable: bool
    memory_pressure: bool
    disk_pressure: bool
    pid_pressure: bool
    zones: Sequence[ZoneSpec]
    devices: Sequence[DeviceSpec]
    images: Sequence[ImageSpec]
    domain: str
    usage: NodeUsage
    shard: str
    alignment: Literal["", "none", "best-effort", "restricted", "single-numa-node"]
    alignment_scope: Literal["container", "pod"]
    zones_measured: int
    settings: Labels
    count: int


QueueState = Literal["open", "closed"]


class PathStep(TypedDict, total=False):
    name: str
    weight: Quantity


class NodeGroupWish(TypedDict, total=False):
    required: Sequence[str]
    preferred: Sequence[str]
    anti_required: Sequence[str]
    anti_preferred: Sequence[str]


class NodeGroupLimit(TypedDict, total=False):
    group: str
    limit: Resources


class FlavorQuota(TypedDict, total=False):
    flavor: Required[str]
    nominal: Resources
    borrow_limit: Resources
    lend_limit: Resources


class ResourceGroup(TypedDict, total=False):
    resources: Sequence[str]
    flavors: Sequence[FlavorQuota]


class FlavorRules(TypedDict, total=False):
    when_borrowing: Literal["may_stop", "try_next"]
    when_preempting: Literal["may_stop", "try_next"]
    preference: Literal["borrowing", "preemption"]


class PreemptionRules(TypedDict, total=False):
    within_queue: Literal["never", "lower_priority", "lower_or_newer_equal_priority", "any"]
    reclaim: Literal["never", "lower_priority", "lower_or_newer_equal_priority", "any"]
    while_borrowing: Literal["never", "lower_priority", "lower_or_newer_equal_priority", "any"]
    while_borrowing_most: int
    preempt_min_runtime: int
    reclaim_min_runtime: int
    fence: Literal["open", "fenced", "disabled"]
    delay: int
    quota_delay: int


class Requirement(TypedDict, total=False):
    key: str
    op: Literal["", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]
    values: Sequence[str]


class Selector(TypedDict, total=False):
    match_labels: Labels
    match_expressions: Sequence[Requirement]


class AdmissionCheck(TypedDict, total=False):
    name: Required[str]
    flavors: Sequence[str]


class PartitionShare(TypedDict, total=False):
    partition: str
    capacity: Quantity
    max_capacity: Quantity
    weight: Quantity
    guaranteed: Resources
    limit: Resources


class SpendingRules(TypedDict, total=False):
    prices: Resources
    hourly_limit: Quantity
    limit: Quantity
    period: str


class QueueRules(TypedDict, total=False):
    groups: Sequence[ResourceGroup]
    fair_weight: Quantity
    over_quota_weight: Resources
    strategy: Literal["best_effort_fifo", "strict_fifo"]
    stop: Literal["none", "hold", "hold_and_drain"]
    flavor_search: FlavorRules
    preemption: PreemptionRules
    namespaces: Selector
    checks: Sequence[AdmissionCheck]
    by_usage: bool
    partitions: Sequence[PartitionShare]
    spending: SpendingRules


class UserLimit(TypedDict, total=False):
    name: Required[str]
    group: bool
    limit: Resources
    max_jobs: int
    weight: Quantity


class UserRules(TypedDict, total=False):
    limits: Sequence[UserLimit]
    least_percent: Quantity
    factor: Quantity


class UsageEntry(TypedDict, total=False):
    user: str
    amounts: Resources
    penalty: Resources
    priority: Quantity
    factor: Quantity


class UsageHistory(TypedDict, total=False):
    as_of: int
    half_life: int
    entries: Sequence[UsageEntry]
    spent: Quantity


class QueueSpec(TypedDict, total=False):
    name: Required[str]
    parent: str
    weight: int
    priority: int
    state: QueueState
    guaranteed: Resources
    deserved: Resources
    limit: Resources
    borrow_limit: Resources
    lend_limit: Resources
    reclaimable: bool
    job_order: Literal["", "fifo", "fair", "priority", "drf"]
    created: int
    uid_rank: int
    share_path: Sequence[PathStep]
    node_groups: NodeGroupWish
    node_group_limits: Sequence[NodeGroupLimit]
    rules: QueueRules
    users: UserRules
    history: UsageHistory
    settings: Labels


class ContainerSpec(TypedDict, total=False):
    request: Resources
    init: bool
    sidecar: bool
    image: str


class NodeTerm(TypedDict, total=False):
    match_expressions: Sequence[Requirement]
    match_fields: Sequence[Requirement]


class PreferredNodeTerm(TypedDict, total=False):
    weight: int
    term: NodeTerm


class AffinityTerm(TypedDict, total=False):
    topology_key: str
    selector: Selector
    namespaces: Sequence[str]
    namespace_selector: Selector


class PreferredAffinityTerm(TypedDict, total=False):
    weight: int
    term: AffinityTerm


class Toleration(TypedDict, total=False):
    key: str
    op: Literal["Equal", "Exists"]
    value: str
    effect: Literal["", "NoSchedule", "PreferNoSchedule", "NoExecute"]


class SpreadConstraint(TypedDict, total=False):
    topology_key: str
    max_skew: int
    required: bool
    selector: Selector
    min_domains: int
    honor_node_affinity: bool
    honor_taints: bool


class HostPort(TypedDict, total=False):
    ip: str
    protocol: Literal["TCP", "UDP", "SCTP"]
    port: int


class DeviceRequest(TypedDict, total=False):
    kind: Required[str]
    count: int
    milli: int
    memory: Quantity
    models: Sequence[str]
    exclusive: bool
    same: Literal["", "zone", "link"]


class PodTraits(TypedDict, total=False):
    overhead: Resources
    whole_request: bool
    added_affinity: Sequence[NodeTerm]
    default_spread: bool


class TaskShape(TypedDict, total=False):
    request: Resources
    initial_request: Resources
    containers: Sequence[ContainerSpec]
    namespace: str
    labels: Labels
    node_selector: Labels
    required_node_affinity: Sequence[NodeTerm]
    preferred_node_affinity: Sequence[PreferredNodeTerm]
    required_affinity: Sequence[AffinityTerm]
    required_anti_affinity: Sequence[AffinityTerm]
    preferred_affinity: Sequence[PreferredAffinityTerm]
    preferred_anti_affinity: Sequence[PreferredAffinityTerm]
    tolerations: Sequence[Toleration]
    spread: Sequence[SpreadConstraint]
    host_ports: Sequence[HostPort]
    revocable: bool
    guaranteed_qos: bool
    devices: Sequence[DeviceRequest]
    alignment: Literal["", "none", "best-effort", "restricted", "single-numa-node"]
    pod: PodTraits


class ByCount(TypedDict, total=False):
    count: Required[int]
    min_count: int
    parallelism: int
    admitted: int
    running: int
    succeeded: int
    failed: int


class GroupSpec(TypedDict, total=False):
    name: str
    count: int
    min_available: int
    shape: TaskShape
    priority: int
    by_count: ByCount


class TopologyWish(TypedDict, total=False):
    hard: bool
    highest_tier: int
    highest_tier_name: str


class TopologyLevels(TypedDict, total=False):
    topology: Required[str]
    required: str
    preferred: str


class SubGroupPlace(TypedDict, total=False):
    parent: str
    min_sub_groups: int
    levels: TopologyLevels


class SubGroupSpec(TypedDict, total=False):
    name: str
    policy: str
    min_available: int
    order: int
    topology: TopologyWish
    place: SubGroupPlace


class SubGroupPolicy(TypedDict, total=False):
    name: str
    min_sub_groups: int


JobPhase = Literal["pending", "admitted", "running", "degraded", "completed"]


class GroupTopology(TypedDict, total=False):
    together: Sequence[Sequence[str]]
    apart: Sequence[Sequence[str]]
    order: Sequence[str]


class JobOwner(TypedDict, total=False):
    user: Required[str]
    groups: Sequence[str]


class ElasticSize(TypedDict, total=False):
    least: int
    most: int


class GangRules(TypedDict, total=False):
    min_sub_groups: int
    levels: TopologyLevels
    started: int
    evicted: int
    stale_since: int
    staleness_grace: int
    preemption_delay: int
    elastic: ElasticSize


class Lifetime(TypedDict, total=False):
    max_runtime: int
    expected_end: int
    checkpointed: int
    restart_cost: int


class AssignedPlace(TypedDict, total=False):
    values: Required[Sequence[str]]
    count: Required[int]


class GroupAdmission(TypedDict, total=False):
    group: str
    count: int
    flavors: Labels
    places: Sequence[AssignedPlace]


class JobAdmission(TypedDict, total=False):
    queue: str
    time: int
    groups: Sequence[GroupAdmission]


class PodGroupTraits(TypedDict, total=False):
    evicted_whole: bool


class JobSpec(TypedDict, total=False):
    name: Required[str]
    queue: str
    priority: int
    min_available: int
    groups: Sequence[GroupSpec]
    sub_groups: Sequence[SubGroupSpec]
    sub_group_policies: Sequence[SubGroupPolicy]
    min_resources: Resources
    phase: JobPhase
    preemptable: bool
    topology: TopologyWish
    created: int
    uid_rank: int
    estimate: int
    deadline: int
    waiting_time: int
    group_topology: GroupTopology
    max_unavailable: str
    min_running: str
    bundle_strategy: Literal["", "pack", "spread", "strict_pack", "strict_spread"]
    owner: JobOwner
    gang: GangRules
    settings: Labels
    lifetime: Lifetime
    admission: JobAdmission
    pod_group: PodGroupTraits


TaskStatus = Literal[
    "pending",
    "placed",
    "nominated",
    "binding",
    "bound",
    "running",
    "releasing",
    "succeeded",
    "failed",
    "unknown",
    "waiting",
]


class DeviceHold(TypedDict, total=False):
    device: Required[str]
    milli: int
    memory: Quantity


class TaskUsage(TypedDict, total=False):
    amounts: Resources
    measured: int
    windows: Sequence[UsageWindow]


class TaskSpec(TypedDict, total=False):
    name: Required[str]
    job: str
    group: str
    sub_group: str
    shape: TaskShape
    status: TaskStatus
    node: str
    nominated_node: str
    priority: int
    preemptable: bool
    never_preempts: bool
    priority_class: str
    gates: Sequence[str]
    created: int
    ordinal: int
    uid_rank: int
    started: int
    protected_until: int
    devices: Sequence[DeviceHold]
    usage: TaskUsage
    lifetime: Lifetime
    waits_until: int
    waiting_group: str
    uid: str


class ReservationOwner(TypedDict, total=False):
    task: str
    job: str
    namespace: str
    selector: Selector


class ReservationSpec(TypedDict, total=False):
    name: Required[str]
    node: str
    phase: Literal["pending", "available", "succeeded", "failed"]
    shape: TaskShape
    owners: Sequence[ReservationOwner]
    allocate_once: bool
    policy: Literal["aligned", "restricted"]
    restricted: Sequence[str]
    expires: int
    allocated: Resources
    holders: Sequence[str]
    taints: Sequence[Taint]
    unschedulable: bool
    order: int
    priority: int
    created: int


class DomainSpec(TypedDict, total=False):
    name: Required[str]
    parent: str
    tier: int
    tier_name: str


class QuotaSpec(TypedDict, total=False):
    name: str
    hard: Resources
    used: Resources


class QueueBindingSpec(TypedDict, total=False):
    name: str
    queues: Sequence[str]
    selector: Selector
    limit: Resources


class NamespaceSpec(TypedDict, total=False):
    name: Required[str]
    labels: Labels
    quotas: Sequence[QuotaSpec]
    bindings: Sequence[QueueBindingSpec]


class DisruptionBudgetSpec(TypedDict, total=False):
    name: Required[str]
    namespace: str
    selector: Selector
    allowed: int
    disrupted: Sequence[str]


class FlavorTopology(TypedDict, total=False):
    name: Required[str]
    levels: Sequence[str]


class FlavorSpec(TypedDict, total=False):
    name: Required[str]
    node_labels: Labels
    taints: Sequence[Taint]
    tolerations: Sequence[Toleration]
    topology: FlavorTopology


class PartitionSpec(TypedDict, total=False):
    name: Required[str]
    nodes: Sequence[str]
    selector: Selector
    queues: Sequence[str]
    exclusive: bool
    borrows: Sequence[str]


class NodeKeywords(TypedDict, total=False):
    capacity: Resources
    allocatable: Resources
    labels: Labels
    taints: Sequence[Taint]
    unschedulable: bool
    ready: bool
    network_unavailable: bool
    memory_pressure: bool
    disk_pressure: bool
    pid_pressure: bool
    zones: Sequence[ZoneSpec]
    devices: Sequence[DeviceSpec]
    images: Sequence[ImageSpec]
    domain: str
    usage: NodeUsage
    shard: str
    alignment: Literal["", "none", "best-effort", "restricted", "single-numa-node"]
    alignment_scope: Literal["container", "pod"]
    zones_measured: int
    settings: Labels
    cpu: Quantity
    memory: Quantity
    pods: Quantity
    gpu: Quantity
    ephemeral_storage: Quantity


class NodeColumns(TypedDict, total=False):
    name: Any
    capacity: Any
    allocatable: Any
    labels: Any
    taints: Any
    unschedulable: Any
    ready: Any
    network_unavailable: Any
    memory_pressure: Any
    disk_pressure: Any
    pid_pressure: Any
    zones: Any
    devices: Any
    images: Any
    domain: Any
    usage: Any
    shard: Any
    alignment: Any
    alignment_scope: Any
    zones_measured: Any
    settings: Any
    cpu: Any
    memory: Any
    pods: Any
    gpu: Any
    ephemeral_storage: Any


class QueueKeywords(TypedDict, total=False):
    parent: str
    weight: int
    priority: int
    state: QueueState
    guaranteed: Resources
    deserved: Resources
    limit: Resources
    borrow_limit: Resources
    lend_limit: Resources
    reclaimable: bool
    job_order: Literal["", "fifo", "fair", "priority", "drf"]
    created: int
    uid_rank: int
    share_path: Sequence[PathStep]
    node_groups: NodeGroupWish
    node_group_limits: Sequence[NodeGroupLimit]
    rules: QueueRules
    users: UserRules
    history: UsageHistory
    settings: Labels


class QueueColumns(TypedDict, total=False):
    name: Any
    parent: Any
    weight: Any
    priority: Any
    state: Any
    guaranteed: Any
    deserved: Any
    limit: Any
    borrow_limit: Any
    lend_limit: Any
    reclaimable: Any
    job_order: Any
    created: Any
    uid_rank: Any
    share_path: Any
    node_groups: Any
    node_group_limits: Any
    rules: Any
    users: Any
    history: Any
    settings: Any


class JobKeywords(TypedDict, total=False):
    queue: str
    priority: int
    min_available: int
    groups: Sequence[GroupSpec]
    sub_groups: Sequence[SubGroupSpec]
    sub_group_policies: Sequence[SubGroupPolicy]
    min_resources: Resources
    phase: JobPhase
    preemptable: bool
    topology: TopologyWish
    created: int
    uid_rank: int
    estimate: int
    deadline: int
    waiting_time: int
    group_topology: GroupTopology
    max_unavailable: str
    min_running: str
    bundle_strategy: Literal["", "pack", "spread", "strict_pack", "strict_spread"]
    owner: JobOwner
    gang: GangRules
    settings: Labels
    lifetime: Lifetime
    admission: JobAdmission
    pod_group: PodGroupTraits
    request: Resources
    initial_request: Resources
    containers: Sequence[ContainerSpec]
    namespace: str
    labels: Labels
    node_selector: Labels
    required_node_affinity: Sequence[NodeTerm]
    preferred_node_affinity: Sequence[PreferredNodeTerm]
    required_affinity: Sequence[AffinityTerm]
    required_anti_affinity: Sequence[AffinityTerm]
    preferred_affinity: Sequence[PreferredAffinityTerm]
    preferred_anti_affinity: Sequence[PreferredAffinityTerm]
    tolerations: Sequence[Toleration]
    spread: Sequence[SpreadConstraint]
    host_ports: Sequence[HostPort]
    revocable: bool
    guaranteed_qos: bool
    devices: Sequence[DeviceRequest]
    alignment: Literal["", "none", "best-effort", "restricted", "single-numa-node"]
    pod: PodTraits
    cpu: Quantity
    memory: Quantity
    pods: Quantity
    gpu: Quantity
    ephemeral_storage: Quantity
    count: int
    by_count: ByCount
    group: str
    shape: TaskShape


class JobColumns(TypedDict, total=False):
    name: Any
    queue: Any
    priority: Any
    min_available: Any
    groups: Any
    sub_groups: Any
    sub_group_policies: Any
    min_resources: Any
    phase: Any
    preemptable: Any
    topology: Any
    created: Any
    uid_rank: Any
    estimate: Any
    deadline: Any
    waiting_time: Any
    group_topology: Any
    max_unavailable: Any
    min_running: Any
    bundle_strategy: Any
    owner: Any
    gang: Any
    settings: Any
    lifetime: Any
    admission: Any
    pod_group: Any
    request: Any
    initial_request: Any
    containers: Any
    namespace: Any
    labels: Any
    node_selector: Any
    required_node_affinity: Any
    preferred_node_affinity: Any
    required_affinity: Any
    required_anti_affinity: Any
    preferred_affinity: Any
    preferred_anti_affinity: Any
    tolerations: Any
    spread: Any
    host_ports: Any
    revocable: Any
    guaranteed_qos: Any
    devices: Any
    alignment: Any
    pod: Any
    cpu: Any
    memory: Any
    pods: Any
    gpu: Any
    ephemeral_storage: Any
    count: Any
    by_count: Any
    group: Any
    shape: Any


class TaskKeywords(TypedDict, total=False):
    job: str
    group: str
    sub_group: str
    shape: TaskShape
    status: TaskStatus
    node: str
    nominated_node: str
    priority: int
    preemptable: bool
    never_preempts: bool
    priority_class: str
    gates: Sequence[str]
    created: int
    ordinal: int
    uid_rank: int
    started: int
    protected_until: int
    devices: Sequence[DeviceHold]
    usage: TaskUsage
    lifetime: Lifetime
    waits_until: int
    waiting_group: str
    uid: str
    request: Resources
    initial_request: Resources
    containers: Sequence[ContainerSpec]
    namespace: str
    labels: Labels
    node_selector: Labels
    required_node_affinity: Sequence[NodeTerm]
    preferred_node_affinity: Sequence[PreferredNodeTerm]
    required_affinity: Sequence[AffinityTerm]
    required_anti_affinity: Sequence[AffinityTerm]
    preferred_affinity: Sequence[PreferredAffinityTerm]
    preferred_anti_affinity: Sequence[PreferredAffinityTerm]
    tolerations: Sequence[Toleration]
    spread: Sequence[SpreadConstraint]
    host_ports: Sequence[HostPort]
    revocable: bool
    guaranteed_qos: bool
    alignment: Literal["", "none", "best-effort", "restricted", "single-numa-node"]
    pod: PodTraits
    cpu: Quantity
    memory: Quantity
    pods: Quantity
    gpu: Quantity
    ephemeral_storage: Quantity


class TaskColumns(TypedDict, total=False):
    name: Any
    job: Any
    group: Any
    sub_group: Any
    shape: Any
    status: Any
    node: Any
    nominated_node: Any
    priority: Any
    preemptable: Any
    never_preempts: Any
    priority_class: Any
    gates: Any
    created: Any
    ordinal: Any
    uid_rank: Any
    started: Any
    protected_until: Any
    devices: Any
    usage: Any
    lifetime: Any
    waits_until: Any
    waiting_group: Any
    uid: Any
    request: Any
    initial_request: Any
    containers: Any
    namespace: Any
    labels: Any
    node_selector: Any
    required_node_affinity: Any
    preferred_node_affinity: Any
    required_affinity: Any
    required_anti_affinity: Any
    preferred_affinity: Any
    preferred_anti_affinity: Any
    tolerations: Any
    spread: Any
    host_ports: Any
    revocable: Any
    guaranteed_qos: Any
    alignment: Any
    pod: Any
    cpu: Any
    memory: Any
    pods: Any
    gpu: Any
    ephemeral_storage: Any


class ReservationKeywords(TypedDict, total=False):
    node: str
    phase: Literal["pending", "available", "succeeded", "failed"]
    shape: TaskShape
    owners: Sequence[ReservationOwner]
    allocate_once: bool
    policy: Literal["aligned", "restricted"]
    restricted: Sequence[str]
    expires: int
    allocated: Resources
    holders: Sequence[str]
    taints: Sequence[Taint]
    unschedulable: bool
    order: int
    priority: int
    created: int
    request: Resources
    initial_request: Resources
    containers: Sequence[ContainerSpec]
    namespace: str
    labels: Labels
    node_selector: Labels
    required_node_affinity: Sequence[NodeTerm]
    preferred_node_affinity: Sequence[PreferredNodeTerm]
    required_affinity: Sequence[AffinityTerm]
    required_anti_affinity: Sequence[AffinityTerm]
    preferred_affinity: Sequence[PreferredAffinityTerm]
    preferred_anti_affinity: Sequence[PreferredAffinityTerm]
    tolerations: Sequence[Toleration]
    spread: Sequence[SpreadConstraint]
    host_ports: Sequence[HostPort]
    revocable: bool
    guaranteed_qos: bool
    devices: Sequence[DeviceRequest]
    alignment: Literal["", "none", "best-effort", "restricted", "single-numa-node"]
    pod: PodTraits
    cpu: Quantity
    memory: Quantity
    pods: Quantity
    gpu: Quantity
    ephemeral_storage: Quantity


class DomainKeywords(TypedDict, total=False):
    parent: str
    tier: int
    tier_name: str


class NamespaceKeywords(TypedDict, total=False):
    labels: Labels
    quotas: Sequence[QuotaSpec]
    bindings: Sequence[QueueBindingSpec]


class BudgetKeywords(TypedDict, total=False):
    namespace: str
    selector: Selector
    allowed: int
    disrupted: Sequence[str]


class FlavorKeywords(TypedDict, total=False):
    node_labels: Labels
    taints: Sequence[Taint]
    tolerations: Sequence[Toleration]
    topology: FlavorTopology


class PartitionKeywords(TypedDict, total=False):
    nodes: Sequence[str]
    selector: Selector
    queues: Sequence[str]
    exclusive: bool
    borrows: Sequence[str]
