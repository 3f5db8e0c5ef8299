# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Which module reads which of Koordinator's recorded scripts about co-location, rescheduling and
gangs: by the peer's package and the call. What of a package is no rule has its reason here."""

from typing import Any, Callable

from adapters import koordinator_colocation as colocation
from adapters import koordinator_gang_rooms as gang_rooms
from adapters import koordinator_gangs as gangs
from adapters import koordinator_kind_scores as kind_scores
from adapters import koordinator_low_load as low_load
from adapters import koordinator_migration as migration
from adapters import koordinator_migration_steps as migration_steps
from adapters import koordinator_packing as packing
from adapters import koordinator_ratios as ratios
from adapters import koordinator_rebalance as rebalance
from probe import Probe, Unanswerable

Rule = Callable[[Any, Probe], list[str]]


def _no_rule(reason: str) -> Rule:
    def rule(_script: Any, _probe: Probe) -> list[str]:
        raise Unanswerable(reason)

    return rule


NAMES = _no_rule("names of plug-ins and empty resets: nothing is decided")
EVENTS = _no_rule("events that put a node into a queue of work: nothing is decided")
SETTINGS = _no_rule("reading of configuration maps: nothing is decided")
DEVICES = _no_rule("sums of devices: the record does not tell which device object was there")
GPUS = ("koordinator.sh/gpu", "koordinator.sh/gpu-core", "koordinator.sh/gpu-memory",
        "koordinator.sh/gpu-memory-ratio", "koordinator.sh/gpu.shared", "huawei.com/npu-core",
        "huawei.com/npu-cpu", "huawei.com/npu-dvpp")
RDMA = ("koordinator.sh/rdma",)

PLUGINS = "slo-controller-noderesource-plugins-"
# By package and call; the first call of a package that a script has decides.
RULES: dict[tuple[str, str], Rule] = {
    (PLUGINS + "batchresource", "Plugin.Calculate"): colocation.batch,
    (PLUGINS + "batchresource", "Plugin.Prepare"): colocation.prepare_batch,
    (PLUGINS + "batchresource", "Plugin.PreUpdate"): colocation.pre_update,
    (PLUGINS + "batchresource", "Plugin.isDegradeNeeded"): colocation.stale,
    (PLUGINS + "batchresource", "isNRTResourcesCreated"): EVENTS,
    (PLUGINS + "batchresource", "isNRTResourcesChanged"): EVENTS,
    (PLUGINS + "batchresource", "Plugin.Name"): NAMES,
    (PLUGINS + "midresource", "Plugin.Calculate"): colocation.mid,
    (PLUGINS + "midresource", "Plugin.Prepare"): colocation.prepare_mid,
    (PLUGINS + "midresource", "Plugin.NeedSync"): colocation.changed(colocation.MID),
    (PLUGINS + "midresource", "Plugin.isDegradeNeeded"): colocation.stale,
    (PLUGINS + "midresource", "Plugin.Reset"): NAMES,
    (PLUGINS + "midresource", "Plugin.Name"): NAMES,
    (PLUGINS + "util", "GetPodNUMARequestAndUsage"): colocation.zones,
    (PLUGINS + "util", "GetPodUnknownNUMAUsage"): colocation.zones,
    (PLUGINS + "util", "DivideResourceList"): colocation.zones,
    (PLUGINS + "util", "GetNodeSafetyMargin"): colocation.zones,
    (PLUGINS + "util", "AddZoneResourceList"): _no_rule("sums and masks of lists: no rule"),
    (PLUGINS + "util", "GetResourceListForCPUAndMemory"): _no_rule(
        "sums and masks of lists: no rule"),
    (PLUGINS + "cpunormalization", "Plugin.Calculate"): ratios.normalization,
    (PLUGINS + "cpunormalization", "getCPUNormalizationRatio"): ratios.ratio,
    (PLUGINS + "cpunormalization", "getCPUNormalizationRatioFromModel"): ratios.ratio,
    (PLUGINS + "cpunormalization", "Plugin.NeedSyncMeta"): ratios.ratio_changed,
    (PLUGINS + "cpunormalization", "isNRTCPUBasicInfoChanged"): EVENTS,
    (PLUGINS + "cpunormalization", "isNRTCPUBasicInfoCreated"): EVENTS,
    (PLUGINS + "cpunormalization", "nrtHandler.Create"): EVENTS,
    (PLUGINS + "cpunormalization", "nrtHandler.Update"): EVENTS,
    (PLUGINS + "cpunormalization", "nrtHandler.Delete"): EVENTS,
    (PLUGINS + "cpunormalization", "nrtHandler.Generic"): EVENTS,
    (PLUGINS + "cpunormalization", "configHandler.syncCacheIfCfgChanged"): SETTINGS,
    (PLUGINS + "cpunormalization", "DefaultCPUNormalizationCfg"): SETTINGS,
    (PLUGINS + "cpunormalization", "Plugin.Prepare"): _no_rule(
        "a ratio that is copied to a node: nothing is decided"),
    (PLUGINS + "cpunormalization", "Plugin.Name"): NAMES,
    (PLUGINS + "resourceamplification", "Plugin.Calculate"): ratios.amplification,
    (PLUGINS + "resourceamplification", "Plugin.NeedSyncMeta"): ratios.text_changed,
    (PLUGINS + "resourceamplification", "configHandler.syncCacheIfCfgChanged"): SETTINGS,
    (PLUGINS + "resourceamplification", "DefaultResourceAmplificationCfg"): SETTINGS,
    (PLUGINS + "resourceamplification", "Plugin.Prepare"): _no_rule(
        "a ratio that is copied to a node: nothing is decided"),
    (PLUGINS + "gpudeviceresource", "Plugin.Calculate"): DEVICES,
    (PLUGINS + "gpudeviceresource", "Plugin.NeedSync"): ratios.devices_changed(GPUS),
    (PLUGINS + "gpudeviceresource", "Plugin.NeedSyncMeta"): _no_rule(
        "labels that are compared: nothing is decided"),
    (PLUGINS + "gpudeviceresource", "Plugin.Prepare"): _no_rule(
        "totals that are copied to a node: nothing is decided"),
    (PLUGINS + "gpudeviceresource", "Plugin.Name"): NAMES,
    (PLUGINS + "rdmadevicereource", "Plugin.Calculate"): DEVICES,
    (PLUGINS + "rdmadevicereource", "Plugin.NeedSync"): ratios.devices_changed(RDMA),
    (PLUGINS + "rdmadevicereource", "Plugin.Prepare"): _no_rule(
        "totals that are copied to a node: nothing is decided"),
    (PLUGINS + "rdmadevicereource", "Plugin.Name"): NAMES,
    ("slo-controller-noderesource", "NodeResourceReconciler.calculateNodeResource"): _no_rule(
        "the record does not hold the configuration that the controller had"),
    ("slo-controller-noderesource", "NodeResourceReconciler.isNodeResourceSyncNeeded"):
        ratios.sync_needed,
    ("slo-controller-noderesource", "NodeResourceReconciler.updateNodeResource"):
        ratios.updated,
    ("slo-controller-noderesource", "NodeResourceReconciler.isColocationCfgDisabled"): SETTINGS,
    ("slo-controller-noderesource", "NodeResourceReconciler.Reconcile"): _no_rule(
        "the record does not hold the configuration that the controller had"),
}
DESCHEDULER = "descheduler-"
MIGRATION = DESCHEDULER + "controllers-migration"
ARBITRATOR = MIGRATION + "-arbitrator"
LOAD_AWARE = DESCHEDULER + "framework-plugins-loadaware"
FRAGMENTS = DESCHEDULER + "framework-plugins-fragmentationaware"
BIN_PACK = DESCHEDULER + "framework-plugins-scaledownbinpack"
LEVELS = DESCHEDULER + "framework-plugins-custompriority"
MADE_UP = _no_rule(migration.MADE_UP)
RULES |= {
    (DESCHEDULER + "node", "PodFitsAnyOtherNode"): rebalance.fits,
    (DESCHEDULER + "node", "PodFitsAnyNode"): rebalance.fits,
    (DESCHEDULER + "node", "PodFitsCurrentNode"): rebalance.fits,
    (DESCHEDULER + "node", "IsNodeUnschedulable"): _no_rule("a field of an object: no rule"),
    (DESCHEDULER + "node", "IsReady"): _no_rule("a field of an object: no rule"),
    (DESCHEDULER + "node", "ReadyNodes"): _no_rule("a field of an object: no rule"),
    (DESCHEDULER + "pod", "ListPodsOnANode"): rebalance.list_pods,
    (DESCHEDULER + "pod", "SortPodsBasedOnAge"): rebalance.simple_order,
    (DESCHEDULER + "pod", "SortPodsBasedOnPriorityLowToHigh"): rebalance.simple_order,
    (DESCHEDULER + "utils-sorter", "SortPodsByUsage"): rebalance.sort_by_usage,
    (DESCHEDULER + "utils-sorter", "ResourceUsageScorer"): rebalance.scores,
    (DESCHEDULER + "utils-sorter", "ResourceUsageScorerPod"): rebalance.scores,
    (DESCHEDULER + "utils", "PodMatchNodeSelector"): rebalance.match,
    (DESCHEDULER + "utils", "GetPriorityValueFromPriorityThreshold"): rebalance.threshold,
    **{(DESCHEDULER + "utils", call): rebalance.trait
       for call in (*rebalance.TRAITS, *rebalance.HOLDS)},
    **{(DESCHEDULER + "utils", call): rebalance.request_sums
       for call in ("GetResourceRequest", "GetResourceRequestQuantity")},
    **{(DESCHEDULER + "utils", call): _no_rule("equality of two objects: nothing is decided")
       for call in ("NodeSelectorsEqual", "TolerationsEqual", "uniqueSortTolerations",
                    "uniqueSortNodeSelectorTerms", "uniqueSortNodeSelectorRequirements")},
    (LOAD_AWARE, "NewLowNodeLoad"): low_load.balance,
    (LOAD_AWARE, "getNodeThresholds"): low_load.over,
    (LOAD_AWARE, "podFitsAnyNodeWithThreshold"): low_load.take_target,
    (LOAD_AWARE, "resourceUsagePercentages"): low_load.percents,
    (LOAD_AWARE, "sortNodesByUsage"): low_load.sort_nodes,
    (LOAD_AWARE, "sortPodsOnOneOverloadedNode"): rebalance.sort_on_node,
    (LOAD_AWARE, "filterNodes"): low_load.pool_nodes,
    (LOAD_AWARE, "filterRealAbnormalNodes"): low_load.anomalies,
    (LOAD_AWARE, "GetNodeRawAllocatableFromNode"): low_load.raw_capacity,
    (LOAD_AWARE, "balancePods"): _no_rule("counts of calls to a cache: nothing is decided"),
    **{(ARBITRATOR, call): migration.limits for call in migration.FILTERS},
    (ARBITRATOR, "arbitratorImpl.doOnceArbitrate"): migration.arbitrate,
    (ARBITRATOR, "getMigratingJobNum"): migration.migrations_of,
    (ARBITRATOR, "arbitratorImpl.sort"): MADE_UP,
    (ARBITRATOR, "arbitratorImpl.filtering"): MADE_UP,
    **{(ARBITRATOR, call): _no_rule("books and writes of the arbitrator: nothing is decided")
       for call in ("arbitratorImpl.AddPodMigrationJob", "arbitratorImpl.updateFailedJob",
                    "arbitratorImpl.updatePassedJob", "filter.checkJobPassedArbitration")},
    (DESCHEDULER + "controllers-migration-util", "GetMaxUnavailable"): migration.most_away,
    (DESCHEDULER + "controllers-migration-util", "FilterPodWithMaxEvictionCost"):
        migration.highest_cost,
    **{(DESCHEDULER + "controllers-migration-util", call): _no_rule(
        "conditions of an object's status: nothing is decided")
       for call in ("GetCondition", "UpdateCondition", "IsMigratePendingPod")},
    (FRAGMENTS, "BalancePlugin.Balance"): packing.fragmentation,
    (FRAGMENTS, "scorePodRemovalGain"): packing.imbalance,
    (FRAGMENTS, "scoreNodeImbalance"): packing.imbalance,
    (BIN_PACK, "ScaleDownBinPack.Balance"): packing.scale_down,
    (BIN_PACK, "RankPods"): packing.rank_pods,
    (BIN_PACK, "ScaleDownBinPack.isTargetPod"): packing.is_target,
    (BIN_PACK, "ScaleDownBinPack.filterNodes"): low_load.pool_nodes,
    (BIN_PACK, "filterPods"): packing.pod_filter,
    **{(BIN_PACK, call): _no_rule("writes and evictions in an order that is given: no rule")
       for call in ("ScaleDownBinPack.evictRankedPods", "ScaleDownBinPack.patchDeletionCosts")},
    (LEVELS, "CustomPriority.evictFromPriorityToTargets"): packing.drain,
    (LEVELS, "CustomPriority.evictByDrainingNodes"): packing.drain,
    (LEVELS, "CustomPriority.classifyNodesByPriority"): packing.node_levels,
    (LEVELS, "CustomPriority.findEvictablePods"): packing.fitting,
    (LEVELS, "CustomPriority.sortPodsByRequestsAscending"): packing.small_first,
    (LEVELS, "CustomPriority.filterNodes"): low_load.pool_nodes,
    (LEVELS, "filterPods"): packing.pod_filter,
    (LEVELS, "validateCustomPriorityArgs"): packing.check_levels,
    (LEVELS, "CustomPriority.Balance"): _no_rule("rounds that find nothing to do: nothing is "
                                                 "decided"),
    **{(LEVELS, call): _no_rule("sums of requests: the caller computes them")
       for call in ("CustomPriority.getPodRequests", "CustomPriority.nodeRemainingRequests",
                    "CustomPriority.requestsFit")},
    (LEVELS, "CustomPriority.cordonNode"): _no_rule(
        "books and writes of the arbitrator: nothing is decided"),
}
GANGS = "scheduler-plugins-coscheduling"
WORDS = _no_rule("words of diagnoses, conditions and suggestions: nothing is decided")
READING = _no_rule("reading of marks and lists: the caller reads them before it asks")
TOPOLOGY = _no_rule("scores of nodes for a gang in a topology: the planner compares them itself")
RULES |= {
    ("scheduler-plugins-noderesourcefitplus", "Plugin.Score"): kind_scores.strategies,
    ("scheduler-plugins-noderesourcefitplus", "calculatePodResourceRequest"):
        kind_scores.requested,
    ("scheduler-plugins-scarceresourceavoidance", "Plugin.Score"): kind_scores.scarce,
    ("scheduler-frameworkext-networktopology", "treeManager.run"): _no_rule(
        "a tree that labels make up: here domains are objects"),
}

RULES |= {
    (MIGRATION, "Reconciler.requeueJobIfObjectLimiterFailed"): migration_steps.rates,
    (MIGRATION, "Reconciler.Reconcile"): migration_steps.reconciled,
    (MIGRATION, "Reconciler.doMigrate"): migration_steps.reconciled,
    **{(MIGRATION, call): migration_steps.parts for call in migration_steps.PARTS},
    (MIGRATION, "Reconciler.abortJobIfTimeout"): _no_rule(
        "the record does not hold the time of a call"),
    **{(MIGRATION, call): _no_rule("an end that is given: nothing is decided")
       for call in ("Reconciler.abortJobByReservationBound", "Reconciler.abortJobByMissingPod",
                    "Reconciler.abortJobByMissingReservation",
                    "Reconciler.abortJobByReservationUnschedulable",
                    "Reconciler.syncReservationScheduleFailed")},
    **{(MIGRATION, call): _no_rule("objects that are made and removed: nothing is decided")
       for call in ("Reconciler.createReservation", "Reconciler.deleteReservation",
                    "CreatePodMigrationJob", "JobContext.ApplyTo", "Reconciler.scavenger",
                    "newAssumedCache", "Reconciler.Evict")},
    **{(MIGRATION, call): _no_rule("a filter that a test made up")
       for call in ("Reconciler.Filter", "Reconciler.PreEvictionFilter")},
}

RULES |= {
    (GANGS + "-core", "preemptionEvaluatorImpl.preempt"): gang_rooms.preempt,
    (GANGS + "-core", "PodGroupManager.FindOneNode"): gang_rooms.planned,
    (GANGS + "-core", "PodGroupManager.AfterPostFilter"): WORDS,
    (GANGS + "-core", "PodGroupManager.PostFilter"): WORDS,
    (GANGS + "-core", "PodGroupManager.BeforePreFilter"): WORDS,
    (GANGS + "-core", "PodGroupManager.patchGangPendingPodsCondition"): WORDS,
    (GANGS + "-core", "PodGroupManager.PreEnqueue"): gangs.way,
    (GANGS + "-core", "PodGroupManager.Permit"): gangs.way,
    (GANGS + "-core", "constrainOfferSlotByPodCountMultiple"): gangs.rounding,
    (GANGS + "-core", "distributeOfferSlot"): gangs.distribution,
    (GANGS + "-core", "GetLayerPodCountMultiple"): READING,
    (GANGS + "-core", "GangCache.onPodDelete"): gangs.states,
    (GANGS + "-core", "GangCache.onPodGroupDelete"): gangs.states,
    (GANGS + "-core", "GangCache.onPodUpdate"): gangs.states,
    (GANGS + "-core", "GangCache.onPodGroupUpdate"): gangs.states,
    (GANGS + "-core", "GangCache.onPodAdd"): gangs.states,
    (GANGS + "-core", "GangCache.onPodGroupAdd"): gangs.states,
    (GANGS + "-core", "NewGangGroupInfo"): gangs.group,
    (GANGS, "Coscheduling.PreBind"): _no_rule("marks that binding writes: nothing is decided"),
    (GANGS, "Coscheduling.PreBindReservation"): _no_rule(
        "marks that binding writes: nothing is decided"),
    (GANGS, "Coscheduling.Permit"): gangs.permit,
    (GANGS, "Manager.AfterPostFilter"): gangs.failure,
    (GANGS, "Coscheduling.Unreserve"): _no_rule(
        "the record does not hold what the call returned"),
    (GANGS + "-core", "PodGroupManager.PreFilter"): WORDS,
    (GANGS + "-util", "GetGangGroupId"): gangs.group_name,
    (GANGS + "-util", "GetGangMinNumFromPod"): gangs.least,
    **{(GANGS + "-util", call): READING
       for call in ("GetGangNameByPod", "GetId", "GetWaitTimeDuration", "IsPodNeedGang",
                    "StringToGangGroupSlice", "CreateMergePatch")},
}
GETTERS = _no_rule("getters of a cache: nothing is decided")
RULES |= {
    **{(GANGS + "-core", call): GETTERS
       for call in ("GangCache.getWaitingPods", "GangCache.getWaitingPodsNum",
                    "Gang.getWaitingChildrenFromGang", "GangCache.deleteGangGroupInfo",
                    "GangSchedulingContextHolder.clearGangSchedulingContext",
                    "GangSchedulingContextHolder.setGangSchedulingContext")},
    (GANGS + "-core", "PodGroupManager.PreScore"): TOPOLOGY,
    (GANGS + "-core", "JobPreemptionState.addMoreDetailForStateToMarshal"): WORDS,
    (GANGS + "-core", "calculateNodeExistingPodsNum"): _no_rule(
        "sums of requests: the caller computes them"),
    ("scheduler-plugins-loadaware-estimator", "Estimator.EstimateNode"): _no_rule(
        "what a node has before amplification: the caller reads it"),
}
PACKAGES = {package for package, _ in RULES}


# By test: where the function that another returns is called, which has no name in the record, and
# where a whole test is no rule.
BY_TEST: dict[tuple[str, str], Rule] = {
    (ARBITRATOR, "TestSortJobsByController"): migration.by_controller,
    (ARBITRATOR, "TestSortJobsByMigratingNum"): migration.by_migrations,
    (ARBITRATOR, "TestSortJobsByCreationTime"): migration.by_creation,
    (ARBITRATOR, "TestSortJobsByPod"): MADE_UP,
    (GANGS + "-core", "TestTopologyNodeLessFunc"): gangs.before,
    (GANGS + "-core", "TestTopologyNodeLessFunc_ScoreFallback"): gangs.before,
    (GANGS + "-core", "TestTopologyNodeLessFunc_NilParent"): gangs.before,
}

QUOTAS = "scheduler-plugins-elasticquota"
INSIDE = _no_rule("a script that works inside of the peer's quota manager or plugin")
STATUSES = _no_rule("statuses of objects: nothing is decided")
BY_TEST |= {
    **{(QUOTAS + "-core", test): _no_rule("names and sums of objects: no rule")
       for test in ("TestGetPodName", "TestPodRequestsAndLimits")},
    **{(QUOTAS + "-core", test): INSIDE
       for test in ("TestQuotaInfo_AddPodIfNotPresent_RemovePodIfPresent_GetPodCache",
                    "TestQuotaInfo_AddRequestNonNegativeNoLock", "TestQuotaInfo_GetLimitRequest",
                    "TestQuotaInfo_GetRuntime", "TestRuntimeQuotaCalculator_UpdateResourceKeys",
                    "TestRuntimeQuotaCalculator_NeedUpdateOneGroupRequest",
                    "TestRuntimeQuotaCalculator_UpdateOneGroupMaxQuota",
                    "TestRuntimeQuotaCalculator_UpdateOneGroupRequest",
                    "TestRuntimeQuotaCalculator_UpdateOneGroupSharedWeight",
                    "TestScaleMinQuotaWhenOverRootResInfo_Remove",
                    "TestScaleMinQuotaWhenOverRootResInfo_Update",
                    "TestUpdateQuotaInfoFromRemote")},
    (QUOTAS + "-core", "TestRuntimeQuotaCalculator_IterationAdjustQuota_IntegerDistribution"):
        _no_rule("the record does not hold the group that lends"),
    (QUOTAS, "TestController_Run"): STATUSES,
    (QUOTAS, "Test_updateElasticQuotaStatusIfChanged"): STATUSES,
    (QUOTAS, "TestPlugin_getQuotaInfoRuntime"): _no_rule(
        "the record does not hold the switch of the plug-in (option runtime)"),
    **{(QUOTAS, test): _no_rule("sums of a dry run: nothing is decided")
       for test in ("TestPlugin_AddPod", "TestPlugin_RemovePod")},
    (QUOTAS, "TestQuotaOverUsedGroupMonitor_Monitor"): _no_rule(
        "the record does not hold the time of a call"),
    (QUOTAS, "TestQuotaOverUsedRevokeController_GetToMonitorQuotas"): _no_rule(
        "a script that writes the peer's numbers itself"),
    (QUOTAS, "TestPostFilterState"): _no_rule("the peer's notes of a cycle: nothing is decided"),
    (QUOTAS, "TestReplaceQuotasWithHookPlugins"): _no_rule(
        "hooks that a caller hangs into the peer's plug-in"),
    **{("scheduler-frameworkext-topologymanager", test): NAMES
       for test in ("TestPolicyNoneName", "TestPolicyRestrictedName")},
    ("scheduler-frameworkext-topologymanager", "Test_filterProvidersHints"): _no_rule(
        "a step inside of the merge of hints, which is asked whole"),
    (PLUGINS + "cpunormalization", "Test_configHandler_IsCfgAvailable"): SETTINGS,
    (PLUGINS + "resourceamplification", "Test_configHandler_IsCfgAvailable"): SETTINGS,
    **{("webhook-elasticquota", test): _no_rule("lists of objects: nothing is decided")
       for test in ("TestQuotaMetaChecker", "TestQuotaTopology_ListQuotaPods")},
}


def checked(found: Rule) -> Rule:
    """A record of another form fails; it does not end the run."""

    def rule(script: Any, probe: Probe) -> list[str]:
        try:
            return found(script, probe)
        except (AttributeError, IndexError, KeyError, TypeError) as error:
            raise ValueError(f"a record of another form: {error!r}") from error

    return rule


def rule(script: Any) -> Rule | None:
    """What a script of these packages is about, if anything."""
    package, _, test = script.case.get("test", "").partition(".")
    if (package, test) in BY_TEST:
        return checked(BY_TEST[package, test])
    if package not in PACKAGES:
        return None
    calls = {step["call"] for step in script.steps if "call" in step}
    found = [RULES[row] for row in RULES if row[0] == package and row[1] in calls]
    return checked(found[0]) if found else None
