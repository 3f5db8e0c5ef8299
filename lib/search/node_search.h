// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Finds the best node for a task of a class, exactly, and explains why there is none.
//
//   NodeSearch search(ledger, dispatcher, rules, speed);
//   NodeIndex node = search.Best(task, Want::kNow);            // kNone: no node fits
//   if (node == kNone) reason.refusals = search.Refusals(task_class);
//
// The answer is always the node that a scan of all nodes in index order would choose: the highest
// score, and among equal ones the oldest node, or that of another rule for ties
// (lib/extension/ties.h). (Where a policy ranks nodes: of the lowest rank in which any fits.) Which
// nodes fit is the same for all tasks of a class. Scores may differ between tasks, so functions
// that rank nodes take the task. The way of searching depends on what the class's fit and score
// depend on:
//   the node's state    a Scoreboard over states
//   the node alone,     a NodeBoard over nodes: only a change of the node changes their answers
//     which all policies of scope kCluster promise
//   other nodes too     all nodes, every time (FitNodes and ScoreNodes answer for whole columns)
// A class that found nothing is not searched again while the books have changed by placements only,
// because these can only worsen a fit that depends on the node's state alone. Policies may promise
// as much, within a cycle, for theirs (lib/extension/node_answers.h).
#ifndef MUSTER_SEARCH_NODE_SEARCH_H_
#define MUSTER_SEARCH_NODE_SEARCH_H_

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "lib/search/node_board.h"
#include "lib/search/refusal_tally.h"
#include "lib/search/scoreboard.h"
#include "lib/search/search_meter.h"

namespace muster {

class PlacementRun;

struct SearchRules {
  std::vector<int64_t> slack;       // per dimension: by how much a request may exceed what is there
  bool pods_are_a_resource = true;  // else: pods count against the pod limit alone
  bool want_releasing = false;      // Want::kEither takes the part of kNow and kLater
  bool overfull_nodes_are_out = false;  // nodes that hold more than they have are left out
};

struct Ranked {
  double score;
  NodeIndex node;
  uint8_t rank = 0;    // of the node, where a policy ranks them
  uint32_t place = 0;  // of the node among equals, where the profile has a rule for ties
  // Returns whether this one is better; heap order for std::make_heap puts the best on top.
  bool operator<(const Ranked& other) const {
    if (rank != other.rank) return rank > other.rank;
    if (score != other.score) return score < other.score;
    return place != other.place ? place > other.place : node > other.node;
  }
};

// Whether a node refused a task, and whether evictions there could change that.
enum Refused : uint8_t { kNotRefused, kCurable, kHopeless };

class NodeSearch {
 public:
  NodeSearch(const Ledger& ledger, const Dispatcher& dispatcher, SearchRules rules,
             const SpeedOptions& speed);

  NodeIndex Best(TaskIndex task, Want want);
  // Places the tasks of the run, each on the node that Best would name for Want::kNow, and returns
  // how many it has placed. It ends early, perhaps at once, where Best names none or where the
  // fastest way of searching (a Scoreboard with winners) does not serve: ask Best about the next.
  size_t PlaceRun(PlacementRun* run);
  // Returns the best among nodes n with refused[n] == 0; a look at every node.
  NodeIndex BestExcept(TaskIndex task, Want want, const std::vector<uint8_t>& refused);
  // Returns the best among `nodes`, without those n with (*refused)[n] (may be null); a look at
  // each of them.
  NodeIndex BestAmong(TaskIndex task, Want want, std::span<const NodeIndex> nodes,
                      const std::vector<uint8_t>* refused);
  // Returns whether the answers for the class on some nodes depend on nothing but those nodes'
  // books and kinds. Policies with answers by domain (Policy::ScoresByDomain) do not count.
  bool LooksAtNodesAlone(ClassIndex c);
  // Returns the state that nodes of equal kind and books share, valid as long as any node has it;
  // kNone: the node is dead.
  StateIndex StateOf(NodeIndex node);
  // Returns the node's kind; kNone: the node is dead. To classes that look at nodes alone, nodes of
  // equal kind and books are equal.
  KindIndex KindOf(NodeIndex node);
  // Sets refused[n], where it is kNotRefused, for each node n that the class does not fit. kNow:
  // what is being released counts as free, and nodes without room are not asked for more;
  // kAnywhere: resources aside; kEvicting: only kHopeless refuses. Without `tell_hopeless`,
  // kHopeless is not distinguished from kCurable.
  void AddRefused(ClassIndex c, Want want, bool tell_hopeless, std::vector<uint8_t>* refused);
  // Returns whether fit may depend on what runs on other nodes (Scope::kCluster).
  bool FitDependsOnOthers(ClassIndex c) { return Needs(c).cluster_fit; }
  // Returns false only if no placement makes a node fit the class that did not fit it before.
  bool FitMayImprove(ClassIndex c) { return Needs(c).fit_improves; }
  // Returns whether the class takes more of a node than its request: evictions then show what they
  // free only when they are made.
  bool Picks(ClassIndex c) { return !Needs(c).pick_policies.empty(); }

  // Returns all nodes that fit, resources aside (kAnywhere, kEvicting), with scores: a heap, best
  // on top.
  std::vector<Ranked> RankForEviction(TaskIndex task, Want want);
  // Returns the same nodes unscored, in index order.
  std::vector<NodeIndex> ListForEviction(ClassIndex c, Want want);
  // Calls visit(node) for those nodes until it returns true, best first, without nodes n where
  // refused[n] is set (may be null). What visit changes on the node it was given does not change
  // the order of the others. Cheap when one of the best nodes serves. Returns whether a visit
  // returned true.
  bool VisitByScore(TaskIndex task, Want want, const std::vector<uint8_t>* refused,
                    absl::FunctionRef<bool(NodeIndex)> visit);
  // Does the same by rank and in index order, beginning with node `from`, without scores.
  bool VisitInOrder(ClassIndex c, Want want, NodeIndex from,
                    absl::FunctionRef<bool(NodeIndex)> visit);
  // Returns whether a policy ranks nodes, and the rank of one.
  bool ranks() const { return !ranks_.empty(); }
  uint8_t rank(NodeIndex node) const { return ranks() ? ranks_[node] : 0; }
  // Where a policy samples nodes: the nodes of the list (nodes n without absent[n]) at which a
  // search with AddRefused's `want` ends, in the order in which it reached them. A node with
  // refused[n] was looked at in vain. `examined` (may be null) receives for each node whether it
  // was looked at at all. Searches begin where the last one ended.
  bool samples() const { return sampler_ != nullptr; }
  std::vector<NodeIndex> Sample(ClassIndex c, Want want, const std::vector<uint8_t>* absent,
                                const std::vector<uint8_t>* refused,
                                std::vector<uint8_t>* examined);
  // Call this after a search of one node alone.
  void ForgetPlace() { SetPlace(0); }
  // Checks everything but resources, on one node. `hard`, where given, receives whether no eviction
  // there cures the refusal.
  bool FitsNode(ClassIndex c, NodeIndex node, bool* hard = nullptr);
  // Compares the request, and the parts requested, with what is idle / will be idle of one node.
  bool FitsIdle(ClassIndex c, NodeIndex node);
  bool FitsFutureIdle(ClassIndex c, NodeIndex node);
  bool CanPickNow(ClassIndex c, NodeIndex node);

  // Returns the reasons why nodes refuse the class now, counted: most nodes first. Nodes that fit
  // are left out.
  std::vector<Refusal> Refusals(ClassIndex c);

  // Call this before each cycle: what classes depend on may have changed with the tasks that are
  // there.
  void BeginCycle();
  // Measures searches from now on. Null: no longer.
  void Measure(SearchMeter* meter) { meter_ = meter; }

 private:
  struct Failure {
    Ledger::Moment moment;
    bool valid = false;
  };
  ClassIndex ClassOf(TaskIndex task) const { return ledger_.tables().tasks.task_class[task]; }
  bool StillFails(ClassIndex c, Want want) const;
  bool RunsFast(ClassIndex c);
  ClassNeeds& Needs(ClassIndex c);        // what a class requests
  ClassNeeds& SyncedNeeds(ClassIndex c);  // the same, with the states of nodes brought up to date
  void AskScopes(ClassIndex c, ClassNeeds* needs);
  void AskAnswers(ClassIndex c, ClassNeeds* needs) const;
  Scoreboard& Board(ClassIndex c, Want want);
  ScoringContext context() { return {dispatcher_, *kinds_, *states_, speed_, room_, meter_}; }
  bool UseStates(const ClassNeeds& needs) const {
    return states_->exact() && !needs.cluster_fit && !needs.cluster_score && !ranks() &&
           !dispatcher_.node_ties().any();
  }
  bool FitsWant(ClassIndex c, const ClassNeeds& needs, NodeIndex n, Want want) const;
  // Returns the nodes that fit `want`, scored for the task (kNone: unscored); evict: soft refusals
  // count as fits.
  std::vector<Ranked> ScanNodes(ClassIndex c, const ClassNeeds& needs, Want want, bool evict,
                                TaskIndex scored_for, const std::vector<uint8_t>* except = nullptr,
                                const std::span<const NodeIndex>* among = nullptr);

  const Ledger& ledger_;
  const Dispatcher& dispatcher_;
  const SearchRules rules_;
  const SpeedOptions speed_;
  std::unique_ptr<NodeKinds> kinds_;
  std::unique_ptr<NodeStates> states_;
  std::vector<ClassNeeds> needs_;
  std::vector<std::unique_ptr<Scoreboard>> boards_;  // class * kWants + want
  // Boards by their last use: a list through their indices, ends first. Under the memory limit, the
  // least recently used board serves the next class; so it does when too much has changed for it to
  // follow.
  struct Neighbors {
    size_t older, newer;
  };
  std::vector<Neighbors> use_order_;
  size_t oldest_ = kNoBoard, newest_ = kNoBoard;
  static constexpr size_t kNoBoard = ~size_t{0};
  void MarkUsed(size_t board);
  void Unlink(size_t board);
  // Adds the part of the scores that depends on all nodes of a rank.
  void ScoreTogether(TaskIndex task, const ClassNeeds& needs, const Scoreboard& board,
                     std::span<Ranked> nodes);
  // Sets the two sums of the score of each node, without what policy `except` (may be null) adds.
  void AddScores(TaskIndex task, const ClassNeeds& needs, const Scoreboard& board,
                 std::span<const NodeIndex> nodes, const PolicyEntry* except,
                 std::vector<double>* order, std::vector<double>* batch);

  // A NodeBoard, and how far it has followed the ledger.
  struct KeptNodes {
    ClassIndex task_class = kNone;
    Want want = Want::kNow;
    uint64_t cycle = 0, birth = 0, last_use = 0;
    size_t position = 0;  // in Ledger::journal
    NodeBoard board;
  };
  bool UseKeptNodes(const ClassNeeds& needs) const;
  NodeIndex BestKept(TaskIndex task, const ClassNeeds& needs, Want want);
  KeptNodes& KeptOf(ClassIndex c, Want want);
  void FollowNodes(TaskIndex task, const ClassNeeds& needs, KeptNodes* kept);
  std::vector<NodeIndex> ChangedNodes(const KeptNodes& kept);

  // Returns the refusal of node n by its own books; what depends on other nodes is left out.
  uint32_t WhyNot(ClassIndex c, const ClassNeeds& needs, NodeIndex n, RefusalTally* tally) const;
  std::vector<Refusal> RefusalsOfAll(ClassIndex c, const ClassNeeds& needs);

  std::vector<std::unique_ptr<KeptTally>> tallies_;  // by class
  int64_t tally_bytes_ = 0;

  void SetPlace(size_t place);
  // Drops the nodes that the class does not fit by what depends on other nodes.
  void KeepFitting(ClassIndex c, bool evict, std::vector<NodeIndex>* nodes);
  // The best of the nodes that a scan found.
  NodeIndex BestOf(TaskIndex task, const ClassNeeds& needs, std::span<const Ranked> fitting);
  // Tells the meter why `best` of these nodes is the task's.
  void Explain(TaskIndex task, const ClassNeeds& needs, std::span<const Ranked> fitting,
               NodeIndex best);
  // Returns what the policy adds to the score of one of the nodes, which all fit.
  double PartOf(const PolicyEntry& entry, TaskIndex task, const ClassNeeds& needs,
                std::span<const NodeIndex> nodes, size_t place);

  SearchMeter* meter_ = nullptr;
  FitPolicy* sampler_ = nullptr;
  size_t next_ = 0;             // where the next search of a sample begins
  std::vector<uint8_t> ranks_;  // per node; empty: no policy ranks them
  SweepRoom room_;
  const bool apart_;  // some policy distinguishes single nodes
  uint64_t cycle_ = 0;
  uint64_t changed_in_ = 0;  // the latest cycle in which answers about states changed
  int64_t board_bytes_ = 0;
  std::vector<std::array<Failure, kWants>> failures_;
  std::vector<std::unique_ptr<KeptNodes>> kept_nodes_;
  uint64_t uses_ = 0;          // of them
  std::vector<uint8_t> seen_;  // per node; all 0 between calls
};

}  // namespace muster

#endif  // MUSTER_SEARCH_NODE_SEARCH_H_
