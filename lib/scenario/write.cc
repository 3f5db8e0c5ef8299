// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// From specs to JSON, by the lists in members.h. A member that equals its default is left out, and
// each row takes one line. Two foldings keep large scenarios small. Shapes used more than once are
// written under "shapes" and named. Runs of nodes that differ only in a running number become one
// row with a "count".
//
// Equal shapes are found by their text, so every shape that the writer can express, it can share.
#include <array>
#include <charconv>
#include <concepts>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/model/words.h"
#include "lib/plan/json_text.h"
#include "lib/plan/memory_json.h"
#include "lib/scenario/members.h"
#include "lib/scenario/memory_rows.h"
#include "lib/scenario/scenario.h"

namespace muster {
namespace {

// Equal shapes get equal numbers, in the order of their first use.
class ShapeBook {
 public:
  void Count(const TaskShape& shape) { ++entries_[Find(shape)].uses; }
  // When all are counted: names those used more than once.
  void NameShared();
  // Returns how `shape` is written where it is used: by name if it is shared, else itself.
  const std::string& Use(const TaskShape& shape);
  // The members of "shapes".
  void WriteShared(std::string* out) const;

 private:
  struct Entry {
    std::string text;
    int64_t uses = 0;
    std::string name;  // in quotes
  };
  size_t Find(const TaskShape& shape);

  std::vector<Entry> entries_;
  HashMap<std::string, size_t> by_text_;
  std::string scratch_;
  // The tasks of a cluster come in runs of one shape.
  const TaskShape* last_ = nullptr;
  size_t last_entry_ = 0;
};

// A struct that cannot be compared is written always.
template <class T>
bool IsUnset(const T& value, const T& unset) {
  if constexpr (std::equality_comparable<T>) return value == unset;
  return false;
}
template <class T>
bool IsUnset(const std::vector<T>& value, const std::vector<T>&) {
  return value.empty();
}
template <class T>
bool IsUnset(const std::optional<T>& value, const std::optional<T>&) {
  return !value.has_value();
}
template <class T>
bool IsUnset(const Boxed<T>& value, const Boxed<T>&) {
  return !value.has_value();
}

class Writer {
 public:
  Writer(ShapeBook* shapes, std::string* out) : shapes_(shapes), out_(out) {}

  void Write(const std::string& text) { AppendJson(text, out_); }
  void Write(bool value) { out_->append(value ? "true" : "false"); }
  void Write(int32_t number) { AppendJson(int64_t{number}, out_); }
  void Write(int64_t number) { AppendJson(number, out_); }
  void Write(uint64_t number) { AppendJson(number, out_); }
  void Write(double number) { AppendJson(number, out_); }
  template <HasWords Enum>
  void Write(Enum value) {
    AppendJson(Word(value), out_);
  }

  // Writes a number where the text is just how that number is written, else a string.
  void Write(const Quantity& quantity) {
    const std::string& text = quantity.text;
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size() &&
        std::to_string(number) == text) {
      out_->append(text);
    } else {
      AppendJson(text, out_);
    }
  }

  template <class T>
  void Write(const std::optional<T>& value) {
    Write(*value);
  }
  template <class T>
  void Write(const Boxed<T>& value) {
    Write(*value);
  }

  template <class T>
  void Write(const std::vector<T>& values) {
    out_->push_back('[');
    bool first = true;
    for (const T& value : values) {
      if (!first) out_->append(", ");
      first = false;
      Write(value);
    }
    out_->push_back(']');
  }

  template <class T>
  void Write(const Named<T>& values) {
    out_->push_back('{');
    bool first = true;
    for (const auto& [name, value] : values) {
      Key(name, &first);
      Write(value);
    }
    out_->push_back('}');
  }

  void Write(const TaskShape& shape) { out_->append(shapes_->Use(shape)); }

  template <HasMembers S>
  void Write(const S& s) {
    out_->push_back('{');
    bool first = true;
    WriteMembers(s, &first);
    out_->push_back('}');
  }

  template <class S>
  void WriteMembers(const S& s, bool* first) {
    const S unset{};
    const auto members = Members(s);
    const auto defaults = Members(unset);
    [&]<size_t... i>(std::index_sequence<i...>) {
      WriteSlots(std::array{SlotOf(std::get<i>(members), std::get<i>(defaults))...}, first);
    }
    (std::make_index_sequence<std::tuple_size_v<decltype(members)>>());
  }

  void Key(std::string_view key, bool* first) {
    if (!*first) out_->append(", ");
    *first = false;
    AppendJson(key, out_);
    out_->append(": ");
  }

 private:
  // A member without its type: one loop writes the structs of every kind.
  struct Slot {
    std::string_view key;
    bool required;
    const void *value, *fallback;
    bool (*is_unset)(const void* value, const void* fallback);
    void (*write)(Writer& writer, const void* value);
  };
  template <class T>
  static Slot SlotOf(Member<T> member, Member<T> fallback) {
    return {member.key,
            member.required,
            &member.value,
            &fallback.value,
            [](const void* value, const void* unset) {
              return IsUnset(*static_cast<const T*>(value), *static_cast<const T*>(unset));
            },
            [](Writer& writer, const void* value) { writer.Write(*static_cast<const T*>(value)); }};
  }
  void WriteSlots(absl::Span<const Slot> slots, bool* first);

  ShapeBook* shapes_;
  std::string* out_;
};

void Writer::WriteSlots(absl::Span<const Slot> slots, bool* first) {
  for (const Slot& slot : slots) {
    if (!slot.required && slot.is_unset(slot.value, slot.fallback)) continue;
    Key(slot.key, first);
    slot.write(*this, slot.value);
  }
}

size_t ShapeBook::Find(const TaskShape& shape) {
  if (last_ != nullptr && shape == *last_) return last_entry_;
  scratch_.clear();
  Writer writer(this, &scratch_);
  bool first = true;
  scratch_.push_back('{');
  writer.WriteMembers(shape, &first);
  scratch_.push_back('}');
  const auto [entry, is_new] = by_text_.try_emplace(scratch_, entries_.size());
  if (is_new) entries_.push_back({scratch_, 0, ""});
  last_ = &shape;
  last_entry_ = entry->second;
  return last_entry_;
}

void ShapeBook::NameShared() {
  int64_t shared = 0;
  for (Entry& entry : entries_) {
    if (entry.uses > 1) entry.name = absl::StrCat("\"s", shared++, "\"");
  }
}

const std::string& ShapeBook::Use(const TaskShape& shape) {
  const Entry& entry = entries_[Find(shape)];
  return entry.name.empty() ? entry.text : entry.name;
}

void ShapeBook::WriteShared(std::string* out) const {
  bool first = true;
  for (const Entry& entry : entries_) {
    if (entry.name.empty()) continue;
    absl::StrAppend(out, first ? ",\n  \"shapes\": {\n    " : ",\n    ", entry.name, ": ",
                    entry.text);
    first = false;
  }
  if (!first) out->append("\n  }");
}

// The table `key`, one row a line, written by write(row index); nothing when there are no rows.
template <class Write>
void WriteTable(std::string_view key, size_t rows, const Write& write, std::string* out) {
  if (rows == 0) return;
  absl::StrAppend(out, ",\n  \"", ToAbsl(key), "\": [");
  for (size_t i = 0; i < rows; ++i) {
    out->append(i == 0 ? "\n    " : ",\n    ");
    write(i);
  }
  out->append("\n  ]");
}

template <class T>
void WriteTable(std::string_view key, const std::vector<T>& rows, Writer* writer,
                std::string* out) {
  WriteTable(
      key, rows.size(), [&](size_t i) { writer->Write(rows[i]); }, out);
}

// Adjacent nodes that differ only in the number at the end of their names, counting from 0.
struct NodeRun {
  NodeSpec node;  // the first one; if there are several, named by the stem of their names
  int64_t count = 1;
};

std::vector<NodeRun> FoldNodes(const std::vector<NodeSpec>& nodes, ShapeBook* shapes) {
  const auto body = [&](NodeSpec node) {
    node.name.clear();
    std::string text;
    bool first = true;
    Writer(shapes, &text).WriteMembers(node, &first);
    return text;
  };
  std::vector<NodeRun> runs;
  for (size_t i = 0; i < nodes.size(); i += static_cast<size_t>(runs.back().count)) {
    runs.push_back({nodes[i]});
    NodeRun& run = runs.back();
    if (!nodes[i].name.ends_with('0')) continue;
    const std::string stem = nodes[i].name.substr(0, nodes[i].name.size() - 1);
    const std::string first_body = body(nodes[i]);
    for (size_t j = i + 1; j < nodes.size(); ++j) {
      if (nodes[j].name != absl::StrCat(stem, run.count) || body(nodes[j]) != first_body) break;
      ++run.count;
    }
    if (run.count > 1) run.node.name = stem;
  }
  return runs;
}

void WriteMemory(const Scenario& scenario, std::string* out) {
  if (scenario.memory.empty()) return;
  out->append(",\n  \"memory\": ");
  AppendJson(scenario.memory, out);
  if (!scenario.events.has_value()) return;
  const std::vector<ClusterEvent>& events = *scenario.events;
  const auto write = [&](size_t i) { AppendJson(events[i], out); };
  WriteTable("events", events.size(), write, out);
  if (events.empty()) out->append(",\n  \"events\": []");
}

void WriteExpectation(const Expectation& expect, Writer* writer, std::string* out) {
  bool first = true;
  ForEachMember(expect, [&](auto member) {
    if (!member.value.has_value()) return;
    absl::StrAppend(out, first ? ",\n  \"expect\": {\n    " : ",\n    ");
    AppendJson(member.key, out);
    out->append(": ");
    writer->Write(*member.value);
    first = false;
  });
  if (!first) out->append("\n  }");
}

}  // namespace

namespace {

template <class Spec>
std::string OneRow(const Spec& spec) {
  ShapeBook shapes;
  std::string out;
  Writer(&shapes, &out).Write(spec);
  return out;
}

}  // namespace

std::string WriteRow(const NodeSpec& node) { return OneRow(node); }
std::string WriteRow(const QueueSpec& queue) { return OneRow(queue); }
std::string WriteRow(const JobSpec& job) { return OneRow(job); }
std::string WriteRow(const TaskSpec& task) { return OneRow(task); }
std::string WriteRow(const DomainSpec& domain) { return OneRow(domain); }
std::string WriteRow(const TaskShape& shape) { return OneRow(shape); }
std::string WriteRow(const WhatIfChange& change) { return OneRow(change); }

std::string WriteScenario(const Scenario& scenario) {
  const ClusterSpec& cluster = scenario.cluster;
  ShapeBook shapes;
  for (const JobSpec& job : cluster.jobs) {
    for (const GroupSpec& group : job.groups) shapes.Count(group.shape);
  }
  for (const TaskSpec& task : cluster.tasks) shapes.Count(task.shape);
  for (const ReservationSpec& one : cluster.reservations) shapes.Count(one.shape);
  shapes.NameShared();

  std::string out = "{\n  \"muster\": 1";
  if (!scenario.default_queue) out.append(",\n  \"default_queue\": false");
  Writer writer(&shapes, &out);
  if (!scenario.profile.empty()) {
    out.append(",\n  \"profile\": ");
    writer.Write(scenario.profile);
  }
  const ScenarioOptions options{scenario.options.now, scenario.options.seed,
                                scenario.options.work_budget, RowOf(scenario.options.turn)};
  if (options.now != 0 || options.seed != 0 || options.work_budget.has_value() ||
      options.turn != TurnRow()) {
    out.append(",\n  \"options\": ");
    writer.Write(options);
  }
  shapes.WriteShared(&out);
  WriteTable("domains", cluster.domains, &writer, &out);
  const std::vector<NodeRun> runs = FoldNodes(cluster.nodes, &shapes);
  const auto write_run = [&](size_t i) {
    bool first = true;
    out.push_back('{');
    writer.WriteMembers(runs[i].node, &first);
    if (runs[i].count > 1) {
      writer.Key("count", &first);
      writer.Write(runs[i].count);
    }
    out.push_back('}');
  };
  WriteTable("nodes", runs.size(), write_run, &out);
  WriteTable("flavors", cluster.flavors, &writer, &out);
  WriteTable("queues", cluster.queues, &writer, &out);
  WriteTable("partitions", cluster.partitions, &writer, &out);
  WriteTable("namespaces", cluster.namespaces, &writer, &out);
  WriteTable("budgets", cluster.budgets, &writer, &out);
  WriteTable("jobs", cluster.jobs, &writer, &out);
  WriteTable("tasks", cluster.tasks, &writer, &out);
  WriteTable("reservations", cluster.reservations, &writer, &out);
  WriteTable("left_out", scenario.left_out, &writer, &out);
  WriteMemory(scenario, &out);
  WriteExpectation(scenario.expect, &writer, &out);
  out.append("\n}\n");
  return out;
}

}  // namespace muster
