// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Ledger, dispatcher and node search of a profile, opened on a scenario as a session opens them,
// with the questions that a recorded test asked one by one. No action runs.
#include "lib/session/session.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "lib/part/group_sheet.h"
#include "lib/part/victims.h"
#include "lib/peer/volcano/action/gang_victims.h"
#include "lib/peer/volcano/actions.h"
#include "lib/peer/volcano/policy/task_buckets.h"
#include "lib/plan/explain.h"
#include "lib/policy/job_demand.h"
#include "lib/profile/profile.h"
#include "lib/scenario/scenario.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using nlohmann::json;

// Scores by name, for a search among nodes that differ in nothing else.
class Liking : public Policy, public ScorePolicy {
 public:
  explicit Liking(std::vector<double> scores) : scores_(std::move(scores)) {}
  std::string_view name() const override { return "liking"; }
  PointSet points() const override { return {Point::kScore}; }
  ScorePolicy* score() override { return this; }
  Scope ScoreScope(ClassIndex) override { return Scope::kCluster; }
  void ScoreNodes(TaskIndex, std::span<const NodeIndex> nodes, std::span<double> order,
                  std::span<double>) override {
    for (size_t i = 0; i < nodes.size(); ++i) order[i] += scores_[nodes[i]];
  }

 private:
  const std::vector<double> scores_;
};

// Names tasks as victims, without a beneficiary.
class Naming : public Policy, public VictimPolicy {
 public:
  explicit Naming(std::vector<TaskIndex> named) : named_(std::move(named)) {}
  std::string_view name() const override { return "naming"; }
  PointSet points() const override { return {Point::kVictims}; }
  VictimPolicy* victims() override { return this; }
  void Victims(std::span<const TaskIndex> candidates, std::vector<TaskIndex>* chosen) override {
    for (TaskIndex t : candidates) {
      if (std::find(named_.begin(), named_.end(), t) != named_.end()) chosen->push_back(t);
    }
  }

 private:
  const std::vector<TaskIndex> named_;
};

class Asked {
 public:
  Asked(Cluster& cluster, const ProfileConfig& config, const ScheduleOptions& options)
      : cluster_(cluster),
        tables_(TablesOf(cluster)),
        config_(config),
        options_(options),
        ledger_(tables_, config.accounting) {
    for (const JobSpec& spec : tables_.jobs.spec) phases_.push_back(spec.phase);
    std::vector<std::vector<ActivePolicy>> tiers;
    for (const auto& tier : config_.tiers) {
      tiers.emplace_back();
      for (const ConfiguredPolicy& policy : tier) {
        tiers.back().push_back({policy.decl.make(policy.options), policy.points});
      }
    }
    dispatcher_ = std::make_unique<Dispatcher>(std::move(tiers), config_.rules);
    domains_.Open(tables_, /*changed=*/true);
    const internal::CycleData data{tables_, ledger_, options_.now, phases_, nullptr, &domains_};
    dispatcher_->Open(Cycle(&data));
    search_ = std::make_unique<NodeSearch>(ledger_, *dispatcher_, Rules(), speed_);
    search_->BeginCycle();
  }

  // The answer to [QUESTION, NAME...]. What is wrong with the question is left in `error_`.
  absl::StatusOr<json> Answer(const json& question) {
    error_ = absl::OkStatus();
    arguments_ = &question;
    const bool named = question.is_array() && !question.empty() && question[0].is_string();
    json answer = Ask(named ? question[0].get<std::string>() : "");
    if (!error_.ok()) return error_;
    return answer;
  }

 private:
  json Ask(const std::string& question) {
    if (question == "move") return Move();
    if (question == "add" || question == "remove") return Change(question == "add");
    if (question == "ready") return Of(Job(1), [&](JobIndex j) { return dispatcher_->Ready(j); });
    if (question == "pipelined")
      return Of(Job(1), [&](JobIndex j) { return dispatcher_->Pipelined(j); });
    if (question == "starving")
      return Of(Job(1), [&](JobIndex j) { return dispatcher_->Starving(j); });
    if (question == "valid") return Of(Job(1), [&](JobIndex j) { return dispatcher_->Valid(j); });
    if (question == "admit") {
      return Of(Job(1), [&](JobIndex j) { return dispatcher_->Admit(j).ok(); });
    }
    if (question == "admitted") {
      return Of(Job(1), [&](JobIndex j) {
        dispatcher_->Admitted(j);
        return nullptr;
      });
    }
    if (question == "phase") return Of(Job(1), [&](JobIndex j) { return PhaseAtClose(j); });
    if (question == "missing_minimum") {
      return Of(Job(1), [&](JobIndex j) { return Amounts(MissingMinimum(tables_, ledger_, j)); });
    }
    if (question == "compare_jobs" || question == "job_before") {
      const JobIndex a = Job(1), b = Job(2);
      if (!error_.ok()) return nullptr;
      if (question == "job_before") return dispatcher_->JobBefore(a, b);
      return Sign(dispatcher_->CompareJobs(a, b));
    }
    if (question == "lca") return DomainName(domains_.Lca(Domain(1), Domain(2)));
    if (question == "way_up") return WayUp();
    if (question == "lowest_domain") return LowestDomain();
    if (question == "nodes_of_domain") return NodesOfDomain();
    if (question == "wish") return WishOf();
    if (question == "domains") return DomainNames();
    if (question == "domain_scores") return DomainScores();
    if (question == "near_scores") return NearScores();
    if (question == "preemptable" || question == "reclaimable") return Victims(question);
    if (question == "order_victims") return OrderVictims();
    if (question == "shuffle") return Shuffle();
    if (question == "nodes_to_find") return NodesToFind();
    if (question == "bundles") return Bundles();
    if (question == "best_fit") return BestFit();
    if (question == "pending") return Of(Job(1), [&](JobIndex j) { return Pending(j); });
    if (question == "wishes_hold") {
      return Of(Job(1), [&](JobIndex j) { return WishesHold(tables_, j); });
    }
    if (question == "victims") return VictimsForNobody();
    if (question == "best") return Best();
    if (question == "score") return Score();
    if (question == "fits") {
      const TaskIndex t = Task(1);
      const NodeIndex n = Node(2);
      if (!error_.ok()) return nullptr;
      return search_->FitsNode(tables_.tasks.task_class[t], n);
    }
    if (question == "plan") return Decided();
    if (question == "node") return Of(Node(1), [&](NodeIndex n) { return NodeBooks(n); });
    if (question == "job") return Of(Job(1), [&](JobIndex j) { return JobBooks(j); });
    error_ = absl::InvalidArgumentError(absl::StrCat("no question: \"", question, "\""));
    return nullptr;
  }

  SearchRules Rules() const {
    SearchRules rules;
    for (DimensionIndex d = 0; d < tables_.dimension_count(); ++d) {
      const bool milli = IsMilliDimension(tables_.dimensions.name(d));
      rules.slack.push_back(milli || d == kMemory ? config_.accounting.least.of(d) - 1 : 0);
    }
    rules.pods_are_a_resource = config_.pods_are_a_resource;
    rules.want_releasing = config_.want_releasing;
    rules.overfull_nodes_are_out = config_.overfull_nodes_are_out;
    return rules;
  }

  template <typename Id, typename Function>
  json Of(Id index, Function function) {
    if (!error_.ok()) return nullptr;
    return function(index);
  }

  std::string Word(size_t i) {
    if (i < arguments_->size() && (*arguments_)[i].is_string()) return (*arguments_)[i];
    error_ = absl::InvalidArgumentError(
        absl::StrCat(arguments_->dump(), ": expected a name at place ", i));
    return "";
  }
  template <typename Id>
  Id Find(const IndexNames<Id>& names, const std::string& name) {
    const auto index = names.Find(name);
    if (index.has_value()) return *index;
    if (error_.ok()) {
      error_ = absl::NotFoundError(
          absl::StrCat(arguments_->dump(), ": nothing is named \"", name, "\""));
    }
    return kNone;
  }
  JobIndex Job(size_t i) { return Find(tables_.jobs.names, Word(i)); }
  TaskIndex Task(size_t i) { return Find(tables_.tasks.names, Word(i)); }
  NodeIndex Node(size_t i) { return Find(tables_.nodes.names, Word(i)); }

  json Move() {
    const TaskIndex task = Task(1);
    const std::string word = Word(2);
    const NodeIndex node = arguments_->size() > 3 ? Node(3) : kNone;
    for (int s = 0; error_.ok() && s < kTaskStatusCount; ++s) {
      const TaskStatus status = static_cast<TaskStatus>(s);
      if (TaskStatusName(status) != word) continue;
      if (HoldsNode(status) != (node != kNone)) {
        error_ = absl::InvalidArgumentError(absl::StrCat(
            arguments_->dump(), ": this status ", node == kNone ? "needs a node" : "has no node"));
        return nullptr;
      }
      ledger_.Move(task, status, node);
      return nullptr;
    }
    if (error_.ok()) error_ = absl::InvalidArgumentError(absl::StrCat("no status: \"", word, "\""));
    return nullptr;
  }

  // The world itself: ["add", SCENARIO OF TASKS], ["remove", TASK]. The books follow; nothing may
  // have moved yet.
  json Change(bool add) {
    if (!add) {
      error_ = cluster_.RemoveTask(Word(1));
    } else if (auto scenario = ParseScenario((*arguments_)[1].dump()); !scenario.ok()) {
      error_ = scenario.status();
    } else {
      for (const TaskSpec& task : scenario->cluster.tasks) error_.Update(cluster_.AddTask(task));
    }
    if (error_.ok() && !ledger_.Sync()) {
      error_ = absl::FailedPreconditionError("the change brings a dimension that was not there");
    }
    return nullptr;
  }

  json Victims(const std::string& question) {
    const TaskIndex evictor = Task(1);
    std::vector<TaskIndex> candidates;
    for (const json& name : (*arguments_)[2]) {
      candidates.push_back(Find(tables_.tasks.names, name.get<std::string>()));
    }
    if (!error_.ok()) return nullptr;
    json names = json::array();
    for (TaskIndex t : question == "preemptable" ? dispatcher_->Preemptable(evictor, candidates)
                                                 : dispatcher_->Reclaimable(evictor, candidates)) {
      names.push_back(std::string(tables_.tasks.names.name(t)));
    }
    return names;
  }

  // ["victims", [TASK...]]: those that the profile names without a beneficiary; of none: of all
  // that run.
  json VictimsForNobody() {
    std::vector<TaskIndex> running;
    for (const json& name : (*arguments_)[1]) {
      running.push_back(Find(tables_.tasks.names, name.get<std::string>()));
    }
    if (!error_.ok()) return nullptr;
    for (TaskIndex t = 0; (*arguments_)[1].empty() && t < tables_.tasks.alive.size(); ++t) {
      if (ledger_.status(t) == TaskStatus::kRunning) running.push_back(t);
    }
    json names = json::array();
    for (TaskIndex t : dispatcher_->Victims(running)) {
      names.push_back(std::string(tables_.tasks.names.name(t)));
    }
    return names;
  }

  // Domains by name, null for none; the root is "".
  DomainIndex Domain(size_t i) {
    if (i >= arguments_->size() || (*arguments_)[i].is_null()) return kNone;
    const std::string name = (*arguments_)[i].get<std::string>();
    return name.empty() ? domains_.root() : Find(tables_.domains.names, name);
  }
  json DomainName(DomainIndex domain) const {
    if (domain == kNone) return nullptr;
    return domain == domains_.root() ? "" : std::string(tables_.domains.names.name(domain));
  }
  json WayUp() {
    json names = json::array();
    for (DomainIndex d = Domain(1); error_.ok() && d != kNone; d = domains_.parent(d)) {
      names.push_back(DomainName(d));
    }
    return names;
  }
  json LowestDomain() {
    const NodeIndex node = Find(tables_.nodes.names, (*arguments_)[1].get<std::string>());
    return error_.ok() ? DomainName(domains_.Lowest(node)) : json();
  }
  json NodesOfDomain() {
    const DomainIndex domain = Domain(1);
    json names = json::array();
    if (!error_.ok()) return names;
    for (NodeIndex n : domains_.nodes(domain)) {
      names.push_back(std::string(tables_.nodes.names.name(n)));
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  // [..., JOB, SUB_GROUP or null]
  SubGroup Group(size_t i) {
    SubGroup group{Job(i), kNone};
    if (!error_.ok() || i + 1 >= arguments_->size() || (*arguments_)[i + 1].is_null()) return group;
    const auto& known = tables_.jobs.spec[group.job].sub_groups;
    for (SubGroupIndex s = 0; s < known.size(); ++s) {
      if (known[s].name == (*arguments_)[i + 1].get<std::string>()) group.index = s;
    }
    return group;
  }
  json WishOf() {
    const SubGroup group = Group(1);
    if (!error_.ok()) return nullptr;
    const Domains::Wish wish = domains_.WishOf(group);
    return {{"there", wish.there}, {"hard", wish.hard}, {"tier", wish.tier}};
  }
  // ["domain_scores", JOB, SUB_GROUP or null, [DOMAIN...]]: of all of them together.
  json DomainScores() {
    const SubGroup group = Group(1);
    std::vector<DomainIndex> domains;
    for (const json& name : (*arguments_)[3]) {
      const std::string text = name.get<std::string>();
      domains.push_back(text.empty() ? domains_.root() : Find(tables_.domains.names, text));
    }
    if (!error_.ok()) return nullptr;
    std::vector<double> scores(domains.size(), 0);
    dispatcher_->ScoreDomains(group, domains, scores);
    json answer = json::object();
    for (size_t i = 0; i < domains.size(); ++i) {
      answer[DomainName(domains[i]).get<std::string>()] = scores[i];
    }
    return answer;
  }
  // ["near_scores", TASK, [NODE...], DOMAIN or null]: for where they are in the tree, when that is
  // where the task's sub-group is.
  json NearScores() {
    const TaskIndex task = Find(tables_.tasks.names, (*arguments_)[1].get<std::string>());
    std::vector<NodeIndex> nodes;
    for (const json& name : (*arguments_)[2]) {
      nodes.push_back(Find(tables_.nodes.names, name.get<std::string>()));
    }
    domains_.set_anchor(Domain(3));
    json answer = json::object();
    if (!error_.ok()) return answer;
    std::vector<double> order(nodes.size(), 0), batch(nodes.size(), 0);
    for (const PolicyEntry* entry : dispatcher_->at(Point::kScore)) {
      if (entry->traits.scores_by_domain) {
        entry->score->ScoreNodes(task, nodes, order, batch);
      }
    }
    for (size_t i = 0; i < nodes.size(); ++i) {
      answer[std::string(tables_.nodes.names.name(nodes[i]))] = batch[i];
    }
    return answer;
  }
  // ["domains", JOB, SUB_GROUP or null, WITHIN, ALLOCATED, EVICTING]: lists, each sorted; of the
  // job if it has no sub-groups and none is named.
  json DomainNames() {
    const SubGroup group = Group(1);
    const DomainIndex within = Domain(3), allocated = Domain(4);
    if (!error_.ok()) return nullptr;
    const bool evicting = (*arguments_)[5].get<bool>();
    const bool of_job = group.index == kNone;
    json lists = json::array();
    for (const std::vector<DomainIndex>& list :
         of_job ? dispatcher_->DomainsForJob(group.job, within, allocated, evicting)
                : dispatcher_->DomainsForGroup(group, within, allocated, evicting)) {
      json names = json::array();
      for (DomainIndex d : list) names.push_back(DomainName(d));
      std::sort(names.begin(), names.end());
      lists.push_back(std::move(names));
    }
    return lists;
  }

  // ["order_victims", [TASK...], TASK]: as preempt and reclaim evict them for the last one, or
  // without a beneficiary.
  json OrderVictims() {
    const std::vector<TaskIndex> victims = NamedTasks(1);
    const TaskIndex evictor = arguments_->size() > 2 ? Task(2) : kNone;
    if (!error_.ok()) return nullptr;
    WorkMeter meter(std::nullopt, nullptr);
    const ActionContext context = Context(meter);
    json names = json::array();
    VictimOrder order(context);
    order.Start(evictor, victims);
    while (!order.empty()) names.push_back(std::string(tables_.tasks.names.name(order.Pop())));
    return names;
  }

  ActionContext Context(WorkMeter& meter) {
    return ActionContext(ledger_, *dispatcher_, *search_, domains_, meter, phases_, {},
                         {.evicts = true});
  }
  std::vector<TaskIndex> NamedTasks(size_t i) {
    std::vector<TaskIndex> tasks;
    for (const json& name : (*arguments_)[i]) {
      tasks.push_back(Find(tables_.tasks.names, name.get<std::string>()));
    }
    return tasks;
  }
  json TaskNames(const std::vector<TaskIndex>& tasks) const {
    json names = json::array();
    for (TaskIndex t : tasks) names.push_back(std::string(tables_.tasks.names.name(t)));
    return names;
  }

  // ["pending", JOB]: the tasks to place of each sub-group, in the order in which sub-groups come.
  json Pending(JobIndex job) {
    WorkMeter meter(std::nullopt, nullptr);
    const ActionContext context = Context(meter);
    GroupSheet sheet =
        MakeGroupSheet(context, job, context.PendingTasks(job, /*with_best_effort=*/true));
    json groups = json::array();
    while (!sheet.groups.empty()) {
      TaskQueue& tasks = sheet.of(sheet.groups.Pop());
      std::vector<TaskIndex> of_group;
      while (!tasks.empty()) of_group.push_back(tasks.Pop());
      groups.push_back(TaskNames(of_group));
    }
    return groups;
  }

  // ["bundles", JOB, [TASK...]]: the tasks that the job can spare, and those without which it falls
  // apart.
  json Bundles() {
    const JobIndex job = Job(1);
    std::vector<TaskIndex> tasks = NamedTasks(2);
    if (!error_.ok()) return nullptr;
    WorkMeter meter(std::nullopt, nullptr);
    const ActionContext context = Context(meter);
    std::vector<VictimSet> sets;
    AddVictimSets(context, job, std::move(tasks), &sets);
    json parts = json::array();
    for (const VictimSet& set : sets) {
      parts.push_back({{"whole", set.whole}, {"tasks", TaskNames(set.tasks)}});
    }
    return parts;
  }

  // ["best_fit", TASK]: of the nodes where it fits now, or else of those where it will.
  json BestFit() {
    const TaskIndex task = Task(1);
    if (!error_.ok()) return nullptr;
    for (const Want want : {Want::kNow, Want::kLater}) {
      const NodeIndex node = search_->Best(task, want);
      if (node != kNone) return std::string(tables_.nodes.names.name(node));
    }
    return nullptr;
  }

  // ["nodes_to_find", NODES]: of a list of so many.
  json NodesToFind() const {
    const size_t nodes = (*arguments_)[1].get<size_t>();
    for (const PolicyEntry* entry : dispatcher_->at(Point::kFit)) {
      if (entry->traits.samples_nodes) return entry->fit->NodesToFind(nodes);
    }
    return nodes;
  }

  // ["shuffle", [TASK...]]: the tasks that the action evicts where a policy names these, running or
  // not.
  json Shuffle() {
    std::vector<TaskIndex> named = NamedTasks(1);
    if (!error_.ok()) return nullptr;
    std::vector<std::vector<ActivePolicy>> tiers(1);
    tiers[0].push_back({std::make_unique<Naming>(std::move(named)), {Point::kVictims}});
    Dispatcher dispatcher(std::move(tiers), config_.rules);
    const internal::CycleData data{tables_, ledger_, options_.now, phases_, nullptr, &domains_};
    dispatcher.Open(Cycle(&data));
    WorkMeter meter(std::nullopt, nullptr);
    ActionContext context(ledger_, dispatcher, *search_, domains_, meter, phases_, {},
                          {.evicts = true});
    ShuffleAction().run(context, *Options::Check("action shuffle", {}, {}));
    json names = json::array();
    for (const Decision& decision : context.decisions.list()) {
      if (decision.kind != DecisionKind::kEvict) continue;
      names.push_back(std::string(tables_.tasks.names.name(decision.task)));
    }
    return names;
  }

  // ["best", TASK, {NODE: SCORE}]: which node a search takes; null: none. The profile is not asked.
  json Best() {
    const TaskIndex task = Task(1);
    std::vector<double> scores(tables_.nodes.alive.size(), 0);
    for (const auto& [name, score] : (*arguments_)[2].items()) {
      const NodeIndex node = Find(tables_.nodes.names, name);
      if (error_.ok()) scores[node] = score.get<double>();
    }
    if (!error_.ok()) return nullptr;
    std::vector<std::vector<ActivePolicy>> tiers(1);
    tiers[0].push_back({std::make_unique<Liking>(std::move(scores)), {Point::kScore}});
    Dispatcher dispatcher(std::move(tiers), config_.rules);
    const internal::CycleData data{tables_, ledger_, options_.now, phases_, nullptr, &domains_};
    dispatcher.Open(Cycle(&data));
    NodeSearch search(ledger_, dispatcher, Rules(), speed_);
    search.BeginCycle();
    const NodeIndex best = search.Best(task, Want::kNow);
    if (best == kNone) return nullptr;
    return std::string(tables_.nodes.names.name(best));
  }

  // The sum of all scores; null where the node refuses the task.
  json Score() {
    const TaskIndex task = Task(1);
    const NodeIndex node = Node(2);
    if (!error_.ok()) return nullptr;
    for (const Ranked& r : search_->RankForEviction(task, Want::kAnywhere)) {
      if (r.node == node) return r.score;
    }
    return nullptr;
  }

  // As a cycle without actions leaves it, moves aside.
  json PhaseAtClose(JobIndex job) {
    ProfileConfig idle = config_;
    idle.actions.clear();
    JobPhase phase = tables_.jobs.spec[job].phase;
    for (const Decision& decision :
         Session(tables_, idle, speed_).Run(tables_, options_).decisions) {
      if (decision.kind == DecisionKind::kPhase && decision.job == job) phase = decision.phase;
    }
    return std::string(JobPhaseName(phase));
  }

  // ["plan"]: [KIND, TASK] of each decision about a task in a whole cycle, moves aside.
  json Decided() {
    json decisions = json::array();
    for (const Decision& decision :
         Session(tables_, config_, speed_).Run(tables_, options_).decisions) {
      if (decision.task == kNone) continue;
      decisions.push_back({std::string(DecisionKindName(decision.kind)),
                           std::string(tables_.tasks.names.name(decision.task))});
    }
    return decisions;
  }

  template <typename Cells>
  json Amounts(const Cells& cells) const {
    json amounts = json::object();
    for (DimensionIndex d = 0; d < cells.size(); ++d) {
      if (cells[d] != kAbsent) amounts[std::string(tables_.dimensions.name(d))] = cells[d];
    }
    return amounts;
  }
  json NodeBooks(NodeIndex n) const {
    return {{"idle", Amounts(ledger_.node(n, kIdle))},
            {"releasing", Amounts(ledger_.node(n, kReleasing))},
            {"pipelined", Amounts(ledger_.node(n, kPipelined))},
            {"used", Amounts(ledger_.node(n, kUsed))}};
  }
  json JobBooks(JobIndex j) const {
    json counts = json::object();
    for (int s = 0; s < kTaskStatusCount; ++s) {
      const TaskStatus status = static_cast<TaskStatus>(s);
      if (ledger_.job(j)[status] != 0)
        counts[std::string(TaskStatusName(status))] = ledger_.job(j)[status];
    }
    return {{"allocated", Amounts(ledger_.job_allocated(j))},
            {"pending_of_queue", Amounts(ledger_.queue_pending(tables_.jobs.queue[j]))},
            {"counts", std::move(counts)}};
  }

  Cluster& cluster_;
  const Tables& tables_;
  const ProfileConfig config_;
  const ScheduleOptions options_;
  const SpeedOptions speed_;
  Ledger ledger_;
  std::vector<JobPhase> phases_;
  Domains domains_;
  std::unique_ptr<Dispatcher> dispatcher_;
  std::unique_ptr<NodeSearch> search_;
  const json* arguments_ = nullptr;
  absl::Status error_;
};

}  // namespace

absl::StatusOr<json> AskSession(const json& request) {
  const absl::StatusOr<Scenario> scenario =
      ParseScenario(request.value("scenario", json::object()).dump());
  if (!scenario.ok()) return scenario.status();
  Cluster cluster;
  if (const absl::Status filled = Fill(*scenario, &cluster); !filled.ok()) return filled;
  const absl::StatusOr<ProfileConfig> config = ResolveProfile(scenario->profile);
  if (!config.ok()) return config.status();
  Asked asked(cluster, *config, scenario->options);
  json answers = json::array();
  for (const json& question : request.value("ask", json::array())) {
    absl::StatusOr<json> answer = asked.Answer(question);
    if (!answer.ok()) return answer.status();
    answers.push_back(*std::move(answer));
  }
  return answers;
}

}  // namespace muster::testing
