// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Schedulers of training jobs from papers: gangs of GPU tasks that take turns on a cluster.
//
//   std::vector<Preset> presets = TrainingPresets();   // tiresias, themis, gavel
//
// What they share. Jobs are gangs that keep their progress when they are stopped. A cycle serves
// jobs in an order of its own and stops whole jobs that go later (lease.cc, rounds.cc). Queues,
// shares and priorities are not read, unless policies are added that do.
//
// tiresias (Gu et al., NSDI 2019), discretised two-dimensional least attained service: action lease
// over policy attained. Service is GPUs times seconds. A job falls to the next level when its
// service reaches a threshold, levels go in order, and within a level jobs go by creation. Run
// times are not read. A job that waits long enough goes back to the first level.
//
// themis (Mahajan et al., NSDI 2020), finish-time fairness: action lease over policy finish-time.
// The ratio rho of a job is its time in the shared cluster over its time alone, and the worst
// ratios go first. Estimates of run times are read.
//
// gavel (Narayanan et al., OSDI 2020), max-min fairness over types of GPUs: action rounds. The rate
// of a job is normalised by that on an equal share of each type, and times its GPUs. Fair parts of
// time are computed, and rounds of 360 s follow them.
//
// Where they surprise:
// - A stopped job needs a cycle in which it has left before another one gets its place. Until then
//   the place is idle, as it is while a checkpoint is written.
// - A job that finds no nodes although there are GPUs enough is passed by later ones.
// - Jobs change their level, and their ratio, while nothing happens. Only a cycle notices. Run
//   cycles in rounds: a replay does so by `--rounds`.
// - gavel: a job with tasks beyond its gang grows only while no gang waits, and is stopped whole.
// - A replay without checkpoints loses the work of stopped jobs (`--checkpoint SECONDS`).
//
// Not kept.
// - tiresias: the Gittins index, which needs the distribution of run times; placement by the skew
//   of tensors. In the paper jobs of a level go by their first start. In its public simulator they
//   go by their arrival at the level (option within=arrival of policy attained).
// - themis: the auction. In the paper visible jobs bid with the ratios that they would have with
//   each offer, and the product of improvements is maximised. Here the visible job with the least
//   work left goes first. Ratios do not depend on the placement.
// - gavel: weights of jobs, packing of two jobs on a GPU, its other objectives and hierarchies. Its
//   simulator computes an allocation only when it forgets the time had; here each round does, as
//   its deployment. What a job is owed grows all the time, and not when time is forgotten. There a
//   job can have GPUs of a type on any servers; here its tasks must find nodes. GPUs that are left,
//   or given back within a round, are idle there until it ends.
//
// Ties. rounds.cc has those of rounds. Job order: policies, then creation, uid rank, index. Nodes
// of equal scores: the smallest index. Cost. As the action and the policies.
//
// Proof. lib/reference/peer/training restates the actions and both orders slowly, and
// tests/worlds/training_test.cc compares them on random worlds and in clusters that live.
#ifndef MUSTER_PEER_TRAINING_TRAINING_H_
#define MUSTER_PEER_TRAINING_TRAINING_H_

#include <vector>

#include "lib/session/preset.h"
#include "muster/policy.h"

namespace muster {

std::vector<Preset> TrainingPresets();
std::vector<PolicyDecl> TrainingPolicies();

ActionDecl LeaseAction();
ActionDecl RoundsAction();

PolicyDecl AttainedPolicy();
PolicyDecl FinishTimePolicy();

}  // namespace muster

#endif  // MUSTER_PEER_TRAINING_TRAINING_H_
