// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/import/koordinator_objects.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/hash_map.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"
#include "lib/import/amounts.h"
#include "lib/import/json_text.h"
#include "lib/import/koordinator_devices.h"
#include "lib/import/koordinator_wishes.h"
#include "lib/import/koordinator_zones.h"
#include "lib/import/kubernetes.h"
#include "lib/import/pod_groups.h"
#include "lib/peer/koordinator/reservation/reservation_state.h"

namespace muster {
namespace {

constexpr std::string_view kGangMode = "gang.scheduling.koordinator.sh/mode";
constexpr std::string_view kGangWait = "gang.scheduling.koordinator.sh/waiting-time";
constexpr std::string_view kGangGroups = "gang.scheduling.koordinator.sh/groups";
constexpr std::string_view kGangPolicy = "gang.scheduling.koordinator.sh/match-policy";
constexpr std::string_view kSigsGangPolicy = "pod-group.scheduling.sigs.k8s.io/match-policy";
constexpr std::string_view kReservationOrder = "scheduling.koordinator.sh/reservation-order";
constexpr std::string_view kAllocatedMark = "scheduling.koordinator.sh/reservation-allocated";
constexpr std::string_view kPriorityLabel = "koordinator.sh/priority";
constexpr std::string_view kRestrictedOptions =
    "scheduling.koordinator.sh/reservation-restricted-options";

void IgnoreMark(const ApiObject& object, std::string_view key, std::string_view rule) {
  object.log()->Ignored(object.place(), absl::StrCat("metadata.annotations", JsonPathStep(key)),
                        absl::StrCat(Quote(*object.Annotation(key)), ToAbsl(rule)));
}

// The texts of a list, or of the list that is the member `member` of an object.
std::vector<std::string> AnnotatedTexts(const ApiObject& object, std::string_view key,
                                        std::string_view member) {
  std::vector<std::string> texts;
  const std::optional<JsonRow> row = AnnotatedJson(object, key);
  if (!row) return texts;
  const FieldSource source{object.place(), &*row, object.log()};
  const Field list = member.empty() ? Field(&source) : Field(&source)[member];
  for (const Field& one : list.Children()) {
    if (!one.ScalarText().empty()) texts.push_back(one.ScalarText());
  }
  return texts;
}

// A word of a mark, if it is one of those that are known.
void AddWord(const ApiObject& object, std::string_view key, std::string_view setting,
             std::initializer_list<std::string_view> words, Labels* settings) {
  const std::string* text = object.Annotation(key);
  if (text == nullptr || text->empty()) return;
  if (std::find(words.begin(), words.end(), *text) == words.end()) {
    IgnoreMark(object, key, " is none of the known words");
  } else {
    settings->emplace_back(setting, *text);
  }
}

ReservationPhase PhaseOf(const ApiObject& object) {
  const std::string phase = object.status().Text("phase");
  if (phase == "Available") return ReservationPhase::kAvailable;
  if (phase == "Succeeded") return ReservationPhase::kSucceeded;
  return phase == "Failed" ? ReservationPhase::kFailed : ReservationPhase::kPending;
}

std::string KeyOf(const Field& reference) {
  const std::string space = reference.Text("namespace"), name = reference.Text("name");
  return space.empty() || name.empty() ? name : absl::StrCat(space, "/", name);
}

using NamesByUid = HashMap<std::string, std::string>;

// What an owner has of a pod: its name, or else its uid. Returns false where no pod is meant.
bool ReadOwningPod(const Field& reference, const NamesByUid& pods, ReservationOwner* owner) {
  if (!reference.given()) return true;
  owner->task = KeyOf(reference);
  owner->name_space = reference.Text("namespace");
  const std::string uid = reference.Text("uid");
  if (!owner->task.empty() || uid.empty()) return true;
  const auto pod = pods.find(uid);
  if (pod == pods.end()) return false;
  owner->task = pod->second;
  return true;
}

// A controller by kind and name (lib/peer/koordinator/profile/reservation_plugin.h). Returns false
// where it has no name.
bool ReadController(const Field& controller, ReservationOwner* owner) {
  if (!controller.given()) return true;
  const std::string kind = controller.Text("kind", "*"), name = controller.Text("name");
  if (name.empty()) return false;
  owner->job = absl::StrCat(kind, " ", name);
  const std::string name_space = controller.Text("namespace");
  if (!name_space.empty()) owner->name_space = name_space;
  return true;
}

std::vector<ReservationOwner> OwnersOf(const ApiObject& object, const NamesByUid& pods) {
  std::vector<ReservationOwner> owners;
  for (const Field& row : object.spec().Items("owners")) {
    ReservationOwner owner;
    if (!ReadOwningPod(row.Section("object"), pods, &owner)) {
      row["object"].Ignored("no pod of the dump has this uid: no pod is such an owner");
    } else if (!ReadController(row.Section("controller"), &owner)) {
      row["controller"].Ignored("a controller without a name: no pod is such an owner");
    } else {
      owner.selector = ReadSelector(row["labelSelector"]);
      owners.push_back(std::move(owner));
    }
  }
  return owners;
}

std::optional<int64_t> EndOf(const ApiObject& object) {
  const int64_t expires = object.spec().Seconds("expires");
  if (expires > 0) return expires;
  const int64_t lives = object.spec().Duration("ttl", kMinQuantity).value_or(0);
  if (lives > 0) return SatAdd(object.created(), lives);
  return std::nullopt;
}

// How it takes over pods that run, which it does when it gets its node.
void ReadPreAllocation(const ApiObject& object, Labels* labels) {
  if (!object.spec().Bool("preAllocation", false)) return;
  const Field policy = object.spec().Section("preAllocationPolicy");
  const std::string mode = policy.Text("mode", "Default");
  const bool several = policy.Bool("enableMultiple", false);
  if (mode != "Default" && mode != "Cluster") {
    policy["mode"].Ignored(absl::StrCat(Quote(mode), " is neither Default nor Cluster"));
  }
  labels->emplace_back("koordinator/pre-allocation", mode == "Cluster" ? mode : "Default");
  if (several) labels->emplace_back("koordinator/pre-allocation-several", "true");
}

// What else it keeps, and for which pods.
void ReadOffer(const ApiObject& object, const NamesByUid& pods, ReservationSpec* reservation) {
  // Affinity selects the labels of the reservation, not those of its template.
  reservation->shape.labels = object.labels();
  reservation->owners = OwnersOf(object, pods);
  for (const Field& taint : object.spec().Items("taints")) {
    reservation->taints.push_back(
        {taint.Text("key"), taint.Text("value"), taint["effect"].AsWord<TaintEffect>()});
  }
  ReadPreAllocation(object, &reservation->shape.labels);
}

// Pods by the names of the reservations that they state to hold.
using Holders = HashMap<std::string, std::vector<std::string>>;

Holders HoldersIn(const Dump& dump) {
  HashMap<std::string, std::string> uids;
  for (const ApiObject* object : dump.OfKind("Reservation")) {
    uids[object->name()] = object->metadata().Text("uid");
  }
  Holders holders;
  for (const ApiObject* pod : SortedByKey(dump.OfKind("Pod"))) {
    WithAnnotation(*pod, kAllocatedMark, [&](const Field& allocated) {
      const std::string name = allocated.Text("name"), uid = allocated.Text("uid");
      const auto known = uids.find(name);
      // Another one may have had the name before.
      const bool is_it =
          known != uids.end() && (uid.empty() || known->second.empty() || uid == known->second);
      if (is_it) {
        holders[name].push_back(pod->key());
      } else if (!name.empty()) {
        IgnoreMark(*pod, kAllocatedMark, ": no such reservation is there; the pod holds none");
      }
    });
  }
  return holders;
}

struct ReservationPlaces {
  HashMap<std::string, const NodeSpec*> nodes;
  NamesByUid pods;
  Holders holders;
};

// Returns whether the reservation is complete, in the words of the peer where it is not.
bool IsComplete(const ApiObject& object) {
  const Field spec = object.spec();
  const std::string_view flaw = FlawOf({.has_template = spec["template"].given(),
                                        .has_owners = !spec.Items("owners").empty(),
                                        .has_end = spec["ttl"].given() || spec["expires"].given()});
  if (!flaw.empty()) object.log()->LeftOut(object.place(), "spec", flaw);
  return flaw.empty();
}

// The priority of a reservation without one in its template.
int32_t PriorityOf(const ApiObject& object) {
  constexpr int32_t kLargest = std::numeric_limits<int32_t>::max();
  const std::string* text = object.Label(kPriorityLabel);
  if (text == nullptr || text->empty()) return kLargest;
  const std::optional<int64_t> number = WholeNumber(*text);
  if (number && *number >= std::numeric_limits<int32_t>::min() && *number <= kLargest) {
    return static_cast<int32_t>(*number);
  }
  object.log()->Ignored(object.place(),
                        absl::StrCat("metadata.labels", JsonPathStep(kPriorityLabel)),
                        absl::StrCat(Quote(*text), " is no priority; the largest counts"));
  return kLargest;
}

// The pod that a reservation without a node is to the scheduler. Its name is that of no pod, as
// namespaces have no capitals.
class StandInReader {
 public:
  explicit StandInReader(const StandInRules& rules) : rules_(rules) {}

  std::optional<TaskSpec> Read(const ApiObject& object, const ApiObject& pod) const {
    const std::string scheduler = pod.spec().Text("schedulerName");
    if (!scheduler.empty() && scheduler != rules_.scheduler) {
      object.log()->LeftOut(object.place(), "spec.template.spec.schedulerName",
                            absl::StrCat("waits for another scheduler, ", Quote(scheduler)));
      return std::nullopt;
    }
    TaskSpec task = rules_.reader->ReadPod(pod);
    task.name = absl::StrCat("Reservation/", object.name());
    task.shape.labels.emplace_back("koordinator/reserves", object.name());
    ReadCpuWishesOf(object, &task.shape);
    ReadCpuWishesOf(pod, &task.shape);
    if (!task.node.empty()) {  // a wish: the reservation waits still
      PinTo(task.node, &task.shape);
      task.node.clear();
      task.status = TaskStatus::kPending;
      task.started.reset();
    }
    if (!pod.spec()["priority"].given()) task.priority = PriorityOf(object);
    task.never_preempts = true;
    task.preemptable = false;
    task.created = object.created();
    task.uid = object.metadata().Text("uid");
    return task;
  }

 private:
  const StandInRules& rules_;
};

// Which of its room owners get, and beside which others it may be placed.
void ReadPolicy(const ApiObject& object, ReservationSpec* reservation) {
  const std::string policy = object.spec().Text("allocatePolicy");
  if (policy == "Aligned") {
    reservation->shape.labels.emplace_back("koordinator/allocate-policy", policy);
  } else if (!policy.empty() && policy != "Restricted") {
    object.spec()["allocatePolicy"].Ignored(
        absl::StrCat(Quote(policy), " is neither Aligned nor Restricted"));
  }
  if (policy != "Restricted") return;
  reservation->policy = ReservationPolicy::kRestricted;
  reservation->restricted = AnnotatedTexts(object, kRestrictedOptions, "resources");
  std::sort(reservation->restricted.begin(), reservation->restricted.end());
  const auto last = std::unique(reservation->restricted.begin(), reservation->restricted.end());
  reservation->restricted.erase(last, reservation->restricted.end());
}

void ReadHolders(const ApiObject& object, const Holders& stated, ReservationSpec* reservation) {
  const auto hold = [&](const std::string& key) {
    const auto& known = reservation->holders;
    if (key.empty() || std::find(known.begin(), known.end(), key) != known.end()) return;
    reservation->holders.push_back(key);
  };
  for (const Field& holder : object.status().Items("currentOwners")) hold(KeyOf(holder));
  const auto pods = stated.find(object.name());
  if (pods == stated.end()) return;
  for (const std::string& key : pods->second) hold(key);
}

std::optional<ReservationSpec> ReservationOf(const ApiObject& object, const Limits& limits,
                                             const ReservationPlaces& places,
                                             const StandInReader& stand_ins,
                                             std::vector<TaskSpec>* tasks) {
  const auto& nodes = places.nodes;
  ReservationSpec reservation{.name = object.name()};
  reservation.phase = PhaseOf(object);
  if (reservation.phase != ReservationPhase::kPending) {
    reservation.node = object.status().Text("nodeName");
  }
  if (reservation.phase == ReservationPhase::kAvailable && !nodes.contains(reservation.node)) {
    object.log()->LeftOut(object.place(), "status.nodeName", "is no node that is there");
    return std::nullopt;
  }
  if (reservation.phase == ReservationPhase::kPending && !IsComplete(object)) return std::nullopt;
  const Field pod_template = object.spec().Section("template");
  const auto pod = MakePod(
      {pod_template.Section("metadata"), pod_template.Section("spec"), "default", object.name()},
      limits, object.log());
  if (pod == nullptr) return std::nullopt;
  reservation.shape = ReadShape(*pod, {});
  ReadOffer(object, places.pods, &reservation);
  ReadCpuWishesOf(object, &reservation.shape);
  ReadCpuWishesOf(*pod, &reservation.shape);
  if (reservation.phase == ReservationPhase::kAvailable) {
    const NodeSpec& node = *nodes.find(reservation.node)->second;
    ReadReservedZones(object, node, &reservation.shape);
    ReadReservedDevices(object, node, &reservation.shape);
  }
  reservation.allocate_once = object.spec().Bool("allocateOnce", true);
  ReadPolicy(object, &reservation);
  reservation.expires = EndOf(object);
  reservation.allocated = ToResources(ReadAmounts(object.status()["allocated"]));
  ReadHolders(object, places.holders, &reservation);
  reservation.unschedulable = object.spec().Bool("unschedulable", false);
  const std::string* order = object.Label(kReservationOrder);
  if (order != nullptr) reservation.order = std::max<int64_t>(0, WholeNumber(*order).value_or(0));
  reservation.created = object.created();
  if (reservation.phase != ReservationPhase::kPending) return reservation;
  if (std::optional<TaskSpec> task = stand_ins.Read(object, *pod)) {
    reservation.priority = task->priority;
    tasks->push_back(*std::move(task));
  }
  return reservation;
}

}  // namespace

std::optional<JsonRow> AnnotatedJson(const ApiObject& object, std::string_view key) {
  const std::string* text = object.Annotation(key);
  if (text == nullptr || text->empty()) return std::nullopt;
  Budget budget;
  absl::StatusOr<JsonRow> row = ReadJsonValue(*text, "annotation", &budget);
  if (row.ok()) return *std::move(row);
  // What becomes of a pod is reported where its other wishes are read. Templates are no pods.
  if (object.kind() != "Pod" || !IsWishOfPods(key)) IgnoreMark(object, key, " cannot be read");
  return std::nullopt;
}

bool IsPlainText(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '/' ||
           c == '-';
  });
}

void RequirePlain(const Field& field, std::string_view text) {
  if (IsPlainText(text)) return;
  field.Refuse(
      absl::StrCat(Quote(text), " has a character other than letters, digits and . _ / -"));
}

std::string SelectorText(const Selector& selector) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : selector.match_labels) {
    parts.push_back(absl::StrCat(key, "=", value));
  }
  for (const Requirement& one : selector.match_expressions) {
    const std::string values = absl::StrJoin(one.values, "+");
    switch (one.op) {
      case RequirementOp::kIn:
        parts.push_back(absl::StrCat(one.key, "=", values));
        break;
      case RequirementOp::kNotIn:
        parts.push_back(absl::StrCat(one.key, "!=", values));
        break;
      case RequirementOp::kDoesNotExist:
        parts.push_back(absl::StrCat("!", one.key));
        break;
      default:
        parts.push_back(absl::StrCat(one.key, "=*"));
    }
  }
  return absl::StrJoin(parts, ";");
}

std::optional<Field> NotPlainIn(const Field& selector) {
  for (const Field& value : selector.Section("matchLabels").Children()) {
    if (!IsPlainText(value.key()) || !IsPlainText(value.ScalarText())) return value;
  }
  for (const Field& one : selector.Items("matchExpressions")) {
    if (!IsPlainText(one["key"].ScalarText())) return one["key"];
    for (const Field& value : one["values"].Children()) {
      if (!IsPlainText(value.ScalarText())) return value;
    }
  }
  return std::nullopt;
}

std::string KnownWord(const Field& wish, std::span<const std::string_view> words) {
  std::string text = wish.AsText();
  if (text.empty() || std::find(words.begin(), words.end(), text) != words.end()) return text;
  wish.Ignored(absl::StrCat(Quote(text), " is none of the known words", SuggestName(text, words)));
  return text;
}

Labels ReadGangMarks(const ApiObject& object) {
  Labels settings;
  AddWord(object, kGangMode, "koordinator/mode", {"Strict", "NonStrict"}, &settings);
  const bool is_own = object.Annotation(kGangPolicy) != nullptr;
  AddWord(object, is_own ? kGangPolicy : kSigsGangPolicy, "koordinator/match-policy",
          {"once-satisfied", "only-waiting", "waiting-and-running"}, &settings);
  int64_t wait = object.spec().Int64("scheduleTimeoutSeconds", 0);  // of a PodGroup
  if (const std::string* text = object.Annotation(kGangWait)) {
    wait =
        object.MarkedDuration(*text, absl::StrCat("metadata.annotations", JsonPathStep(kGangWait)))
            .value_or(0);
  }
  if (wait > 0) {
    settings.emplace_back("koordinator/waiting-time",
                          absl::StrCat(std::min<int64_t>(wait, 1'000'000'000)));
  }
  std::vector<std::string> groups = AnnotatedTexts(object, kGangGroups, "");
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  if (!groups.empty()) {
    settings.emplace_back("koordinator/groups", absl::StrJoin(groups, ","));
  }
  return settings;
}

void ReadKoordinatorReservations(const ImportSource& source, const StandInRules& rules,
                                 ClusterSpec* cluster) {
  const StandInReader stand_ins(rules);
  ReservationPlaces places;
  for (const NodeSpec& node : cluster->nodes) places.nodes[node.name] = &node;
  for (const ApiObject* pod : source.dump.OfKind("Pod")) {
    const std::string uid = pod->metadata().Text("uid");
    if (!uid.empty()) places.pods[uid] = pod->key();
  }
  places.holders = HoldersIn(source.dump);
  for (const ApiObject* object : source.dump.OfKind("Reservation")) {
    std::optional<ReservationSpec> one =
        ReservationOf(*object, source.options.limits, places, stand_ins, &cluster->tasks);
    if (one) cluster->reservations.push_back(*std::move(one));
  }
}

}  // namespace muster
