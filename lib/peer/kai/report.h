// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// From what a world commits to moves of the ledger and decisions of the plan.
//
//   KaiReport report(&context, &session);   // a listener for the actions
//   report.Explain("reclaim");              // reasons, when the action has ended
//
// Idea. A task that runs and is evicted leaves its node; if it is placed elsewhere, the new node is
// promised to it. A task that waits and is pipelined is nominated. What is taken back in the same
// cycle is withdrawn from the plan: a promise to a task that is evicted once more, and a nomination
// of a task that does not run yet.
//
// Cost. O(1) a change.
#ifndef MUSTER_PEER_KAI_REPORT_H_
#define MUSTER_PEER_KAI_REPORT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/part/context.h"
#include "lib/peer/kai/rules.h"

namespace muster {

class KaiReport : public KaiListener {
 public:
  KaiReport(ActionContext* context, KaiSession* session) : context_(*context), session_(*session) {}

  void Bound(const KaiPod& pod) override;
  void Pipelined(const KaiPod& pod) override;
  void Evicted(const KaiPod& pod, uint32_t beneficiary) override;
  // Gives jobs that wait their reasons. `action`: the one that has ended.
  void Explain(std::string_view action);

 private:
  void ExplainUntried(uint32_t j);
  void ExplainLoneTasks(uint32_t j);
  void ExplainTried(uint32_t j);
  std::string WordsOf(uint32_t j, const KaiRefusal& refusal) const;
  std::vector<Refusal> RefusalsOf(const KaiFitErrors& errors) const;
  TaskIndex TaskOf(const KaiPod& pod) const;
  NodeIndex NodeOf(const KaiPod& pod) const;
  void ChooseDevices(const KaiPod& pod);
  bool IsHeld(uint32_t node, uint32_t device) const;
  uint32_t DeviceOf(uint32_t group, uint32_t node);

  ActionContext& context_;
  KaiSession& session_;
};

}  // namespace muster

#endif  // MUSTER_PEER_KAI_REPORT_H_
