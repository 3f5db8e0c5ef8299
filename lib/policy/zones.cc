// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// zones: tasks that are aligned with NUMA zones go where a zone has room for them.
//
// Promise. On a node with alignment single-numa-node no task is placed unless one zone has all
// that each of its containers requests, main containers after one another on what is left, or by
// alignment scope pod all that it requests at once. Only guaranteed tasks are held to zones in cpu,
// memory and huge pages; all others in devices that zones list. A node without zones takes
// anything.
// What zones have left: lib/policy/zone_books.h; check and scores: lib/fit/zoned_node.h.
// Score, of guaranteed tasks. 0 to 100 times the weight: how much of the request would be left in
// zones (least), in use (most), how evenly (balanced), all three where nodes align to one zone; or
// how few zones hold it (fewest) anywhere. Nodes without zones score 0.
// Rules. Those of the plugin NodeResourceTopologyMatch with its over-reserving cache. There tasks
// that are not guaranteed score 100 on every node, here 0, which is as good. A report is trusted at
// once, where the plugin waits for one with a fingerprint that names all tasks that it has sent
// there. Zones count by their place in the list, where the plugin takes the numbers in their names;
// and all nodes share `most_zones`.
// Reasons. Policy, with the resource and the container that no zone has room for. Evictions are no
// cure, because a report does not name the zone that a task would give up.
// Ties. None left. Cost. A look at every candidate node, remembered by class and node until the
// zones' amounts change; nothing for classes that request nothing, nor where no node has zones.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/extension/cycle.h"
#include "lib/extension/node_answers.h"
#include "lib/kube/refusals.h"
#include "lib/policy/policies.h"
#include "lib/policy/zone_books.h"

namespace muster {
namespace {

constexpr OptionDecl kZonesOptions[] = {
    {"strategy", OptionKind::kChoice, "least", 0, 0,
     "least|most|balanced|fewest: what makes zones good"},
    {"cpu", OptionKind::kNumber, "1", 1, 1e9, "weight of cpu (least, most)"},
    {"memory", OptionKind::kNumber, "1", 1, 1e9, "weight of memory"},
    {"resource.*", OptionKind::kNumber, "1", 1, 1e9, "weight of another dimension, by its name"},
    {"most_zones", OptionKind::kWhole, "8", 2, 1024,
     "zones that a node could have: what one more costs (fewest)"},
    {"weight", OptionKind::kNumber, "1", 0, 1e9, "how much the score counts; 0 switches it off"},
};

ZoneStrategy StrategyOf(std::string_view word) {
  if (word == "most") return ZoneStrategy::kMostAllocated;
  if (word == "balanced") return ZoneStrategy::kBalanced;
  if (word == "fewest") return ZoneStrategy::kFewestZones;
  return ZoneStrategy::kLeastAllocated;
}

class Zones : public Policy, public FitPolicy, public ScorePolicy, public NodeAnswers {
 public:
  explicit Zones(const Options& options)
      : weights_{{"cpu", options.number("cpu")}, {"memory", options.number("memory")}},
        most_zones_(static_cast<int64_t>(options.number("most_zones"))),
        weight_(options.number("weight")) {
    for (const auto& other : options.family("resource.")) weights_.push_back(other);
    scoring_.strategy = StrategyOf(options.text("strategy"));
  }

  std::string_view name() const override { return "zones"; }
  PointSet points() const override {
    return weight_ != 0 ? PointSet{Point::kFit, Point::kScore} : PointSet{Point::kFit};
  }
  FitPolicy* fit() override { return this; }
  ScorePolicy* score() override { return this; }

  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    books_.Open(internal::DataOf(cycle).tables, internal::DataOf(cycle).ledger, most_zones_);
    if (!books_.any()) return;
    if (generation_ != books_.generation()) {
      generation_ = books_.generation();
      Forget();
    }
    scoring_.weights.clear();
    for (const auto& [name, weight] : weights_) {
      const size_t resource = books_.ResourceNumber(name);
      if (scoring_.weights.size() <= resource) scoring_.weights.resize(resource + 1, 1);
      scoring_.weights[resource] = static_cast<int64_t>(weight);
    }
  }

  Scope FitScope(ClassIndex c) override {
    return books_.any_aligned() && books_.AskOf(c).task.is_judged ? Scope::kCluster : Scope::kNone;
  }
  void FitNodes(ClassIndex c, std::span<const NodeIndex> nodes, std::span<uint8_t> fits,
                std::span<RefusalCode> codes, std::span<uint8_t> hard) override {
    books_.Follow();
    Refusals refusals(fits, codes, hard);
    for (size_t i = 0; i < nodes.size(); ++i) {
      const uint32_t number = books_.NumberOf(nodes[i]);
      if (number == kNone || Fits(c, number)) continue;
      refusals.Add(i, RefusalCode::kPolicy, /*hard=*/true);
    }
  }
  std::string NodeRefusalDetail(ClassIndex c, NodeIndex node) override {
    books_.Follow();
    const uint32_t number = books_.NumberOf(node);
    if (number == kNone) return {};
    const ZoneBooks::Ask& ask = books_.AskOf(c);
    const ZoneBooks::Book& book = books_.book(number);
    const std::optional<ZonedNode::Refusal> refusal = book.now.Check(ask.task);
    if (!refusal) return {};
    std::string words =
        absl::StrCat("no zone has enough ", ToAbsl(books_.ResourceName(refusal->resource)));
    if (!book.by_pod && !ask.containers.empty()) {
      absl::StrAppend(&words, " for containers[", ask.containers[refusal->part], "]");
    }
    return words;
  }

  Scope ScoreScope(ClassIndex c) override {
    const bool fewest = scoring_.strategy == ZoneStrategy::kFewestZones;
    const bool any = fewest ? books_.any() : books_.any_aligned();
    return weight_ != 0 && any && books_.AskOf(c).task.guaranteed ? Scope::kCluster : Scope::kNone;
  }
  void ScoreNodes(TaskIndex task, std::span<const NodeIndex> nodes, std::span<double> order,
                  std::span<double>) override {
    books_.Follow();
    const ClassIndex c = tables_->tasks.task_class[task];
    for (size_t i = 0; i < nodes.size(); ++i) {
      const uint32_t number = books_.NumberOf(nodes[i]);
      if (number != kNone) order[i] += weight_ * static_cast<double>(Score(c, number));
    }
  }

  bool AnswersByNode(ClassIndex) override { return true; }

 private:
  static constexpr size_t kMostRoom = size_t{1} << 22;  // answers kept

  // What a class was told of a node with these amounts.
  struct Answer {
    uint64_t stamp = 0;  // no book has it
    int32_t score = 0;
    bool knows_fit = false, knows_score = false, fits = false;
  };

  void Forget() {
    for (std::vector<Answer>& answers : answers_) answers = {};
    room_ = 0;
  }

  Answer& AnswerOf(ClassIndex c, uint32_t number, const ZoneBooks::Book& book) {
    if (answers_.size() <= c) answers_.resize(c + 1);
    if (answers_[c].size() <= number) {
      if (room_ + books_.size() > kMostRoom) Forget();
      room_ += books_.size() - answers_[c].size();
      answers_[c].resize(books_.size());
    }
    Answer& answer = answers_[c][number];
    if (answer.stamp != book.stamp) answer = {.stamp = book.stamp};
    return answer;
  }

  bool Fits(ClassIndex c, uint32_t number) {
    const ZoneBooks::Book& book = books_.book(number);
    if (!book.is_aligned) return true;
    Answer& answer = AnswerOf(c, number, book);
    if (!answer.knows_fit) {
      answer.knows_fit = true;
      answer.fits = !book.now.Check(books_.AskOf(c).task).has_value();
    }
    return answer.fits;
  }

  int64_t Score(ClassIndex c, uint32_t number) {
    const ZoneBooks::Book& book = books_.book(number);
    Answer& answer = AnswerOf(c, number, book);
    if (!answer.knows_score) {
      answer.knows_score = true;
      answer.score = static_cast<int32_t>(book.now.Score(books_.AskOf(c).task, scoring_));
    }
    return answer.score;
  }

  std::vector<std::pair<std::string, double>> weights_;
  const int64_t most_zones_;
  const double weight_;
  const Tables* tables_ = nullptr;
  ZoneScoring scoring_;
  ZoneBooks books_;
  std::vector<std::vector<Answer>> answers_;  // per class and book
  size_t room_ = 0;                           // in all of them
  uint64_t generation_ = 0;
};

}  // namespace

PolicyDecl ZonesPolicy() {
  return {"zones", "where NUMA zones have room for aligned tasks", kZonesOptions,
          [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<Zones>(options);
          }};
}

}  // namespace muster
