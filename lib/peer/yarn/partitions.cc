// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/partitions.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/strings.h"
#include "lib/model/settings.h"

namespace muster::yarn {
namespace {

constexpr std::string_view kLabelProfile = "yarn-capacity";
constexpr size_t kMostLabels = 1000;

bool IsLabel(std::string_view text) {
  const auto is_plain = [](char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)); };
  return !text.empty() && is_plain(text[0]) &&
         std::ranges::all_of(text, [&](char c) { return is_plain(c) || c == '-' || c == '_'; });
}

// Calls `read_more` for each row with settings, before keys that no call named are refused.
template <class Table, class ReadMore>
absl::Status ReadLabels(const Table& table, const char* kind, const char* key,
                        const ReadMore& read_more, std::vector<std::string>* labels) {
  labels->assign(table.alive.size(), "");
  for (size_t row = 0; row < table.alive.size(); ++row) {
    if (!table.alive[row] || table.spec[row].settings.empty()) continue;
    SettingReader reader(kind, table.spec[row].name, table.spec[row].settings, kLabelProfile);
    if (const auto label = reader.Text(key)) {
      (*labels)[row] = *label;
      if (!IsLabel(*label)) reader.Refuse(key, "must be letters, digits, - and _");
    }
    read_more(row, &reader);
    if (absl::Status s = reader.Finish(); !s.ok()) return s;
  }
  return absl::OkStatus();
}

// Labels that queues list. Those that are none are refused where the queue is read.
void AddLabelsOfQueues(const QueueTable& queues, std::vector<std::string>* names) {
  constexpr std::string_view kKey = "yarn-capacity/accessible-node-labels";
  for (size_t q = 0; q < queues.alive.size(); ++q) {
    if (!queues.alive[q]) continue;
    for (const auto& [key, value] : queues.spec[q].settings) {
      if (!key.starts_with(kKey)) continue;
      if (key.size() > kKey.size()) {  // what the queue may hold of one label
        const std::string rest = key.substr(kKey.size() + 1);
        std::string label = rest.substr(0, rest.find('.'));
        if (key[kKey.size()] == '.' && IsLabel(label)) names->push_back(std::move(label));
        continue;
      }
      for (std::string& label : LabelsIn(value, ',')) {
        if (IsLabel(label)) names->push_back(std::move(label));
      }
    }
  }
}

}  // namespace

std::vector<std::string> LabelsIn(std::string_view text, char separator) {
  std::vector<std::string> labels;
  for (const absl::string_view part : absl::StrSplit(ToAbsl(text), separator)) {
    const absl::string_view label = absl::StripAsciiWhitespace(part);
    if (!label.empty()) labels.emplace_back(label.data(), label.size());
  }
  return labels;
}

absl::StatusOr<Partitions> ReadPartitions(const Tables& tables, std::string_view shared) {
  std::vector<std::string> of_node, of_job, lending = LabelsIn(shared, '|');
  absl::Status s = ReadLabels(
      tables.nodes, "node", "node-label", [](auto&&...) {}, &of_node);
  std::vector<std::optional<GroupIndex>> masters(tables.jobs.alive.size());
  const auto read_master = [&](size_t job, SettingReader* reader) {
    for (const char* key : {"queue", "application"}) {  // queue_placement.h
      const auto text = reader->Text(key);
      if (text && text->empty()) reader->Refuse(key, "must be a name");
    }
    const auto name = reader->Text("master");
    if (!name) return;
    const std::vector<GroupRow>& groups = tables.jobs.groups[job];
    const auto found = std::ranges::find(groups, *name, &GroupRow::name);
    if (found == groups.end()) return reader->Refuse("master", "must be a group of the job");
    masters[job] = static_cast<GroupIndex>(found - groups.begin());
  };
  if (s.ok()) s = ReadLabels(tables.jobs, "job", "node-label-expression", read_master, &of_job);
  if (!s.ok()) return s;
  std::vector<std::string> names = {""};
  for (const auto* labels : {&of_node, &of_job, &lending}) {
    names.insert(names.end(), labels->begin(), labels->end());
  }
  AddLabelsOfQueues(tables.queues, &names);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.size() > kMostLabels + 1) {
    return absl::InvalidArgumentError(absl::StrCat("profile yarn-capacity: the cluster has ",
                                                   names.size() - 1, " node labels; at most ",
                                                   kMostLabels, " are read"));
  }
  const auto numbers_of = [&](const std::vector<std::string>& labels) {
    std::vector<Partition> numbers;
    for (const std::string& label : labels) {
      const auto at = std::ranges::lower_bound(names, label);
      numbers.push_back(static_cast<Partition>(at - names.begin()));
    }
    return numbers;
  };
  Partitions partitions{.exclusive = std::vector<bool>(names.size(), true),
                        .of_node = numbers_of(of_node),
                        .of_job = numbers_of(of_job),
                        .master_of_job = std::move(masters)};
  for (const Partition p : numbers_of(lending)) partitions.exclusive[p] = false;
  partitions.names = std::move(names);
  return partitions;
}

}  // namespace muster::yarn
