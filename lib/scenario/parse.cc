// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// From JSON rows to specs. One overload of Read for each kind of member; structs go by their lists in
// members.h, so this file knows no key of any struct. Errors carry the path, kept as a list on the stack and
// turned into text only when something is refused.
//
// Recursion is as deep as the row is, and rows are no deeper than kMaxJsonDepth.
#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/scenario/json_rows.h"
#include "lib/scenario/members.h"
#include "lib/scenario/scenario.h"

namespace muster {
namespace {

constexpr int64_t kMaxNodes = int64_t{10} * 1000 * 1000;
constexpr int64_t kMaxTasks = int64_t{100} * 1000 * 1000;

// Where a value stands: a section and row, or a step below another place.
struct Place {
  const Place* above;
  std::string_view key;  // or, when there is none, the index
  size_t index;
  bool is_key;
};

std::string PathOf(const Place& place) {
  std::vector<const Place*> chain;
  for (const Place* p = &place; p != nullptr; p = p->above) chain.push_back(p);
  std::string path(chain.back()->key);
  for (size_t i = chain.size() - 1; i-- > 0;) {
    absl::StrAppend(&path, chain[i]->is_key ? JsonPathStep(chain[i]->key)
                                            : absl::StrCat("[", chain[i]->index, "]"));
  }
  return path;
}

absl::Status Refuse(const Place& place, std::string_view rule) {
  return absl::InvalidArgumentError(absl::StrCat("scenario: ", PathOf(place), ": ", ToAbsl(rule)));
}

absl::Status WrongType(const Place& place, std::string_view expected, Json value) {
  return Refuse(place, absl::StrCat("expected ", ToAbsl(expected), ", got ", value.Describe()));
}

std::string UnknownWord(std::string_view what, std::string_view word,
                        const std::vector<std::string_view>& valid) {
  const std::string_view nearest = NearestName(word, valid);
  std::string out = absl::StrCat("unknown ", ToAbsl(what), " ", Quote(word));
  if (!nearest.empty()) return absl::StrCat(out, ", did you mean ", Quote(nearest), "?");
  absl::StrAppend(&out, ", expected one of ");
  for (size_t i = 0; i < valid.size(); ++i)
    absl::StrAppend(&out, i == 0 ? "" : ", ", ToAbsl(valid[i]));
  return out;
}

// A shape given by name: put in once all of "shapes" is known, for that may come last in the document.
struct ShapeUse {
  enum class Table : uint8_t { kJobs, kTasks } table;
  size_t row, group;
  std::string name;
};

class Reader {
 public:
  // Shapes given by name, met since this was emptied, each with the index of what it is a member of.
  std::vector<std::pair<size_t, std::string>> shape_names;

  absl::Status Read(const Place& place, Json json, std::string* out) {
    if (json.kind() != JsonKind::kString) return WrongType(place, "a string", json);
    *out = json.text();
    return absl::OkStatus();
  }

  absl::Status Read(const Place& place, Json json, bool* out) {
    if (json.kind() != JsonKind::kBool) return WrongType(place, "true or false", json);
    *out = json.boolean();
    return absl::OkStatus();
  }

  template <std::integral Integer>
  absl::Status Read(const Place& place, Json json, Integer* out) {
    if (json.kind() != JsonKind::kInteger) return WrongType(place, "an integer", json);
    const uint64_t magnitude = json.magnitude();
    const auto max = static_cast<uint64_t>(std::numeric_limits<Integer>::max());
    const bool fits =
        json.negative() ? std::is_signed_v<Integer> && magnitude <= max + 1 : magnitude <= max;
    if (!fits) {
      return WrongType(
          place,
          absl::StrCat("an integer between ", std::numeric_limits<Integer>::min(), " and ", max),
          json);
    }
    *out = static_cast<Integer>(json.negative() ? uint64_t{0} - magnitude : magnitude);
    return absl::OkStatus();
  }

  absl::Status Read(const Place& place, Json json, double* out) {
    if (json.kind() == JsonKind::kFloat) {
      *out = json.real();
    } else if (json.kind() == JsonKind::kInteger) {
      *out = static_cast<double>(json.magnitude()) * (json.negative() ? -1 : 1);
    } else {
      return WrongType(place, "a number", json);
    }
    return absl::OkStatus();
  }

  absl::Status Read(const Place& place, Json json, Quantity* out) {
    if (json.kind() == JsonKind::kString) {
      out->text = json.text();
    } else if (json.kind() == JsonKind::kInteger) {
      out->text = json.Describe();
    } else {
      return WrongType(place, "an integer or a text such as \"500m\"", json);
    }
    return absl::OkStatus();
  }

  absl::Status Read(const Place& place, Json json, TaskStatus* out) {
    return ReadWord(place, json, "status", kTaskStatusCount, TaskStatusName, out);
  }
  absl::Status Read(const Place& place, Json json, JobPhase* out) {
    return ReadWord(place, json, "phase", 5, JobPhaseName, out);
  }
  absl::Status Read(const Place& place, Json json, QueueState* out) {
    return ReadWord(place, json, "state", 2, QueueStateName, out);
  }

  template <class T>
  absl::Status Read(const Place& place, Json json, std::optional<T>* out) {
    return Read(place, json, &out->emplace());
  }

  template <class T>
  absl::Status Read(const Place& place, Json json, std::vector<T>* out) {
    if (json.kind() != JsonKind::kArray) return WrongType(place, "an array", json);
    for (Json element = json.first(); element.exists(); element = element.next()) {
      const Place below{&place, {}, out->size(), false};
      absl::Status status = Read(below, element, &out->emplace_back());
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // {"name": value, ...}, in the order of the text.
  template <class T>
  absl::Status Read(const Place& place, Json json, Named<T>* out) {
    if (json.kind() != JsonKind::kObject) return WrongType(place, "an object", json);
    for (Json member = json.first(); member.exists(); member = member.next()) {
      auto& [name, value] = out->emplace_back(std::string(member.key()), Blank<T>());
      const Place below{&place, name, 0, true};
      absl::Status status = Read(below, member, &value);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // A member that is a shape: the shape itself, or the name of one.
  absl::Status Read(const Place& place, Json json, TaskShape* out) {
    if (json.kind() == JsonKind::kString) {
      shape_names.emplace_back(place.above->index, json.text());
      return absl::OkStatus();
    }
    if (json.kind() != JsonKind::kObject)
      return WrongType(place, "a shape or the name of one", json);
    return ReadMembers(place, json, out);
  }

  template <HasMembers S>
  absl::Status Read(const Place& place, Json json, S* out) {
    return ReadMembers(place, json, out);
  }

  // `extra`, where given, takes the value of a key that is no member.
  template <class S>
  absl::Status ReadMembers(const Place& place, Json json, S* out, std::string_view extra_key = {},
                           int64_t* extra = nullptr);

 private:
  template <class T>
  static T Blank() {
    if constexpr (std::is_same_v<T, Quantity>)
      return Quantity(0);
    else
      return T();
  }

  template <class Enum>
  absl::Status ReadWord(const Place& place, Json json, std::string_view what, int count,
                        std::string_view (*name)(Enum), Enum* out) {
    if (json.kind() != JsonKind::kString) return WrongType(place, "a string", json);
    std::vector<std::string_view> words;
    for (int i = 0; i < count; ++i) {
      words.push_back(name(static_cast<Enum>(i)));
      if (words.back() != json.text()) continue;
      *out = static_cast<Enum>(i);
      return absl::OkStatus();
    }
    return Refuse(place, UnknownWord(what, json.text(), words));
  }
};

template <class S>
absl::Status Reader::ReadMembers(const Place& place, Json json, S* out, std::string_view extra_key,
                                 int64_t* extra) {
  if (json.kind() != JsonKind::kObject) return WrongType(place, "an object", json);
  absl::Status status;
  size_t present = 0, taken = 0;
  for (Json member = json.first(); member.exists(); member = member.next()) ++present;
  // Files mostly have the keys in the order of the list, so the search goes on where the last one was found.
  Json from = json.first();
  const auto find = [&](std::string_view key) -> Json {
    Json member = from;
    for (size_t i = 0; i < present; ++i) {
      if (member.key() == key) {
        from = member.next().exists() ? member.next() : json.first();
        return member;
      }
      member = member.next().exists() ? member.next() : json.first();
    }
    return Json(nullptr, 0);
  };
  ForEachMember(*out, [&](auto m) {
    if (!status.ok()) return;
    const Json member = find(m.key);
    if (!member.exists()) {
      if (m.required) status = Refuse(place, absl::StrCat("key ", Quote(m.key), " is missing"));
      return;
    }
    ++taken;
    status = Read(Place{&place, m.key, 0, true}, member, &m.value);
  });
  if (!status.ok()) return status;
  if (extra != nullptr) {
    if (const Json member = find(extra_key); member.exists()) {
      ++taken;
      status = Read(Place{&place, extra_key, 0, true}, member, extra);
      if (!status.ok()) return status;
    }
  }
  if (taken == present) return absl::OkStatus();
  std::vector<std::string_view> valid;
  ForEachMember(*out, [&](auto m) { valid.push_back(m.key); });
  if (extra != nullptr) valid.push_back(extra_key);
  for (Json member = json.first(); member.exists(); member = member.next()) {
    if (std::find(valid.begin(), valid.end(), member.key()) == valid.end()) {
      return Refuse(place, UnknownWord("key", member.key(), valid));
    }
  }
  return absl::OkStatus();
}

class ScenarioSink : public RowSink {
 public:
  absl::StatusOr<Section> OnSection(std::string_view key) override {
    static constexpr std::string_view kKeys[] = {"muster",     "shapes",  "nodes",   "queues",
                                                 "jobs",       "tasks",   "domains", "budgets",
                                                 "namespaces", "profile", "options", "expect"};
    const auto* known = std::find(std::begin(kKeys), std::end(kKeys), key);
    if (known == std::end(kKeys)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "scenario: ", UnknownWord("key", key, {std::begin(kKeys), std::end(kKeys)})));
    }
    if (std::find(seen_.begin(), seen_.end(), *known) != seen_.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("scenario: key ", Quote(key), " is given twice"));
    }
    seen_.push_back(*known);
    if (key == "shapes") return Section::kRowsInObject;
    const bool whole = key == "muster" || key == "profile" || key == "options" || key == "expect";
    return whole ? Section::kOneRow : Section::kRowsInArray;
  }

  absl::Status OnRow(std::string_view section, size_t index, const Json& row) override;
  absl::StatusOr<Scenario> Finish() &&;

 private:
  template <class T>
  absl::Status Add(const Place& place, Json row, std::vector<T>* table) {
    return reader_.ReadMembers(place, row, &table->emplace_back());
  }
  absl::Status AddNodes(const Place& place, Json row);
  absl::Status AddJob(const Place& place, Json row);
  absl::Status AddShape(const Place& place, Json row);

  Reader reader_;
  Scenario scenario_;
  std::vector<std::string_view> seen_;
  HashMap<std::string, TaskShape> shapes_;
  std::vector<ShapeUse> uses_;
  int64_t tasks_ = 0;
};

absl::Status ScenarioSink::OnRow(std::string_view section, size_t index, const Json& row) {
  const Place top{nullptr, section, 0, true};
  const Place place{&top, row.key(), index, section == "shapes"};
  ClusterSpec& cluster = scenario_.cluster;
  if (section == "nodes") return AddNodes(place, row);
  if (section == "queues") return Add(place, row, &cluster.queues);
  if (section == "jobs") return AddJob(place, row);
  if (section == "domains") return Add(place, row, &cluster.domains);
  if (section == "budgets") return Add(place, row, &cluster.budgets);
  if (section == "namespaces") return Add(place, row, &cluster.namespaces);
  if (section == "shapes") return AddShape(place, row);
  if (section == "profile") return reader_.Read(top, row, &scenario_.profile);
  if (section == "expect") return reader_.ReadMembers(top, row, &scenario_.expect);
  if (section == "tasks") {
    absl::Status status = Add(place, row, &cluster.tasks);
    for (auto& [row_index, name] : reader_.shape_names) {
      uses_.push_back({ShapeUse::Table::kTasks, row_index, 0, std::move(name)});
    }
    reader_.shape_names.clear();
    return status;
  }
  if (section == "options") {
    ScenarioOptions options;
    absl::Status status = reader_.ReadMembers(top, row, &options);
    scenario_.options.now = options.now;
    scenario_.options.seed = options.seed;
    scenario_.options.work_budget = options.work_budget;
    return status;
  }
  int64_t format = 0;  // "muster"
  absl::Status status = reader_.Read(top, row, &format);
  if (!status.ok()) return status;
  return format == 1 ? status
                     : Refuse(top, absl::StrCat("format ", format, " is not known; this reads 1"));
}

absl::Status ScenarioSink::AddNodes(const Place& place, Json row) {
  constexpr int64_t kNoCount = std::numeric_limits<int64_t>::min();
  NodeSpec node;
  int64_t count = kNoCount;
  absl::Status status = reader_.ReadMembers(place, row, &node, "count", &count);
  if (!status.ok()) return status;
  std::vector<NodeSpec>& nodes = scenario_.cluster.nodes;
  if (count == kNoCount) {
    nodes.push_back(std::move(node));
    return absl::OkStatus();
  }
  const Place at{&place, "count", 0, true};
  if (count < 0) return Refuse(at, absl::StrCat("expected a count, got ", count));
  if (count > kMaxNodes - static_cast<int64_t>(nodes.size())) {
    return Refuse(at, absl::StrCat("more than ", kMaxNodes, " nodes in all"));
  }
  const std::string stem = node.name;
  for (int64_t i = 0; i < count; ++i) {
    node.name = absl::StrCat(stem, i);
    nodes.push_back(node);
  }
  return absl::OkStatus();
}

absl::Status ScenarioSink::AddJob(const Place& place, Json row) {
  std::vector<JobSpec>& jobs = scenario_.cluster.jobs;
  absl::Status status = Add(place, row, &jobs);
  if (!status.ok()) return status;
  const std::vector<GroupSpec>& groups = jobs.back().groups;
  for (auto& [group, name] : reader_.shape_names) {
    uses_.push_back({ShapeUse::Table::kJobs, jobs.size() - 1, group, std::move(name)});
  }
  reader_.shape_names.clear();
  for (size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].count <= 0) continue;  // the cluster has a word for counts below zero
    if (groups[g].count > kMaxTasks - tasks_) {
      const Place in_groups{&place, "groups", 0, true}, in_group{&in_groups, {}, g, false};
      return Refuse({&in_group, "count", 0, true},
                    absl::StrCat("more than ", kMaxTasks, " tasks in all"));
    }
    tasks_ += groups[g].count;
  }
  return absl::OkStatus();
}

absl::Status ScenarioSink::AddShape(const Place& place, Json row) {
  const auto [entry, is_new] = shapes_.try_emplace(std::string(row.key()));
  if (!is_new) return Refuse(place, "this shape is given twice");
  return reader_.ReadMembers(place, row, &entry->second);
}

absl::StatusOr<Scenario> ScenarioSink::Finish() && {
  if (std::find(seen_.begin(), seen_.end(), "muster") == seen_.end()) {
    return absl::InvalidArgumentError(
        "scenario: key \"muster\" is missing; it holds the version of the format, 1");
  }
  ClusterSpec& cluster = scenario_.cluster;
  for (const ShapeUse& use : uses_) {
    const auto shape = shapes_.find(use.name);
    const bool of_job = use.table == ShapeUse::Table::kJobs;
    if (shape == shapes_.end()) {
      const std::string path = of_job ? absl::StrCat("jobs[", use.row, "].groups[", use.group, "]")
                                      : absl::StrCat("tasks[", use.row, "]");
      return absl::InvalidArgumentError(
          absl::StrCat("scenario: ", path, ".shape: no shape is named ", Quote(use.name)));
    }
    (of_job ? cluster.jobs[use.row].groups[use.group].shape : cluster.tasks[use.row].shape) =
        shape->second;
  }
  return std::move(scenario_);
}

}  // namespace

absl::StatusOr<Scenario> ParseScenario(std::string_view json) {
  ScenarioSink sink;
  absl::Status status = ReadJsonRows(json, &sink);
  if (!status.ok()) return status;
  return std::move(sink).Finish();
}

}  // namespace muster
