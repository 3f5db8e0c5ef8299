// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// ResourceFlavors, Cohorts and ClusterQueues.
#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/import/kubernetes.h"
#include "lib/import/kueue.h"
#include "lib/model/words.h"

namespace muster::kueue {
namespace {

constexpr std::string_view kCohortPrefix = "cohort:";
constexpr std::string_view kHostLevel = "kubernetes.io/hostname";

std::vector<Taint> ReadTaints(const Field& spec) {
  std::vector<Taint> taints;
  for (const Field& item : spec.Items("nodeTaints")) {
    taints.push_back({item.Text("key"), item.Text("value"), item["effect"].AsWord<TaintEffect>()});
  }
  return taints;
}

// A word of Kueue's and what it stands for here.
template <class Enum>
struct WordRule {
  std::string_view word;
  Enum value;
};

template <class Enum, size_t kSize>
Enum ReadWord(const Field& field, const WordRule<Enum> (&rules)[kSize], Enum fallback) {
  const std::string word = field.AsText();
  if (word.empty()) return fallback;
  std::string known;
  for (const WordRule<Enum>& rule : rules) {
    if (rule.word == word) return rule.value;
    absl::StrAppend(&known, known.empty() ? "" : ", ", ToAbsl(rule.word));
  }
  field.Refuse(absl::StrCat(Quote(word), " is not known; expected one of ", known));
  return fallback;
}

constexpr WordRule<VictimScope> kWithin[] = {
    {"Never", VictimScope::kNever},
    {"LowerPriority", VictimScope::kLowerPriority},
    {"LowerOrNewerEqualPriority", VictimScope::kLowerOrNewerEqualPriority}};
constexpr WordRule<VictimScope> kReclaim[] = {{"Never", VictimScope::kNever},
                                              {"LowerPriority", VictimScope::kLowerPriority},
                                              {"Any", VictimScope::kAny}};
constexpr WordRule<VictimScope> kBorrow[] = {{"Never", VictimScope::kNever},
                                             {"LowerPriority", VictimScope::kLowerPriority}};
constexpr WordRule<StopPolicy> kStops[] = {{"None", StopPolicy::kNone},
                                           {"Hold", StopPolicy::kHold},
                                           {"HoldAndDrain", StopPolicy::kHoldAndDrain}};
constexpr WordRule<QueueingStrategy> kStrategies[] = {
    {"StrictFIFO", QueueingStrategy::kStrictFifo},
    {"BestEffortFIFO", QueueingStrategy::kBestEffortFifo}};
constexpr WordRule<bool> kModes[] = {{"UsageBasedAdmissionFairSharing", true},
                                     {"NoAdmissionFairSharing", false}};
// The older words say where the search ends.
constexpr WordRule<FlavorSearch> kBorrowing[] = {{"MayStopSearch", FlavorSearch::kMayStop},
                                                 {"Borrow", FlavorSearch::kMayStop},
                                                 {"TryNextFlavor", FlavorSearch::kTryNext}};
constexpr WordRule<FlavorSearch> kPreempting[] = {{"MayStopSearch", FlavorSearch::kMayStop},
                                                  {"Preempt", FlavorSearch::kMayStop},
                                                  {"TryNextFlavor", FlavorSearch::kTryNext}};
constexpr WordRule<FlavorPreference> kPreferences[] = {
    {"BorrowingOverPreemption", FlavorPreference::kBorrowing},
    {"PreemptionOverBorrowing", FlavorPreference::kPreemption}};

// Returns whether the value is an amount that is too large to count. Kueue has no limit then.
bool IsUncountable(const Field& field) {
  if (!field.given() || field.kind() != JsonKind::kString) return false;
  const std::string text = field.AsText();
  if (ParseAmount(text)) return false;
  const size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string number = text.substr(0, digits), suffix = text.substr(digits);
  if (number.find_first_of("123456789") == std::string::npos || !ParseAmount(number.substr(0, 1))) {
    return false;
  }
  if (std::ranges::count(number, '.') > 1) return false;
  const bool is_exponent = suffix.size() > 1 && (suffix[0] == 'e' || suffix[0] == 'E') &&
                           suffix.find_first_not_of("0123456789", 1) == std::string::npos;
  return is_exponent || ParseAmount(absl::StrCat("0", suffix)).has_value();
}

// A quota, or as much as can be counted.
Quantity QuotaOf(const std::string& resource, const Field& field) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const int64_t most = CountsWhole(resource) ? kMost : kMost / 1000;
  const ExactAmount limit = ExactAmount(most) * kAmountUnit;
  if (IsUncountable(field)) return Quantity(absl::StrCat(most));
  return ToQuantity(resource, std::min(ReadAmount(field), limit));
}

void ReadQuota(const Field& resource, bool may_borrow, FlavorQuota* quota) {
  const std::string name = resource.Text("name");
  const auto read = [&](std::string_view key, Resources* amounts) {
    const Field field = resource[key];
    if (field.given()) amounts->emplace_back(name, QuotaOf(name, field));
  };
  read("nominalQuota", &quota->nominal);
  read("borrowingLimit", &quota->borrow_limit);
  read("lendingLimit", &quota->lend_limit);
  for (const std::string_view key : {"borrowingLimit", "lendingLimit"}) {
    if (!may_borrow && resource[key].given()) {
      resource[key].Refuse("set for a queue without cohort; must be absent there");
    }
  }
}

// As the API server: a flavor lists what its group covers, in the same order.
void CheckResources(const Field& flavor, const ResourceGroup& group) {
  std::vector<std::string> names;
  for (const Field& resource : flavor.Items("resources")) names.push_back(resource.Text("name"));
  if (names == group.resources) return;
  flavor["resources"].Refuse(absl::StrCat(
      "lists ", names.empty() ? "nothing" : absl::StrJoin(names, ", "),
      "; must be coveredResources in the same order: ", absl::StrJoin(group.resources, ", ")));
}

std::vector<ResourceGroup> ReadGroups(const Field& spec, bool may_borrow) {
  std::vector<ResourceGroup> groups;
  for (const Field& item : spec.Items("resourceGroups")) {
    ResourceGroup& group = groups.emplace_back();
    group.resources = item.Texts("coveredResources");
    for (const Field& flavor : item.Items("flavors")) {
      FlavorQuota& quota = group.flavors.emplace_back();
      quota.flavor = flavor.Text("name");
      CheckResources(flavor, group);
      for (const Field& resource : flavor.Items("resources")) {
        ReadQuota(resource, may_borrow, &quota);
      }
    }
  }
  return groups;
}

PreemptionRules ReadPreemption(const Field& preemption) {
  PreemptionRules rules;
  rules.within_queue = ReadWord(preemption["withinClusterQueue"], kWithin, VictimScope::kNever);
  rules.reclaim = ReadWord(preemption["reclaimWithinCohort"], kReclaim, VictimScope::kNever);
  const Field borrow = preemption.Section("borrowWithinCohort");
  rules.while_borrowing = ReadWord(borrow["policy"], kBorrow, VictimScope::kNever);
  if (rules.reclaim == VictimScope::kNever && rules.while_borrowing != VictimScope::kNever) {
    borrow["policy"].Refuse("set beside reclaimWithinCohort Never; must be Never");
  }
  if (const Field most = borrow["maxPriorityThreshold"]; most.given()) {
    rules.while_borrowing_most = borrow.Int32("maxPriorityThreshold", 0);
  }
  return rules;
}

// As the API server: which of borrowing and preempting is preferred matters only where both let the
// search go on.
void CheckPreference(const Field& search, const FlavorRules& read) {
  if (!search["preference"].truthy()) return;
  if (read.when_borrowing == FlavorSearch::kTryNext &&
      read.when_preempting == FlavorSearch::kTryNext) {
    return;
  }
  search["preference"].Refuse(
      "needs whenCanBorrow and whenCanPreempt TryNextFlavor; must be absent else");
}

// As the API server: a ClusterQueue lends no more than it has. Cohorts may.
void CheckLending(const Field& spec) {
  for (const Field& group : spec.Items("resourceGroups")) {
    for (const Field& flavor : group.Items("flavors")) {
      for (const Field& resource : flavor.Items("resources")) {
        const Field lends = resource["lendingLimit"];
        if (!lends.given() || IsUncountable(resource["nominalQuota"])) continue;
        if (IsUncountable(lends) || ReadAmount(lends) > ReadAmount(resource["nominalQuota"])) {
          lends.Refuse("more than nominalQuota; must be at most that");
        }
      }
    }
  }
}

std::optional<Quantity> ReadFairWeight(const Field& spec) {
  const Field weight = spec.Section("fairSharing")["weight"];
  if (!weight.given()) return std::nullopt;
  return ToQuantity("weight", ReadAmount(weight));
}

// No selector selects nothing, an empty one everything.
std::optional<Selector> ReadNamespaceSelector(const ImportSource& source, const Field& spec) {
  const Field field = spec["namespaceSelector"];
  std::optional<Selector> selector = ReadSelector(field);
  if (selector && selector->match_labels.empty() && selector->match_expressions.empty()) {
    return std::nullopt;
  }
  if (source.dump.OfKind("Namespace").empty()) {
    source.log->Ignored(field.object(), "spec.namespaceSelector",
                        "the dump has no namespaces; all are taken as selected");
    return std::nullopt;
  }
  if (!selector) {
    constexpr char kAnyLabel[] = "kubernetes.io/metadata.name";
    selector.emplace();
    selector->match_expressions = {{kAnyLabel, RequirementOp::kExists, {}},
                                   {kAnyLabel, RequirementOp::kDoesNotExist, {}}};
  }
  return selector;
}

// Returns whether the check's controller serves it.
bool IsActive(const ApiObject& check) {
  for (const Field& condition : check.status().Items("conditions")) {
    if (condition["type"].Is("Active")) return condition["status"].Is("True");
  }
  return false;
}

class QueueReader {
 public:
  QueueReader(const ImportSource& source, ClusterSpec* cluster)
      : source_(source), cluster_(cluster) {
    for (const ApiObject* object : source.dump.OfKind("ClusterQueue")) {
      names_.insert(object->name());
    }
  }

  void Read() {
    for (const ApiObject* object : source_.dump.OfKind("Cohort")) ReadCohort(*object);
    for (const ApiObject* object : source_.dump.OfKind("ClusterQueue")) ReadClusterQueue(*object);
    for (const std::string& name : named_) {
      if (place_.find(name) == place_.end()) AddRow(name, Row(name));
    }
    CloseCycles();
    ReadLocalQueues();
  }

 private:
  void ReadLocalQueues() {
    for (const ApiObject* object : source_.dump.OfKind("LocalQueue")) {
      const auto place = place_.find(object->spec().Text("clusterQueue"));
      if (place == place_.end()) continue;
      QueueSpec& queue = cluster_->queues[place->second];
      const Field stop = object->spec()["stopPolicy"];
      if (ReadWord(stop, kStops, StopPolicy::kNone) != StopPolicy::kNone) {
        queue.settings.emplace_back(absl::StrCat(ToAbsl(kueue::kLocalQueueStop), object->key()),
                                    stop.AsText());
      }
      if (const Field weight = object->spec().Section("fairSharing")["weight"]; weight.given()) {
        queue.settings.emplace_back(absl::StrCat(ToAbsl(kueue::kLocalQueueWeight), object->key()),
                                    DecimalText(ReadAmount(weight)));
      }
      ReadUsage(*object, &queue);
    }
  }

  // What the LocalQueue has used. A queue has one time for all of its LocalQueues: the latest.
  static void ReadUsage(const ApiObject& object, QueueSpec* queue) {
    const Field usage =
        object.status().Section("fairSharing").Section("admissionFairSharingStatus");
    if (!usage.given()) return;
    const AmountMap consumed = ReadAmounts(usage["consumedResources"]);
    const int64_t updated = usage.Seconds("lastUpdate");
    if (!queue->history) queue->history.emplace();
    UsageHistory& history = *queue->history;
    if (!history.entries.empty() && history.as_of != updated) {
      usage["lastUpdate"].Ignored(
          "the usage of all LocalQueues of the ClusterQueue counts as of "
          "the latest update");
    }
    history.as_of = std::max(history.as_of, updated);
    UsageEntry& entry = history.entries.emplace_back();
    entry.user = object.key();
    for (const auto& [resource, amount] : consumed) {
      entry.amounts.emplace_back(resource, Quantity(DecimalText(amount)));
    }
  }

  static QueueSpec Row(std::string name) {
    QueueSpec row;
    row.name = std::move(name);
    row.rules = QueueRules();
    return row;
  }
  void AddRow(const std::string& name, QueueSpec row) {
    place_[name] = cluster_->queues.size();
    cluster_->queues.push_back(std::move(row));
  }
  // The name that the cohort has as a queue; it is made, if no object of it is there.
  std::string CohortOf(const Field& spec, std::string_view key, std::string_view older_key) {
    std::string name = spec.Text(key);
    if (name.empty()) name = spec.Text(older_key);
    if (name.empty()) return name;
    if (names_.contains(name)) name = absl::StrCat(ToAbsl(kCohortPrefix), name);
    named_.insert(name);
    return name;
  }

  void ReadCohort(const ApiObject& object) {
    std::string name = object.name();
    if (names_.contains(name)) {
      name = absl::StrCat(ToAbsl(kCohortPrefix), name);
      source_.log->Note(
          object.place(), "metadata.name",
          absl::StrCat("a ClusterQueue has this name, too; the cohort is queue ", Quote(name)));
    }
    QueueSpec row = Row(name);
    row.parent = CohortOf(object.spec(), "parentName", "parent");
    row.rules->groups = ReadGroups(object.spec(), !row.parent.empty());
    row.rules->fair_weight = ReadFairWeight(object.spec());
    row.created = object.created();
    AddRow(name, std::move(row));
  }

  void ReadClusterQueue(const ApiObject& object) {
    const Field spec = object.spec();
    QueueSpec row = Row(object.name());
    row.parent = CohortOf(spec, "cohortName", "cohort");
    row.created = object.created();
    QueueRules& rules = *row.rules;
    rules.groups = ReadGroups(spec, !row.parent.empty());
    rules.strategy =
        ReadWord(spec["queueingStrategy"], kStrategies, QueueingStrategy::kBestEffortFifo);
    rules.stop = ReadWord(spec["stopPolicy"], kStops, StopPolicy::kNone);
    rules.fair_weight = ReadFairWeight(spec);
    const Field search = spec.Section("flavorFungibility");
    rules.flavor_search.when_borrowing =
        ReadWord(search["whenCanBorrow"], kBorrowing, FlavorSearch::kMayStop);
    rules.flavor_search.when_preempting =
        ReadWord(search["whenCanPreempt"], kPreempting, FlavorSearch::kTryNext);
    rules.flavor_search.preference =
        ReadWord(search["preference"], kPreferences, FlavorPreference::kBorrowing);
    CheckPreference(search, rules.flavor_search);
    CheckLending(spec);
    rules.preemption = ReadPreemption(spec.Section("preemption"));
    rules.namespaces = ReadNamespaceSelector(source_, spec);
    ReadChecks(object, &row);
    if (object.metadata()["deletionTimestamp"].given()) {
      Close(object, "metadata.deletionTimestamp", "it is being deleted", &row);
    }
    rules.by_usage = ReadWord(spec.Section("admissionScope")["admissionMode"], kModes, false);
    if (const Field migration = spec["concurrentAdmissionPolicy"]; migration.truthy()) {
      migration.Ignored("variants of one workload are not considered");
    }
    AddRow(object.name(), std::move(row));
  }

  // The queue admits nothing.
  void Close(const ApiObject& object, std::string_view field, const std::string& why,
             QueueSpec* row) const {
    source_.log->LeftOut(object.place(), std::string(field),
                         absl::StrCat(why, "; the queue admits nothing"));
    row->state = QueueState::kClosed;
  }

  void ReadChecks(const ApiObject& object, QueueSpec* row) const {
    QueueRules* const rules = &*row->rules;
    for (const std::string& name : object.spec().Texts("admissionChecks")) {
      rules->checks.push_back({.name = name});
    }
    const Field strategy = object.spec().Section("admissionChecksStrategy");
    for (const Field& check : strategy.Items("admissionChecks")) {
      for (const std::string& flavor : check.Texts("onFlavors")) CheckFlavor(check, flavor, *rules);
      rules->checks.push_back({check.Text("name"), check.Texts("onFlavors")});
    }
    for (const AdmissionCheck& check : rules->checks) {
      const ApiObject* known = source_.dump.Find("AdmissionCheck", check.name);
      if (const std::string kind = KindOf(known); !kind.empty()) {
        row->settings.emplace_back(absl::StrCat(ToAbsl(kueue::kCheckController), check.name), kind);
      }
      if (known != nullptr && IsActive(*known)) continue;
      Close(object, "spec.admissionChecks",
            absl::StrCat("AdmissionCheck ", Quote(check.name),
                         known == nullptr ? " is not there" : " is not active"),
            row);
    }
  }

  // The word for a controller that decides about places; empty: another.
  static std::string KindOf(const ApiObject* check) {
    constexpr std::string_view kDomain = "kueue.x-k8s.io/";
    if (check == nullptr) return "";
    const std::string name = check->spec().Text("controllerName");
    const std::string word = name.starts_with(kDomain) ? name.substr(kDomain.size()) : "";
    return word == "multikueue" || word == "provisioning-request" ? word : "";
  }

  // As the API server: a check is for flavors that the queue has.
  static void CheckFlavor(const Field& check, const std::string& name, const QueueRules& rules) {
    for (const ResourceGroup& group : rules.groups) {
      for (const FlavorQuota& quota : group.flavors) {
        if (quota.flavor == name) return;
      }
    }
    check["onFlavors"].Refuse(
        absl::StrCat("lists ", Quote(name), "; must be flavors of this ClusterQueue"));
  }

  // As in Kueue, nothing is admitted below cohorts that are above themselves.
  void CloseCycles() {
    std::vector<QueueSpec>& rows = cluster_->queues;
    enum : uint8_t { kUnknown, kOnTheWay, kSound, kBroken };
    std::vector<uint8_t> known(rows.size(), kUnknown);
    for (size_t i = 0; i < rows.size(); ++i) {
      std::vector<size_t> way;
      size_t at = i;
      while (known[at] == kUnknown) {
        known[at] = kOnTheWay;
        way.push_back(at);
        if (rows[at].parent.empty()) break;
        at = place_.find(rows[at].parent)->second;
      }
      const bool ends = known[at] == kSound || rows[at].parent.empty();
      for (const size_t passed : way) known[passed] = ends ? kSound : kBroken;
    }
    for (size_t i = 0; i < rows.size(); ++i) {
      if (known[i] == kBroken) Break(&rows[i]);
    }
  }
  void Break(QueueSpec* row) const {
    if (names_.contains(row->name)) {
      row->state = QueueState::kClosed;
      return;
    }
    source_.log->LeftOut(absl::StrCat("Cohort ", row->name), "spec.parentName",
                         "a cohort above it is below it, too; it has no parent here, and queues "
                         "below it admit nothing");
    row->parent.clear();
  }

  const ImportSource& source_;
  ClusterSpec* cluster_;
  HashSet<std::string> names_;          // of ClusterQueues
  HashSet<std::string> named_;          // cohorts, as queues
  HashMap<std::string, size_t> place_;  // by name: the row
};

// Flavors of a topology that is not there.
HashSet<std::string> FlavorsWithLostTopology(const ImportSource& source) {
  HashSet<std::string> lost;
  for (const ApiObject* object : source.dump.OfKind("ResourceFlavor")) {
    const std::string topology = object->spec().Text("topologyName");
    if (!topology.empty() && source.dump.Find("Topology", topology) == nullptr) {
      lost.insert(object->name());
    }
  }
  return lost;
}

}  // namespace

std::string DecimalText(ExactAmount amount) {
  std::string text = absl::StrCat(static_cast<int64_t>(amount / kAmountUnit));
  const int64_t rest = static_cast<int64_t>(amount % kAmountUnit);
  if (rest == 0) return text;
  absl::StrAppend(&text, ".", absl::Dec(rest, absl::kZeroPad9));
  return text.substr(0, text.find_last_not_of('0') + 1);
}

std::vector<Toleration> ReadTolerationsOf(const Field& spec) {
  std::vector<Toleration> tolerations;
  for (const Field& item : spec.Items("tolerations")) {
    Toleration& toleration = tolerations.emplace_back();
    toleration.op = item["operator"].AsWord<TolerationOp>(TolerationOp::kEqual);
    toleration.key = item.Text("key");
    toleration.value = item.Text("value");
    toleration.effect = item["effect"].AsWord<TaintEffect>();
  }
  return tolerations;
}

void AddFlavors(const ImportSource& source, ClusterSpec* cluster) {
  for (const ApiObject* object : source.dump.OfKind("ResourceFlavor")) {
    const Field spec = object->spec();
    FlavorSpec& flavor = cluster->flavors.emplace_back();
    flavor.name = object->name();
    flavor.node_labels = spec.TextMap("nodeLabels");
    flavor.taints = ReadTaints(spec);
    flavor.tolerations = ReadTolerationsOf(spec);
    const std::string topology = spec.Text("topologyName");
    if (topology.empty()) continue;
    const ApiObject* levels = source.dump.Find("Topology", topology);
    if (levels == nullptr) {
      source.log->LeftOut(object->place(), "spec.topologyName",
                          absl::StrCat("Topology ", Quote(topology),
                                       " is not there; a ClusterQueue with it admits nothing"));
      continue;
    }
    flavor.topology = FlavorTopology{.name = topology};
    for (const Field& level : levels->spec().Items("levels")) {
      std::vector<std::string>& known = flavor.topology->levels;
      if (!known.empty() && known.back() == kHostLevel) {
        level["nodeLabel"].Refuse(
            absl::StrCat("is below ", ToAbsl(kHostLevel), "; that level must be the last"));
      }
      known.push_back(level.Text("nodeLabel"));
    }
  }
}

void AddQueues(const ImportSource& source, ClusterSpec* cluster) {
  QueueReader(source, cluster).Read();
  HashSet<std::string> flavors;
  for (const FlavorSpec& flavor : cluster->flavors) flavors.insert(flavor.name);
  const HashSet<std::string> lost = FlavorsWithLostTopology(source);
  for (QueueSpec& queue : cluster->queues) {
    const bool elsewhere =
        std::ranges::any_of(queue.settings, [](const auto& s) { return s.second == "multikueue"; });
    for (const ResourceGroup& group : queue.rules->groups) {
      for (const FlavorQuota& quota : group.flavors) {
        if (lost.contains(quota.flavor) && !elsewhere) queue.state = QueueState::kClosed;
        if (flavors.contains(quota.flavor)) continue;
        source.log->LeftOut(absl::StrCat("ClusterQueue ", queue.name), "spec.resourceGroups",
                            absl::StrCat("ResourceFlavor ", Quote(quota.flavor),
                                         " is not there; a ClusterQueue with it admits nothing"));
      }
    }
  }
}

}  // namespace muster::kueue
