// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The rules of a session of KAI Scheduler: policy kai-rules, which has its options and its world.
//
//   KaiSession* session = KaiSessionOf(context);   // of an action
//   RunKaiAllocate(session->Cycle(context), {});
//
// Idea. The actions of one cycle share a world, which the first of them opens. The policy holds the
// options, and publishes each queue's fair share for the plan.
#ifndef MUSTER_PEER_KAI_RULES_H_
#define MUSTER_PEER_KAI_RULES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/extension/memory_slots.h"
#include "lib/part/context.h"
#include "lib/peer/kai/read_facts.h"
#include "lib/peer/kai/usage_memory.h"
#include "lib/peer/kai/world.h"
#include "muster/policy.h"

namespace muster {

PolicyDecl KaiRulesPolicy();

// The world of a cycle, and what leads from it to the tables.
struct KaiSession {
  std::unique_ptr<KaiWorld> world;
  std::vector<uint32_t> queue_of;  // as in KaiReading
  std::vector<QueueIndex> queues;
  std::vector<uint32_t> device_of;  // by group: the place among the devices of its node
  std::vector<KaiHeldDevice> held;  // by node
  bool was_cut = false;             // some action ended before all had their turns
  // By job, then by action: why it evicts nothing for the job.
  std::map<uint32_t, std::map<std::string, std::string>> victim_words;
};

// Policy kai-rules, for actions.
class KaiRules : public Policy, public OrderPolicy {
 public:
  explicit KaiRules(const Options& options);

  std::string_view name() const override { return "kai-rules"; }
  // Order is named only because plans read the queues' shares there.
  PointSet points() const override { return {Point::kQueueOrder}; }
  OrderPolicy* order() override { return this; }
  void Open(const Cycle& cycle) override;
  bool PublishShare(QueueIndex queue, std::vector<double>* deserved, double* share) override;

  // Returns the session of this cycle; the first call opens it. What it decides is remembered when
  // the cycle ends.
  KaiSession& session();

 private:
  // Lets past usage count in the fair shares of the session.
  void SettleUsage(const std::vector<KaiUsageHistory>& histories);

  const KaiOptions options_;
  const Tables* tables_ = nullptr;
  std::shared_ptr<MemorySlots> memory_;
  int64_t now_ = 0;
  std::unique_ptr<KaiSession> session_;
  std::optional<KaiUsageMemory> usage_;  // absent: past usage does not count
};

}  // namespace muster

#endif  // MUSTER_PEER_KAI_RULES_H_
