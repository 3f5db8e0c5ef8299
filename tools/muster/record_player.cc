// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tools/muster/record_player.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/access.h"
#include "lib/model/budget_name.h"
#include "lib/model/quiet_rows.h"
#include "lib/scenario/scenario.h"
#include "lib/scenario/state.h"

namespace muster {
namespace {

using Json = nlohmann::json;

// How deep arrays and objects of the line are inside each other. The parser underneath holds any
// depth, but what reads its values recurses.
int64_t DepthOf(std::string_view line) {
  int64_t depth = 0, most = 0;
  bool in_text = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (in_text) {
      i += c == '\\';
      in_text = c != '"';
    } else if (c == '"') {
      in_text = true;
    } else if (c == '[' || c == '{') {
      most = std::max(most, ++depth);
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return most;
}

// Returns the value of the key as the line has it; "" if the key is not there. A parsed value would
// be written with its keys in another order, and the order of labels and amounts is part of a row.
// REQUIRES: the line is an object of JSON.
std::string_view ValueText(std::string_view line, std::string_view key) {
  std::string_view value, last;  // last: the last text of the object itself
  size_t begin = 0;              // of the value, if it is the key's
  int64_t depth = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') {
      const size_t first = i + 1;
      for (++i; i < line.size() && line[i] != '"'; ++i) i += line[i] == '\\';
      if (depth == 1) last = line.substr(first, i - first);
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ':' && depth == 1) {
      begin = last == key ? i + 1 : 0;
    } else if (c == ',' || c == ']' || c == '}') {
      if (depth == 1 && begin > 0) {
        value = line.substr(begin, i - begin);
        begin = 0;
      }
      if (c != ',') --depth;
    }
  }
  return value;
}

// Reads an integer of its type's range; a fraction, another type and a missing key are refused.
template <class Integer>
absl::Status ReadInteger(const Json& call, const char* key, Integer* out) {
  const auto found = call.find(key);
  if (found == call.end()) {
    return absl::InvalidArgumentError(absl::StrCat(key, ": the key is missing"));
  }
  constexpr auto kLeast = std::numeric_limits<Integer>::min();
  constexpr auto kMost = std::numeric_limits<Integer>::max();
  if (found->is_number_unsigned() && found->get<uint64_t>() <= static_cast<uint64_t>(kMost)) {
    *out = static_cast<Integer>(found->get<uint64_t>());
    return absl::OkStatus();
  }
  if (found->is_number_integer() && !found->is_number_unsigned() &&
      static_cast<int64_t>(kLeast) <= found->get<int64_t>() && found->get<int64_t>() < 0) {
    *out = static_cast<Integer>(found->get<int64_t>());
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(key, ": expected an integer from ", kLeast, " to ",
                                                 kMost, ", got ", found->dump().substr(0, 40)));
}

// "bound 3, evicted 1, pending 7"
std::string Counts(const Plan& plan) {
  int64_t counts[kDecisionKindCount] = {};
  for (const Decision& d : plan.decisions()) ++counts[static_cast<int>(d.kind)];
  return absl::StrCat(counts[static_cast<int>(DecisionKind::kBind)], " bound, ",
                      counts[static_cast<int>(DecisionKind::kNominate)], " nominated, ",
                      counts[static_cast<int>(DecisionKind::kEvict)], " evicted, ",
                      plan.pending().size(), " pending");
}

absl::StatusOr<TaskStatus> StatusOf(const std::string& word) {
  for (int i = 0; i < kTaskStatusCount; ++i) {
    if (TaskStatusName(static_cast<TaskStatus>(i)) == word) return static_cast<TaskStatus>(i);
  }
  return absl::InvalidArgumentError(absl::StrCat("unknown status ", Quote(word)));
}

absl::StatusOr<Removal::Kind> KindOf(int64_t kind) {
  using enum Removal::Kind;
  constexpr Removal::Kind kKinds[] = {kNode, kQueue, kJob, kTask, kDomain, kBudget, kNamespace};
  constexpr Removal::Kind kRecords[] = {kFlavor, kPartition, kReservation};
  if (kind >= 1 && kind <= 7) return kKinds[kind - 1];
  if (kind >= 9 && kind <= 11) return kRecords[kind - 9];
  return absl::InvalidArgumentError(absl::StrCat("rows of kind ", kind, " have no events"));
}

}  // namespace

struct RecordPlayer::Line {
  const Json& call;
  std::string_view text;  // the same, not parsed
};

Budget RecordPlayer::Left(bool replaces) const {
  Budget budget(options_.limits);
  if (replaces) return budget;
  const Tables& t = TablesOf(cluster_);
  const size_t held = t.nodes.names.live_size() + t.queues.names.live_size() +
                      t.jobs.names.live_size() + t.tasks.names.live_size();
  budget.AddRows(static_cast<int64_t>(held));
  return budget;
}

// As the recorded call did: where a row is refused, those before it are taken back, and have used
// up their numbers.
absl::Status RecordPlayer::Add(const ClusterSpec& rows, bool refused) {
  RowsTogether together(ImplOf(cluster_));
  const auto add = [&](const auto& list) {
    return std::ranges::all_of(list, [&](const auto& row) { return together.Add(row).ok(); });
  };
  const bool all =
      add(rows.domains) && add(rows.nodes) && add(rows.queues) && add(rows.jobs) && add(rows.tasks);
  if (!all || refused) return together.TakeBack(absl::OkStatus());
  for (const NamespaceSpec& row : rows.namespaces) {
    if (absl::Status s = cluster_.SetNamespace(row); !s.ok()) return s;
  }
  for (const DisruptionBudgetSpec& row : rows.budgets) {
    if (absl::Status s = cluster_.SetDisruptionBudget(row); !s.ok()) return s;
  }
  const absl::Status set = SetRecords(rows);
  together.Wake();
  return set;
}

// Flavors, partitions and reservations, which are set whole.
absl::Status RecordPlayer::SetRecords(const ClusterSpec& rows) {
  absl::Status status;
  for (const FlavorSpec& row : rows.flavors) status.Update(cluster_.SetFlavor(row));
  for (const PartitionSpec& row : rows.partitions) status.Update(cluster_.SetPartition(row));
  for (const ReservationSpec& row : rows.reservations) status.Update(cluster_.SetReservation(row));
  return status;
}

absl::Status RecordPlayer::Update(const ClusterSpec& rows) {
  absl::Status status;
  RowsTogether together(ImplOf(cluster_));
  for (const NodeSpec& row : rows.nodes) status.Update(together.Update(row));
  for (const QueueSpec& row : rows.queues) status.Update(together.Update(row));
  for (const JobSpec& row : rows.jobs) status.Update(together.Update(row));
  for (const TaskSpec& row : rows.tasks) status.Update(together.Update(row));
  together.Wake();
  return status;
}

absl::Status RecordPlayer::Remove(int64_t kind, const std::string& name) {
  switch (kind) {
    case 1:
      return cluster_.RemoveNode(name);
    case 2:
      return cluster_.RemoveQueue(name);
    case 3:
      return cluster_.RemoveJob(name);
    case 4:
      return cluster_.RemoveTask(name);
    case 5:
      return cluster_.RemoveDomain(name);
    case 6: {
      const auto [name_space, budget] = BudgetParts(name);
      return cluster_.RemoveDisruptionBudget(name_space, budget);
    }
    case 7:
      return cluster_.RemoveNamespace(name);
    case 9:
      return cluster_.RemoveFlavor(name);
    case 10:
      return cluster_.RemovePartition(name);
    case 11:
      return cluster_.RemoveReservation(name);
    default:
      return absl::InvalidArgumentError(absl::StrCat("there are no rows of kind ", kind));
  }
}

absl::Status RecordPlayer::Schedule(const Line& line, std::string* out) {
  const Json& call = line.call;
  const std::string profile = call.at("profile"), recorded = call.at("digest");
  ++cycles_;
  const std::string head = absl::StrCat("cycle ", cycles_, " (line ", line_, ") ", profile, ": ");
  if (call.value("own_policies", false)) {
    absl::StrAppend(out, head,
                    "decided with policies of the caller's own, which are not recorded\n");
    return absl::OkStatus();
  }
  ScheduleOptions options;
  absl::Status read = ReadInteger(call, "now", &options.now);
  read.Update(ReadInteger(call, "seed", &options.seed));
  read.Update(ReadInteger(call, "cursor", &options.cursor));
  if (call.contains("work_budget")) {
    read.Update(ReadInteger(call, "work_budget", &options.work_budget.emplace()));
  }
  if (!read.ok()) return read;
  if (call.contains("turn")) {
    absl::StatusOr<Turn> turn = ParseTurn(call.at("turn").get<std::string>());
    if (!turn.ok()) return turn.status();
    options.turn = *std::move(turn);
  }
  if (call.contains("memory")) {
    absl::StatusOr<Memory> memory = Memory::Parse(call.at("memory").get<std::string>());
    if (!memory.ok()) return memory.status();
    options.memory = *std::move(memory);
  }
  const absl::StatusOr<Plan> plan = cluster_.Schedule(profile, options);
  if (!plan.ok()) return plan.status();
  const std::string digest = plan->Digest();
  const bool equal = digest == recorded;
  different_ += !equal;
  absl::StrAppend(out, head, Counts(*plan),
                  equal ? absl::StrCat(", equal: ", digest)
                        : absl::StrCat(", DIFFERENT: recorded ", recorded, ", now ", digest),
                  "\n");
  if (cycles_ == options_.shown) out->append(plan->ToText());
  // Where it differs, what the record has for its plan applies to the plan as it is now.
  plans_.emplace_back(recorded, *plan);
  constexpr size_t kMostPlans = 64;
  if (plans_.size() > kMostPlans) plans_.pop_front();
  if (options_.other.empty()) return absl::OkStatus();
  options.cursor = 0;
  options.work_budget.reset();
  const absl::StatusOr<Plan> beside = muster::Schedule(cluster_.Freeze(), options_.other, options);
  if (!beside.ok()) return beside.status();
  absl::StrAppend(out, "  beside it ", options_.other, ": ", Counts(*beside), "\n");
  if (cycles_ == options_.shown) out->append(beside->ToText());
  return absl::OkStatus();
}

absl::Status RecordPlayer::Call(const Line& line, std::string* out) {
  const Json& call = line.call;
  const std::string what = call.at("call");
  if (what == "begin") {
    int64_t format = 0;
    if (absl::Status s = ReadInteger(call, "record", &format); !s.ok()) return s;
    if (format != 2) return absl::InvalidArgumentError("record: the format is not 2");
    begun_ = true;
    return absl::OkStatus();
  }
  if (!begun_) return absl::InvalidArgumentError("no record: it does not begin with a begin");
  if (what == "end") {
    absl::StrAppend(out, "the record ends here: ", call.at("why").get<std::string>(), "\n");
    return absl::OkStatus();
  }
  if (what == "schedule") return Schedule(line, out);
  if (what == "apply") {
    const std::string digest = call.at("digest");
    for (auto plan = plans_.rbegin(); plan != plans_.rend(); ++plan) {
      if (plan->first == digest) return cluster_.Apply(plan->second).status();
    }
    return absl::NotFoundError(absl::StrCat("the plan ", digest, " is none of this record's"));
  }
  if (what == "set_memory") {
    const absl::StatusOr<Memory> memory = Memory::Parse(call.at("memory").get<std::string>());
    if (memory.ok()) cluster_.SetMemory(*memory);
    return memory.status();
  }
  if (what == "save_state") {
    NumberAnew(&cluster_);
    return absl::OkStatus();
  }
  if (what == "load_state") {
    return LoadState(call.at("state").get<std::string>(), &cluster_, options_.limits);
  }
  if (what == "remove" || what == "removal") {
    int64_t number = 0;
    if (absl::Status s = ReadInteger(call, "kind", &number); !s.ok()) return s;
    if (what == "remove") return Remove(number, call.at("name"));
    const absl::StatusOr<Removal::Kind> kind = KindOf(number);
    if (!kind.ok()) return kind.status();
    Delta delta;
    if (absl::Status s = ReadInteger(call, "generation", &delta.generation); !s.ok()) return s;
    delta.object = Removal{*kind, call.at("name")};
    return cluster_.ApplyDelta(delta).status();
  }
  if (what == "bind_failed") return cluster_.ReportBindFailed(call.at("task").get<std::string>());
  if (what == "evict_failed") return cluster_.ReportEvictFailed(call.at("task").get<std::string>());
  if (what == "expire") {
    int64_t now = 0;
    AssumptionLimits limits;
    absl::Status read = ReadInteger(call, "now", &now);
    if (call.contains("bind")) read.Update(ReadInteger(call, "bind", &limits.bind.emplace()));
    if (call.contains("evict")) read.Update(ReadInteger(call, "evict", &limits.evict.emplace()));
    if (!read.ok()) return read;
    return cluster_.ExpireAssumptions(now, limits).status();
  }
  if (what == "make_tasks") {
    int64_t count = 0;
    if (absl::Status s = ReadInteger(call, "count", &count); !s.ok()) return s;
    return cluster_.MakeTasks(call.at("job").get<std::string>(),
                              call.at("group").get<std::string>(), count);
  }
  if (what == "statuses") {
    for (const Json& one : call.at("tasks")) {
      const absl::StatusOr<TaskStatus> status = StatusOf(one.at(1));
      if (!status.ok()) return status.status();
      absl::Status s = cluster_.SetTaskStatus(one.at(0).get<std::string>(), *status,
                                              one.at(2).get<std::string>());
      if (!s.ok()) return s;
    }
    return absl::OkStatus();
  }
  const bool adds = what == "add" || what == "add_refused";
  Budget budget = Left(/*replaces=*/!adds && what != "deltas");
  call.at("rows");  // refused if it is missing
  const absl::StatusOr<Scenario> rows = ParseScenario(ValueText(line.text, "rows"), &budget);
  if (!rows.ok()) return rows.status();
  const ClusterSpec& spec = rows->cluster;
  if (adds) return Add(spec, /*refused=*/what == "add_refused");
  if (what == "update") return Update(spec);
  if (what == "load") return Fill(*rows, &cluster_);
  if (what == "reconcile") return cluster_.Reconcile(spec).status();
  if (what == "deltas") {
    std::vector<Delta> deltas;
    const auto take = [&](const auto& list) {
      for (const auto& row : list) {
        deltas.emplace_back();
        deltas.back().object = row;
      }
    };
    take(spec.nodes);
    take(spec.queues);
    take(spec.jobs);
    take(spec.tasks);
    take(spec.flavors);
    take(spec.partitions);
    take(spec.reservations);
    take(spec.domains);
    take(spec.budgets);
    take(spec.namespaces);
    const Json& generations = call.at("generations");
    for (size_t i = 0; i < deltas.size(); ++i) {
      const Json one = {{"generations", generations.at(i)}};
      if (absl::Status s = ReadInteger(one, "generations", &deltas[i].generation); !s.ok())
        return s;
      if (absl::Status s = cluster_.ApplyDelta(deltas[i]).status(); !s.ok()) return s;
    }
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("unknown call ", Quote(what)));
}

absl::Status RecordPlayer::Play(std::string_view line, std::string* out) {
  ++line_;
  const int64_t depth = DepthOf(line);
  if (depth > options_.limits.depth) {
    return absl::ResourceExhaustedError(
        absl::StrCat("nested ", depth, " deep; at most ", options_.limits.depth, " is read"));
  }
  const Json call = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (call.is_discarded() || !call.is_object()) {
    return absl::InvalidArgumentError("no JSON object");
  }
  try {
    return Call({call, line}, out);
  } catch (const Json::exception& e) {  // a key is missing, or of another type
    return absl::InvalidArgumentError(e.what());
  }
}

absl::Status RecordPlayer::PlayAll(std::string_view text, std::string* out) {
  while (!text.empty() && (options_.shown == 0 || cycles_ < options_.shown)) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (absl::Status s = Play(text.substr(0, end), out); !s.ok()) return s;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return absl::OkStatus();
}

}  // namespace muster
