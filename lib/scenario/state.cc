// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The text is a line with the form and then fields. A field is a decimal length, a colon and as
// many bytes. A list begins with a field that holds its length. The order is: dimensions, the
// scenario document of the rows, tasks with their marks, generations, counts of groups, turns, rows
// that wait, and the digest of all bytes before it.
//
// Indices come out equal because neither side has dead rows afterwards, and rows are written and
// read in the order of their tables.
#include "lib/scenario/state.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/digest.h"
#include "lib/base/strings.h"
#include "lib/model/access.h"
#include "lib/model/change_guard.h"
#include "lib/model/checker.h"
#include "lib/model/cluster_impl.h"
#include "lib/model/replace.h"
#include "lib/model/validate.h"
#include "lib/scenario/scenario.h"

namespace muster {
namespace {

constexpr std::string_view kForm = "muster state 2\n";
// Has no times of assumptions; they are 0.
constexpr std::string_view kFormWithoutTimes = "muster state 1\n";
constexpr uint8_t kMarks = kTaskAssumed | kTaskCounted;
constexpr uint64_t kMostDimensions = 1 << 16;

class StateWriter {
 public:
  void Field(std::string_view bytes) {
    absl::StrAppend(&text_, bytes.size(), ":", ToAbsl(bytes), "\n");
  }
  void Number(uint64_t number) { Field(std::to_string(number)); }
  std::string Finish() {
    Digest digest;
    digest.Add(text_);
    Field(digest.Hex());
    return std::move(text_);
  }

 private:
  std::string text_{kForm};
};

// Past the first mistake every field is empty and every number 0.
class StateReader {
 public:
  explicit StateReader(std::string_view text) : whole_(text), rest_(text) {
    has_times_ = rest_.starts_with(kForm);
    ok_ = has_times_ || rest_.starts_with(kFormWithoutTimes);
    if (ok_) rest_.remove_prefix(kForm.size());
  }
  std::string_view Field() {
    size_t length = 0;
    const auto [end, problem] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), length);
    const auto digits = static_cast<size_t>(end - rest_.data());
    ok_ = ok_ && problem == std::errc() && digits < rest_.size() && *end == ':' &&
          length < rest_.size() - digits - 1 && rest_[digits + 1 + length] == '\n';
    if (!ok_) return {};
    const std::string_view field = rest_.substr(digits + 1, length);
    rest_.remove_prefix(digits + length + 2);
    return field;
  }
  uint64_t Number() {
    const std::string_view field = Field();
    uint64_t number = 0;
    const auto [end, problem] = std::from_chars(field.data(), field.data() + field.size(), number);
    ok_ = ok_ && problem == std::errc() && end == field.data() + field.size();
    return ok_ ? number : 0;
  }
  // How many entries follow: each takes three bytes or more.
  uint64_t Count() {
    const uint64_t count = Number();
    ok_ = ok_ && count <= rest_.size() / 3;
    return ok_ ? count : 0;
  }
  // The digest, and nothing behind it.
  bool Finish() {
    Digest digest;
    digest.Add(whole_.substr(0, whole_.size() - rest_.size()));
    return Field() == digest.Hex() && ok_ && rest_.empty();
  }
  bool ok() const { return ok_; }
  bool has_times() const { return has_times_; }

 private:
  const std::string_view whole_;
  std::string_view rest_;
  bool ok_, has_times_;
};

absl::Status NoState(absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("state: ", why));
}

// A row by itself as a scenario document, and back.
std::string DocumentOf(const Deltas::Object& object) {
  Scenario scenario;
  ClusterSpec& rows = scenario.cluster;
  if (const auto* node = std::get_if<NodeSpec>(&object)) rows.nodes.push_back(*node);
  if (const auto* queue = std::get_if<QueueSpec>(&object)) rows.queues.push_back(*queue);
  if (const auto* job = std::get_if<JobSpec>(&object)) rows.jobs.push_back(*job);
  if (const auto* task = std::get_if<TaskSpec>(&object)) rows.tasks.push_back(*task);
  if (const auto* domain = std::get_if<DomainSpec>(&object)) rows.domains.push_back(*domain);
  return WriteScenario(scenario);
}

absl::StatusOr<Deltas::Object> ObjectOf(std::string_view document, Budget* budget) {
  absl::StatusOr<Scenario> scenario = ParseScenario(document, budget);
  if (!scenario.ok()) return scenario.status();
  ClusterSpec& rows = scenario->cluster;
  if (rows.nodes.size() + rows.queues.size() + rows.jobs.size() + rows.tasks.size() +
          rows.domains.size() !=
      1) {
    return NoState("what waits is not one row");
  }
  if (!rows.nodes.empty()) return Deltas::Object(std::move(rows.nodes[0]));
  if (!rows.queues.empty()) return Deltas::Object(std::move(rows.queues[0]));
  if (!rows.jobs.empty()) return Deltas::Object(std::move(rows.jobs[0]));
  if (!rows.domains.empty()) return Deltas::Object(std::move(rows.domains[0]));
  return Deltas::Object(std::move(rows.tasks[0]));
}

absl::Status ReadMarks(StateReader& in, Editor& editor) {
  for (uint64_t left = in.Count(); left > 0; --left) {
    const std::string_view name = in.Field();
    const uint64_t marks = in.Number();
    const std::optional<TaskIndex> task = editor.tables().tasks.names.Find(name);
    if (!in.ok() || !task || (marks & ~uint64_t{kMarks}) != 0) return NoState("marks of no task");
    editor.SetMarks(*task, static_cast<uint8_t>(marks));
    if ((marks & kTaskAssumed) == 0) continue;
    // Only a task that holds a node is assumed to.
    if (editor.tables().tasks.node[*task] == kNone) return NoState("marks of no task");
    const uint64_t since = in.has_times() ? in.Number() : 0;
    editor.SetAssumedSince(*task, static_cast<int64_t>(since));
  }
  return absl::OkStatus();
}

absl::StatusOr<Deltas::Memory> ReadMemory(StateReader& in, Budget* budget) {
  Deltas::Memory memory;
  for (uint64_t left = in.Count(); left > 0; --left) {
    std::string key(in.Field());
    memory.generations.emplace_back(std::move(key), in.Number());
  }
  int64_t counted = 0;
  for (uint64_t left = in.Count(); left > 0; --left) {
    memory.counts.emplace_back(in.Field(), std::vector<int64_t>());
    for (uint64_t groups = in.Count(); groups > 0; --groups) {
      const uint64_t count = in.Number();
      if (count > static_cast<uint64_t>(kMaxRows)) return NoState("a count is out of range");
      memory.counts.back().second.push_back(static_cast<int64_t>(count));
      // Rows that are there, or that an event may bring back.
      counted += static_cast<int64_t>(count);
      if (counted > budget->limits().rows) {
        return absl::ResourceExhaustedError(absl::StrCat(
            "state: counts of ", counted, " tasks; at most ", budget->limits().rows, " are read"));
      }
    }
  }
  memory.turns = in.Number();
  for (uint64_t left = in.Count(); left > 0; --left) {
    absl::StatusOr<Deltas::Object> object = ObjectOf(in.Field(), budget);
    if (!object.ok()) return object.status();
    std::string missing(in.Field());
    memory.waiting.push_back({*std::move(object), std::move(missing), in.Number()});
  }
  return memory;
}

std::string TextOf(const Tables& t, Scenario rows, const Deltas::Memory& memory) {
  // With the bindings to queues that are not there.
  rows.cluster.namespaces = t.namespaces;
  StateWriter out;
  out.Number(t.dimensions.size());
  for (DimensionIndex d = 0; d < t.dimensions.size(); ++d) out.Field(t.dimensions.name(d));
  out.Field(WriteScenario(rows));

  std::vector<TaskIndex> marked;
  for (TaskIndex task = 0; task < t.tasks.flags.size(); ++task) {
    if (t.tasks.alive[task] && (t.tasks.flags[task] & kMarks) != 0) marked.push_back(task);
  }
  out.Number(marked.size());
  for (const TaskIndex task : marked) {
    out.Field(t.tasks.names.name(task));
    out.Number(t.tasks.flags[task] & kMarks);
    if ((t.tasks.flags[task] & kTaskAssumed) == 0) continue;
    out.Number(static_cast<uint64_t>(t.tasks.assumed_since.find(task)->second));
  }

  out.Number(memory.generations.size());
  for (const auto& [key, generation] : memory.generations) {
    out.Field(key);
    out.Number(generation);
  }
  out.Number(memory.counts.size());
  for (const auto& [job, counts] : memory.counts) {
    out.Field(job);
    out.Number(counts.size());
    for (const int64_t count : counts) out.Number(static_cast<uint64_t>(count));
  }
  out.Number(memory.turns);
  out.Number(memory.waiting.size());
  for (const Deltas::Memory::Late& late : memory.waiting) {
    out.Field(DocumentOf(late.object));
    out.Field(late.missing);
    out.Number(late.turn);
  }
  return out.Finish();
}

}  // namespace

void NumberAnew(Cluster* cluster) {
  if (IsLost(ImplOf(*cluster))) return;
  const ChangeGuard change(ImplOf(*cluster));
  ImplOf(*cluster).editor.Compact();
}

std::string SaveState(Cluster* cluster) {
  NumberAnew(cluster);
  return StateText(*cluster);
}

std::string StateText(const Cluster& cluster) {
  return TextOf(TablesOf(cluster), Describe(cluster), ImplOf(cluster).deltas.Remembered());
}

std::string StateText(const Snapshot& snapshot) {
  return TextOf(TablesOf(snapshot), Describe(snapshot), {});
}

absl::Status LoadState(std::string_view text, Cluster* cluster, const Limits& limits) {
  Budget budget(limits);
  return LoadState(text, cluster, &budget);
}

absl::Status LoadState(std::string_view text, Cluster* cluster, Budget* budget) {
  if (static_cast<int64_t>(text.size()) > budget->limits().bytes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "state: ", text.size(), " bytes in all; at most ", budget->limits().bytes, " are read"));
  }
  StateReader in(text);
  if (!in.ok()) {
    return NoState(absl::StrCat("begins with ", Quote(text.substr(0, kForm.size() - 1)),
                                "; must begin with \"", ToAbsl(kForm.substr(0, kForm.size() - 1)),
                                "\""));
  }
  std::vector<std::string> dimensions;
  for (uint64_t left = in.Count(); left > 0; --left) {
    dimensions.emplace_back(in.Field());
    if (!in.ok() || dimensions.back().empty() || dimensions.size() > kMostDimensions) {
      return NoState("names of dimensions are none");
    }
  }
  absl::StatusOr<Scenario> scenario = ParseScenario(in.Field(), budget);
  if (!in.ok()) return NoState("is cut");
  if (!scenario.ok()) return scenario.status();
  Cluster fresh;
  Editor& editor = ImplOf(fresh).editor;
  editor.KeepDimensions(dimensions);
  // A new cluster has the queue "default"; this one may have lost it.
  const std::vector<QueueSpec>& queues = scenario->cluster.queues;
  scenario->default_queue = std::any_of(
      queues.begin(), queues.end(), [](const QueueSpec& queue) { return queue.name == "default"; });
  // As events set them: a queue that a binding names may come later.
  const std::vector<NamespaceSpec> namespaces = std::move(scenario->cluster.namespaces);
  scenario->cluster.namespaces.clear();
  if (absl::Status s = FillEmpty(*scenario, &fresh); !s.ok()) return s;
  for (const NamespaceSpec& name_space : namespaces) {
    if (absl::Status s = CheckNamespace(name_space); !s.ok()) return s;
    editor.PutNamespace(name_space);
  }
  editor.Compact();
  if (absl::Status s = ReadMarks(in, editor); !s.ok()) return s;
  absl::StatusOr<Deltas::Memory> memory = ReadMemory(in, budget);
  if (!memory.ok()) return memory.status();
  if (!in.Finish()) return NoState("is cut, or its digest is another");
  if (absl::Status s = ImplOf(fresh).deltas.Remember(*std::move(memory)); !s.ok()) return s;
  FillMemory(*scenario, &fresh);
  ReplaceBy(std::move(fresh), cluster);
  return absl::OkStatus();
}

}  // namespace muster
