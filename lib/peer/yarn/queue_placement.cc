// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/queue_placement.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/strings.h"
#include "lib/peer/yarn/queue_mapping.h"

namespace muster::yarn {
namespace {

constexpr std::string_view kPrefix = "yarn-capacity/";
constexpr std::string_view kManaged = "auto-create-child-queue.enabled";
constexpr std::string_view kManagedTemplate = "leaf-queue-template.";
constexpr std::string_view kFlexible = "auto-queue-creation-v2.enabled";
constexpr std::string_view kDepth = "auto-queue-creation-v2.maximum-queue-depth";
constexpr std::string_view kTemplate = "auto-queue-creation-v2.template.";
constexpr std::string_view kLeafTemplate = "auto-queue-creation-v2.leaf-template.";
constexpr std::string_view kParentTemplate = "auto-queue-creation-v2.parent-template.";
constexpr std::string_view kAnyQueue = "*.";
constexpr int64_t kMostDepth = 50, kUsualDepth = 2;
constexpr double kAllPercent = 100.001;

std::string_view ValueOf(const Labels& settings, std::string_view key) {
  for (const auto& [name, value] : settings) {
    if (name.size() == kPrefix.size() + key.size() && name.starts_with(kPrefix) &&
        name.ends_with(key)) {
      return value;
    }
  }
  return {};
}

void Set(std::string_view key, std::string_view value, Labels* settings) {
  const std::string name = absl::StrCat(ToAbsl(kPrefix), ToAbsl(key));
  const auto known = std::ranges::find(*settings, name, [](const auto& one) { return one.first; });
  if (known == settings->end()) {
    settings->emplace_back(name, value);
  } else {
    known->second = value;
  }
}

void CopyTemplate(const Labels& from, absl::string_view begin, Labels* settings) {
  const std::string prefix = absl::StrCat(ToAbsl(kPrefix), begin);
  for (const auto& [name, value] : from) {
    if (name.starts_with(prefix))
      Set(std::string_view(name).substr(prefix.size()), value, settings);
  }
}

class Placer {
 public:
  Placer(const Tables& tables, std::vector<QueuePath> rows) : tables_(tables) {
    placed_.rows = std::move(rows);
    placed_.row_of_job.assign(tables.jobs.alive.size(), kNoRow);
  }

  absl::StatusOr<PlacedQueues> Run() {
    if (absl::Status s = ReadRules(); !s.ok()) return s;
    DropDefault();
    if (absl::Status s = ReadParents(); !s.ok()) return s;
    NumberRows();
    std::vector<JobIndex> order;
    for (JobIndex j = 0; j < tables_.jobs.alive.size(); ++j) {
      if (!tables_.jobs.alive[j]) continue;
      if (IsPlain(j)) {
        placed_.row_of_job[j] = row_of_queue_[tables_.jobs.queue[j]];
      } else {
        order.push_back(j);
      }
    }
    std::ranges::sort(order, {}, [&](JobIndex j) {
      const JobSpec& spec = tables_.jobs.spec[j];
      return std::tuple(spec.created, spec.uid_rank, j);
    });
    for (const JobIndex j : order) Place(j);
    return std::move(placed_);
  }

 private:
  struct Parent {
    bool is_managed = false, is_flexible = false;
    int64_t depth = kUsualDepth;
    double percent = 0, given = 0;  // of managed leaves: of each, and of all so far
  };

  const Labels* SettingsOf(size_t row) const {
    const muster::QueueIndex q = placed_.rows[row].queue;
    return q == muster::kNone ? nullptr : &tables_.queues.spec[q].settings;
  }
  absl::Status Refuse(size_t row, std::string_view key, absl::string_view rule) const {
    return absl::InvalidArgumentError(
        absl::StrCat("queue ", Quote(tables_.queues.spec[placed_.rows[row].queue].name),
                     ", setting ", Quote(absl::StrCat(ToAbsl(kPrefix), ToAbsl(key))), ": ", rule));
  }

  absl::Status ReadRules() {
    const Labels* settings = SettingsOf(0);
    if (settings == nullptr) return absl::OkStatus();
    constexpr std::string_view kRules = "queue-mappings";
    std::optional<std::vector<MappingRule>> rules = MappingRulesOf(ValueOf(*settings, kRules));
    if (!rules) {
      return Refuse(0, kRules, "must be rules such as u:ann:root.a, with commas between them");
    }
    rules_ = *std::move(rules);
    overrides_ = ValueOf(*settings, "queue-mappings-override.enable") == "true";
    return absl::OkStatus();
  }

  // The queue of jobs that name none is no leaf where these go elsewhere.
  void DropDefault() {
    const auto at = std::ranges::find_if(placed_.rows, [&](const QueuePath& row) {
      return row.path == "root.default" && row.is_leaf && NamesNone(row.queue);
    });
    if (at == placed_.rows.end()) return;
    const JobTable& jobs = tables_.jobs;
    for (JobIndex j = 0; rules_.empty() && j < jobs.alive.size(); ++j) {
      const bool is_here = jobs.alive[j] && jobs.queue[j] == at->queue;
      if (is_here && ValueOf(jobs.spec[j].settings, "queue").empty()) return;
    }
    const auto place = static_cast<size_t>(at - placed_.rows.begin());
    placed_.rows.erase(at);
    for (QueuePath& row : placed_.rows) row.parent -= row.parent > place ? 1 : 0;
  }

  // Whether jobs in the queue name none.
  bool IsDefault(muster::QueueIndex q) const {
    const uint32_t row = row_of_queue_[q];
    return row == kNoRow || placed_.rows[row].path == "root.default";
  }
  // Whether the queue is there for such jobs alone.
  bool NamesNone(muster::QueueIndex q) const {
    return tables_.queues.spec[q].name == "default" && tables_.queues.parent[q] == muster::kNone &&
           tables_.queues.spec[q].settings.empty();
  }

  absl::Status ReadParents() {
    parents_.resize(placed_.rows.size());
    for (size_t row = 0; row < placed_.rows.size(); ++row) {
      const Labels* settings = SettingsOf(row);
      if (settings == nullptr || settings->empty()) continue;
      Parent& parent = parents_[row];
      parent.is_managed = ValueOf(*settings, kManaged) == "true";
      parent.is_flexible = ValueOf(*settings, kFlexible) == "true";
      if (!parent.is_managed && !parent.is_flexible) continue;
      if (parent.is_managed && parent.is_flexible) {
        return Refuse(row, kManaged, absl::StrCat("must not be set beside ", ToAbsl(kFlexible)));
      }
      if (parent.is_managed && !placed_.rows[row].is_leaf) {
        return Refuse(row, kManaged, "must not be set where queues lie below");
      }
      placed_.rows[row].is_leaf = false;
      const std::string capacity = absl::StrCat(ToAbsl(kManagedTemplate), "capacity");
      if (parent.is_managed &&
          (!absl::SimpleAtod(ToAbsl(ValueOf(*settings, capacity)), &parent.percent) ||
           !(parent.percent >= 0) || parent.percent > 100)) {
        return Refuse(row, capacity, "must be a percentage");
      }
      const std::string_view depth = ValueOf(*settings, kDepth);
      if (!depth.empty() && (!absl::SimpleAtoi(ToAbsl(depth), &parent.depth) || parent.depth < 1 ||
                             parent.depth > kMostDepth)) {
        return Refuse(row, kDepth, absl::StrCat("must be within 1..", kMostDepth));
      }
    }
    return absl::OkStatus();
  }

  void NumberRows() {
    row_of_queue_.assign(tables_.queues.alive.size(), kNoRow);
    for (uint32_t row = 0; row < placed_.rows.size(); ++row) Number(row);
  }

  void Number(uint32_t row) {
    const QueuePath& queue = placed_.rows[row];
    if (queue.queue != muster::kNone) row_of_queue_[queue.queue] = row;
    row_of_path_[queue.path] = row;
    const auto [known, is_new] =
        row_of_name_.try_emplace(queue.path.substr(queue.path.rfind('.') + 1), row);
    if (!is_new) known->second = kNoRow;
  }

  bool IsPlain(JobIndex job) const {
    const muster::QueueIndex q = tables_.jobs.queue[job];
    const uint32_t row = row_of_queue_[q];
    if (!ValueOf(tables_.jobs.spec[job].settings, "queue").empty()) return false;
    if (!rules_.empty() && (overrides_ || IsDefault(q))) return false;
    return row != kNoRow && !parents_[row].is_managed && !parents_[row].is_flexible;
  }

  // kNoRow: there is none, or several have the name.
  uint32_t Find(std::string_view place) const {
    if (const auto found = row_of_path_.find(place); found != row_of_path_.end()) {
      return found->second;
    }
    const auto found = row_of_name_.find(place);
    return found == row_of_name_.end() ? kNoRow : found->second;
  }

  std::string Resolve(std::string_view place, bool may_create) const {
    std::string path(place);
    const size_t dot = path.find('.');
    if (const uint32_t known = Find(path); known != kNoRow) {
      return placed_.rows[known].is_leaf ? placed_.rows[known].path : "";
    }
    if (dot == path.npos) return "";
    const uint32_t top = Find(path.substr(0, dot));
    if (top == kNoRow) return "";
    path.replace(0, dot, placed_.rows[top].path);
    if (const auto known = row_of_path_.find(path); known != row_of_path_.end()) {
      return placed_.rows[known->second].is_leaf ? path : "";
    }
    return may_create && MayCreate(path) ? path : "";
  }

  bool MayCreate(const std::string& path) const {
    int64_t levels = 0;
    for (std::string above = path; above != "root"; ++levels) {
      const size_t dot = above.rfind('.');
      if (dot + 1 == above.size()) return false;  // a part is empty
      if (const auto known = row_of_path_.find(above); known != row_of_path_.end()) {
        if (placed_.rows[known->second].is_leaf) return false;
        if (known->second < parents_.size()) return MayCreateBelow(known->second, levels);
      }
      above.resize(dot);
    }
    return MayCreateBelow(0, levels);
  }
  bool MayCreateBelow(uint32_t row, int64_t levels) const {
    const Parent& parent = parents_[row];
    return (parent.is_managed && levels == 1) || (parent.is_flexible && levels <= parent.depth);
  }

  void Place(JobIndex job) {
    const JobSpec& spec = tables_.jobs.spec[job];
    const muster::QueueIndex q = tables_.jobs.queue[job];
    Submission submission{.application = spec.name};
    if (spec.owner) {
      submission.user = spec.owner->user;
      submission.groups = spec.owner->groups;
    }
    if (const auto name = ValueOf(spec.settings, "application"); !name.empty()) {
      submission.application = name;
    }
    submission.queue = ValueOf(spec.settings, "queue");
    if (submission.queue.empty() && row_of_queue_[q] != kNoRow) {
      submission.queue = placed_.rows[row_of_queue_[q]].path;
    }
    const bool is_default = submission.queue == "default" || submission.queue == "root.default";
    MappedTo to;
    if (overrides_ || submission.queue.empty() || is_default) {
      const auto resolve = [&](std::string_view place, bool may_create) {
        return Resolve(place, may_create);
      };
      const auto has = [&](std::string_view place) { return Find(place) != kNoRow; };
      to = MapByRules(rules_, submission, resolve, has);
    }
    if (to.is_refused) {
      placed_.refusals[job] = "a mapping rule refuses the application";
      return;
    }
    const std::string named = submission.queue.empty() ? "root.default" : submission.queue;
    if (to.path.empty()) to.path = Resolve(named, true);
    if (to.path.empty()) {
      placed_.refusals[job] = absl::StrCat("there is no leaf ", Quote(named), ", and none is made");
      return;
    }
    placed_.row_of_job[job] = Make(to.path);
  }

  // Returns the row of a path, which is made with those above it if it is new.
  uint32_t Make(const std::string& path) {
    std::vector<std::string> missing;
    std::string above = path;
    for (; !row_of_path_.contains(above); above.resize(above.rfind('.'))) missing.push_back(above);
    for (; !missing.empty(); missing.pop_back()) {
      const uint32_t parent = row_of_path_[missing.back().substr(0, missing.back().rfind('.'))];
      placed_.rows.push_back(
          {.path = missing.back(), .is_leaf = missing.size() == 1, .parent = parent});
      placed_.made.push_back(SpecOf(placed_.rows.back()));
      Number(static_cast<uint32_t>(placed_.rows.size() - 1));
    }
    return row_of_path_[path];
  }

  QueueSpec SpecOf(const QueuePath& row) {
    QueueSpec spec{.name = row.path};
    const bool is_below_known = row.parent < parents_.size();
    if (is_below_known && parents_[row.parent].is_managed) {
      Parent& parent = parents_[row.parent];
      CopyTemplate(*SettingsOf(row.parent), ToAbsl(kManagedTemplate), &spec.settings);
      if (parent.given + parent.percent > kAllPercent) {
        Set("capacity", "0", &spec.settings);
      } else {
        parent.given += parent.percent;
      }
      return spec;
    }
    Set("capacity", "1w", &spec.settings);
    if (row.is_leaf) {
      Set("user-limit-factor", "-1", &spec.settings);
      Set("maximum-am-resource-percent", "1", &spec.settings);
    }
    const std::vector<TemplateOwner> owners = TemplateOwners(row.parent);
    for (const std::string_view part : {kTemplate, row.is_leaf ? kLeafTemplate : kParentTemplate}) {
      for (const TemplateOwner& owner : owners) {
        CopyTemplate(*owner.settings, absl::StrCat(owner.wildcards, ToAbsl(part)), &spec.settings);
      }
    }
    return spec;
  }

  // Settings with templates for what is made below a queue; their names begin with the wildcards.
  struct TemplateOwner {
    const Labels* settings = nullptr;
    std::string wildcards;
  };
  // The queue itself comes last, and before it those above it, the highest first: of a template
  // that several have, that of the last counts.
  std::vector<TemplateOwner> TemplateOwners(uint32_t row) const {
    const int64_t depth = row < parents_.size() ? parents_[row].depth : kUsualDepth;
    std::vector<TemplateOwner> owners;
    std::string wildcards;
    for (int64_t level = 0; level <= depth; ++level) {
      const Labels* settings = SettingsOf(row);
      if (settings != nullptr) owners.push_back({settings, wildcards});
      if (row == 0) break;
      row = placed_.rows[row].parent;
      wildcards += kAnyQueue;
    }
    std::ranges::reverse(owners);
    return owners;
  }

  const Tables& tables_;
  std::vector<MappingRule> rules_;
  bool overrides_ = false;
  PlacedQueues placed_;
  std::vector<Parent> parents_;         // by row of the table
  std::vector<uint32_t> row_of_queue_;  // by queue of the table
  HashMap<std::string, uint32_t> row_of_path_, row_of_name_;
};

}  // namespace

absl::StatusOr<PlacedQueues> PlaceJobs(const Tables& tables, std::vector<QueuePath> rows) {
  return Placer(tables, std::move(rows)).Run();
}

void NameQueueSettings(bool is_root, const Labels& settings, SettingReader* reader) {
  if (is_root) {
    reader->Text("queue-mappings");
    reader->Flag("queue-mappings-override.enable", false);
  }
  reader->Flag(kManaged, false);
  reader->Flag(kFlexible, false);
  reader->Text(kDepth);
  for (const auto& [name, value] : settings) {
    if (!name.starts_with(kPrefix)) continue;
    const std::string_view key = std::string_view(name).substr(kPrefix.size());
    if (key.starts_with(kManagedTemplate)) reader->Text(key);
    std::string_view rest = key;
    while (rest.starts_with(kAnyQueue)) rest.remove_prefix(kAnyQueue.size());
    for (const std::string_view begin : {kTemplate, kLeafTemplate, kParentTemplate}) {
      if (rest.starts_with(begin)) reader->Text(key);
    }
  }
}

}  // namespace muster::yarn
