# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Kueue's recorded calls that decide nothing, or of which the record lacks what the call was given:
why each of them is not compared."""

from typing import Any

from adapters.kueue_view import HIDDEN
from probe import Unanswerable

Json = dict[str, Any]

METRIC = "a metric, and no decision"
CONTAINER = "a container or a lookup of the peer's, and no decision"
WRITES = "what is written to the API server, and no decision"
READS = "objects that a call reads from the API server are not recorded"
AT_ONCE = "the record mixes the objects of cases that ran at once"
CLOCK = "when cycles and second passes run is the caller's"
EVICTS = "evictions are the caller's, and whether they fail"
ELSEWHERE = "the choice of another cluster, which is not kept"
SHOWN = "how amounts or messages are written"

# By reason: tests, with the inputs that a record has of them although they are not enough. A case
# with others is not explained by it.
_HIERARCHY, _QUEUE, _CACHE = ("pkg-cache-hierarchy.Test", "pkg-cache-queue.Test",
                              "pkg-cache-scheduler.Test")
_FLAVORS, _WORKLOAD, _SLICES = ("pkg-scheduler-flavorassigner.Test", "pkg-workload.Test",
                                "pkg-workloadslicing.Test")
_PRIORITY = "pkg-util-priority.Test"
REASONS: dict[str, dict[str, set[str]]] = {
    HIDDEN: {
        _HIERARCHY + "Cycles": set(),
        _HIERARCHY + "Manager": set(),
        _QUEUE + "AddClusterQueueOrphans": set(),
        _QUEUE + "AddLocalQueueOrphans": set(),
        _QUEUE + "AddLocalQueue_DRAReconcileChannelGuaranteedDelivery": set(),
        _QUEUE + "DeleteLocalQueue": set(),
        _QUEUE + "FIFOClusterQueue": set(),
        _QUEUE + "HeadsAsync": {"initialObjs"},
        _QUEUE + "HeadsRespectLocalQueueWeightForPreexistingWorkloads": set(),
        _QUEUE + "HeapOrderingStableOnLocalQueueLookupError": set(),
        _QUEUE + "PendingResourcesAfterLocalQueueResync": set(),
        _QUEUE + "PendingSchedulingHashesTracksMutations": set(),
        _QUEUE + "PushOrUpdateSkipsInflightWorkload": set(),
        _QUEUE + "QueueInadmissibleWorkloadsDuringScheduling": set(),
        _QUEUE + "RequeueWorkloadsCohortCycle": set(),
        _QUEUE + "SchedulingHashCountsInadmissibleTransitions": set(),
        _QUEUE + "SnapshotFallsBackToBaseOrderingOnLocalQueueLookupError": set(),
        _QUEUE + "SnapshotUsesDefaultWeightForMissingLocalQueue": set(),
        _QUEUE + "UpdateClusterQueue": set(),
        _QUEUE + "UpdateLocalQueue": set(),
        _QUEUE + "UpdateLocalQueueWeightReheapifies": set(),
        _QUEUE + "UpdateLocalQueueWeightReheapifiesMultipleWorkloads": set(),
        _QUEUE + "UpdateLocalQueueWeightZeroReheapifies": set(),
        "pkg-cache-queue-afs.TestUpdate": {"existing"},
        _CACHE + "CachePodsReadyForAllAdmittedWorkloads": set(),
        _CACHE + "CacheQueueOperations": {"ops"},
        _CACHE + "CacheWorkloadOperations": {"now", "podSets", "psAssignments", "step"},
        _CACHE + "CompareDomainCapacityAndEntropy": set(),
        _CACHE + "FreeCapacityPerDomain": set(),
        _CACHE + "NodesCache": {"nodes"},
        _CACHE + "NonTasUsageCacheIncrementalUpdates": {"initialPods", "podsDelete"},
        _CACHE + "NonTasUsageCacheRemovedNode": set(),
        _CACHE + "PlaceSlicesOnDomainsBalancedStableTieBreak": set(),
        _CACHE + "PruneDomainsBelowThreshold": {"leaderRequired", "level", "sliceLevelIdx",
                                                "sliceSize", "threshold"},
        _CACHE + "PruneDomainsBelowThresholdPreservesAffinityScore": set(),
        _CACHE + "SelectOptimalDomainSetToFitStableTieBreak": {"prioritizeByEntropy"},
        _CACHE + "TASCacheUpdateFlavorNodeLabelsPreservesUsage": set(),
        _CACHE + "TASCacheUpdateFlavorTolerationsPreservesUsage": set(),
        _CACHE + "TASCacheUpdateTopologyLevelsPreservesUsage": set(),
        _CACHE + "TASFlavorCacheAddAndRemoveUsage": set(),
        _FLAVORS + "TasFlavorsOnly": set(),
        "pkg-scheduler-preemption.TestWorkloadsToRemove": set(),
        "pkg-scheduler.TestFitsDedupsOverlappingVictims": set(),
        _WORKLOAD + "CalcLocalQueueFSUsage": {"err"},
    },
    METRIC: {
        _QUEUE + "ClusterQueuePendingTrackers": {"labels"},
        _QUEUE + "DeleteLocalQueue_UnadmittedWorkloads": set(),
        _QUEUE + "PendingResourceMetrics": set(),
        _QUEUE + "PendingResources": set(),
        _QUEUE + "ReportCQPendingSchedulingHashesInactiveClusterQueue": set(),
        _QUEUE + "ResyncClusterQueueGaugeMetrics": set(),
        _QUEUE + "ResyncLocalQueueGaugeMetrics": set(),
        _QUEUE + "SchedulingHashCounts": {"activeHashes", "hasInflight", "inadmissibleHashes",
                                          "inflightHash"},
        _QUEUE + "UpdateUnadmittedWorkload": {"workload"},
        _QUEUE + "UpdateUnadmittedWorkload_LQMetricsDisabled": set(),
        _WORKLOAD + "EvictionPendingLatency": {"newWl", "oldWl", "now"},
    },
    CONTAINER: {
        _QUEUE + "DeleteAndForgetWorkload": {"cq", "queueOptions"},
        _QUEUE + "DeleteWorkload": {"cq", "queueOptions"},
        _QUEUE + "GetPendingWorkloadsInfo": {"cqName"},
        _QUEUE + "InadmissibleWorkloads_Delete": {"initial", "key"},
        _QUEUE + "InadmissibleWorkloads_Empty": {"initial"},
        _QUEUE + "InadmissibleWorkloads_Get": {"initial", "key"},
        _QUEUE + "InadmissibleWorkloads_Insert": {"initial", "key", "value"},
        _QUEUE + "InadmissibleWorkloads_Len": {"initial"},
        _QUEUE + "SnapshotDeterministicOrder": {"workloads", "inadmissibleWorkloads"},
        _QUEUE + "Status": {"queue"},
        _CACHE + "ClusterQueuesForResources": {"clusterQueues", "resourceNames"},
        _CACHE + "ClusterQueuesUsingAdmissionChecks": {"check", "clusterQueues"},
        _CACHE + "ClusterQueuesUsingFlavor": {"clusterQueues"},
        _CACHE + "MatchingClusterQueues": set(),
        _FLAVORS + "Assignment_RequiresBorrowing": {"borrowing"},
        _WORKLOAD + "ExtractPodSetCounts": {"args"},
        _WORKLOAD + "ExtractPodSetCountsFromWorkload": {"args"},
        _SLICES + "Enabled": {"args"},
        _SLICES + "PreemptibleSliceKey": {"args"},
    },
    WRITES: {
        _WORKLOAD + "PropagateResourceRequests": {"info", "wl"},
        _WORKLOAD + "SetConditionAndUpdate": {"condStatus", "condType", "err", "message",
                                              "oldStatus", "reason"},
        _WORKLOAD + "UpdateReclaimablePods": {"err", "oldStatus", "reclaimablePods"},
    },
    READS: {
        "pkg-util-admissionfairsharing.TestResolveLQWeight": {"getErr", "localQueue"},
        _SLICES + "EnsureWorkloadSlices": {"args"},
        _SLICES + "FindNotFinishedWorkloads": {"args"},
    },
    AT_ONCE: {
        _PRIORITY + "DefaultWorkloadPriorityClassExist": {"workloadPriorityClassList"},
        _PRIORITY + "GetPriorityFromPriorityClass": {"priorityClassList", "priorityClassName"},
        _PRIORITY + "GetPriorityFromWorkloadPriorityClass": {"workloadPriorityClassList",
                                                             "workloadPriorityClassName"},
    },
    CLOCK: {
        _QUEUE + "HeadsCancelled": set(),
        _QUEUE + "HeadsCancelledNoLostWakeup": set(),
        _QUEUE + "NewRequeuer": {"args"},
        _QUEUE + "QueueSecondPassIfNeeded": {"passTime", "updateWorkload", "workloads"},
    },
    EVICTS: {
        "pkg-scheduler-preemption.TestIssuePreemptionsCountsFailures": set(),
        "pkg-scheduler.TestEntryMarkPreemptionOutcome": {"errors", "preempted"},
    },
    ELSEWHERE: {_WORKLOAD + "ShouldSkipClusterNomination": {"acs", "isElastic", "wl"}},
    SHOWN: {
        "pkg-resources.TestAmountAsApproximateFloat64": {"amount", "resource"},
        "pkg-scheduler-preemption.TestPreemptionMessage": set(),
    },
}


def explain(case: Json) -> None:
    """Raises Unanswerable with the reason, if there is one."""
    given = set(case.get("state") or {}) - {"fixtures"}
    for reason, tests in REASONS.items():
        known = tests.get(case.get("test", ""))
        if known is not None and given <= known:
            raise Unanswerable(reason)
