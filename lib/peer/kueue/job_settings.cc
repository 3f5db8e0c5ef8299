// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/job_settings.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/strings.h"
#include "lib/model/checker.h"
#include "lib/model/settings.h"
#include "lib/peer/kueue/admit_options.h"
#include "lib/peer/kueue/amount.h"
#include "lib/peer/kueue/workload_rules.h"
#include "muster/quantity.h"

namespace muster::kueue {
namespace {

constexpr std::string_view kProfileName = "kueue";
constexpr std::string_view kRequired = "podset-required-topology";
constexpr std::string_view kPreferred = "podset-preferred-topology";
constexpr std::string_view kUnconstrained = "podset-unconstrained-topology";
constexpr std::string_view kSliceLevel = "podset-slice-required-topology";
constexpr std::string_view kSliceSize = "podset-slice-size";
constexpr std::string_view kSlices = "podset-slice-required-topology-constraints";
constexpr std::string_view kTogether = "podset-group-name";
constexpr std::string_view kCounted = "podset-quota-request";
constexpr std::string_view kKeys[] = {kRequired,  kPreferred, kUnconstrained, kSliceLevel,
                                      kSliceSize, kSlices,    kTogether,      kCounted};
constexpr size_t kMostSlices = 3;
constexpr std::string_view kWholeCheck = "kueue/admission-check/";
constexpr double kMostWeight = 1e12;
constexpr std::string_view kLocalQueue = "local-queue";
constexpr std::string_view kAdmitted = "admitted";
constexpr std::string_view kReplaces = "replaces";
constexpr std::string_view kActive = "active";
constexpr std::string_view kEvicted = "evicted";
constexpr std::string_view kRefused = "refused";

// How many tasks of a group have not ended, and of how many classes they are.
struct GroupSize {
  int64_t tasks = 0;
  size_t classes = 0;
};
GroupSize SizeOf(const Tables& tables, JobIndex job, std::string_view group) {
  GroupSize size;
  std::vector<ClassIndex> classes;
  for (const TaskIndex task : tables.jobs.tasks[job]) {
    const TaskStatus status = tables.tasks.status[task];
    if (status == TaskStatus::kSucceeded || status == TaskStatus::kFailed) continue;
    if (tables.jobs.groups[job][tables.tasks.group[task]].name != group) continue;
    ++size.tasks;
    const ClassIndex c = tables.tasks.task_class[task];
    if (std::ranges::find(classes, c) == classes.end()) classes.push_back(c);
  }
  size.classes = classes.size();
  for (const GroupSpec& spec : tables.jobs.spec[job].groups) {
    if (!spec.by_count || spec.name != group) continue;
    size.tasks += spec.by_count->count;
    ++size.classes;
  }
  return size;
}

class SettingsOfJob {
 public:
  explicit SettingsOfJob(const JobSpec& job)
      : job_(job), reader_("job", job.name, job.settings, kProfileName) {}

  absl::StatusOr<JobSettings> Read() {
    JobSettings settings{.wishes = {Wish("")}};
    ReadChecks(&settings);
    if (const auto name = reader_.Text(kLocalQueue)) {
      settings.local_queue = *name;
      if (!IsLocalName(*name)) reader_.Refuse(kLocalQueue, kLocalNameRule);
    }
    if (const auto name = reader_.Text(kReplaces)) {
      settings.replaces = *name;
      if (name->empty() || *name == job_.name) {
        reader_.Refuse(kReplaces, "must be the name of another job");
      }
    }
    settings.active = reader_.Flag(kActive, true);
    settings.evicted = reader_.Flag(kEvicted, false);
    settings.refused = std::string(reader_.Text(kRefused).value_or(""));
    for (const GroupSpec& group : job_.groups) {
      if (!group.name.empty()) settings.wishes.push_back(Wish(group.name));
    }
    CheckTogether(settings.wishes);
    if (absl::Status s = reader_.Finish(); !s.ok()) return s;
    return settings;
  }

 private:
  void ReadChecks(JobSettings* settings) {
    for (const auto& [whole, value] : job_.settings) {
      if (!whole.starts_with(kWholeCheck) || whole.size() == kWholeCheck.size()) continue;
      const std::string_view key = std::string_view(whole).substr(kProfileName.size() + 1);
      const std::string_view state =
          reader_.Choice(key, {"Pending", "Ready", "Retry", "Rejected"}, "Pending");
      settings->failed |= state == "Retry" || state == "Rejected";
      settings->checks.emplace_back(std::string(key.substr(key.find('/') + 1)), state == "Ready");
    }
    if (reader_.Text(kAdmitted)) settings->admitted = reader_.Flag(kAdmitted, false);
  }

  // The key as the group has it.
  std::string_view KeyOf(std::string_view key) {
    if (suffix_.empty()) return key;
    return keys_.emplace_back(absl::StrCat(ToAbsl(key), "/", suffix_));
  }
  std::optional<std::string_view> Text(std::string_view key) {
    const std::optional<std::string_view> text = reader_.Text(KeyOf(key));
    if (text && text->empty()) reader_.Refuse(KeyOf(key), "must not be empty");
    return text;
  }
  void Refuse(std::string_view key, absl::string_view rule) { reader_.Refuse(KeyOf(key), rule); }

  GroupWish Wish(const std::string& group) {
    suffix_ = group;
    const bool own = !group.empty() && std::ranges::any_of(kKeys, [&](std::string_view key) {
      return reader_.Text(KeyOf(key)).has_value();
    });
    if (!own) suffix_.clear();
    together_keys_.push_back(KeyOf(kTogether));
    GroupWish wish{.group = group};
    TopologyRequest request;
    const auto level = [&](std::string_view key, std::optional<std::string>* to) {
      if (const auto text = Text(key)) *to = std::string(*text);
    };
    level(kRequired, &request.required);
    level(kPreferred, &request.preferred);
    if (Text(kUnconstrained)) {
      request.unconstrained = reader_.Flag(KeyOf(kUnconstrained), false);
    }
    if (request.required && request.preferred) {
      Refuse(kPreferred, "must be absent beside podset-required-topology");
    }
    if (request.unconstrained && (request.required || request.preferred)) {
      Refuse(kUnconstrained, "must be absent beside a level that is required or preferred");
    }
    ReadSlices(&request);
    if (const auto name = Text(kTogether)) {
      wish.together = *name;
      if (!request.required && !request.preferred) {
        Refuse(kTogether, "needs a level that is required or preferred");
      }
      if (!request.slices.empty()) Refuse(kTogether, "must be absent beside slices");
    }
    if (AsksForPlaces(request)) wish.request = std::move(request);
    if (const auto amounts = Text(kCounted)) {
      wish.counted.emplace();
      for (const absl::string_view part : absl::StrSplit(ToAbsl(*amounts), ',')) {
        AddCounted(std::string_view(part.data(), part.size()), &wish);
      }
    }
    return wish;
  }

  // "cpu=8"
  void AddCounted(std::string_view part, GroupWish* wish) {
    const size_t at = part.rfind('=');
    const std::string name(part.substr(0, at));
    if (at == std::string_view::npos || name.empty() ||
        !ParseQuantity(part.substr(at + 1), Unit::kMilli).ok()) {
      return Refuse(kCounted, "must be resources with amounts, such as \"cpu=8,memory=4Gi\"");
    }
    const auto known =
        std::ranges::find(*wish->counted, name, &std::pair<std::string, int64_t>::first);
    if (known != wish->counted->end()) Refuse(kCounted, "must have each resource once");
    wish->counted->emplace_back(name, RequestAmount(name, part.substr(at + 1)));
  }

  void ReadSlices(TopologyRequest* request) {
    const auto level = Text(kSliceLevel), size = Text(kSliceSize), several = Text(kSlices);
    if (several) {
      if (level || size) Refuse(kSlices, "must be absent beside podset-slice-size and its level");
      for (const absl::string_view part : absl::StrSplit(ToAbsl(*several), ',')) {
        AddSlice(std::string_view(part.data(), part.size()), request);
      }
      if (request->slices.size() > kMostSlices) {
        Refuse(kSlices, absl::StrCat("must have at most ", kMostSlices, " slices"));
      }
      return;
    }
    if (level && !size) Refuse(kSliceLevel, "needs podset-slice-size");
    if (size && !level) Refuse(kSliceSize, "needs podset-slice-required-topology");
    if (!level || !size) return;
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    const int64_t tasks = reader_.Integer(KeyOf(kSliceSize), 1, kMost, 1);
    request->slices.push_back({std::string(*level), static_cast<int32_t>(tasks)});
  }

  // "rack=4"
  void AddSlice(std::string_view part, TopologyRequest* request) {
    const size_t at = part.rfind('=');
    int32_t size = 0;
    if (at == std::string_view::npos || at == 0 ||
        !absl::SimpleAtoi(ToAbsl(part.substr(at + 1)), &size) || size < 1) {
      return Refuse(kSlices, "must be levels with sizes of 1 or more, such as \"block=16,rack=4\"");
    }
    request->slices.push_back({std::string(part.substr(0, at)), size});
  }

  // The unnamed group is one of the job's if it has tasks of its own there, or is all that it has.
  bool IsGroup(const GroupWish& wish) const {
    return !wish.group.empty() || job_.groups.empty() ||
           std::ranges::any_of(job_.groups, [](const GroupSpec& g) { return g.name.empty(); });
  }

  void CheckTogether(const std::vector<GroupWish>& wishes) {
    for (size_t i = 0; i < wishes.size(); ++i) {
      const GroupWish& wish = wishes[i];
      if (wish.together.empty() || !wish.request || !IsGroup(wish)) continue;
      int groups = 0;
      bool alike = true;
      for (const GroupWish& other : wishes) {
        if (other.together != wish.together || !other.request || !IsGroup(other)) continue;
        ++groups;
        alike = alike && other.request->required == wish.request->required &&
                other.request->preferred == wish.request->preferred;
      }
      if (groups != 2) {
        reader_.Refuse(together_keys_[i],
                       absl::StrCat("must be that of two groups, and is of ", groups));
      } else if (!alike) {
        reader_.Refuse(together_keys_[i], "must be of groups that request one level alike");
      }
    }
  }

  const JobSpec& job_;
  SettingReader reader_;
  std::string suffix_;
  std::deque<std::string> keys_;                 // with groups behind; they do not move
  std::vector<std::string_view> together_keys_;  // by wish
};

// Tasks of the groups that are placed together, while the job waits: one of the two has one task,
// and those of a group are of one class.
absl::Status CheckTasks(const Tables& tables, JobIndex job, const std::vector<GroupWish>& wishes) {
  const JobSpec& spec = tables.jobs.spec[job];
  for (const GroupWish& wish : wishes) {
    if (wish.together.empty()) continue;
    int64_t fewest = std::numeric_limits<int64_t>::max();
    for (const GroupWish& other : wishes) {
      if (other.together != wish.together) continue;
      const GroupSize size = SizeOf(tables, job, other.group);
      if (size.classes > 1) {
        return absl::InvalidArgumentError(
            absl::StrCat(PlaceOf("job", spec.name), ", ", PlaceOf("group", other.group),
                         ": its tasks differ; those of a group that kueue/podset-group-name places "
                         "with another must be alike"));
      }
      if (size.tasks > 0) fewest = std::min(fewest, size.tasks);
    }
    if (fewest > 1 && fewest < std::numeric_limits<int64_t>::max()) {
      return absl::InvalidArgumentError(
          absl::StrCat(PlaceOf("job", spec.name), ": of the groups that kueue/podset-group-name ",
                       Quote(wish.together), " places together the smaller has ", fewest,
                       " tasks; must have 1"));
    }
  }
  return absl::OkStatus();
}

void ReadController(std::string_view whole, SettingReader* reader, QueueSettings* settings) {
  const std::string_view key = whole.substr(kProfileName.size() + 1);
  const std::string_view word =
      reader->Choice(key, {"multikueue", "provisioning-request", "other"}, "other");
  settings->controllers.emplace_back(whole.substr(kCheckController.size()),
                                     word == "multikueue" ? QueueCheck::Kind::kMultiKueue
                                     : word == "provisioning-request"
                                         ? QueueCheck::Kind::kProvisioning
                                         : QueueCheck::Kind::kOther);
}

// As Kueue's webhook: without the gate no job may have the annotation.
absl::Status CheckLayers(const JobSpec& job, const Gates& gates) {
  if (gates.several_layers || !gates.topology) return absl::OkStatus();
  for (const auto& [key, value] : job.settings) {
    if (!key.starts_with(absl::StrCat("kueue/", ToAbsl(kSlices)))) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        PlaceOf("job", job.name), ": setting ", Quote(key),
        " needs option tas_multi_layer_topology of action admit, which is off; must be absent"));
  }
  return absl::OkStatus();
}

}  // namespace

bool IsLocalName(std::string_view name) {
  const size_t slash = name.find('/');
  return slash != std::string_view::npos && slash > 0 && slash + 1 < name.size() &&
         name.find('/', slash + 1) == std::string_view::npos;
}

GroupWish JobSettings::WishOf(std::string_view group) const {
  const auto own = std::ranges::find(wishes, group, &GroupWish::group);
  if (own != wishes.end()) return *own;
  return wishes.empty() ? GroupWish() : wishes.front();
}

absl::StatusOr<JobSettings> ReadSettings(const JobSpec& job) {
  if (job.settings.empty()) return JobSettings();
  return SettingsOfJob(job).Read();
}

absl::StatusOr<QueueSettings> ReadSettings(const QueueSpec& queue) {
  QueueSettings settings;
  SettingReader reader("queue", queue.name, queue.settings, kProfileName);
  for (const auto& [whole, value] : queue.settings) {
    if (whole.starts_with(kCheckController)) {
      ReadController(whole, &reader, &settings);
      continue;
    }
    const std::string_view prefix = whole.starts_with(kLocalQueueStop)     ? kLocalQueueStop
                                    : whole.starts_with(kLocalQueueWeight) ? kLocalQueueWeight
                                                                           : std::string_view();
    if (prefix.empty()) continue;
    const std::string_view key = std::string_view(whole).substr(kProfileName.size() + 1);
    const std::string_view name = std::string_view(whole).substr(prefix.size());
    if (prefix == kLocalQueueStop) {
      const std::string_view word = reader.Choice(key, {"None", "Hold", "HoldAndDrain"}, "None");
      settings.stops.emplace_back(name, word == "Hold"           ? StopPolicy::kHold
                                        : word == "HoldAndDrain" ? StopPolicy::kHoldAndDrain
                                                                 : StopPolicy::kNone);
    } else {
      settings.weights.emplace_back(name, reader.Number(key, 0, kMostWeight, 1));
    }
    if (!IsLocalName(name)) reader.Refuse(key, kLocalNameRule);
  }
  if (absl::Status s = reader.Finish(); !s.ok()) return s;
  return settings;
}

absl::Status CheckSettings(const Tables& tables, const Options& options) {
  const Gates gates = ConfigOf(options).gates;
  if (absl::Status s = CheckNoNodeSettings(tables.nodes, kProfileName); !s.ok()) return s;
  for (size_t q = 0; q < tables.queues.alive.size(); ++q) {
    if (!tables.queues.alive[q] || tables.queues.spec[q].settings.empty()) continue;
    const absl::StatusOr<QueueSettings> settings = ReadSettings(tables.queues.spec[q]);
    if (!settings.ok()) return settings.status();
  }
  for (JobIndex j = 0; j < tables.jobs.alive.size(); ++j) {
    if (!tables.jobs.alive[j] || tables.jobs.spec[j].settings.empty()) continue;
    const absl::StatusOr<JobSettings> settings = ReadSettings(tables.jobs.spec[j]);
    if (!settings.ok()) return settings.status();
    if (absl::Status s = CheckLayers(tables.jobs.spec[j], gates); !s.ok()) return s;
    if (tables.jobs.spec[j].phase != JobPhase::kPending) continue;
    if (absl::Status s = CheckTasks(tables, j, settings->wishes); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace muster::kueue
