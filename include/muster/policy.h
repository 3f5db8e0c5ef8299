// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Policies: rules of your own, asked beside those of a profile.
//
//   class OldestFirst : public muster::Policy, public muster::OrderPolicy {
//    public:
//     std::string_view name() const override { return "oldest-first"; }
//     muster::PointSet points() const override { return {muster::Point::kJobOrder}; }
//     muster::OrderPolicy* order() override { return this; }
//     void Open(const muster::Cycle& cycle) override { cycle_ = &cycle; }
//     int CompareJobs(muster::JobIndex a, muster::JobIndex b) override {
//       return muster::Sign(cycle_->job(a).created - cycle_->job(b).created);
//     }
//
//    private:
//     const muster::Cycle* cycle_ = nullptr;
//   };
//
//   auto extensions = std::make_shared<muster::Extensions>();
//   extensions->policies.push_back({.name = "oldest-first", .summary = "by age", .options = {},
//       .make = [](const muster::Options&) { return std::make_unique<OldestFirst>(); }});
//   cluster.Schedule("volcano:tiers=oldest-first/priority+gang/predicates+nodeorder",
//                    {.extensions = extensions});
//
// A policy answers questions; it never walks the cluster to decide by itself. It derives from
// Policy and from the interfaces that it implements, returns itself for each of them, and lists
// the points at which it is asked. The dispatcher asks it there and nowhere else, and
// combines the answers of all policies by the rule of the point (docs/policies.md).
//
//  interface     page               questions
//  OrderPolicy   policy/order.h     which job, queue, task, sub-group goes first
//  GatePolicy    policy/gate.h      may a queue take more, may a job start, is a gang whole
//  FitPolicy     policy/fit.h       on which nodes a task may run, which parts of a node it gets
//  ScorePolicy   policy/score.h     which of the nodes that fit is best
//  VictimPolicy  policy/victims.h   which running tasks may be evicted
//  DomainPolicy  policy/domains.h   in which part of the topology tree a gang may be
//
// Some profiles evaluate no policies, or none at some points: a policy that would be evaluated at
// none of its points is refused there (docs/policies.md).
//
// Promise. A policy of the caller is asked as a built-in one is, at the same speed. Its answers
// must depend on nothing but the cycle and its options: then plans are pure functions of their
// inputs, and the engine may keep answers for as long as the policy's scopes allow. What the next
// cycle needs goes into the policy's slot of the memory (muster/memory.h), never into a member: an
// instance may serve one cycle or many. If answers about kinds or states depend on what changes
// between cycles (the memory, what waits), set Traits::kinds_changed or states_changed.
// Failure. Questions have no error: a policy that cannot answer abstains. Exceptions must not leave
// a policy. Schedule fails with InvalidArgument if an extension has the name of a built-in policy
// or action, no `make`, or a point without the interface that answers it, or an option is refused.
// Ownership. The session owns the instances that `make` returns. Extensions must outlive the cycles
// that use them; the shared pointer in ScheduleOptions ensures it.
// Threads. An instance is opened anew for each cycle and used by one thread at a time. Different
// cycles may use different instances at once: `make` may be called from several threads.
// Cost. Each page states how often its questions are asked.
#ifndef MUSTER_POLICY_H_
#define MUSTER_POLICY_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "muster/action.h"
#include "muster/export.h"
#include "muster/policy/cycle.h"
#include "muster/policy/domains.h"
#include "muster/policy/fit.h"
#include "muster/policy/gate.h"
#include "muster/policy/options.h"
#include "muster/policy/order.h"
#include "muster/policy/point.h"
#include "muster/policy/score.h"
#include "muster/policy/verdict.h"
#include "muster/policy/victims.h"
#include "muster/types.h"

namespace muster {

// Properties of a policy by which the engine saves work or orders its questions. They are read
// after each Open. Every default is the common case, and safe unless its comment states otherwise.
struct Traits {
  // Placements change how tasks compare: tasks are ordered one by one, as late as possible.
  bool task_order_moves = false;
  // OrderPolicy::CompareQueueTurns differs from CompareQueues.
  bool orders_by_turn = false;
  // Reclaimable gets the candidates in the order in which they would be evicted.
  bool reclaims_in_victim_order = false;
  // Each candidate for eviction is judged by itself and those before it, so that the answer about a
  // few candidates is how the answer about more begins; and the policy abstains always, or never.
  bool judges_in_order = false;
  // Candidates for eviction of one queue and one class are alike to the policy, and so are
  // evictors. A candidate that may not go by itself may not go with others. An action may then ask
  // about one of them and leave out the rest.
  bool judges_alike = false;
  // FitsTrial is asked with the trial's evictions in the books; false: with the books as they were
  // before.
  bool sees_trials = true;
  // FitStates and ScoreStates read what is free. If no policy does, their columns mostly lack it.
  bool reads_free = true;
  // ScorePolicy::RankOf ranks nodes. One policy of a profile may.
  bool ranks_nodes = false;
  // FitPolicy::NodesToFind ends a search early. One policy of a profile may.
  bool samples_nodes = false;
  // The answers about kinds may differ from those of the cycle before.
  bool kinds_changed = false;
  // FitStates and ScoreStates may answer otherwise than in the cycle before, also about states that
  // stayed as they were.
  bool states_changed = false;
  // The answers about states differ between nodes of equal kind and books, and hold for one cycle:
  // the engine keeps each node in a state of its own, and no eviction cures a refusal.
  bool tells_nodes_apart = false;
  // ScoreNodes gives all nodes right below one domain the same score.
  bool scores_by_domain = false;
};

// The base of all policies. A policy also derives from the interfaces that it implements.
class MUSTER_EXPORT Policy {
 public:
  virtual ~Policy() = default;
  // Returns the name by which spec strings and plans call the policy: that of its PolicyDecl.
  virtual std::string_view name() const = 0;
  // Returns the points at which it is asked. Each must belong to an interface that it returns
  // below.
  virtual PointSet points() const = 0;
  // Returns its properties. Default: those of Traits{}.
  virtual Traits traits() const { return {}; }

  // Return the interfaces that the policy implements: `this`, or null. The pointers must stay the
  // same as long as the policy lives.
  virtual OrderPolicy* order() { return nullptr; }
  virtual GatePolicy* gate() { return nullptr; }
  virtual FitPolicy* fit() { return nullptr; }
  virtual ScorePolicy* score() { return nullptr; }
  virtual VictimPolicy* victims() { return nullptr; }
  virtual DomainPolicy* domains() { return nullptr; }

  // Called once a cycle, before any question: the place to look up dimensions and to compute keys.
  // Policies are opened in the order of their tiers. The cycle is valid until the next call.
  virtual void Open(const Cycle& /*cycle*/) {}
  // Called within a cycle when evictions have changed what queues request: recompute whatever Open
  // derived from that.
  virtual void Recount() {}
  // Publishes the queue's share for the plan (QueueShare): sets what the queue deserves, per
  // dimension, and its share. Returns false if the policy has no such numbers. Called for policies
  // that order queues.
  virtual bool PublishShare(QueueIndex /*queue*/, std::vector<double>* /*deserved*/,
                            double* /*share*/) {
    return false;
  }
};

struct PolicyNeeds;  // lib/extension/needs.h

// A kind of policy, as profiles, help texts and bindings list it: its name, one line of summary,
// its options, and how to make one. `make` returns a new instance for options that are checked.
struct PolicyDecl {
  std::string_view name;
  std::string_view summary;
  std::span<const OptionDecl> options;
  std::function<std::unique_ptr<Policy>(const Options& options)> make;
  // Grows by one with every release in which equal inputs lead to other decisions of the policy.
  // Plans of two releases compare only if the revisions of their policies are equal.
  int32_t revision = 1;
  // For policies of the library: adds what the policy needs of the session with these options.
  void (*needs)(const Options& options, PolicyNeeds* needs) = nullptr;
  // The slots of the memory that the policy reads or writes.
  std::vector<MemoryDecl> memory = {};
};

// Policies and actions of the caller, handed to Schedule in ScheduleOptions::extensions.
//
// Their names must not be those of built-in ones. Policies that the spec string does not name go
// into its last tier; actions run only if the spec string names them. Options of a policy are set
// where the spec string adds it: by `+NAME(KEY=VALUE)` or in `tiers=`. `NAME(...)` and `-NAME` are
// refused before that; a policy that is not wanted is left out of the list. A cluster keeps its
// session, and with it answers of earlier cycles, while it gets the same object: hand in the same
// one cycle after cycle, and a new one if the answers of the policies may have changed.
struct Extensions {
  // Names and options are views: their targets must outlive this object.
  std::vector<PolicyDecl> policies;
  std::vector<CustomAction> actions;  // see muster/action.h
};

}  // namespace muster

#endif  // MUSTER_POLICY_H_
