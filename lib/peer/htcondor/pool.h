// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a negotiation cycle reads: slots, submitters and their jobs, as ads.
//
//   AdNames names;
//   PoolNames known(&names);                       // names of attributes that the rules read
//   Slot slot{.name = "slot1", .ad = ...};
//   double weight = WeightOf(known, slot.ad, /*weights=*/true);
#ifndef MUSTER_PEER_HTCONDOR_POOL_H_
#define MUSTER_PEER_HTCONDOR_POOL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/peer/htcondor/class_ad.h"

namespace muster::condor {

// Attributes that the negotiator itself reads or sets.
struct PoolNames {
  explicit PoolNames(AdNames* names);
  AdName state, cpus, weight, rank, current_rank, requirements, remote_user, accounting_group,
      preempting_user, preempting_group, concurrency_limits, partitionable, machine_resources,
      retirement_left, remote_priority, remote_usage, submitter_priority, submitter_usage;
};

struct Slot {
  std::string name;
  ClassAd ad;
  uint32_t row = 0;        // the caller's number
  bool is_offered = true;  // false: it counts for its user and the pool, and no job gets it
};

struct Submitter {
  std::string name;  // "user@domain", or "group.user@domain"
  int64_t idle = 0, running = 0;
  double weighted_idle = 0, weighted_running = 0;
  int64_t last_heard = 0;
};

struct CondorJob {
  std::string id;
  int64_t auto_cluster = 0;  // equal: equal in all that decides about a match
  ClassAd ad;
  uint32_t row = 0;  // the caller's number
  int64_t kind = 0;  // as SlotGate knows it
  // In place of `ad`, for jobs that are alike.
  std::shared_ptr<const ClassAd> shared = nullptr;
  const ClassAd& view() const { return shared != nullptr ? *shared : ad; }
};

// A part of the requirements of both sides that no ad has.
struct SlotGate {
  virtual ~SlotGate() = default;
  virtual bool Admits(const Slot& slot, int64_t kind) const = 0;
};

struct Pool {
  int64_t time = 0;
  std::vector<Slot> slots;  // in the order of the list
  std::vector<Submitter> submitters;
  // In the order in which each submitter's jobs are offered.
  HashMap<std::string, std::vector<CondorJob>> jobs;
  const SlotGate* gate = nullptr;  // null: all slots are open
};

double WeightOf(const PoolNames& names, const ClassAd& slot, bool weights);
bool IsTrue(const ClassAd& ad, AdName name);
std::string TextOf(const ClassAd& ad, AdName name, const ClassAd* target = nullptr);
// Returns the customer that the slot is claimed for, the preempting one first; empty: none.
std::string UserOf(const PoolNames& names, const ClassAd& slot);

// Concurrency limits: so many of something may be used at a time.
//
//   ConcurrencyCounts counts(limits);
//   if (!counts.Refuses("lic:2, db")) counts.Add("lic:2, db");
class ConcurrencyCounts {
 public:
  // `limits`: by name in lower case; `scopes`: defaults by scope.
  struct Limits {
    std::vector<std::pair<std::string, double>> limits, scopes;
    double otherwise = 2'308'032;
  };
  explicit ConcurrencyCounts(Limits limits) : limits_(std::move(limits)) {}

  // Each name of the list is tested by itself, against what is counted.
  bool Refuses(std::string_view list) const;
  void Add(std::string_view list);

 private:
  double LimitOf(std::string_view name) const;
  const Limits limits_;
  HashMap<std::string, double> counts_;
};

// What a partitionable slot gives to a job under its consumption policy.
struct Consumption {
  // By resource of the slot: its attribute, the job's attribute, what is taken.
  struct Part {
    AdName asset, request;
    double amount = 0;
  };
  std::vector<Part> parts;
};
// Returns whether the slot is partitionable, and has a rule for each of its resources.
bool HasConsumptionPolicy(const PoolNames& names, AdNames* all, const ClassAd& slot);
// Returns nothing if the slot does not suffice.
std::optional<Consumption> ConsumptionOf(const PoolNames& names, AdNames* all, const ClassAd& slot,
                                         const ClassAd& job);
// Takes it from the slot.
void Deduct(const Consumption& consumption, ClassAd* slot);
// Sets the job's requests to what it would get.
void Fill(const Consumption& consumption, ClassAd* job);

}  // namespace muster::condor

#endif  // MUSTER_PEER_HTCONDOR_POOL_H_
