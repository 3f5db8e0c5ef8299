// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The profiles under which random worlds are scheduled, a table for each family of profiles.
//
//   Rng rng(seed);
//   absl::StatusOr<Plan> plan = Schedule(snapshot, OneOf(kVolcanoSpecs, rng));
//   for (const std::string spec : kDeviceSpecs) ...
//
// A table that grows or changes its order gives other profiles to the seeds of all that draw from
// it.
#ifndef MUSTER_TESTS_SUPPORT_PROFILE_SPECS_H_
#define MUSTER_TESTS_SUPPORT_PROFILE_SPECS_H_

#include <cstddef>
#include <string>

#include "lib/base/rng.h"

namespace muster::testing {

// Returns a spec of the table, each with the same chance.
template <size_t N>
std::string OneOf(const char* const (&specs)[N], Rng& rng) {
  return specs[rng.Below(N)];
}

// Volcano's actions in many orders, and each of its policies with some of its options.
inline constexpr const char* kVolcanoSpecs[] = {
    "volcano",
    "volcano:+preempt,+reclaim",
    "volcano:actions=admit+reclaim+allocate+preempt+backfill",
    "volcano:actions=allocate+backfill+preempt+reclaim",
    "volcano:actions=admit+allocate+preempt+reclaim+backfill",
    "volcano:actions=preempt+allocate",
    "volcano:actions=reclaim",
    "volcano:actions=preempt",
    "volcano:actions=backfill+allocate",
    "volcano:actions=allocate+allocate+backfill",
    "volcano:actions=allocate+backfill+preempt+reclaim,"
    "tiers=priority+gang+conformance/drf+predicates+proportion+nodeorder",
    "volcano:actions=allocate+preempt(topology_aware=on)",
    "volcano:actions=admit+allocate+backfill+preempt(topology_aware=on)+reclaim,-proportion,"
    "predicates(trial_evictions=off)",
    "volcano:actions=allocate(error_cache=off)+preempt(error_cache=off)",
    "volcano:actions=allocate+preempt,tiers=gang+priority/drf+predicates+nodeorder",
    "volcano:actions=allocate+reclaim,tiers=gang/proportion+conformance/predicates+binpack",
    "volcano:actions=allocate+preempt+reclaim,tiers=priority/gang/conformance/drf/predicates/"
    "proportion",
    "volcano:-proportion,+preempt",
    "volcano:-drf,-overcommit,+reclaim",
    "volcano:-gang,+preempt,+reclaim",
    "volcano:actions=allocate+preempt+reclaim,tiers=priority+gang+pdb/"
    "drf+predicates+proportion+pdb",
    "volcano:-proportion,+capacity,+preempt,+reclaim",
    "volcano:-proportion,+capacity(hierarchy=on,ancestor_reclaim_level=1),+preempt,+reclaim",
    "volcano:actions=reclaim,tiers=capacity(hierarchy=on)/predicates+nodeorder",
    "volcano:actions=reclaim+allocate,tiers=priority/"
    "capacity(hierarchy=on,ancestor_reclaim_level=2)+predicates+nodeorder",
    "volcano:actions=reclaim+allocate+reclaim,tiers=capacity/predicates+gang",
    "volcano:actions=allocate+gangreclaim+gangpreempt,"
    "tiers=priority+gang+capacity(hierarchy=on)/predicates+nodeorder",
    "volcano:actions=gangreclaim+allocate+preempt(topology_aware=on),"
    "tiers=priority+gang/drf+predicates+capacity+nodeorder",
    "volcano:+sla(waiting_time=2)",
    "volcano:tiers=sla+priority/gang/overcommit+drf+predicates+proportion+nodeorder",
    "volcano:+resourcequota",
    "volcano:+resource-strategy-fit(most.nvidia.com/*=2,least.cpu=1,scarce_weight=3,"
    "scarce.nvidia.com/gpu=1)",
    "volcano:+resource-strategy-fit(reserve_cpu.nvidia.com/gpu=1),+preempt",
    "volcano:+usage,+preempt",
    "volcano:+load-aware,+preempt,+reclaim",
    "volcano:actions=allocate+backfill,tiers=priority+gang/predicates+"
    "load-aware(cpu_threshold=90,dominant=1,interval=10,expired=trust)",
    "volcano:actions=allocate+preempt+reclaim,tiers=cdp+priority/predicates+proportion",
    "volcano:actions=allocate+reclaim,tiers=drf(hierarchy=on)/predicates+nodeorder",
    "volcano:actions=reclaim+allocate+preempt,tiers=gang+drf(hierarchy=on)/predicates+proportion",
    "volcano:+nodegroup(strict=off,hierarchy=on)",
    "volcano:actions=allocate+backfill+preempt+reclaim,tiers=priority+gang/drf+predicates+"
    "proportion+nodegroup(strict=off)",
    "volcano:actions=allocate+preempt,tiers=tdm(from.day=0,to.day=1,from.night=1,to.night=0)/"
    "predicates+nodeorder",
    "volcano:actions=allocate+backfill,tiers=priority+gang/predicates+"
    "nodegroup(strict=off,preferred_order=on)+binpack+tdm(from.day=0,to.day=0)",
    "volcano:actions=shuffle+allocate,tiers=gang/tdm(from.day=1,to.day=0,from.night=1,to.night=1)+"
    "rescheduling(cpu_low=30,cpu_high=60)/predicates+nodeorder",
    "volcano:actions=gangpreempt",
    "volcano:actions=gangreclaim",
    "volcano:actions=allocate+gangpreempt+gangreclaim,"
    "tiers=priority+gang+conformance/predicates+proportion+nodeorder+binpack",
    "volcano:actions=allocate+gangpreempt(whole_gangs=off)+gangreclaim(error_cache=off)",
    "volcano:actions=gangreclaim(whole_gangs=off)+allocate+gangpreempt(error_cache=off),-"
    "proportion",
    "volcano:+shards(name=a),+preempt,+reclaim",
    "volcano:+shards(name=a,soft=on),+preempt,+reclaim",
    "volcano:+shards(name=b,soft=on),actions=allocate+preempt(topology_aware=on)+backfill",
    "volcano:+shards(name=b,soft=on),actions=reclaim+gangpreempt+allocate+gangreclaim+backfill",
    "volcano:+sampling(least_nodes=2),+preempt,+reclaim",
    "volcano:+sampling(least_nodes=1,percent=30),+preempt(topology_aware=on)",
    "volcano:actions=reclaim+allocate+backfill,+sampling(least_nodes=2,percent=40),+shards(name=a,"
    "soft=on)",
    "volcano:+task-topology",
    "volcano:tiers=task-topology(weight=5)+priority+gang/"
    "predicates+proportion+nodeorder,+preempt,+reclaim",
    "volcano:actions=allocate+gangpreempt+gangreclaim+backfill,+task-topology",
    "volcano:actions=shuffle,tiers=rescheduling(cpu_low=50,cpu_high=50)",
    "volcano:actions=shuffle+allocate,tiers=pdb+rescheduling(cpu_low=50,cpu_high=50)/predicates",
    "volcano:actions=preempt+shuffle+allocate,tiers=priority+gang/tdm(from.day=1,to.day=1)+"
    "pdb(whole_plan=on)/predicates",
    "volcano:actions=shuffle+allocate+preempt,+rescheduling(cpu_low=60,memory_low=80,cpu_high=70,"
    "memory_high=20)",
    "volcano:nodeorder(least_requested=0,most_requested=2,balanced=1),binpack(weight=5,cpu=2)",
};

inline constexpr const char* kKubeBatchSpecs[] = {
    "kube-batch",
    "kube-batch:+preempt,+reclaim",
    "kube-batch:actions=reclaim+allocate+backfill+preempt",
    "kube-batch:actions=preempt+allocate",
    "kube-batch:-drf,+reclaim",
    "kube-batch:-proportion,+preempt",
};

// Profiles that come as they are stand several times: a draw takes them as often.
inline constexpr const char* kMusterSpecs[] = {
    "muster",
    "muster",
    "muster",
    "muster:actions=allocate",
    "muster:actions=reclaim",
    "muster:actions=preempt",
    "muster:actions=preempt+reclaim+allocate",
    "muster:-binpack,-conformance",
    "muster:-gang",
    "muster:-priority",
    "muster:pdb(whole_plan=off)",
    "muster:nodeorder(least_requested=1),-binpack",
};

// For worlds in which queues have limits of what they may spend.
inline constexpr const char* kSpendingSpecs[] = {
    "muster",
    "muster:spending(ahead=100)",
    "muster:spending(ahead=20000)",
    "muster:actions=allocate",
    "volcano:+spending,+preempt,+reclaim",
};

// For worlds with elastic jobs.
inline constexpr const char* kElasticSpecs[] = {
    "muster:actions=allocate+shrink+reclaim+preempt+grow",
    "muster:actions=allocate+shrink+reclaim+preempt+grow",
    "muster:actions=allocate(promise=head)+shrink+reclaim+preempt+grow",
    "muster:actions=allocate+shrink+grow",
    "muster:actions=shrink",
    "muster:actions=allocate+grow",
    "muster:actions=grow",
    "muster:actions=allocate+shrink+shrink",
    "muster:+resize",
    "muster:actions=allocate+shrink+grow,-gang",
    "muster:actions=shrink+allocate+preempt+grow,pdb(whole_plan=off)",
    "transwarp:actions=allocate+shrink+reclaim+preempt+grow",
};
// Those under which no other action evicts, of all profiles with elastic jobs.
inline constexpr const char* kElasticBoundSpecs[] = {
    "muster:actions=allocate+shrink+grow",
    "muster:actions=shrink+allocate+grow",
    "muster:actions=allocate(promise=first)+shrink+grow",
    "muster:actions=allocate+grow+shrink+grow",
    "volcano:actions=admit+allocate+shrink+grow",
    "volcano:actions=allocate+shrink+grow",
    "ray:actions=allocate+shrink+grow",
    "transwarp:actions=allocate+shrink+grow",
};

// For worlds with WorldKnobs::lending.
inline constexpr const char* kTranswarpSpecs[] = {
    "transwarp",
    "transwarp",
    "transwarp",
    "transwarp:hdrf(form=naive)",
    "transwarp:hdrf(form=static)",
    "transwarp:actions=allocate",
    "transwarp:actions=allocate,hdrf(form=naive)",
    "transwarp:actions=reclaim",
    "transwarp:actions=preempt+reclaim+allocate",
    "transwarp:borrowing(without=allocatable|reclaimable)",
    "transwarp:-hdrf,-bindings",
    "transwarp:-leaf-order,-gang",
    "muster:-fairshare,+borrowing,+hdrf(form=static)",
    "muster:-fairshare,+hdrf,+fairshare",
};

// For worlds with AddDevices.
inline constexpr const char* kDeviceSpecs[] = {
    "volcano:actions=allocate+backfill,tiers=priority+gang/predicates+devices(strategy=pack)",
    "volcano:actions=allocate,tiers=gang/predicates+devices(strategy=spread)+binpack",
    "volcano:actions=allocate,tiers=gang/predicates+nodeorder+devices(strategy=best-fit,weight=3)",
    "volcano:+devices(strategy=spread),+preempt,+reclaim",
    "volcano:+devices(strategy=best-fit,weight=0),actions=reclaim+allocate+preempt+backfill",
    "volcano:+devices,actions=allocate+preempt(topology_aware=on)",
    "volcano:actions=allocate+gangpreempt+gangreclaim,tiers=priority+gang/predicates+devices",
    "muster:actions=allocate",
    "muster",
    "muster:devices(strategy=spread,weight=10),actions=allocate",
    "muster:devices(strategy=best-fit),actions=allocate+preempt+reclaim",
    "muster:devices(strategy=spread),actions=allocate(tries=30)+reclaim",
    "ray:+devices",
};

// For worlds with AddCpus.
inline constexpr const char* kCpuSpecs[] = {
    "volcano:actions=allocate+backfill,tiers=priority+gang/predicates+numa-aware",
    "volcano:actions=allocate,tiers=gang/predicates+numa-aware(weight=10)+binpack",
    "volcano:actions=allocate,tiers=gang/predicates+nodeorder+devices+numa-aware",
    "volcano:+numa-aware,+preempt,+reclaim",
    ("volcano:+numa-aware(weight=0),+devices(strategy=spread),"
     "actions=reclaim+allocate+preempt+backfill"),
    "volcano:+numa-aware,actions=allocate+preempt(topology_aware=on)",
    "volcano:+numa-aware,+sampling(least_nodes=2),+preempt",
    "volcano:actions=allocate+gangpreempt+gangreclaim,tiers=priority+gang/predicates+numa-aware",
    "kube-batch:+numa-aware(weight=3),+preempt,+reclaim",
    "muster:+numa-aware",
    "muster:+numa-aware(weight=50),-devices,actions=allocate",
    "ray:+numa-aware",
};

// For worlds with AddZones.
inline constexpr const char* kZoneSpecs[] = {
    "volcano:actions=allocate+backfill,tiers=priority+gang/predicates+zones",
    "volcano:actions=allocate,tiers=gang/predicates+zones(strategy=most,cpu=3)+binpack",
    "volcano:actions=allocate,tiers=gang/predicates+nodeorder+zones(strategy=fewest,weight=3)",
    "volcano:actions=allocate,tiers=gang/predicates+zones(strategy=balanced)",
    "volcano:+zones(strategy=fewest,most_zones=2),+preempt,+reclaim",
    "volcano:+zones(weight=0),actions=reclaim+allocate+preempt+backfill",
    "volcano:+zones(resource.nvidia.com/gpu=5),actions=allocate+preempt(topology_aware=on)",
    "volcano:actions=allocate+gangpreempt+gangreclaim,tiers=priority+gang/predicates+zones",
    "kube-batch:+zones(strategy=fewest),+preempt,+reclaim",
    "muster",
    "muster:zones(strategy=least,weight=10),actions=allocate",
    "ray:+zones",
};

// For worlds with AddDomains.
inline constexpr const char* kDomainSpecs[] = {
    "volcano:+network-topology-aware",
    "volcano:actions=allocate+backfill,tiers=priority+gang/drf+predicates+proportion+nodeorder+"
    "binpack+network-topology-aware",
    "volcano:actions=allocate,tiers=gang/"
    "predicates+network-topology-aware(weight=3,cpu=2,fading=0.5)",
    "volcano:actions=allocate,tiers=gang+priority/predicates+binpack+"
    "network-topology-aware(normal_tasks=off,resource.nvidia.com/gpu=4)",
    "volcano:actions=allocate+preempt+reclaim,tiers=priority+gang+conformance/"
    "drf+predicates+proportion+nodeorder+network-topology-aware",
    "volcano:actions=reclaim+allocate+backfill+preempt,+network-topology-aware",
    "volcano:actions=allocate(error_cache=off),tiers=priority/predicates+network-topology-aware",
    "volcano:actions=allocate+allocate,tiers=priority+gang/"
    "predicates+nodeorder+network-topology-aware(without=domain_search)",
    "volcano:actions=allocate,tiers=gang(without=sub_group_ready|sub_group_pipelined)/"
    "predicates+network-topology-aware(without=domain_score)",
    "volcano:tiers=sla(waiting_time=2)/gang+predicates+network-topology-aware",
    "volcano",
    "volcano:+task-topology,+network-topology-aware",
    "volcano:+shards(name=a,soft=on),+network-topology-aware",
    "volcano:+sampling(least_nodes=2,percent=40),actions=allocate",
    "volcano:actions=gangpreempt+gangreclaim,tiers=priority+gang+conformance/"
    "predicates+proportion+nodeorder+network-topology-aware",
    "volcano:actions=allocate+gangpreempt(max_domains=2)+gangreclaim(error_cache=off),"
    "tiers=priority+gang/drf+predicates+nodeorder+network-topology-aware(evict_domains=3)",
    "volcano:actions=gangreclaim+gangpreempt(whole_gangs=off),tiers=priority+gang/predicates",
    "muster",
    "muster:allocate(tries=30)",
};

// For worlds with AddBundleStrategies.
inline constexpr const char* kRaySpecs[] = {
    "ray",
    "ray:allocate(threshold=0.2,accelerator=nvidia.com/gpu)",
    "ray:allocate(avoid_accelerators=off)",
    "ray:allocate(accelerator=memory-of-nobody,threshold=1)",
    "ray:tiers=priority+gang/predicates+proportion",
};

inline constexpr const char* kArmadaSpecs[] = {
    "armada",
    "armada:round(classes=low:1:preemptible+high:2:preemptible,protected=0)",
    "armada:round(classes=p:1:preemptible,protected=0,prefer_large=on,lookback=3)",
    "armada:round(classes=p:1:preemptible,market=on,spot_cutoff=0.5)",
    "armada:round(classes=p:1:preemptible,optimiser=on,optimiser_jobs=5,optimiser_gain=0)",
    "armada:round(classes=p:5:preemptible:gpu@3,node_types=gpu:gpu:*+gpu:dedicated:*,urgency=off)",
    "armada:round(burst=3,queue_burst=2,rate=1,queue_rate=1,fair_share=off)",
    "armada:round(classes=p:1:preemptible,class_limits=p/cpu:0.5,preemption_burst=1)",
    "armada:round(unscheduled=nvidia.com/gpu,round_limit=cpu:0.3,home=off)",
};

// Modes of the negotiator.
inline constexpr const char* kHtCondorSpecs[] = {
    "htcondor",
    "htcondor:negotiate(consumption=on)",
    "htcondor:negotiate(preemption=off)",
    "htcondor:negotiate(slot_weights=off,consumption=on,preemption=off)",
    "htcondor:negotiate(match_lists=off,accept_surplus=on,consumption=on)",
    "htcondor:negotiate(autoregroup=on,group_drift=on,half_life=500)",
    "htcondor:negotiate(ignore_priorities=on,early_preemption=on)",
    "htcondor:negotiate(slot_weights=off,round_robin_rate=1,strict_quota=off,oversubscription=off)",
};

// For worlds with settings of queues and jobs.
inline constexpr const char* kYuniKornSpecs[] = {
    "yunikorn",
    "yunikorn",
    "yunikorn:schedule(node_sort=binpacking)",
    "yunikorn:schedule(weight.cpu=2,weight.nvidia.com/gpu=5)",
    "yunikorn:schedule(preemption=off)",
    "yunikorn:schedule(reservation_delay=0)",
    "yunikorn:schedule(quota_preemption=on)",
};

inline constexpr const char* kSchedulerPluginsSpecs[] = {
    "scheduler-plugins",
    "scheduler-plugins",
    "scheduler-plugins:schedule(coscheduling=off)",
    "scheduler-plugins:schedule(capacity=off)",
    "scheduler-plugins:schedule(reject_percent=60,permit_timeout=2)",
    "scheduler-plugins:schedule(reject_percent=100,permit_timeout=1,quotas_follow=off)",
    "scheduler-plugins:schedule(order=time,group_backoff=2,reject_percent=30)",
};

inline constexpr const char* kKoordinatorSpecs[] = {
    "koordinator",
    "koordinator",
    "koordinator:schedule(coscheduling=off)",
    "koordinator:schedule(quota=off)",
    "koordinator:schedule(runtime=off,spare_default=off,load_weight=50)",
    "koordinator:schedule(match_policy=only-waiting,parents=on)",
    "koordinator:schedule(match_policy=waiting-and-running,gang_wait=1,scale_min=off)",
    "koordinator:schedule(cycles=6,load_expired=trust)",
    "koordinator:schedule(cycles=2,quota=off)",
    "koordinator:schedule(kinds=cpu:2:most+memory:1:least,scarce=nvidia.com/gpu+pods)",
    "koordinator:schedule(cpu_bind=spread,numa_strategy=most,zone_strategy=most)",
    "koordinator:schedule(revoke=on,revoke_delay=1)",
};

inline constexpr const char* kYarnSpecs[] = {
    "yarn-capacity",
    "yarn-capacity:heartbeat(min_memory=1,max_off_switch=100)",
    "yarn-capacity:heartbeat(calculator=memory,min_memory=64)",
    "yarn-capacity:heartbeat(multiple_assignments=off,continue_looking=off)",
    "yarn-capacity:heartbeat(shared_labels=gpu,min_memory=1)",
    "yarn-capacity:actions=preempt(max_wait=0,per_round=1,natural_termination=1,min_memory=1)"
    "+heartbeat(min_memory=1,max_off_switch=100)",
    "yarn-capacity:actions=preempt(max_wait=1,per_round=0.5,intra_queue=on,balance=on,conservative="
    "on,"
    "min_memory=1)+heartbeat(min_memory=1,max_off_switch=100)",
    "yarn-fair",
    "yarn-fair:heartbeat(policy=drf,assign_multiple=on,min_memory=1,increment_memory=1)",
    "yarn-fair:heartbeat(policy=fifo,size_based_weight=on,increment_memory=64)",
};

// Profile muster with promises to gangs that wait, and with evictions that are weighed.
inline constexpr const char* kPromiseSpecs[] = {
    "muster:allocate(promise=first)",
    "muster:allocate(promise=queue)",
    "muster:allocate(promise=heads)",
    "muster:allocate(promise=heads,age_limit=0)",
    "muster:allocate(promise=first,age_limit=0)",
    "muster:allocate(promise=queue,age_limit=0)",
    "muster:actions=allocate(promise=first)",
    "muster:actions=allocate(promise=queue,age_limit=0)",
    "muster:actions=reclaim+allocate(promise=queue)+preempt",
    "muster:reclaim(exchange=1),preempt(exchange=1)",
    "muster:reclaim(exchange=0.1,slack=3),preempt(exchange=0.1,slack=3)",
    "muster:reclaim(exchange=0,by_loss=on),preempt(exchange=0,by_loss=on)",
    "muster:reclaim(exchange=1,slack=2,by_loss=on),preempt(exchange=1,by_loss=on)",
    "muster:allocate(age_limit=0)",
    "muster:allocate(age_limit=0),due(cap=2),reclaim(exchange=0),preempt(exchange=0)",
    "muster:allocate(promise=first),reclaim(exchange=0.5,min_runtime=4),preempt(min_runtime=4)",
};

// For worlds with estimates and deadlines.
inline constexpr const char* kJobOrderSpecs[] = {
    "muster",
    "muster:-priority,due(scale=1,cap=2)",
    "muster:-priority,due(scale=0.5,cap=9)",
    "muster:-priority,-due,+joborder(by=sjf)",
    "muster:-priority,-due,+joborder(by=largest)",
    "muster:-priority,-due,+joborder(by=edf)",
    "muster:-priority,-due,+joborder(by=las)",
    "volcano:tiers=joborder(by=srpt)+gang/predicates+nodeorder",
    "volcano:tiers=joborder(by=f1)+gang/predicates+nodeorder,+preempt",
    "volcano:tiers=due(scale=2,cap=1)+gang/predicates+proportion",
    "conservative:+joborder(by=f2)",
    "conservative:+joborder(by=smallest)",
    "conservative:+due(scale=1,cap=1)",
    "conservative:+joborder(by=f3)",
    "conservative:+joborder(by=saf)",
    "muster:-priority,-due,+joborder(by=f4)",
    "muster:-priority,-due,+joborder(by=ljf)",
};

// Schedulers of training jobs. In random worlds jobs have held places for a few seconds.
inline constexpr const char* kTrainingSpecs[] = {
    "tiresias",
    "tiresias:attained(level1=2,level2=6,level3=20)",
    "tiresias:attained(level1=4,level2=0)",
    "tiresias:attained(level1=0,level2=0)",
    "tiresias:attained(level1=3000,level2=9000,resource=cpu)",
    "tiresias:lease(round=60),attained(level1=0,level2=0),+devices",
    "themis",
    "themis:finish-time(fairness=1)",
    "themis:finish-time(fairness=0)",
    "themis:finish-time(fairness=0.5,resource=cpu)",
    "themis:+priority",
};

// Orders of the profiles that have `order`: a spec is "conservative:order=" and one of these.
inline constexpr const char* kMesosSpecs[] = {
    "mesos",
    "mesos:actions=offer",
    "mesos:offer(role_sorter=random,framework_sorter=random,shuffle=on)",
    "mesos:offer(min_allocatable=cpus:1;mem:64),accept(refuse_seconds=0)",
    "mesos:accept(rounds=2,refuse_seconds=2)",
    "mesos:offer(interval=3,guard_gpus=off)",
};

inline constexpr const char* kPulsarSpecs[] = {
    "pulsar",
    "pulsar:place(placement=usage),rebalance(placement=usage,shedding=overload,overload=50)",
    "pulsar:place(placement=round_robin),rebalance(shedding=uniform,least_rate=0,least_bytes=0)",
    "pulsar:rebalance(placement=avg,shedding=avg,low=0,low_hits=1,least_rate=0,least_bytes=0)",
    "pulsar:place(placement=load),rebalance(shedding=transfer,hits=0,target=0.01,delay=0)",
    "pulsar:rebalance(shedding=transfer,hits=0,transfers=off,placement=load,grace=0,delay=0)",
    "pulsar:rebalance(least_mib=0,threshold=1,history=0,lower_boundary=on)",
    "pulsar:rebalance(split_topics=1,namespace_bundles=3,shedding=none)",
};

inline constexpr const char* kRebalanceSpecs[] = {
    "koordinator:actions=rebalance,rebalance(abnormal=1,replicas=off)",
    "koordinator:actions=rebalance,rebalance(abnormal=2,pace=0,low=cpu:40;memory:40)",
    "koordinator:actions=rebalance,rebalance(abnormal=1,replicas=off,node_fit=off,mode=evict)",
    "koordinator:actions=rebalance,rebalance(abnormal=1,distance=on,low=cpu:5,high=cpu:5,pace=0)",
    "koordinator:actions=rebalance,rebalance(abnormal=1,production_low=cpu:20,production_high="
    "cpu:30,replicas=off,unavailable_of_workload=50%,migrating_of_workload=50%)",
    "koordinator:actions=rebalance,rebalance(abnormal=1,replicas=off,pools=select:zone=z0&high:"
    "cpu:40;memory:90|select:zone=z1,bare=on,critical=on,expiration=0)",
    "koordinator:actions=rebalance,rebalance(load=off,fragmentation=on,duplicates=on,replicas=off,"
    "migrating_of_node=3)",
    "koordinator:actions=rebalance,rebalance(node_affinity=on,taints=on,anti_affinity=on,"
    "replicas=off,ttl=1000,migrating=4)",
    "koordinator:actions=rebalance,rebalance(load=off,replicas=off,pace=0,levels="
    "one:zone=z0|two:zone=z1)",
    "koordinator:actions=rebalance,rebalance(load=off,replicas=off,pace=0,whole_nodes=on,levels="
    "one:zone=z1|two:zone=z0)",
};

inline constexpr const char* kBatchOrders[] = {"fifo",     "fifo",    "sjf", "ljf",
                                               "smallest", "largest", "area"};

}  // namespace muster::testing

#endif  // MUSTER_TESTS_SUPPORT_PROFILE_SPECS_H_
