// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kube_scheduler/pod_cycle.h"

#include <algorithm>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/kube/inter_ports.h"
#include "lib/peer/kube_scheduler/extra_plugins.h"

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

std::string CauseText(Cause cause, const World& world) {
  if (cause < Cause::kInsufficient) {
    return std::string(kCauseTexts[static_cast<size_t>(cause)]);
  }
  if (cause >= Cause::kWords) {
    return std::string(
        world.words(static_cast<uint32_t>(cause) - static_cast<uint32_t>(Cause::kWords)));
  }
  const DimensionIndex d(static_cast<uint32_t>(cause) -
                         static_cast<uint32_t>(Cause::kInsufficient));
  return absl::StrCat("Insufficient ", ToAbsl(world.tables().dimensions.name(d)));
}

Cause WordsCause(World* world, std::string_view text) {
  return static_cast<Cause>(static_cast<uint32_t>(Cause::kWords) + world->Words(text));
}

// A pod that is nominated again comes behind the others.
void Nominations::Set(TaskIndex t, NodeIndex n) {
  Clear(t);
  if (n == kNone) return;
  node_of_[t] = n;
  on_[n].push_back(t);
  journal_.push_back(n);
}

void Nominations::Clear(TaskIndex t) {
  const auto it = node_of_.find(t);
  if (it == node_of_.end()) return;
  std::erase(on_[it->second], t);
  journal_.push_back(it->second);
  node_of_.erase(t);
}

PodCycle::PodCycle(World& world, ClassStates& states, const Settings& settings,
                   const Nominations& nominations, TaskIndex task, JobIndex group)
    : world_(world),
      settings_(settings),
      nominations_(nominations),
      task_(task),
      group_(group),
      class_(world.class_of(task)),
      pod_(world.classes().at(class_)),
      shape_(*pod_.shape),
      state_(states.At(class_)),
      own_counts_(group == kNone ? nullptr
                                 : std::make_unique<std::pair<AffinityState, SpreadState>>(
                                       state_->affinity, state_->spread)),
      affinity_(own_counts_ == nullptr ? state_->affinity : own_counts_->first),
      spread_(own_counts_ == nullptr ? state_->spread : own_counts_->second),
      skips_affinity_(affinity_.skips()) {
  absent_.code = Code::kUnresolvable;
  PreFilter();
  if (pre_filter_failed_ || world.extra() == nullptr) return;
  Status status = world.extra()->PreFilter(task);
  if (status.code == Code::kFits) return;
  rejectors_.Add(status.plugin);
  absent_ = std::move(status);
  pre_filter_failed_ = extra_failed_ = true;
}

void PodCycle::PreFilter() {
  if (settings_.off.has(Plugin::kNodeAffinity)) return;
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
  std::vector<uint32_t>& at = search_.refused_at;
  if (at.empty()) {
    at.assign(world_.tables().nodes.alive.size(), 0);
    for (uint32_t i = 0; i < refused().size(); ++i) at[refused()[i].first] = i + 1;
  }
  return at[n] == 0 ? absent_ : refused()[at[n] - 1].second;
}

int64_t NodesToFind(const Settings& settings, int64_t nodes) {
  if (nodes < kAlwaysExamined) return nodes;
  const int64_t percentage =
      settings.percentage != 0 ? settings.percentage : std::max<int64_t>(5, 50 - nodes / 125);
  return std::max(kAlwaysExamined, nodes * percentage / 100);
}

PodCycle::~PodCycle() {
  if (keeps_) state_->vain = std::move(search_);
}

bool PodCycle::MayRemember(NodeIndex hint) const {
  return hint == kNone && group_ == kNone && !only_ && is_alone() && world_.extra() == nullptr &&
         !settings_.traces && !is_nominated();
}

bool PodCycle::SearchAgain(uint64_t start) {
  VainSearch& last = state_->vain;
  if (!last.known || last.start != start || last.priority != world_.priority(task_)) return false;
  last.known = false;
  std::vector<std::pair<NodeIndex, Status>> changed;
  const auto ask = [&](NodeIndex n) {
    if (world_.place_of(n) != kNone) changed.emplace_back(n, Filter(n, world_.books(n)));
  };
  const std::vector<WorldChange>& journal = world_.journal();
  for (size_t i = last.changes; i < journal.size(); ++i) {
    if (journal[i].pods != 0) ask(journal[i].node);
  }
  const std::vector<NodeIndex>& nominated = nominations_.journal();
  for (size_t i = last.nominations; i < nominated.size(); ++i) ask(nominated[i]);
  const auto fits = [](const auto& answer) { return answer.second.code == Code::kFits; };
  if (std::ranges::any_of(changed, fits)) return false;
  search_ = std::move(last);
  last = {};
  for (auto& [n, status] : changed) {
    Status& before = search_.refused[search_.refused_at[n] - 1].second;
    if (before == status) continue;
    if (before.code != status.code) search_.curable.reset();
    search_.counted = false;
    before = std::move(status);
  }
  for (const auto& [plugin, nodes] : counted().plugins.list()) {
    if (nodes > 0) rejectors_.Add(plugin);
  }
  return true;
}

void PodCycle::CountRefused() const {
  search_.causes = {};
  search_.first_causes = {};
  search_.plugins = {};
  search_.in_order = 0;
  search_.listed = static_cast<int64_t>(search_.refused.size());
  for (const auto& [node, status] : search_.refused) {
    for (const Cause cause : status.causes) search_.causes.Add(cause, 1);
    search_.plugins.Add(status.plugin, 1);
    if (world_.place_of(node) == kNone) continue;
    search_.first_causes.Add(status.causes.empty() ? Cause::kNodeAffinity : status.causes[0], 1);
    ++search_.in_order;
  }
  search_.counted = true;
}

void PodCycle::ForgetNodes() {
  (void)counted();
  // Assigned as `= {}`, a vector would keep its memory.
  const auto free = [](auto*... member) {
    ((*member = std::remove_pointer_t<decltype(member)>()), ...);
  };
  free(&search_.refused, &search_.refused_at, &feasible_, &totals_, &heap_, &raw_, &weighted_,
       &extra_scores_);
}

const std::vector<NodeIndex>& PodCycle::curable() {
  if (!search_.curable) {
    search_.curable.emplace();
    for (const NodeIndex n : world_.by_name()) {
      if (status(n).code == Code::kUnschedulable) search_.curable->push_back(n);
    }
  }
  return *search_.curable;
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
      if (n == tried_first_) {
        search_.refused[0].second = std::move(status);  // examined again
      } else {
        search_.refused.emplace_back(n, std::move(status));
      }
    }
  }
}

uint64_t PodCycle::Search(uint64_t start, NodeIndex hint) {
  const size_t all = world_.order().size();
  if (pre_filter_failed_) return start;
  const bool remembers = MayRemember(hint);
  const auto remember = [&] {
    keeps_ = search_.known = true;
    search_.start = start;
    search_.priority = world_.priority(task_);
    search_.changes = world_.journal().size();
    search_.nominations = nominations_.journal().size();
    return start % all;
  };
  if (remembers && SearchAgain(start)) return remember();
  NodeIndex first = nominations_.of(task_);
  if (first == kNone) first = hint;
  if (first != kNone) {
    Examine({first}, 0, 1);
    if (!feasible_.empty()) return start;
    tried_first_ = first;
  }
  const std::vector<NodeIndex>& nodes = only_ ? *only_ : world_.order();
  const int64_t wanted = NodesToFind(settings_, static_cast<int64_t>(nodes.size()));
  Examine(nodes, start, static_cast<size_t>(wanted));
  if (remembers && feasible_.empty() && refused().size() == all) {
    (void)status(nodes[0]);  // lists the places of all
    return remember();
  }
  return (start + feasible_.size() + refused().size()) % all;
}

void PodCycle::CheckResources(NodeIndex n, const NodeBooks& books, Status* status) const {
  if (!state_->checks_fit) return;
  if (books.pods + 1 > world_.allocatable(n, kPods)) status->causes.push_back(Cause::kTooManyPods);
  bool hopeless = false;
  for (const DimensionIndex d : state_->requested) {
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

bool PodCycle::SeesOtherBooks(NodeIndex n) const {
  return world_.extra() != nullptr && world_.extra()->SeesOtherBooks(task_, n);
}

Status PodCycle::FilterOnce(NodeIndex n, const NodeBooks& books) const {
  if (!SeesOtherBooks(n)) return FilterWith(n, books);
  NodeBooks seen = books;
  world_.extra()->ChangeBooks(task_, n, &seen);
  return FilterWith(n, seen);
}

Status PodCycle::FilterWith(NodeIndex n, const NodeBooks& books) const {
  switch (state_->nodes->answer[n]) {
    case NodeAnswer::kFits:
      break;
    case NodeAnswer::kUnschedulable:
      return Refuse(Code::kUnresolvable, Plugin::kNodeUnschedulable, Cause::kUnschedulable);
    case NodeAnswer::kTaint:
      return Refuse(Code::kUnresolvable, Plugin::kTaintToleration, Cause::kTaint);
    case NodeAnswer::kAddedAffinity:
      return Refuse(Code::kUnresolvable, Plugin::kNodeAffinity, Cause::kAddedAffinity);
    case NodeAnswer::kNodeAffinity:
      return Refuse(Code::kUnresolvable, Plugin::kNodeAffinity, Cause::kNodeAffinity);
  }
  for (const HostPort& port : shape_.host_ports) {
    if (settings_.off.has(Plugin::kNodePorts)) break;
    for (const HostPort* used : books.ports) {
      if (PortsConflict(port, *used)) {
        return Refuse(Code::kUnschedulable, Plugin::kNodePorts, Cause::kPorts);
      }
    }
  }
  Status status;
  CheckResources(n, books, &status);
  if (status.code != Code::kFits) return status;
  switch (spread_.skips() ? SpreadState::Answer::kFits : spread_.Refusal(n)) {
    case SpreadState::Answer::kFits:
      break;
    case SpreadState::Answer::kLacksLabel:
      return Refuse(Code::kUnresolvable, Plugin::kPodTopologySpread, Cause::kSpreadLabel);
    case SpreadState::Answer::kSkewed:
      return Refuse(Code::kUnschedulable, Plugin::kPodTopologySpread, Cause::kSpread);
  }
  switch (skips_affinity_ ? AffinityState::Answer::kFits : affinity_.Refusal(n)) {
    case AffinityState::Answer::kFits:
      break;
    case AffinityState::Answer::kAffinity:
      return Refuse(Code::kUnresolvable, Plugin::kInterPodAffinity, Cause::kAffinity);
    case AffinityState::Answer::kAntiAffinity:
      return Refuse(Code::kUnschedulable, Plugin::kInterPodAffinity, Cause::kAntiAffinity);
    case AffinityState::Answer::kExisting:
      return Refuse(Code::kUnschedulable, Plugin::kInterPodAffinity, Cause::kExistingAntiAffinity);
  }
  if (world_.extra() != nullptr) return world_.extra()->Filter(task_, n, books);
  return status;
}

void PodCycle::Count(TaskIndex other, NodeIndex n, int sign) {
  const ClassIndex c = world_.class_of(other);
  if (!skips_affinity_) affinity_.Count(c, n, sign);
  spread_.Count(c, n, sign);
  if (world_.extra() != nullptr) world_.extra()->CountVictim(other, sign);
}

Status PodCycle::Filter(NodeIndex n, const NodeBooks& books) {
  return nominations_.on(n).empty() ? FilterOnce(n, books) : FilterNominated(n, books);
}

Status PodCycle::FilterNominated(NodeIndex n, const NodeBooks& books) {
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
