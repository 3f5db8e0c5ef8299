// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// An action: an algorithm that changes the books of a cycle.
//
//   const ActionDecl action = AllocateAction();   // of a folder of lib/peer
//   action.run(context, *Options::Check("action allocate", action.options, {}));
//
// A profile lists actions by name; the session runs them in that order. Each action's rules stand
// at the top of its file.
#ifndef MUSTER_PART_ACTION_H_
#define MUSTER_PART_ACTION_H_

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "lib/model/tables.h"
#include "lib/part/context.h"
#include "muster/policy.h"

namespace muster {

// A kind of action, as profiles and help texts list it.
struct ActionDecl {
  std::string_view name;
  std::string_view summary;
  std::span<const OptionDecl> options;
  std::function<void(ActionContext& context, const Options& options)> run;
  // True: tasks of a job are placed only after this action has admitted the job.
  bool admits = false;
  // True: the action makes room for tasks that found no node.
  bool evicts = false;
  // The slots of the memory that the action reads or writes.
  std::vector<MemoryDecl> memory = {};
  // The kinds of turn that the action serves.
  TurnSet turns = kUsualTurns;
  // Fails if the action cannot read the tables: `queue "a", setting "x/y": ...`. It is called
  // before each cycle, and a failure refuses the cycle. Empty: the action reads all tables.
  std::function<absl::Status(const Tables& tables, const Options& options)> check = {};
  // Fails as `check` does, for tables that it took before these changes were made. Empty: all rows
  // are checked again.
  std::function<absl::Status(const Tables& tables, const Options& options,
                             std::span<const Change> changes)>
      check_changes = {};
  // True: the action gives elastic jobs the tasks beyond their gang; other actions leave them.
  bool grows = false;
  // True: the plan lists with how many tasks elastic jobs run from now on (lib/part/elastic.h).
  bool lists_sizes = false;
  // The extension points that the action evaluates. Absent: any.
  std::optional<PointSet> points = {};
};

}  // namespace muster

#endif  // MUSTER_PART_ACTION_H_
