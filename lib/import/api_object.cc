// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/import/api_object.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/import/times.h"

namespace muster {
namespace {

// Kinds with objects in a namespace, of those that importers look up by namespace.
constexpr std::string_view kNamespaced[] = {"Pod",           "PodGroup", "PodDisruptionBudget",
                                            "ResourceQuota", "Workload", "LocalQueue"};
// A value of the metrics API. It has no name of its own: it is named by what it describes.
constexpr std::string_view kMetricValue = "MetricValue";

// Ads have no metadata: a job is named by its numbers, all others have a name.
constexpr std::string_view kAdGroup = "classad";
std::string NameOfAd(const Field& ad) {
  const std::string cluster = ad["ClusterId"].ScalarText();
  if (cluster.empty()) return ad.Text("Name");
  return absl::StrCat(cluster, ".", ad["ProcId"].ScalarText());
}

// Answers of YARN and Mesos have no names; those of containers are told apart by their first.
constexpr std::string_view kAnswerGroups[] = {"yarn.apache.org", "mesos.apache.org"};
std::string NameOfAnswer(std::string_view kind, const Field& answer) {
  const Field containers = answer["containers"]["container"];
  const std::vector<Field> list =
      containers.exists() ? containers.Children() : std::vector<Field>();
  return list.empty() ? std::string(kind) : list[0]["containerId"].ScalarText();
}

// What these schedulers write themselves has no metadata: the member that names it, by kind.
constexpr std::string_view kAddress = "webServiceUrl";
struct NamedKind {
  std::string_view group, kind, key;
};
constexpr NamedKind kOwnNames[] = {{"state.ray.io", "Nodes", "node_id"},
                                   {"state.ray.io", "PlacementGroups", "placement_group_id"},
                                   {"pulsar.apache.org", "LoadReport", kAddress},
                                   {"armadaproject.io", "Queue", "name"}};
// Returns that name; a broker is named by the host and port of its address.
std::string OwnName(std::string_view group, std::string_view kind, const Field& root) {
  for (const NamedKind& named : kOwnNames) {
    if (named.group != group || named.kind != kind) continue;
    const std::string name = root[named.key].ScalarText();
    const size_t scheme = named.key == kAddress ? name.find("://") : name.npos;
    return scheme == name.npos ? name : name.substr(scheme + 3);
  }
  return "";
}

// A state dump has no name, and no metadata.
constexpr std::string_view kStateDumpGroup = "yunikorn.apache.org", kStateDump = "StateDump";

bool Contains(std::span<const std::string_view> list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

ApiObject::ApiObject(RawObject raw, ImportLog* log) : raw_(std::move(raw)) {
  source_ = {raw_.kind, &raw_.row, log};
  if (raw_.kind == kMetricValue) {
    const Field about = root().Section("describedObject");
    name_ = key_ = about.Text("name");
    source_.object = absl::StrCat("MetricValue of ", about["kind"].ScalarText(), " ", name_);
    return;
  }
  if (group() == kAdGroup) {
    name_ = key_ = NameOfAd(root());
    if (name_.empty()) root()["Name"].Refuse("missing; each ad has a name, or a job its number");
    source_.object = absl::StrCat(raw_.kind, " ", name_);
    return;
  }
  name_ = metadata().Text("name");
  if (name_.empty() && raw_.kind == kStateDump && group() == kStateDumpGroup) {
    name_ = key_ = source_.object = "state dump";
    return;
  }
  if (name_.empty() && Contains(kAnswerGroups, group())) name_ = NameOfAnswer(raw_.kind, root());
  if (name_.empty()) name_ = OwnName(group(), raw_.kind, root());
  if (name_.empty()) metadata()["name"].Refuse("missing; each object has a name");
  name_space_ = metadata().Text("namespace");
  if (name_space_.empty() && Contains(kNamespaced, raw_.kind)) name_space_ = "default";
  key_ = name_space_.empty() ? name_ : absl::StrCat(name_space_, "/", name_);
  source_.object = absl::StrCat(raw_.kind, " ", key_);
  labels_ = metadata().TextMap("labels");
  annotations_ = metadata().TextMap("annotations");
  created_ = metadata().Seconds("creationTimestamp");
  // Refuses a spec that is not an object, for every reader.
  spec();
  status();
}

std::string_view ApiObject::group() const {
  const std::string_view version = raw_.api_version;
  const size_t slash = version.rfind('/');
  return slash == version.npos ? std::string_view() : version.substr(0, slash);
}

const std::string* ApiObject::Find(const Labels& labels, std::string_view key) {
  for (const auto& [known, value] : labels) {
    if (known == key) return &value;
  }
  return nullptr;
}

std::optional<int64_t> ApiObject::MarkedDuration(const std::string& text,
                                                 std::string_view path) const {
  const std::optional<int64_t> seconds = ParseDuration(text);
  if (seconds && *seconds > 0) return seconds;
  log()->Ignored(place(), path, absl::StrCat(Quote(text), " is no duration of a second or more"));
  return std::nullopt;
}

Dump::Dump(std::vector<RawObject> objects, ImportLog* log) : log_(log) {
  all_.reserve(objects.size());
  for (RawObject& raw : objects) {
    all_.push_back(std::make_unique<ApiObject>(std::move(raw), log));
  }
}

void Dump::Keep(std::span<const KindRule> rules, std::string_view reader) {
  std::vector<const ApiObject*> others;
  for (const auto& object : all_) {
    const auto rule = std::find_if(rules.begin(), rules.end(),
                                   [&](const KindRule& r) { return r.kind == object->kind(); });
    if (rule == rules.end()) {
      others.push_back(object.get());
      continue;
    }
    if (!rule->groups.empty() && !Contains(rule->groups, object->group())) {
      log_->LeftOut(
          object->place(), "apiVersion",
          absl::StrCat(Quote(object->api_version()), " is not a group of ", ToAbsl(reader)));
      continue;
    }
    KindObjects& kind = kinds_[object->kind()];
    if (object->kind() == kMetricValue) {
      kind.objects.push_back(object.get());  // there are several of one node
      continue;
    }
    const auto [entry, is_new] = kind.by_key.try_emplace(object->key(), kind.objects.size());
    if (is_new) {
      kind.objects.push_back(object.get());
    } else {
      log_->Note(object->place(), "", "given more than once; the last one counts");
      kind.objects[entry->second] = object.get();
    }
  }
  std::stable_sort(others.begin(), others.end(),
                   [](const ApiObject* a, const ApiObject* b) { return a->kind() < b->kind(); });
  for (const ApiObject* object : others) {
    log_->Ignored(object->place(), "", "objects of this kind are not considered");
  }
}

const Dump::Objects& Dump::OfKind(std::string_view kind) const {
  const auto found = kinds_.find(kind);
  return found == kinds_.end() ? none_ : found->second.objects;
}

const ApiObject* Dump::Find(std::string_view kind, std::string_view key) const {
  const auto objects = kinds_.find(kind);
  if (objects == kinds_.end()) return nullptr;
  const auto found = objects->second.by_key.find(key);
  return found == objects->second.by_key.end() ? nullptr : objects->second.objects[found->second];
}

Dump::Objects SortedByKey(Dump::Objects objects) {
  std::sort(objects.begin(), objects.end(),
            [](const ApiObject* a, const ApiObject* b) { return a->key() < b->key(); });
  return objects;
}

Dump::Objects SortedByName(Dump::Objects objects) {
  std::stable_sort(objects.begin(), objects.end(),
                   [](const ApiObject* a, const ApiObject* b) { return a->name() < b->name(); });
  return objects;
}

}  // namespace muster
