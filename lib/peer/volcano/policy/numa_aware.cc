// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// numa-aware: guaranteed tasks go where they find whole CPUs on the NUMA zones, and get them by
// number.
//
// Promise. A node that lists its CPUs (devices of kind cpu) and aligns tasks takes a guaranteed
// task only if its kubelet would admit it by that alignment: each main container that asks for a
// whole number of CPUs, one after another, by the best set of zones with so many free; restricted
// and single-numa-node refuse where the best is not good enough, best-effort never does, and gives
// none where too few are free. The ledger makes the same choice (lib/fit/numa_task.h) in the move
// that places the task, so no other task gets these CPUs, and the plan says which they are. A task
// with an alignment of its own goes only to nodes that list CPUs, align likewise and have any free.
// All other nodes, and all tasks that are not guaranteed, pass untouched; so do those that ask for
// devices of kind cpu in words (policy devices). Score, of tasks with an alignment of their own.
// 100 less 100 times their zones there over the most zones of any candidate, in whole numbers,
// times the weight: a task without CPUs spans no zone.
// Peer. Volcano's. What is free is what is reported: CPUs of tasks evicted in this cycle, or
// leaving, are free once they are gone, so evictions are no cure, and a nominated task takes of
// what is free now. Between cycles the peer takes off the CPUs it gave to tasks that the node does
// not report yet; here they are held by tasks that list them, as binds that follow a plan do (what
// others use is a CPU that is not healthy). Domains that are tried and come back to later choose
// anew; the peer uses what it found at its last look at the node, even if that is gone.
// Reasons. Policy, with the rule of the node or the container that found no CPUs.
// Ties. None left. Cost. A look at every candidate node once for each class, then at those that
// changed; remembered by request and state of devices. Nothing for other classes, nor where no node
// lists CPUs.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/extension/cycle.h"
#include "lib/extension/needs.h"
#include "lib/extension/node_answers.h"
#include "lib/kube/refusals.h"
#include "lib/ledger/device_book.h"
#include "lib/model/words.h"
#include "lib/peer/volcano/policies.h"
#include "lib/policy/state_answers.h"

namespace muster {
namespace {

constexpr OptionDecl kNumaAwareOptions[] = {
    {"weight", OptionKind::kNumber, "1", 0, 1e9, "how much the score counts; 0 switches it off"},
};

class NumaAware : public Policy, public FitPolicy, public ScorePolicy, public NodeAnswers {
 public:
  explicit NumaAware(const Options& options) : weight_(options.number("weight")) {}

  std::string_view name() const override { return "numa-aware"; }
  PointSet points() const override {
    return weight_ != 0 ? PointSet{Point::kFit, Point::kScore} : PointSet{Point::kFit};
  }
  FitPolicy* fit() override { return this; }
  ScorePolicy* score() override { return this; }
  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    book_ = DeviceBook::Of(internal::DataOf(cycle).ledger);
    if (book_ != nullptr) answers_.Open(book_->states().generation());
  }

  Scope FitScope(ClassIndex c) override { return IsAsked(c) ? Scope::kCluster : Scope::kNone; }
  void FitNodes(ClassIndex c, std::span<const NodeIndex> nodes, std::span<uint8_t> fits,
                std::span<RefusalCode> codes, std::span<uint8_t> hard) override {
    Refusals refusals(fits, codes, hard);
    const size_t row = RowOf(c);
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (Ask(row, c, book_->state(nodes[i])).ok) continue;
      refusals.Add(i, RefusalCode::kPolicy, /*hard=*/true);
    }
  }
  std::string NodeRefusalDetail(ClassIndex c, NodeIndex node) override {
    const NumaAnswer answer = book_->states().PlaceCpus(*tables_, c, book_->state(node));
    const TaskShape& shape = tables_->classes.shape[c];
    const Alignment alignment = tables_->nodes.spec[node].alignment;
    switch (answer.outcome) {
      case NumaOutcome::kPlaced:
      case NumaOutcome::kNotAsked:
        return {};
      case NumaOutcome::kNoTopology:
      case NumaOutcome::kNotStatic:
        return "the node lists no CPUs";
      case NumaOutcome::kOtherPolicy:
        return absl::StrCat("the node aligns tasks by ",
                            alignment == Alignment::kUnset ? "none" : ToAbsl(Word(alignment)),
                            ", not by ", ToAbsl(Word(shape.alignment)));
      case NumaOutcome::kNoCpus:
        return "no CPU is free";
      case NumaOutcome::kNotAdmitted:
        break;
    }
    const bool single = alignment == Alignment::kSingleNumaNode;
    std::string words =
        absl::StrCat("no ", single ? "zone" : "smallest set of zones", " has enough free CPUs");
    if (!shape.containers.empty()) {
      absl::StrAppend(&words, " for containers[", MainContainer(shape, answer.container), "]");
    }
    return words;
  }

  Scope ScoreScope(ClassIndex c) override {
    const Alignment alignment = tables_->classes.shape[c].alignment;
    const bool wishes = alignment != Alignment::kUnset && alignment != Alignment::kNone;
    return weight_ != 0 && wishes && IsAsked(c) ? Scope::kCluster : Scope::kNone;
  }
  void ScoreNodes(TaskIndex task, std::span<const NodeIndex> nodes, std::span<double>,
                  std::span<double> batch) override {
    const ClassIndex c = tables_->tasks.task_class[task];
    const size_t row = RowOf(c);
    zones_.clear();
    for (NodeIndex n : nodes) zones_.push_back(Ask(row, c, book_->state(n)).zones);
    const std::vector<int64_t> scores = NumaScores(zones_);
    for (size_t i = 0; i < nodes.size(); ++i) batch[i] += weight_ * static_cast<double>(scores[i]);
  }

  bool AnswersByNode(ClassIndex) override { return true; }
  // A container placed otherwise for what others took may leave room for the next one. Where only
  // one gets CPUs, a refusal stays while nothing but placements comes after it.
  bool OnlyWorsens(ClassIndex c) override {
    const std::vector<int64_t> containers = CpuAskOf(tables_->classes.shape[c])->container_milli;
    return std::ranges::count_if(containers, IsWholeCpus) <= 1;
  }
  bool ScoresByLevel(ClassIndex) override { return true; }
  void LevelNodes(ClassIndex c, std::span<const NodeIndex> nodes,
                  std::span<uint8_t> levels) override {
    const size_t row = RowOf(c);
    for (size_t i = 0; i < nodes.size(); ++i) {
      levels[i] = Ask(row, c, book_->state(nodes[i])).zones;
    }
  }
  double LevelScore(uint8_t level, uint8_t highest) const override {
    return weight_ * static_cast<double>(NumaScore(level, highest));
  }

 private:
  struct Answer {
    bool known = false, ok = false;
    uint8_t zones = 0;
  };

  bool IsAsked(ClassIndex c) const {
    const TaskShape& shape = tables_->classes.shape[c];
    if (book_ == nullptr || !AsksForCpus(shape)) return false;
    return book_->states().any_cpus() || shape.alignment != Alignment::kUnset;
  }

  // Where in the shape the n-th container that does not run before the others is.
  static size_t MainContainer(const TaskShape& shape, int n) {
    size_t at = 0;
    for (; shape.containers[at].init || shape.containers[at].sidecar || n-- > 0; ++at) {
    }
    return at;
  }

  size_t RowOf(ClassIndex c) {
    return answers_.RowOf(c, [&] { return *CpuAskOf(tables_->classes.shape[c]); });
  }

  Answer Ask(size_t row, ClassIndex c, DeviceStateIndex state) {
    Answer& answer = answers_.At(row, state);
    if (!answer.known) {
      const NumaFit fit = book_->states().FitCpus(*tables_, c, state);
      answer = {true, fit.ok, static_cast<uint8_t>(fit.zones)};
    }
    return answer;
  }

  const double weight_;
  const Tables* tables_ = nullptr;
  DeviceBook* book_ = nullptr;
  StateAnswers<NumaTask, Answer> answers_;
  std::vector<int> zones_;
};

}  // namespace

PolicyDecl NumaAwarePolicy() {
  return {"numa-aware",
          "whole CPUs on NUMA zones for guaranteed tasks",
          kNumaAwareOptions,
          [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<NumaAware>(options);
          },
          /*revision=*/1,
          [](const Options&, PolicyNeeds* needs) { needs->devices.cpus = true; }};
}

}  // namespace muster
