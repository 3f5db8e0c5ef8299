// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// devices: which devices of its node a task gets, and on which node it finds better ones.
//
// Promise. A task with a shape that requests devices is placed only where the node has them:
// healthy ones of the kind, of one of the models, with the share and the memory free, as many
// different ones as it asks for, from one zone or link where it says so. Which ones it gets the
// ledger decides in the move that places it, by the same function (lib/fit/node_devices.h has the
// order) and the same strategy, so that no other task gets them; the plan says which. Tasks that
// are leaving hold theirs until they are gone; no other task is placed on what a nominated task
// waits for.
// Score. 0 to 100 times the weight: how full the node's devices of the kinds asked for would be
// (pack), how free (spread), or how little of the chosen ones would be left over (best-fit); by
// what is free now where that will do, else later. Abstains for classes that ask for none. Reasons.
// Device, with the kind and what no device of it had.
// Ties. None left: a node is a node, and of equal devices the first. Cost. Once per class and state
// of devices; after that a look-up a state.
#include <algorithm>
#include <vector>

#include "lib/extension/cycle.h"
#include "lib/extension/needs.h"
#include "lib/ledger/device_book.h"
#include "lib/policy/policies.h"
#include "lib/policy/state_answers.h"

namespace muster {
namespace {

constexpr OptionDecl kDevicesOptions[] = {
    {"strategy", OptionKind::kChoice, "pack", 0, 0,
     "pack|spread|best-fit: of devices on a node, and of nodes"},
    {"weight", OptionKind::kNumber, "1", 0, 1e9, "how much the score counts; 0 switches it off"},
};

// The books choose devices by the strategy that the policy judges nodes by.
DevicePick PickOf(std::string_view strategy) {
  if (strategy == "spread") return DevicePick::kSpread;
  return strategy == "best-fit" ? DevicePick::kBestFit : DevicePick::kPack;
}

class Devices : public Policy, public FitPolicy, public ScorePolicy {
 public:
  explicit Devices(const Options& options) : weight_(options.number("weight")) {}

  std::string_view name() const override { return "devices"; }
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

  bool Picks(ClassIndex c) override {
    return book_ != nullptr && !tables_->classes.shape[c].devices.empty();
  }
  void PickStates(ClassIndex c, bool later, const StateColumns& states, size_t begin, size_t end,
                  uint8_t* fits) override {
    const size_t row = RowOf(c);
    for (size_t i = begin; i < end; ++i) {
      if (!fits[i - begin]) continue;
      const Answer answer = Ask(row, c, DeviceStateIndex(states.devices[i]));
      fits[i - begin] = later ? answer.later : answer.now;
    }
  }
  bool CanPick(ClassIndex c, bool later, NodeIndex node) override {
    const Answer answer = Ask(RowOf(c), c, book_->state(node));
    return later ? answer.later : answer.now;
  }
  NodeRefusal PickRefusal(ClassIndex c, NodeIndex node) override {
    const DeviceStateIndex state = book_->state(node);
    return {RefusalCode::kDevice, book_->states().WhyNot(*tables_, c, state, /*later=*/true)};
  }

  Scope ScoreScope(ClassIndex c) override { return Picks(c) ? Scope::kState : Scope::kNone; }
  void ScoreStates(ClassIndex c, const StateColumns& states, size_t begin, size_t end,
                   double* order, double*) override {
    const size_t row = RowOf(c);
    for (size_t i = begin; i < end; ++i) {
      order[i - begin] += weight_ * Ask(row, c, DeviceStateIndex(states.devices[i])).score;
    }
  }

 private:
  struct Answer {
    bool known = false, now = false, later = false;
    double score = 0;
  };

  size_t RowOf(ClassIndex c) {
    return answers_.RowOf(c, [&] { return tables_->classes.shape[c].devices; });
  }

  Answer Ask(size_t row, ClassIndex c, DeviceStateIndex state) {
    Answer& answer = answers_.At(row, state);
    if (!answer.known) {
      DeviceStates& states = book_->states();
      answer.known = true;
      answer.now = states.Find(*tables_, c, state, /*later=*/false, &answer.score);
      answer.later = answer.now || states.Find(*tables_, c, state, /*later=*/true, &answer.score);
    }
    return answer;
  }

  const double weight_;
  const Tables* tables_ = nullptr;
  DeviceBook* book_ = nullptr;
  StateAnswers<std::vector<DeviceRequest>, Answer> answers_;
};

}  // namespace

PolicyDecl DevicesPolicy() {
  return {"devices",
          "exact devices for tasks that request them",
          kDevicesOptions,
          [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<Devices>(options);
          },
          /*revision=*/1,
          [](const Options& options, PolicyNeeds* needs) {
            needs->devices.strategy = PickOf(options.text("strategy"));
          }};
}

}  // namespace muster
