// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kube_scheduler/trace.h"

#include <algorithm>
#include <span>

#include "lib/peer/kube_scheduler/extra_plugins.h"
#include "lib/plan/json_text.h"

namespace muster::kube {
namespace {

class TraceWriter {
 public:
  explicit TraceWriter(const World& world) : world_(world) {}

  void Key(std::string_view key) {
    Comma();
    AppendJson(key, &out_);
    out_.append(": ");
    fresh_ = true;
  }
  void Open(char bracket) {
    Comma();
    out_.push_back(bracket);
    fresh_ = true;
  }
  void Close(char bracket) {
    out_.push_back(bracket);
    fresh_ = false;
  }
  template <class Value>
  void Add(const Value& value) {
    Comma();
    AppendJson(value, &out_);
    fresh_ = false;
  }
  void Node(NodeIndex n) {
    Add(n == kNone ? std::string_view() : world_.tables().nodes.names.name(n));
  }
  void Task(TaskIndex t) { Add(world_.tables().tasks.names.name(t)); }
  void Numbers(std::string_view key, const std::vector<int64_t>& numbers) {
    Key(key);
    Open('[');
    for (const int64_t number : numbers) Add(number);
    Close(']');
  }
  void Nodes(std::string_view key, const std::vector<NodeIndex>& nodes) {
    Key(key);
    Open('[');
    for (const NodeIndex n : nodes) Node(n);
    Close(']');
  }
  void Tasks(std::string_view key, std::span<const TaskIndex> tasks) {
    Key(key);
    Open('[');
    for (const TaskIndex t : tasks) Task(t);
    Close(']');
  }
  // `json` is a value as it is to be written.
  void Raw(const std::string& json) {
    Comma();
    out_.append(json);
    fresh_ = false;
  }
  void Plugins(PluginSet set) {
    Key("plugins");
    Open('[');
    for (int p = 0; p < 32; ++p) {
      const Plugin plugin = static_cast<Plugin>(p);
      if (set.has(plugin)) Add(NameOf(plugin));
    }
    Close(']');
  }
  std::string_view NameOf(Plugin plugin) const {
    return plugin < Plugin::kExtra ? PluginName(plugin) : world_.extra()->NameOf(plugin);
  }
  void Refusal(const Status& status) {
    Key("code");
    Add(std::string_view(status.code == Code::kUnschedulable ? "U" : "UU"));
    Key("plugin");
    Add(NameOf(status.plugin));
    std::vector<std::string> reasons;
    for (const Cause cause : status.causes) reasons.push_back(CauseText(cause, world_));
    std::sort(reasons.begin(), reasons.end());
    Key("reasons");
    Open('[');
    for (const std::string& reason : reasons) Add(std::string_view(reason));
    Close(']');
  }
  std::string Take() { return std::move(out_); }

 private:
  void Comma() {
    if (!fresh_) out_.append(", ");
    fresh_ = false;
  }

  const World& world_;
  std::string out_;
  bool fresh_ = true;
};

void WriteScores(const PodCycle& cycle, TraceWriter* out) {
  out->Numbers("totals", cycle.totals());
  for (const bool weighted : {false, true}) {
    out->Key(weighted ? "weighted" : "raw");
    out->Open('{');
    for (int p = 0; p < kPluginCount; ++p) {
      const Plugin plugin = static_cast<Plugin>(p);
      const std::vector<int64_t>& scores = weighted ? cycle.weighted(plugin) : cycle.raw(plugin);
      if (!scores.empty()) out->Numbers(PluginName(plugin), scores);
    }
    for (const ExtraScore& score : cycle.extra_scores()) {
      out->Numbers(out->NameOf(score.plugin), weighted ? score.weighted : score.raw);
    }
    out->Close('}');
  }
}

void WriteRefusals(const World& world, const PodCycle& cycle, TraceWriter* out) {
  out->Key("rejected");
  out->Open('[');
  for (const NodeIndex n : world.order()) {
    const Status& status = cycle.status(n);
    if (&status == &cycle.absent() || status.code == Code::kFits) continue;
    out->Open('{');
    out->Key("node");
    out->Node(n);
    out->Refusal(status);
    out->Close('}');
  }
  out->Close(']');
  if (cycle.absent().causes.empty()) return;
  out->Key("absent");
  out->Open('{');
  out->Refusal(cycle.absent());
  out->Close('}');
}

void WritePreemption(const Preemption& preemption, TraceWriter* out) {
  out->Key("preemption");
  out->Open('{');
  out->Key("candidates");
  out->Open('[');
  for (const Candidate& candidate : preemption.candidates()) {
    out->Open('{');
    out->Key("node");
    out->Node(candidate.node);
    out->Tasks("victims", candidate.victims);
    out->Key("pdbViolations");
    out->Add(candidate.violations);
    out->Close('}');
  }
  out->Close(']');
  out->Key("failed");
  out->Open('[');
  for (const auto& [node, status] : preemption.failed()) {
    out->Open('{');
    out->Key("node");
    out->Node(node);
    out->Refusal(status);
    out->Close('}');
  }
  out->Close(']');
  out->Close('}');
}

}  // namespace

std::string TraceOf(const World& world, const AttemptTrace& attempt) {
  TraceWriter out(world);
  const PodCycle& cycle = *attempt.cycle;
  out.Open('{');
  out.Key("pod");
  out.Task(cycle.task());
  out.Key("attempt");
  out.Add(attempt.attempt);
  out.Key("start");
  out.Add(static_cast<int64_t>(attempt.start));
  if (attempt.hint != kNone) {
    out.Key("hint");
    out.Node(attempt.hint);
  }
  out.Nodes("feasible", cycle.feasible());
  WriteRefusals(world, cycle, &out);
  if (!cycle.totals().empty()) WriteScores(cycle, &out);
  if (attempt.preemption != nullptr && attempt.preemption->tried()) {
    WritePreemption(*attempt.preemption, &out);
  }
  if (attempt.failed) {
    out.Key("message");
    out.Add(std::string_view(attempt.message));
    out.Plugins(cycle.rejectors());
    if (attempt.nominates) {
      out.Key("nominate");
      out.Node(attempt.nominated);
    }
    out.Tasks("deleted", attempt.deleted);
    out.Key("nominations");
    out.Open('[');
    for (const auto& [task, node] : attempt.nominations) {
      out.Open('[');
      out.Task(task);
      out.Node(node);
      out.Close(']');
    }
    out.Close(']');
  } else {
    out.Key("node");
    out.Node(attempt.node);
  }
  out.Close('}');
  return out.Take();
}

std::string AttemptOf(const World& world, const PodCycle& cycle, NodeIndex node) {
  TraceWriter out(world);
  out.Open('{');
  out.Key("pod");
  out.Task(cycle.task());
  out.Nodes("feasible", cycle.feasible());
  WriteRefusals(world, cycle, &out);
  if (!cycle.totals().empty()) WriteScores(cycle, &out);
  if (node != kNone) {
    out.Key("node");
    out.Node(node);
  }
  out.Close('}');
  return out.Take();
}

std::string TraceOf(const World& world, const GroupTrace& group) {
  TraceWriter out(world);
  const auto pairs = [&](std::string_view key, const auto& list) {
    out.Key(key);
    out.Open('[');
    for (const auto& [task, node] : list) {
      out.Open('[');
      out.Task(task);
      out.Node(node);
      out.Close(']');
    }
    out.Close(']');
  };
  out.Open('{');
  out.Key("group");
  out.Add(std::string_view(group.group));
  out.Key("start");
  out.Add(static_cast<int64_t>(group.start));
  out.Tasks("members", group.members);
  out.Key("attempts");
  out.Open('[');
  for (const std::string& attempt : group.attempts) out.Raw(attempt);
  out.Close(']');
  pairs("bound", group.bound);
  pairs("nominations", group.nominations);
  out.Tasks("deleted", group.deleted);
  out.Key("failed");
  out.Open('[');
  for (const MemberTrace& member : group.failed) {
    out.Open('{');
    out.Key("pod");
    out.Task(member.task);
    out.Key("message");
    out.Add(std::string_view(member.message));
    out.Plugins(member.rejectors);
    if (member.nominates) {
      out.Key("nominate");
      out.Node(member.nominated);
    }
    out.Close('}');
  }
  out.Close(']');
  out.Key("condition");
  out.Open('[');
  for (const std::string& word : {group.status, group.reason, group.message}) {
    out.Add(std::string_view(word));
  }
  out.Close(']');
  out.Close('}');
  return out.Take();
}

}  // namespace muster::kube
