// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a configuration of the pool sets, read from the options of action negotiate and from the
// settings of queues, nodes and jobs.
//
//   AdNames names;
//   PoolSettings settings;
//   if (absl::Status s = ReadSettings(tables, options, &names, &settings); !s.ok()) return s;
//   Negotiator negotiator(settings.rules, settings.groups, &names);
//
// Keys, all behind "htcondor/". A key may be in the settings of
//   queue default, which is the pool   START, RANK, SLOT_WEIGHT, PREEMPTION_REQUIREMENTS,
//                                      PREEMPTION_RANK, NEGOTIATOR_PRE_JOB_RANK,
//                                      NEGOTIATOR_POST_JOB_RANK, GROUP_SORT_EXPR: expressions;
//                                      concurrency_limits, factors, ceilings, floors: lists of
//                                      NAME:NUMBER; concurrency_default
//   other queues, which are groups     quota, quota_dynamic, accept_surplus, autoregroup,
//                                      prio_factor
//   nodes                              START, RANK, SLOT_WEIGHT, +ATTRIBUTE: expressions
//   jobs                               requirements, rank, +ATTRIBUTE: expressions;
//                                      concurrency_limits: a list of NAME or NAME:UNITS; nice_user;
//                                      pre_job_prio1, pre_job_prio2, post_job_prio1, post_job_prio2
//
// Failure. InvalidArgument with row, key and rule for an expression that does not parse, a key that
// is not known, an attribute that the profile sets itself, and queues with one group's name.
// Cost. O(rows); each text of an expression is parsed once.
#ifndef MUSTER_PEER_HTCONDOR_SETTINGS_H_
#define MUSTER_PEER_HTCONDOR_SETTINGS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "lib/base/hash_map.h"
#include "lib/model/tables.h"
#include "lib/peer/htcondor/negotiator.h"
#include "muster/policy.h"

namespace muster::condor {

using SharedExpression = std::shared_ptr<const AdExpression>;
using AttributeList = std::vector<std::pair<AdName, SharedExpression>>;

struct NodeSettings {
  SharedExpression start, rank, weight;
  AttributeList attributes;
};

struct JobSettings {
  SharedExpression requirements, rank;
  AttributeList attributes;
  std::string concurrency_limits;
  bool is_nice = false;
  std::array<int64_t, 4> orders = {};  // pre_job_prio1, 2, post_job_prio1, 2
};

// What an administrator has set of a submitter.
struct CustomerSettings {
  std::string customer;
  double value = 0;
};

struct PoolSettings {
  NegotiatorRules rules;
  std::vector<GroupSpec> groups;
  std::vector<std::string> group_of;  // by queue, with all groups above; empty: the root
  std::vector<CustomerSettings> factors, ceilings, floors;
  std::string domain;                     // of users without one
  bool divides_slots = false;             // by consumption policies
  NodeSettings node;                      // of nodes that set nothing
  JobSettings job;                        // of jobs that set nothing
  HashMap<uint32_t, NodeSettings> nodes;  // of the few that set something
  HashMap<uint32_t, JobSettings> jobs;

  const NodeSettings& of_node(NodeIndex n) const;
  const JobSettings& of_job(JobIndex j) const;
  // Returns the name of the submitter of a user's jobs in the queue.
  std::string SubmitterOf(QueueIndex queue, const std::string& user, bool is_nice) const;
  std::string UserOf(const JobSpec& job) const;
};

// The options of action negotiate.
std::span<const OptionDecl> NegotiateOptionDecls();
// REQUIRES: the settings are empty.
absl::Status ReadSettings(const Tables& tables, const Options& options, AdNames* names,
                          PoolSettings* settings);

}  // namespace muster::condor

#endif  // MUSTER_PEER_HTCONDOR_SETTINGS_H_
