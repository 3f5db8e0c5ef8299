// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A plan as JSON, for programs: names instead of indices, amounts in the units of the tables
// (thousandths; memory, pods and storage whole). One decision, task or share stands on each line,
// so line tools can compare two plans.
#include <string>
#include <string_view>

#include "lib/plan/explain.h"
#include "lib/plan/json_text.h"
#include "lib/plan/memory_json.h"
#include "lib/plan/plan_data.h"
#include "muster/plan.h"

namespace muster {
namespace {

// Writes {"key": value, ...} on one line. End() is no destructor, because it may need memory.
class Object {
 public:
  explicit Object(std::string* out) : out_(out) { out_->push_back('{'); }
  void End() { out_->push_back('}'); }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  // Writes "key": and returns the text, for values that other functions write.
  std::string* Key(std::string_view key) {
    if (!first_) out_->append(", ");
    first_ = false;
    AppendJson(key, out_);
    out_->append(": ");
    return out_;
  }
  void Text(std::string_view key, std::string_view value) { AppendJson(value, Key(key)); }
  // Left out when empty.
  void Name(std::string_view key, std::string_view value) {
    if (!value.empty()) Text(key, value);
  }
  void Int(std::string_view key, int64_t value) { AppendJson(value, Key(key)); }
  void Number(std::string_view key, double value) { AppendJson(value, Key(key)); }
  void Bool(std::string_view key, bool value) { Key(key)->append(value ? "true" : "false"); }

 private:
  std::string* out_;
  bool first_ = true;
};

// "key": [ one element a line ]
template <class Range, class Write>
void Lines(std::string_view key, const Range& range, const Write& write, std::string* out) {
  out->append(",\n  ");
  AppendJson(key, out);
  out->append(": [");
  bool first = true;
  for (const auto& element : range) {
    out->append(first ? "\n    " : ",\n    ");
    first = false;
    write(element);
  }
  out->append(first ? "]" : "\n  ]");
}

void WriteReason(const Reason& reason, const PlanNames& names, std::string* out) {
  Object object(out);
  object.Text("kind", ReasonKindName(reason.kind));
  object.Text("text", ReasonText(reason, names));
  object.Name("policy", reason.policy);
  object.Name("queue", names.queue(reason.queue));
  object.Name("dimension", names.dimension(reason.dimension));
  object.Name("where", reason.where);
  if (reason.needed != 0 || reason.placed != 0) {
    object.Int("placed", reason.placed);
    object.Int("needed", reason.needed);
  }
  if (!reason.refusals.empty()) object.Key("refusals")->push_back('[');
  for (const Refusal& refusal : reason.refusals) {
    if (&refusal != &reason.refusals.front()) out->append(", ");
    Object entry(out);
    entry.Int("nodes", refusal.nodes);
    entry.Text("code", RefusalCodeName(refusal.code));
    entry.Name("dimension", names.dimension(refusal.dimension));
    entry.Name("detail", refusal.detail);
    entry.End();
  }
  if (!reason.refusals.empty()) out->push_back(']');
  object.End();
}

// {"cpu": 4000, ...} of a row over the dimensions; what was not given is left out.
template <class Amount>
void WriteAmounts(const std::vector<Amount>& row, const PlanNames& names, std::string* out) {
  Object object(out);
  for (size_t d = 0; d < row.size(); ++d) {
    const std::string_view name = names.dimension(static_cast<DimensionIndex>(d));
    if constexpr (std::is_same_v<Amount, int64_t>) {
      if (row[d] != kAbsent) object.Int(name, row[d]);
    } else {
      object.Number(name, row[d]);
    }
  }
  object.End();
}

// [{"values": ["b1", "r7"], "count": 3}, ...]
void WritePlaces(const std::vector<AssignedPlace>& places, std::string* out) {
  out->push_back('[');
  for (const AssignedPlace& place : places) {
    if (&place != &places.front()) out->append(", ");
    Object object(out);
    std::string* const values = object.Key("values");
    values->push_back('[');
    for (const std::string& value : place.values) {
      if (&value != &place.values.front()) values->append(", ");
      AppendJson(value, values);
    }
    values->push_back(']');
    object.Int("count", place.count);
    object.End();
  }
  out->push_back(']');
}

// [{"group": "workers", "count": 8, "flavors": {"nvidia.com/gpu": "spot"}}, ...]
void WriteAssignment(const Admission& admission, const PlanNames& names, std::string* out) {
  out->push_back('[');
  for (const GroupAssignment& group : admission.assignment) {
    if (&group != &admission.assignment.front()) out->append(", ");
    Object object(out);
    object.Name("group", group.group);
    object.Int("count", group.count);
    Object flavors(object.Key("flavors"));
    for (const AssignedFlavor& assigned : group.flavors) {
      flavors.Text(names.dimension(assigned.dimension), assigned.flavor);
    }
    flavors.End();
    if (!group.places.empty()) WritePlaces(group.places, object.Key("places"));
    object.End();
  }
  out->push_back(']');
}

// The fields of one kind alone.
void WriteDetails(const Decision& d, const PlanData& data, Object* object) {
  const DecisionsByKind& kinds = data.by_kind;
  switch (d.kind) {
    case DecisionKind::kAdmit:
      if (!kinds.admissions[d.index].assignment.empty()) {
        WriteAssignment(kinds.admissions[d.index], *data.names, object->Key("assignment"));
      }
      break;
    case DecisionKind::kPhase:
      object->Text("phase", JobPhaseName(d.phase));
      break;
    case DecisionKind::kMove:
      object->Text("from", data.names->node(kinds.moves[d.index].from));
      object->Bool("nominated", kinds.moves[d.index].nominated);
      break;
    case DecisionKind::kReserve:
      if (kinds.reservations[d.index].until != kAbsent) {
        object->Int("until", kinds.reservations[d.index].until);
      }
      object->Name("waiting_group", kinds.reservations[d.index].waiting_group);
      break;
    case DecisionKind::kOffer:
      object->Name("queue", data.names->queue(kinds.offers[d.index].queue));
      WriteAmounts(kinds.offers[d.index].amounts, *data.names, object->Key("amounts"));
      break;
    case DecisionKind::kResize:
      object->Name("group", kinds.resizes[d.index].group);
      object->Int("count", kinds.resizes[d.index].count);
      break;
    case DecisionKind::kSplit:
      object->Int("parts", kinds.splits[d.index].parts);
      break;
    case DecisionKind::kBind:
    case DecisionKind::kNominate:
    case DecisionKind::kEvict:
      break;
  }
}

void WriteDecision(const Decision& d, const PlanData& data, std::string* out) {
  const PlanNames& names = *data.names;
  Object object(out);
  object.Text("kind", DecisionKindName(d.kind));
  object.Name("task", names.task(d.task));
  object.Name("node", names.node(d.node));
  object.Name("job", names.job(d.job));
  object.Name("beneficiary", names.task(d.beneficiary));
  WriteDetails(d, data, &object);
  if (d.after_eviction) object.Bool("after_eviction", true);
  object.End();
}

void WriteShare(const QueueShare& share, const PlanNames& names, std::string* out) {
  Object object(out);
  object.Text("queue", names.queue(share.queue));
  object.Number("share_before", share.share_before);
  object.Number("share_after", share.share_after);
  WriteAmounts(share.allocated_before, names, object.Key("allocated_before"));
  WriteAmounts(share.allocated_after, names, object.Key("allocated_after"));
  if (!share.deserved.empty()) WriteAmounts(share.deserved, names, object.Key("deserved"));
  object.End();
}

void WriteTentative(const Tentative& tentative, const PlanNames& names, std::string* out) {
  Object object(out);
  object.Text("task", names.task(tentative.task));
  object.Text("node", names.node(tentative.node));
  object.Bool("nominated", tentative.nominated);
  object.End();
}

void WritePending(const PendingTask& pending, const PlanNames& names, std::string* out) {
  Object object(out);
  object.Text("task", names.task(pending.task));
  object.Name("job", names.job(names.job_of(pending.task)));
  object.Int("reason", pending.reason);
  object.End();
}

void WriteWaitingJob(const WaitingJob& waiting, const PlanNames& names, std::string* out) {
  Object object(out);
  object.Text("job", names.job(waiting.job));
  object.Int("tasks", waiting.tasks);
  object.Int("reason", waiting.reason);
  object.End();
}

void WriteDomain(const ChosenDomain& chosen, const PlanNames& names, std::string* out) {
  Object object(out);
  object.Text("job", names.job(chosen.job));
  object.Name("sub_group", chosen.sub_group);
  object.Name("domain", chosen.domain);
  object.Int("tier", chosen.tier);
  object.End();
}

void WriteDevice(const ChosenDevice& chosen, const PlanNames& names, std::string* out) {
  Object object(out);
  object.Text("task", names.task(chosen.task));
  object.Text("device", chosen.device);
  object.Int("milli", chosen.milli);
  if (chosen.memory != 0) object.Int("memory", chosen.memory);
  object.End();
}

}  // namespace

std::string Plan::ToJson() const {
  std::string out = "{\n  \"profile\": ";
  AppendJson(profile(), &out);
  out.append(",\n  \"version\": ");
  AppendJson(version(), &out);
  out.append(",\n  \"work\": ");
  AppendJson(work(), &out);
  out.append(",\n  \"complete\": ").append(complete() ? "true" : "false");
  out.append(",\n  \"cursor\": ");
  AppendJson(static_cast<int64_t>(cursor()), &out);
  out.append(",\n  \"digest\": ");
  AppendJson(Digest(), &out);
  // Every key is written, also for an empty list: programs need not check. (The empty plan has no
  // names.)
  const PlanData nothing;
  const PlanData& data = data_ == nullptr || data_->names == nullptr ? nothing : *data_;
  const auto lines = [&](std::string_view key, const auto& rows, auto write) {
    Lines(
        key, rows, [&](const auto& row) { write(row, *data.names, &out); }, &out);
  };
  Lines(
      "decisions", data.decisions, [&](const Decision& d) { WriteDecision(d, data, &out); }, &out);
  lines("tentative", data.tentative, WriteTentative);
  lines("pending", data.pending, WritePending);
  if (!data.waiting_jobs.empty()) lines("waiting_jobs", data.waiting_jobs, WriteWaitingJob);
  lines("reasons", data.reasons, WriteReason);
  lines("shares", data.shares, WriteShare);
  if (!data.domains.empty()) lines("domains", data.domains, WriteDomain);
  if (!data.devices.empty()) lines("devices", data.devices, WriteDevice);
  if (!data.memory.empty()) {
    out.append(",\n  \"memory\": ");
    AppendJson(data.memory, &out);
  }
  out.append("\n}\n");
  return out;
}

}  // namespace muster
