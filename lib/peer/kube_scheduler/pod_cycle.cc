// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kube_scheduler/pod_cycle.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/kube/selectors.h"

namespace muster::kube {
namespace {

constexpr std::string_view kCauseTexts[] = {
    "node(s) were unschedulable",
    "node(s) had untolerated taint(s)",
    "node(s) didn't match Pod's node affinity/selector",
    "node(s) didn't match scheduler-enforced node affinity",
    "node(s) didn't have free ports for the requested pod ports",
    "Too many pods",
    "node(s) didn't match pod topology spread constraints",
    "node(s) didn't match pod topology spread constraints (missing required label)",
    "node(s) didn't match pod affinity rules",
    "node(s) didn't match pod anti-affinity rules",
    "node(s) didn't satisfy existing pods anti-affinity rules",
    "No preemption victims found for incoming pod",
    "Preemption is not helpful for scheduling",
    "node(s) didn't satisfy plugin(s) [NodeAffinity]",
    "pod affinity terms conflict",
};

constexpr int64_t kAlwaysExamined = 100;  // nodes, whatever the percentage

// Returns whether the name is one of an extended resource: no other can be ignored.
bool IsExtendedName(std::string_view name) {
  return name.find('/') != name.npos && name.find("kubernetes.io/") == name.npos &&
         !name.starts_with("requests.");
}

Status Refuse(Code code, Plugin plugin, Cause cause) {
  Status status;
  status.code = code;
  status.plugin = plugin;
  status.causes.push_back(cause);
  return status;
}

// Returns the names that the term allows by field; nothing where it has no such field.
std::optional<std::vector<std::string>> NamesOf(const NodeTerm& term) {
  std::optional<std::vector<std::string>> names;
  for (const Requirement& field : term.match_fields) {
    if (field.key != "metadata.name" || field.op != RequirementOp::kIn) continue;
    if (!names) {
      names = field.values;
      continue;
    }
    std::erase_if(*names, [&](const std::string& name) {
      return std::find(field.values.begin(), field.values.end(), name) == field.values.end();
    });
  }
  return names;
}

}  // namespace

std::string CauseText(Cause cause, const Tables& tables) {
  if (cause < Cause::kInsufficient) {
    return std::string(kCauseTexts[static_cast<size_t>(cause)]);
  }
  const DimensionIndex d(static_cast<uint32_t>(cause) -
                         static_cast<uint32_t>(Cause::kInsufficient));
  return absl::StrCat("Insufficient ", ToAbsl(tables.dimensions.name(d)));
}

// A pod that is nominated again comes behind the others.
void Nominations::Set(TaskIndex t, NodeIndex n) {
  Clear(t);
  if (n == kNone) return;
  node_of_[t] = n;
  on_[n].push_back(t);
}

void Nominations::Clear(TaskIndex t) {
  const auto it = node_of_.find(t);
  if (it == node_of_.end()) return;
  std::erase(on_[it->second], t);
  node_of_.erase(t);
}

PodCycle::PodCycle(World& world, const Settings& settings, const Nominations& nominations,
                   TaskIndex task, JobIndex group)
    : world_(world),
      settings_(settings),
      nominations_(nominations),
      task_(task),
      group_(group),
      class_(world.class_of(task)),
      pod_(world.classes().at(class_)),
      shape_(*pod_.shape),
      affinity_(world, class_),
      spread_(world, class_) {
  const Tables& tables = world.tables();
  for (DimensionIndex d = 0; d < pod_.request.size(); ++d) {
    if (d == kPods || pod_.request[d] <= 0) continue;
    const std::string_view name = tables.dimensions.name(d);
    if (!IsIgnored(name)) requested_.push_back(d);
  }
  absent_.code = Code::kUnresolvable;
  PreFilter();
}

bool PodCycle::IsIgnored(std::string_view name) const {
  if (!IsExtendedName(name)) return false;
  const auto listed = [](const std::vector<std::string>& list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
  };
  return listed(settings_.ignored_resources, name) ||
         listed(settings_.ignored_groups, name.substr(0, name.find('/')));
}

void PodCycle::PreFilter() {
  const bool added = shape_.pod && shape_.pod->added_affinity;
  checks_affinity_ = shape_.required_node_affinity || added || !shape_.node_selector.empty();
  if (!shape_.required_node_affinity || shape_.required_node_affinity->empty()) return;
  std::vector<std::string> names;
  for (const NodeTerm& term : *shape_.required_node_affinity) {
    const auto of_term = NamesOf(term);
    if (!of_term) return;
    names.insert(names.end(), of_term->begin(), of_term->end());
  }
  if (names.empty()) {
    absent_ = Refuse(Code::kUnresolvable, Plugin::kNodeAffinity, Cause::kConflict);
    rejectors_.Add(Plugin::kNodeAffinity);
    pre_filter_failed_ = true;
    return;
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  only_.emplace();
  for (const std::string& name : names) {
    const auto node = world_.tables().nodes.names.Find(name);
    if (node && world_.tables().nodes.alive[*node]) only_->push_back(*node);
  }
  rejectors_.Add(Plugin::kNodeAffinity);
  absent_ = Refuse(Code::kUnresolvable, Plugin::kNone, Cause::kNotInSet);
}

const Status& PodCycle::status(NodeIndex n) const {
  const auto it = statuses_.find(n);
  return it == statuses_.end() ? absent_ : it->second;
}

int64_t PodCycle::NodesToFind(int64_t nodes) const {
  if (nodes < kAlwaysExamined) return nodes;
  const int64_t percentage =
      settings_.percentage != 0 ? settings_.percentage : std::max<int64_t>(5, 50 - nodes / 125);
  return std::max(kAlwaysExamined, nodes * percentage / 100);
}

void PodCycle::Examine(const std::vector<NodeIndex>& nodes, uint64_t start, size_t wanted) {
  for (size_t i = 0; i < nodes.size(); ++i) {
    const NodeIndex n = nodes[(start + i) % nodes.size()];
    Status status = Filter(n, world_.books(n));
    if (status.code == Code::kFits) {
      if (feasible_.size() == wanted) return;  // one beyond those to be found ends the search
      feasible_.push_back(n);
    } else {
      rejectors_.Add(status.plugin);
      statuses_[n] = std::move(status);
    }
  }
}

uint64_t PodCycle::Search(uint64_t start, NodeIndex hint) {
  const size_t all = world_.order().size();
  if (pre_filter_failed_) return start;
  NodeIndex first = nominations_.of(task_);
  if (first == kNone) first = hint;
  if (first != kNone) {
    Examine({first}, 0, 1);
    if (!feasible_.empty()) return start;
  }
  const std::vector<NodeIndex>& nodes = only_ ? *only_ : world_.order();
  Examine(nodes, start, static_cast<size_t>(NodesToFind(static_cast<int64_t>(nodes.size()))));
  return (start + feasible_.size() + statuses_.size()) % all;
}

void PodCycle::CheckResources(NodeIndex n, const NodeBooks& books, Status* status) const {
  if (books.pods + 1 > world_.allocatable(n, kPods)) status->causes.push_back(Cause::kTooManyPods);
  bool hopeless = false;
  for (const DimensionIndex d : requested_) {
    const int64_t has = world_.allocatable(n, d), wanted = pod_.request[d];
    if (wanted <= has - books.requested[d]) continue;
    status->causes.push_back(
        static_cast<Cause>(static_cast<uint32_t>(Cause::kInsufficient) + static_cast<uint32_t>(d)));
    hopeless |= wanted > has;
  }
  if (status->causes.empty()) return;
  status->code = hopeless ? Code::kUnresolvable : Code::kUnschedulable;
  status->plugin = Plugin::kNodeResourcesFit;
}

Status PodCycle::FilterOnce(NodeIndex n, const NodeBooks& books) const {
  const NodeSpec& node = world_.spec(n);
  if (node.unschedulable && !ToleratesUnschedulable(shape_)) {
    return Refuse(Code::kUnresolvable, Plugin::kNodeUnschedulable, Cause::kUnschedulable);
  }
  if (FirstUntolerated(shape_, node) != nullptr) {
    return Refuse(Code::kUnresolvable, Plugin::kTaintToleration, Cause::kTaint);
  }
  if (checks_affinity_) {
    if (shape_.pod && shape_.pod->added_affinity) {
      const std::vector<NodeTerm>& terms = *shape_.pod->added_affinity;
      const auto matches = [&](const NodeTerm& term) { return Matches(term, node); };
      if (std::none_of(terms.begin(), terms.end(), matches)) {
        return Refuse(Code::kUnresolvable, Plugin::kNodeAffinity, Cause::kAddedAffinity);
      }
    }
    if (!MatchesNode(shape_, node)) {
      return Refuse(Code::kUnresolvable, Plugin::kNodeAffinity, Cause::kNodeAffinity);
    }
  }
  for (const HostPort& port : shape_.host_ports) {
    for (const HostPort* used : books.ports) {
      if (PortsConflict(port, *used)) {
        return Refuse(Code::kUnschedulable, Plugin::kNodePorts, Cause::kPorts);
      }
    }
  }
  Status status;
  CheckResources(n, books, &status);
  if (status.code != Code::kFits) return status;
  switch (spread_.Refusal(n)) {
    case SpreadState::Answer::kFits:
      break;
    case SpreadState::Answer::kLacksLabel:
      return Refuse(Code::kUnresolvable, Plugin::kPodTopologySpread, Cause::kSpreadLabel);
    case SpreadState::Answer::kSkewed:
      return Refuse(Code::kUnschedulable, Plugin::kPodTopologySpread, Cause::kSpread);
  }
  if (affinity_.skips()) return status;
  switch (affinity_.Refusal(n)) {
    case AffinityState::Answer::kFits:
      break;
    case AffinityState::Answer::kAffinity:
      return Refuse(Code::kUnresolvable, Plugin::kInterPodAffinity, Cause::kAffinity);
    case AffinityState::Answer::kAntiAffinity:
      return Refuse(Code::kUnschedulable, Plugin::kInterPodAffinity, Cause::kAntiAffinity);
    case AffinityState::Answer::kExisting:
      return Refuse(Code::kUnschedulable, Plugin::kInterPodAffinity, Cause::kExistingAntiAffinity);
  }
  return status;
}

void PodCycle::Count(TaskIndex other, NodeIndex n, int sign) {
  const ClassIndex c = world_.class_of(other);
  if (!affinity_.skips()) affinity_.Count(c, n, sign);
  spread_.Count(c, n, sign);
}

Status PodCycle::Filter(NodeIndex n, const NodeBooks& books) {
  std::vector<TaskIndex> above;
  int64_t known_by_name = 0;
  const int32_t priority = world_.priority(task_);
  for (const TaskIndex t : nominations_.on(n)) {
    if (t == task_) continue;
    if (group_ != kNone && world_.tables().tasks.job[t] == group_) {
      known_by_name += priority <= 0;
    } else if (world_.priority(t) >= priority) {
      above.push_back(t);
    }
  }
  if (above.empty() && known_by_name == 0) return FilterOnce(n, books);
  NodeBooks with = books;
  with.pods += known_by_name;
  for (const TaskIndex t : above) {
    with.Add(world_.pod(t));
    Count(t, n, 1);
  }
  Status status = FilterOnce(n, with);
  for (const TaskIndex t : above) Count(t, n, -1);
  return status.code == Code::kFits ? FilterOnce(n, books) : status;
}

}  // namespace muster::kube
