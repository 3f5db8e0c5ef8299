// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The steps that every import takes: text to objects, the importer that reads them, the scenario.
#include "lib/import/import.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/import/importer.h"
#include "lib/import/json_text.h"
#include "lib/model/access.h"
#include "lib/plan/json_text.h"
#include "lib/profile/cycle_tables.h"
#include "lib/profile/profile.h"

namespace muster {
namespace {

constexpr std::string_view kConfiguration = "scheduler configuration";

std::string NamesOfImporters() {
  std::string names;
  for (std::string_view name : ImporterNames()) {
    absl::StrAppend(&names, names.empty() ? "" : ", ", ToAbsl(name));
  }
  return names;
}

absl::StatusOr<const Importer*> ByName(std::string_view name) {
  for (const Importer* importer : Importers()) {
    if (importer->name == name) return importer;
  }
  const std::string nearest = SuggestName(name, ImporterNames());
  return absl::InvalidArgumentError(
      absl::StrCat("profile ", Quote(name), ": no importer has this name",
                   nearest.empty() ? "; expected one of " + NamesOfImporters() : nearest));
}

// Returns the importer of dumps without an API group of any, if this is one of a cluster: that of
// the scheduler which most pods name that wait, or else the one of plain dumps.
const Importer* Plain(const Dump& dump, ImportLog* log) {
  const Importer* best = nullptr;
  HashMap<const Importer*, int64_t> pods;
  bool cluster = false;
  for (const auto& object : dump.all()) {
    cluster |= object->kind() == "Node" || object->kind() == "Pod";
    if (object->kind() != "Pod" || !WaitsForNode(*object)) continue;
    ++pods[ImporterOfScheduler(object->spec().Text("schedulerName", "default-scheduler"))];
  }
  if (!cluster) return nullptr;
  for (const Importer* importer : Importers()) {
    if (importer->plain) best = importer;
  }
  int64_t most = pods[best];
  for (const Importer* importer : Importers()) {
    const int64_t count = pods[importer];
    if (count > most) best = importer;
    most = std::max(most, count);
  }
  if (best == nullptr) return nullptr;
  log->Note("dump", "",
            absl::StrCat("no object belongs to one scheduler alone; read as profile ",
                         ToAbsl(best->name)));
  return best;
}

bool Lists(std::span<const std::string_view> groups, std::string_view group) {
  return std::ranges::find(groups, group) != groups.end();
}

// Returns an importer that reads the object though its API group is another importer's, and that
// has a mark; or null.
const Importer* SecondReader(const ApiObject& object) {
  for (const Importer* importer : Importers()) {
    if (importer->mark.empty() || Lists(importer->groups, object.group())) continue;
    for (const KindRule& rule : importer->kinds) {
      if (rule.kind == object.kind() && Lists(rule.groups, object.group())) return importer;
    }
  }
  return nullptr;
}

bool HasMark(const ApiObject& object, std::string_view mark) {
  const auto has = [&](const auto& pair) { return pair.first.find(mark) != std::string::npos; };
  return std::ranges::any_of(object.labels(), has) ||
         std::ranges::any_of(object.annotations(), has);
}

struct ObjectCounts {
  HashMap<const Importer*, int64_t> counts;  // of objects
  HashSet<const Importer*> named;            // their schedulers, by pods
  int64_t unclear = 0;                       // objects that could be of `second`, too
  const Importer* second = nullptr;
};

// Counts the objects of each importer: those of its API groups, but those with the mark of a second
// reader are that one's, and so are all that it reads if a pod names its scheduler.
ObjectCounts CountObjects(const Dump& dump) {
  ObjectCounts owners;
  for (const auto& object : dump.all()) {
    if (object->kind() != "Pod") continue;
    owners.named.insert(ImporterOfScheduler(object->spec().Text("schedulerName")));
  }
  for (const auto& object : dump.all()) {
    // Priority classes are part of every cluster, whatever schedules it.
    if (object->group().empty() || object->kind() == "PriorityClass") continue;
    const Importer* const other = SecondReader(*object);
    if (other != nullptr && (HasMark(*object, other->mark) || owners.named.contains(other))) {
      ++owners.counts[other];
      continue;
    }
    if (other != nullptr) owners.second = other;
    if (other != nullptr) ++owners.unclear;
    for (const Importer* importer : Importers()) {
      if (Lists(importer->groups, object->group())) ++owners.counts[importer];
    }
  }
  return owners;
}

absl::Status NoObjects(std::string_view text) {
  if (!absl::StripAsciiWhitespace(ToAbsl(text)).empty()) {
    return absl::InvalidArgumentError("dump: there are no objects in it");
  }
  return absl::InvalidArgumentError("dump: this is empty; a dump is JSON: kubectl get ... -o json");
}

bool Reads(const Importer& importer, const ApiObject& object) {
  return std::ranges::any_of(importer.kinds, [&](const KindRule& rule) {
    return rule.kind == object.kind() &&
           (rule.groups.empty() || Lists(rule.groups, object.group()));
  });
}

// Notes which other schedulers have objects in the dump, where `best` reads none of them: it may be
// a dump of two schedulers.
void NoteOthers(const Dump& dump, const Importer& best, ImportLog* log) {
  HashMap<const Importer*, int64_t> unread;
  for (const auto& object : dump.all()) {
    if (object->kind() == "PriorityClass" || Reads(best, *object)) continue;
    for (const Importer* importer : Importers()) {
      if (importer != &best && Lists(importer->groups, object->group())) ++unread[importer];
    }
  }
  std::string others;
  for (const Importer* importer : Importers()) {
    const int64_t count = unread[importer];
    if (count == 0) continue;
    absl::StrAppend(&others, others.empty() ? "" : ", ", count, " of ", ToAbsl(importer->name));
  }
  if (others.empty()) return;
  log->Note(
      "dump", "",
      absl::StrCat("read as profile ", ToAbsl(best.name),
                   "; objects of other schedulers are not read (", others,
                   "); name the profile to read those in place of ", ToAbsl(best.name), "'s"));
}

// Returns the importers to which `count` objects belong each, with "and" between.
std::string NamesWith(const ObjectCounts& owners, int64_t count) {
  std::string names;
  for (const Importer* importer : Importers()) {
    const auto entry = owners.counts.find(importer);
    if (entry == owners.counts.end() || entry->second != count) continue;
    absl::StrAppend(&names, names.empty() ? "" : " and ", ToAbsl(importer->name));
  }
  return names;
}

// Returns the importer that most objects belong to.
absl::StatusOr<const Importer*> ByGroups(const Dump& dump, ImportLog* log) {
  const Importer* best = nullptr;
  ObjectCounts owners = CountObjects(dump);
  int64_t most = 0;
  bool tie = false;
  for (const Importer* importer : Importers()) {
    const int64_t count = owners.counts[importer];
    tie = count == most ? count > 0 : count < most && tie;
    if (count > most) best = importer;
    if (count > most) most = count;
  }
  if (best != nullptr && !tie && most == owners.unclear && !owners.named.contains(best)) {
    log->Note("dump", "",
              absl::StrCat("read as profile ", ToAbsl(best->name),
                           "; name the profile if it is a dump of ", ToAbsl(owners.second->name),
                           ", which has objects of these kinds, too"));
  }
  if (best != nullptr && tie) {
    return absl::InvalidArgumentError(
        absl::StrCat("dump: as many objects belong to one scheduler as to another, ", most,
                     " each to ", NamesWith(owners, most), "; name the profile"));
  }
  if (best != nullptr) NoteOthers(dump, *best, log);
  if (best == nullptr) best = Plain(dump, log);
  if (best != nullptr) return best;
  return absl::InvalidArgumentError(
      absl::StrCat("dump: no object belongs to one scheduler alone; name the profile: one of ",
                   NamesOfImporters()));
}

// Counts the pods that wait and that no cycle tries to place: they have no row, or their row has no
// job under a profile that places jobs alone. Each is named, if nothing has named it.
void CountLeftOut(const Dump& dump, const Scenario& scenario, bool takes_lone, ImportLog* log) {
  HashMap<std::string, bool> rows;  // whether they have a job, or a node already
  for (const TaskSpec& task : scenario.cluster.tasks) {
    const bool waits = task.status == TaskStatus::kPending || task.status == TaskStatus::kWaiting;
    rows.emplace(task.name, !waits || !task.job.empty());
  }
  HashSet<std::string> named;
  for (const ImportEntry& entry : log->entries()) {
    if (entry.severity == ImportSeverity::kLeftOut) named.insert(entry.object);
  }
  int64_t waiting = 0, absent = 0, lone = 0;
  for (const ApiObject* pod : dump.OfKind("Pod")) {
    if (!WaitsForNode(*pod)) continue;
    ++waiting;
    const auto row = rows.find(pod->key());
    if (row == rows.end()) {
      ++absent;
    } else if (!row->second && !takes_lone) {
      ++lone;
    } else {
      continue;
    }
    if (named.contains(pod->place())) continue;
    log->LeftOut(
        pod->place(), "",
        row == rows.end() ? "it waits, and is not scheduled" : "it waits, and belongs to no job");
  }
  if (absent + lone == 0) return;
  std::string text =
      absl::StrCat(absent + lone, " of ", waiting, " pods that wait are not scheduled");
  if (lone > 0) {
    absl::StrAppend(&text, ", ", lone,
                    " of them without a job; lone_tasks=QUEUE in the profile makes ",
                    "jobs of such pods");
  }
  log->LeftOut("dump", "", text);
}

// Notes amounts of queues in resources that no node has; a node with devices has
// `device_resource`, too. Resources of Kubernetes itself have no slash in their names.
void NoteUnknownResources(const ClusterSpec& cluster, std::string_view device_resource,
                          ImportLog* log) {
  HashSet<std::string> seen;
  std::vector<std::string_view> names;
  const auto add = [&](std::string_view name) {
    if (seen.insert(std::string(name)).second) names.push_back(name);
  };
  for (const NodeSpec& node : cluster.nodes) {
    for (const auto& [name, amount] : node.capacity) add(name);
    if (!device_resource.empty() && !node.devices.empty()) add(device_resource);
  }
  if (names.empty()) return;
  for (const QueueSpec& queue : cluster.queues) {
    const std::pair<std::string_view, const std::optional<Resources>*> all[] = {
        {"guaranteed", &queue.guaranteed}, {"deserved", &queue.deserved}, {"limit", &queue.limit}};
    for (const auto& [what, amounts] : all) {
      for (const auto& [name, amount] : amounts->value_or(Resources())) {
        if (name.find('/') == name.npos || amount.text == "0" || seen.contains(name)) continue;
        log->Note(absl::StrCat("Queue ", queue.name), "",
                  absl::StrCat(ToAbsl(what), ": no node has the resource ", Quote(name),
                               SuggestName(name, names)));
      }
    }
  }
}

// What the log lists as left out, by the names that rows would have.
std::vector<LeftOut> NamedLeftOut(const ImportLog& log) {
  std::vector<LeftOut> named;
  for (const ImportEntry& entry : log.entries()) {
    const size_t space = entry.object.find(' ');
    if (entry.severity != ImportSeverity::kLeftOut || space == std::string::npos) continue;
    named.push_back({entry.object.substr(space + 1),
                     absl::StrCat(entry.field, entry.field.empty() ? "" : ": ", entry.text)});
  }
  return named;
}

// Volumes and claimed devices can keep a pod from a node. A pod that waits would be bound in spite
// of them; one that runs stays where it is.
bool MayKeepFromNodes(const ImportEntry& entry, const HashSet<std::string>& waiting) {
  return entry.severity == ImportSeverity::kIgnored && entry.object.starts_with("Pod ") &&
         (entry.field.starts_with("spec.volumes") ||
          entry.field.starts_with("spec.resourceClaims")) &&
         waiting.contains(entry.object.substr(std::string_view("Pod ").size()));
}

absl::Status CheckStrict(const ImportLog& log, const ClusterSpec& cluster) {
  HashSet<std::string> waiting;
  for (const TaskSpec& task : cluster.tasks) {
    if (task.status == TaskStatus::kPending) waiting.insert(task.name);
  }
  for (const ImportEntry& entry : log.entries()) {
    if (entry.severity != ImportSeverity::kLeftOut && !MayKeepFromNodes(entry, waiting)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("strict: something is left out; the first: ", Describe(entry)));
  }
  return absl::OkStatus();
}

}  // namespace

bool WaitsForNode(const ApiObject& pod) {
  const std::string phase = pod.status().Text("phase");
  return (phase.empty() || phase == "Pending") && pod.spec().Text("nodeName").empty() &&
         !pod.metadata()["deletionTimestamp"].given();
}

bool EndsWithoutNode(const ApiObject& pod) {
  const std::string phase = pod.status().Text("phase");
  if (phase == "Succeeded" || phase == "Failed" || !pod.spec().Text("nodeName").empty() ||
      !pod.metadata()["deletionTimestamp"].given()) {
    return false;
  }
  pod.log()->LeftOut(pod.place(), "metadata.deletionTimestamp",
                     "the pod is ending without ever having had a node");
  return true;
}

absl::StatusOr<Import> ImportObjects(std::string_view objects, const ImportOptions& options) {
  Budget budget(options.limits);
  absl::StatusOr<std::vector<RawObject>> raw = ReadJsonObjects(objects, &budget);
  if (!raw.ok()) return raw.status();
  JsonRow configuration;
  if (!options.configuration.empty()) {
    absl::StatusOr<JsonRow> read = ReadJsonValue(options.configuration, kConfiguration, &budget);
    if (!read.ok()) return read.status();
    configuration = *std::move(read);
  }
  if (raw->empty() && options.profile.empty()) return NoObjects(objects);
  ImportLog log;
  Dump dump(*std::move(raw), &log);
  if (!log.ok()) return log.status();
  const absl::StatusOr<const Importer*> importer =
      options.profile.empty() ? ByGroups(dump, &log) : ByName(options.profile);
  if (!importer.ok()) return importer.status();
  dump.Keep((*importer)->kinds, (*importer)->name);

  const FieldSource configured{std::string(kConfiguration), &configuration, &log};
  Import import;
  import.scenario.options.now = options.now;
  const auto read = [&](std::optional<Field> root) {
    (*importer)->read({dump, options, root, &log}, &import.scenario);
  };
  if (configuration.values.empty()) {
    read(std::nullopt);
  } else {
    Field(&configured).ReadWhole(read);
  }
  if (!log.ok()) return log.status();
  // Objects that no API server checked may break rules that rows have.
  Cluster filled;
  if (const absl::Status s = Fill(import.scenario, &filled); !s.ok()) {
    const bool of_rows =
        s.code() == absl::StatusCode::kAlreadyExists || s.code() == absl::StatusCode::kNotFound;
    return absl::Status(of_rows ? absl::StatusCode::kInvalidArgument : s.code(),
                        absl::StrCat("dump: ", s.message()));
  }
  const absl::StatusOr<ProfileConfig> profile = ResolveProfile(import.scenario.profile);
  if (!profile.ok()) {
    return absl::Status(profile.status().code(),
                        absl::StrCat(ToAbsl(kConfiguration), ": ", profile.status().message()));
  }
  if (const absl::Status s = CheckTables(*profile, TablesOf(filled)); !s.ok()) {
    return absl::Status(s.code(), absl::StrCat("dump: ", s.message()));
  }
  CountLeftOut(dump, import.scenario, TriesLoneTasks(*profile), &log);
  NoteUnknownResources(import.scenario.cluster, (*importer)->device_resource, &log);
  if (options.strict) {
    if (absl::Status s = CheckStrict(log, import.scenario.cluster); !s.ok()) return s;
  }
  import.scenario.left_out = NamedLeftOut(log);
  import.report = log.Take();
  return import;
}

absl::Status CheckDump(std::string_view objects, const Limits& limits) {
  Budget budget(limits);
  if (absl::StripAsciiWhitespace(ToAbsl(objects)).empty()) return NoObjects(objects);
  return ReadJsonObjects(objects, &budget).status();
}

std::vector<std::string_view> ImporterNames() {
  std::vector<std::string_view> names;
  for (const Importer* importer : Importers()) names.push_back(importer->name);
  return names;
}

std::string_view ImportSeverityName(ImportSeverity severity) {
  switch (severity) {
    case ImportSeverity::kNote:
      return "note";
    case ImportSeverity::kIgnored:
      return "ignored";
    case ImportSeverity::kLeftOut:
      return "left_out";
  }
  return "";
}

std::string Describe(const ImportEntry& entry) {
  return absl::StrCat(entry.object, ": ", entry.field, entry.field.empty() ? "" : ": ", entry.text);
}

std::string WriteReport(const std::vector<ImportEntry>& report) {
  std::string out = "{\"entries\": [";
  for (const ImportEntry& entry : report) {
    absl::StrAppend(&out, &entry == report.data() ? "\n" : ",\n", "  {\"severity\": ");
    AppendJson(ImportSeverityName(entry.severity), &out);
    out.append(", \"object\": ");
    AppendJson(entry.object, &out);
    out.append(", \"field\": ");
    AppendJson(entry.field, &out);
    out.append(", \"text\": ");
    AppendJson(entry.text, &out);
    out.push_back('}');
  }
  out.append(report.empty() ? "]}\n" : "\n]}\n");
  return out;
}

}  // namespace muster
