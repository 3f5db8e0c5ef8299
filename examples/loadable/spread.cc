// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A policy and an action for the command line, without compiling Muster:
//
//   c++ -std=c++20 -O2 -shared -fPIC -I PREFIX/include spread.cc -o spread.so
//   muster run FILE --load ./spread.so --profile 'volcano:+spread(weight=5)'
#include <memory>
#include <span>
#include <string_view>

#include "muster/loadable.h"

namespace {

using namespace muster;  // an example, not a header

constexpr OptionDecl kOptions[] = {
    {"weight", OptionKind::kNumber, "1", 0, 100, "what an idle core is worth"},
};

// The node with most idle CPU is best.
class Spread : public Policy, public ScorePolicy {
 public:
  explicit Spread(const Options& options) : weight_(options.number("weight")) {}
  std::string_view name() const override { return "spread"; }
  PointSet points() const override { return {Point::kScore}; }
  ScorePolicy* score() override { return this; }
  Scope ScoreScope(ClassIndex) override { return Scope::kState; }
  void ScoreStates(ClassIndex, const StateColumns& states, size_t begin, size_t end, double* order,
                   double*) override {
    for (size_t i = begin; i < end; ++i) {
      order[i - begin] += weight_ * states.idle[kCpu][i] / 1000;
    }
  }

 private:
  const double weight_;
};

// Gangs in the order in which they were added.
void InOrder(Workbench& bench, const Options&) {
  for (const JobIndex job : bench.waiting()) {
    if (bench.ShouldStop()) return;
    bench.Admit(job);
    const Workbench::Savepoint before = bench.Save();
    for (const TaskIndex task : bench.PendingTasks(job)) {
      if (bench.Place(task) == kNone) break;
    }
    if (bench.Ready(job)) {
      bench.Commit(before);
    } else {
      bench.Rollback(before);
    }
  }
}

void Add(Extensions* extensions) {
  extensions->policies.push_back(
      {.name = "spread",
       .summary = "the node with most idle CPU",
       .options = kOptions,
       .make = [](const Options& options) { return std::make_unique<Spread>(options); }});
  extensions->actions.push_back(
      {.name = "in-order", .summary = "gangs as they were added", .run = InOrder});
}

}  // namespace

MUSTER_LOADABLE(Add)
