// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The actions, one function each; what they do stands at the top of their files.
//
//   const ActionDecl action = AllocateAction();
//   action.run(context, *Options::Check("action allocate", action.options, {}));
#ifndef MUSTER_ACTION_ACTIONS_H_
#define MUSTER_ACTION_ACTIONS_H_

#include <span>
#include <string_view>

#include "lib/action/context.h"

namespace muster {

// A kind of action: what profiles and help texts know about it.
struct ActionDecl {
  std::string_view name;
  std::string_view summary;
  std::span<const OptionDecl> options;
  void (*run)(ActionContext& context, const Options& options);
  // What others have to know of it in a cycle that runs it.
  bool admits = false;  // jobs may ask for nodes only once it has let them
  bool evicts = false;  // it makes room for tasks that found no node
};

ActionDecl AdmitAction();
ActionDecl AllocateAction();
ActionDecl BackfillAction();
ActionDecl PreemptAction();
ActionDecl ReclaimAction();
ActionDecl GangPreemptAction();
ActionDecl GangReclaimAction();
ActionDecl ShuffleAction();

// The same words as kube-batch understands them.
ActionDecl KubeBatchAllocateAction();
ActionDecl KubeBatchBackfillAction();
ActionDecl KubeBatchPreemptAction();
ActionDecl KubeBatchReclaimAction();

// Batch systems.
ActionDecl FcfsAction();
ActionDecl EasyAction();
ActionDecl ConservativeAction();
std::span<const std::string_view> BatchOrders();  // what their option `order` may be

// Placement groups and tasks of Ray.
ActionDecl RayAllocateAction();

// And as muster does.
ActionDecl FairAllocateAction();
ActionDecl FairReclaimAction();
ActionDecl FairPreemptAction();

}  // namespace muster

#endif  // MUSTER_ACTION_ACTIONS_H_
