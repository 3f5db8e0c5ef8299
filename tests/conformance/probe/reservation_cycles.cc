// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Reservations through events and cycles: one set of books a request, and what each operation on
// them answers.
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/peer/koordinator/reservation/reservation_cycle.h"
#include "lib/peer/koordinator/reservation/reservation_state.h"
#include "tests/conformance/probe/probe.h"
#include "tests/conformance/probe/reservation_json.h"

namespace muster::testing {
namespace {

using nlohmann::json;

std::string CodeName(ReservationCode code) {
  constexpr const char* kNames[] = {"Success", "Skip", "Unschedulable",
                                    "UnschedulableAndUnresolvable", "Error"};
  return kNames[static_cast<size_t>(code)];
}

class ReservationScript {
 public:
  explicit ReservationScript(const json& options) : cycle_(OptionsOf(options), &books_) {}

  json Do(const json& op) {
    const std::string name = op["op"];
    if (const auto found = Changes().find(name); found != Changes().end()) {
      (this->*found->second)(op);
      return json();
    }
    const auto found = Questions().find(name);
    if (found == Questions().end()) return {{"no such operation", name}};
    return (this->*found->second)(op);
  }

 private:
  using Change = void (ReservationScript::*)(const json&);
  using Question = json (ReservationScript::*)(const json&);
  static const std::map<std::string, Change>& Changes();
  static const std::map<std::string, Question>& Questions();

  ReservationCycle::Options OptionsOf(const json& options) {
    ReservationCycle::Options result;
    result.rules.always = names_.Set(options, "always");
    result.tasks_resource = names_.Number("pods");
    result.skips_node = options.value("skips_node", false);
    result.prefers_none = options.value("prefers_none", false);
    result.of_cluster = options.value("of_cluster", false);
    result.ignores_node_labels = options.value("ignores_node_labels", false);
    return result;
  }

  // --- the book
  void Put(const json& op) {
    books_.book.Put(RecordOf(op["record"], names_), op.value("holder", ""));
  }
  void ChangeKnown(const json& op) { books_.book.Change(RecordOf(op["record"], names_)); }
  void Remove(const json& op) { books_.book.Remove(op["uid"], op["node"]); }
  json AddTasks(const json& op) {
    switch (books_.book.AddTasks(op["uid"].get<std::string>(), HeldOf(op["tasks"], names_))) {
      case ReservationBook::Answer::kDone:
        return "done";
      case ReservationBook::Answer::kUnknown:
        return "unknown";
      case ReservationBook::Answer::kLeaving:
        return "leaving";
    }
    return json();
  }
  void RemoveTasks(const json& op) {
    const std::vector<std::string> uids = op["tasks"];
    books_.book.RemoveTasks(op["uid"].get<std::string>(), uids);
  }
  void MoveTask(const json& op) {
    const std::vector<ReservationBook::Held> now = HeldOf(op["now"], names_);
    books_.book.MoveTask(op["from"], op["before"], op["to"],
                         now.empty() ? ReservationBook::Held() : now[0]);
  }
  json EntryJson(const ReservationBook::Entry& entry) const {
    json tasks = json::object();
    for (const auto& [uid, request] : entry.tasks) tasks[uid] = names_.Written(request);
    return {{"uid", entry.record.uid},
            {"tasks", tasks},
            {"used", names_.Written(entry.used)},
            {"total", names_.Written(entry.record.offered.total)},
            {"kept_back", names_.Written(entry.record.kept_back)},
            {"left", names_.Written(LeftOf(entry.AsReserved()))},
            {"names", names_.List(entry.record.names)},
            {"name", entry.record.offered.name},
            {"node", entry.record.node},
            {"available", entry.record.is_available},
            {"matchable", entry.IsMatchable()}};
  }
  json Find(const json& op) {
    const ReservationBook::Entry* entry = books_.book.Find(op["uid"]);
    return entry == nullptr ? json() : EntryJson(*entry);
  }
  json OfTask(const json& op) {
    const ReservationBook::Entry* entry = books_.book.OfTask(op["task"], op["node"]);
    return entry == nullptr ? json() : EntryJson(*entry);
  }
  json List(const json& op) {
    json uids = json::array();
    const std::string node = op["node"];
    for (const auto* entry : op["all"] ? books_.book.AllOn(node) : books_.book.MatchableOn(node)) {
      uids.push_back(entry->record.uid);
    }
    return uids;
  }
  json Nodes(const json& op) { return books_.book.Nodes(op["held"]); }
  void Index(const json& op) {
    books_.book.SetIndex({.prefixes = op["prefixes"], .keys = op["keys"]});
  }
  json NodesFor(const json& op) {
    const auto nodes = books_.book.index().NodesFor(ReservationLabelsOf(op, "selector"));
    return nodes ? json(*nodes) : json();
  }
  json Covers(const json& op) {
    const ReservationIndex& index = books_.book.index();
    const std::string key = op.value("key", "");
    return {{"any", index.covers_any()}, {"prefixes", index.prefixes()},
            {"keys", index.keys()},      {"prefix", index.PrefixOf(key)},
            {"key", index.HasKey(key)},  {"size", index.size()}};
  }

  // --- events
  TakeOverCandidates::Shown ShownOf(const json& object) {
    return {.uid = object.value("uid", ""),
            .node = object.value("node", ""),
            .is_candidate = object.value("candidate", false),
            .priority = object.value("priority", int64_t{0})};
  }
  ReservationTask TaskOf(const json& object) {
    ReservationTask task{.shown = ShownOf(object),
                         .request = names_.Amounts(object, "request"),
                         .holds = object.value("holds", ""),
                         .has_ended = object.value("ended", false),
                         .stands_for_reservation = object.value("stand_in", false)};
    if (object.contains("serves")) task.serves = RecordOf(object["serves"], names_);
    task.holder = object.value("holder", "");
    return task;
  }
  void FollowTaskEvent(const json& op) {
    FollowTask(TaskOf(op["before"]), TaskOf(op["now"]), &books_);
  }
  void RemoveTaskEvent(const json& op) { muster::RemoveTask(TaskOf(op["task"]), &books_); }
  void FollowReservationEvent(const json& op) {
    const ReservationEvent event = op["event"] == "active"  ? ReservationEvent::kActive
                                   : op["event"] == "ended" ? ReservationEvent::kEnded
                                                            : ReservationEvent::kWaiting;
    FollowReservation(RecordOf(op["record"], names_), event, op["is_new"], &books_);
  }
  void RemoveReservationEvent(const json& op) {
    muster::RemoveReservation(RecordOf(op["record"], names_), &books_);
  }

  // --- candidates
  void AddCandidate(const json& op) { books_.candidates.Add(ShownOf(op["task"])); }
  void RankCandidate(const json& op) { books_.candidates.ChangePriority(ShownOf(op["task"])); }
  void RemoveCandidate(const json& op) { books_.candidates.Remove(op["node"], op["uid"]); }
  void FollowCandidate(const json& op) {
    books_.candidates.Follow(ShownOf(op["before"]), ShownOf(op["now"]));
  }
  json Candidates(const json&) {
    json nodes = json::object();
    for (const std::string& node : books_.candidates.Nodes()) {
      nodes[node] = books_.candidates.Of(node);
    }
    return nodes;
  }
  json Before(const json& op) {
    return TakeOverCandidates::Before(ShownOf(op["a"]), ShownOf(op["b"]));
  }

  // --- promises
  PromiseFacts FactsOf(const json& op) {
    task_node_ = op.value("task_node", "");
    return {.task_exists = op.value("task_exists", true),
            .task_node = task_node_,
            .reservation_exists = op.value("reservation_exists", true),
            .reservation_is_active = op.value("reservation_is_active", false),
            .reservation_waits = op.value("reservation_waits", false)};
  }
  void Promise(const json& op) {
    if (MayPromise(FactsOf(op))) {
      books_.nominations.Promise(op["task"], op["node"], op["reservation"]);
    }
  }
  json ReservationOfTask(const json& op) {
    return books_.nominations.ReservationOf(op["task"], op["node"]);
  }
  void ForgetTask(const json& op) { books_.nominations.ForgetTask(op["task"]); }
  void PromiseNode(const json& op) {
    const std::string uid = op["reservation"];
    if (!MayPromiseNode(FactsOf(op))) return books_.nominations.ForgetReservation(uid);
    books_.nominations.PromiseNode(uid, op["node"]);
  }
  json ReservationsOn(const json& op) { return books_.nominations.ReservationsOn(op["node"]); }
  json NodeOf(const json& op) { return books_.nominations.NodeOf(op["reservation"]); }
  void ForgetReservation(const json& op) {
    books_.nominations.ForgetReservation(op["reservation"]);
  }
  void PromiseTasks(const json& op) {
    if (!MayPromiseTask(FactsOf(op), op["node"].get<std::string>())) return;
    books_.nominations.PromiseTasks(op["reservation"], op["node"], op["tasks"]);
  }
  json TasksFor(const json& op) {
    const auto tasks = books_.nominations.TasksFor(op["reservation"], op["node"]);
    return tasks ? json(*tasks) : json();
  }

  // --- cycles
  ReservationView ViewOf(const json& object) {
    ReservationView view;
    view.node.name = object["name"];
    view.node.labels = ReservationLabelsOf(object, "labels");
    view.capacity = names_.Amounts(object, "capacity");
    view.most_tasks = object.value("most_tasks", int64_t{0});
    view.tasks = HeldOf(object["tasks"], names_);
    return view;
  }
  void View(const json& op) {
    ReservationView view = ViewOf(op["view"]);
    const std::string name = view.node.name;
    views_[name] = std::move(view);
  }
  void AddToView(const json& op) {
    for (ReservationBook::Held& held : HeldOf(op["tasks"], names_)) {
      views_[op["node"]].tasks.push_back(std::move(held));
    }
  }
  static std::optional<std::vector<std::string>> NodesOf(const json& op) {
    if (!op.contains("nodes")) return std::nullopt;
    return op["nodes"].get<std::vector<std::string>>();
  }
  json Prepared(ReservationCode code) {
    return {{"code", CodeName(code)}, {"restored", !cycle_.state().nodes.empty()}};
  }
  json PrepareTask(const json& op) {
    return Prepared(cycle_.PrepareTask(AskerOf(op["asker"], names_),
                                       ReservationShapeOf(op["shape"]), NodesOf(op), op["restores"],
                                       &views_));
  }
  PlacedReservation PlacedOf(const json& object) {
    return {.record = RecordOf(object["record"], names_),
            .request = names_.Amounts(object, "request"),
            .shape = ReservationShapeOf(object["shape"]),
            .node = object.value("node", ""),
            .takes_over = object.value("takes_over", false),
            .must_take_over = object.value("must_take_over", false),
            .takes_several = object.value("takes_several", false),
            .of_cluster = object.value("of_cluster", false)};
  }
  json PrepareReservation(const json& op) {
    std::vector<RunningTask> running;
    for (const json& task : op["running"]) {
      running.push_back({.asker = AskerOf(task["asker"], names_),
                         .node = task["node"],
                         .holds_reservation = task.value("holds", false),
                         .stands_for_reservation = task.value("stand_in", false)});
    }
    return Prepared(cycle_.PrepareReservation(PlacedOf(op["placed"]), running, NodesOf(op),
                                              op["restores"], &views_));
  }
  json Restore(const json& op) {
    return cycle_.Restore(op.contains("nodes") ? *NodesOf(op) : cycle_.StateNodes(),
                          op.value("keeps_views", false), &views_);
  }
  json Uids(const std::vector<ReservationBook::Entry>& entries) const {
    json uids = json::array();
    for (const ReservationBook::Entry& entry : entries) uids.push_back(entry.record.uid);
    return uids;
  }
  json Uids(const std::vector<ReservationBook::Held>& tasks) const {
    json uids = json::array();
    for (const ReservationBook::Held& task : tasks) uids.push_back(task.task);
    return uids;
  }
  json TallyJson(const ReservationTally& tally) const {
    return {{"ignored", tally.ignored},
            {"ownerMatched", tally.owned},
            {"nameMatched", tally.named},
            {"nameUnmatched", tally.other_name},
            {"isUnschedulableUnmatched", tally.unschedulable},
            {"affinityUnmatched", tally.affinity},
            {"notExactMatched", tally.not_exact},
            {"taintsUnmatched", tally.taints},
            {"errUnmatched", tally.unreadable},
            {"taintsUnmatchedReasons", tally.by_taint}};
  }
  json State(const json&) {
    const ReservationCycle::State& state = cycle_.state();
    json nodes = json::object(), tallies = json::object();
    for (const auto& [name, node] : state.nodes) {
      nodes[name] = {{"matched", Uids(node.matched)},
                     {"unmatched", Uids(node.unmatched)},
                     {"candidates", Uids(node.candidates)},
                     {"chosen", Uids(node.chosen)},
                     {"restored", node.is_restored},
                     {"requested", names_.Written(node.requested)},
                     {"held", names_.Written(node.held_by_owners)}};
    }
    for (const auto& [name, tally] : state.tallies) tallies[name] = TallyJson(tally);
    json preempted = json::object(), preempted_of = json::object();
    for (const auto& [name, sum] : state.preempted) preempted[name] = names_.Written(sum);
    for (const auto& [name, sums] : state.preempted_of) {
      for (const auto& [uid, sum] : sums) preempted_of[name][uid] = names_.Written(sum);
    }
    return {{"nodes", nodes},         {"tallies", tallies},
            {"preempted", preempted}, {"preempted_of", preempted_of},
            {"taken", state.taken},   {"assumed", state.assumed}};
  }
  json ViewState(const json& op) {
    const ReservationView& view = views_[op["node"]];
    return {{"requested", names_.Written(view.Requested())}, {"tasks", view.tasks.size()}};
  }
  std::vector<ReservationBook::Entry> EntriesOf(const json& list) {
    std::vector<ReservationBook::Entry> entries;
    for (const json& one : list) {
      ReservationBook::Entry& entry = entries.emplace_back();
      entry.record = RecordOf(one["record"], names_);
      for (const ReservationBook::Held& held : HeldOf(one["tasks"], names_)) entry.Add(held);
      if (one.contains("used")) entry.used = names_.Amounts(one, "used");
    }
    return entries;
  }
  void Load(const json& op) {
    ReservationCycle::State& state = cycle_.state();
    state = ReservationCycle::State();
    state.has_affinity = op.value("has_affinity", false);
    state.wished = op.value("wished", "");
    state.request = names_.Amounts(op, "request");
    if (op.contains("own")) state.own = PlacedOf(op["own"]);
    const json preempted = op.value("preempted", json::object());
    for (const auto& [name, sum] : preempted.items()) {
      state.preempted[name] = names_.Amounts({{"sum", sum}}, "sum");
    }
    const json preempted_of = op.value("preempted_of", json::object());
    for (const auto& [name, sums] : preempted_of.items()) {
      for (const auto& [uid, sum] : sums.items()) {
        state.preempted_of[name][uid] = names_.Amounts({{"sum", sum}}, "sum");
      }
    }
    const json nodes = op.value("nodes", json::object());
    for (const auto& [name, node] : nodes.items()) {
      state.nodes[name] = {.matched = EntriesOf(node["matched"]),
                           .unmatched = EntriesOf(node["unmatched"]),
                           .candidates = HeldOf(node["candidates"], names_),
                           .chosen = HeldOf(node["chosen"], names_),
                           .requested = names_.Amounts(node, "requested"),
                           .held_by_owners = names_.Amounts(node, "held"),
                           .is_restored = true};
    }
  }
  json PreFilter(const json&) {
    std::optional<std::vector<std::string>> only;
    const ReservationCode code = cycle_.PreFilter(&only);
    return {{"code", CodeName(code)}, {"nodes", only ? json(*only) : json()}};
  }
  json AnswerJson(const ReservationCycle::Answer& answer) const {
    json reservations = json::array();
    for (const Lacks& lacks : answer.reservations) reservations.push_back(LacksJson(lacks, names_));
    return {{"code", CodeName(answer.code)},
            {"fits", answer.code == ReservationCode::kSuccess},
            {"node", LacksJson(answer.node, names_)},
            {"reservations", reservations}};
  }
  json Filter(const json& op) {
    return AnswerJson(cycle_.Filter(views_[op["node"]], op.value("ignores", false)));
  }
  json FilterOne(const json& op) {
    const ReservationView& view = views_[op["node"]];
    if (op.contains("task"))
      return AnswerJson(cycle_.FilterOne(HeldOf(op["task"], names_)[0], view));
    return AnswerJson(
        cycle_.FilterOne(EntriesOf(op["entry"])[0], view, op.value("ignores", false)));
  }
  json Nominate(const json& op) { return cycle_.Nominate(op["task"], views_[op["node"]]); }
  json NominateTasks(const json& op) { return cycle_.NominateTasks(views_[op["node"]]); }
  json Reserve(const json& op) {
    const ReservationView& view = views_[op["node"]];
    if (cycle_.state().own) return CodeName(cycle_.ReserveReservation(view));
    return CodeName(cycle_.ReserveTask(op["task"], FactsOf(op), op.value("ignores", false), view));
  }
  json PromiseAny(const json& op) {
    const ReservationView& view = views_[op["node"]];
    if (cycle_.state().own) {
      std::vector<std::string> tasks;
      return CodeName(cycle_.PromiseReservation(view, &tasks));
    }
    std::string chosen;
    return CodeName(
        cycle_.PromiseTask(op["task"], FactsOf(op), op.value("ignores", false), view, &chosen));
  }
  void Own(const json& op) { cycle_.state().own = PlacedOf(op["own"]); }
  void Unreserve(const json& op) { cycle_.Unreserve(op["node"]); }
  void Victim(const json& op) {
    cycle_.CountVictim(HeldOf(op["victim"], names_)[0], op["node"], op["leaves"]);
  }
  json Score(const json& op) { return cycle_.TakeOverScore(views_[op["node"]]); }
  json Reasons(const json& op) {
    std::vector<TalliedNode> nodes;
    for (const json& one : op["nodes"]) {
      const json& t = one["tally"];
      const auto count = [&](const char* key) { return t.value(key, int64_t{0}); };
      ReservationTally tally{.ignored = count("ignored"),
                             .owned = count("ownerMatched"),
                             .named = count("nameMatched"),
                             .other_name = count("nameUnmatched"),
                             .unschedulable = count("isUnschedulableUnmatched"),
                             .affinity = count("affinityUnmatched"),
                             .not_exact = count("notExactMatched"),
                             .taints = count("taintsUnmatched"),
                             .unreadable = count("errUnmatched")};
      const json taints = t.value("taintsUnmatchedReasons", json::object());
      for (const auto& [taint, n] : taints.items()) {
        tally.by_taint[taint] = n;
      }
      nodes.push_back({tally, one["reasons"]});
    }
    return ReservationReasons(nodes, op["has_affinity"]);
  }
  json NamedBy(const json& op) {
    const NamedNodes named = NodesNamedBy(ReservationShapeOf(op["shape"]));
    return {{"conflict", named.conflict}, {"names", named.names}};
  }
  json Flaw(const json& op) {
    return FlawOf({op["has_template"], op["has_owners"], op["has_end"]});
  }
  json Match(const json& op) {
    const ReservationBook::Record record = RecordOf(op["record"], names_);
    const ReservationAsker asker = AskerOf(op["asker"], names_);
    const Labels labels = ReservationLabelsOf(op, "node_labels");
    return {{"affinity", !asker.wish || MatchesAffinity(*asker.wish, record.offered, labels)},
            {"owner", IsOwner(record.offered.owners, asker)},
            {"matches", IsMatch(MatchReservation(asker, record.offered, labels))}};
  }

  ReservedNames names_;
  ReservationBooks books_;
  ReservationViews views_;
  std::string task_node_;
  ReservationCycle cycle_;
};

const std::map<std::string, ReservationScript::Change>& ReservationScript::Changes() {
  using S = ReservationScript;
  static const std::map<std::string, Change> changes = {
      {"put", &S::Put},
      {"change", &S::ChangeKnown},
      {"remove", &S::Remove},
      {"remove_tasks", &S::RemoveTasks},
      {"move_task", &S::MoveTask},
      {"index", &S::Index},
      {"follow_task", &S::FollowTaskEvent},
      {"remove_task", &S::RemoveTaskEvent},
      {"follow_reservation", &S::FollowReservationEvent},
      {"remove_reservation", &S::RemoveReservationEvent},
      {"add_candidate", &S::AddCandidate},
      {"rank_candidate", &S::RankCandidate},
      {"remove_candidate", &S::RemoveCandidate},
      {"follow_candidate", &S::FollowCandidate},
      {"promise", &S::Promise},
      {"forget_task", &S::ForgetTask},
      {"promise_node", &S::PromiseNode},
      {"forget_reservation", &S::ForgetReservation},
      {"promise_tasks", &S::PromiseTasks},
      {"view", &S::View},
      {"add_to_view", &S::AddToView},
      {"load", &S::Load},
      {"own", &S::Own},
      {"unreserve", &S::Unreserve},
      {"victim", &S::Victim},
  };
  return changes;
}

const std::map<std::string, ReservationScript::Question>& ReservationScript::Questions() {
  using S = ReservationScript;
  static const std::map<std::string, Question> questions = {
      {"add_tasks", &S::AddTasks},
      {"find", &S::Find},
      {"of_task", &S::OfTask},
      {"list", &S::List},
      {"nodes", &S::Nodes},
      {"nodes_for", &S::NodesFor},
      {"covers", &S::Covers},
      {"candidates", &S::Candidates},
      {"before", &S::Before},
      {"reservation_of", &S::ReservationOfTask},
      {"reservations_on", &S::ReservationsOn},
      {"node_of", &S::NodeOf},
      {"tasks_for", &S::TasksFor},
      {"prepare_task", &S::PrepareTask},
      {"prepare_reservation", &S::PrepareReservation},
      {"restore", &S::Restore},
      {"state", &S::State},
      {"view_state", &S::ViewState},
      {"pre_filter", &S::PreFilter},
      {"filter", &S::Filter},
      {"filter_one", &S::FilterOne},
      {"nominate", &S::Nominate},
      {"nominate_tasks", &S::NominateTasks},
      {"reserve", &S::Reserve},
      {"promise_any", &S::PromiseAny},
      {"score", &S::Score},
      {"reasons", &S::Reasons},
      {"named_by", &S::NamedBy},
      {"match", &S::Match},
      {"flaw", &S::Flaw},
  };
  return questions;
}

}  // namespace

absl::StatusOr<json> AskReservationCycles(const json& request) {
  ReservationScript script(request["reservation_cycles"]);
  json answers = json::array();
  for (const json& op : request["ops"]) {
    json answer = script.Do(op);
    if (answer.is_object() && answer.contains("no such operation")) {
      return absl::InvalidArgumentError(
          absl::StrCat("reservation_cycles: no such operation: ", op["op"].get<std::string>()));
    }
    answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace muster::testing
