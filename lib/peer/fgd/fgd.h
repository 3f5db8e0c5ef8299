// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Filling GPUs: the six policies of "Beware of Fragmentation" (ATC'23); how they decide and how
// they are kept quick.
//
//   GpuPacker packer(PackingPolicy::kFragments, machines, types, std::move(fragments), seed);
//   GpuPlace place = packer.Place(type);   // machine below 0: it fits nowhere
//
// This folder holds functions, and no profile yet: tasks arrive one by one, are placed for good or
// dropped, and none leaves. `muster replay openb --policy fgd` and ReplayPacking
// (include/muster/packing.h) run the experiment of the study through lib/replay/packing.cc.
//
// The loop:
// 1. A task arrives with its type: cpu, memory, a number of whole GPUs or a share of one, and the
//    models it accepts.
// 2. A machine fits if it has the cpu and the memory, a model that the type accepts, and as many
//    GPUs with enough left.
// 3. Of those, the machine with the highest whole number by the policy wins.
// 4. Whole GPUs are the first free ones. A shared GPU is the one with the least left that is
//    enough. Under fgd it is the one that gives the machine its number.
// 5. The machine's cpu, memory and GPUs shrink, for good.
//
// The policies and their numbers are in docs/replay.md: fgd, best-fit, dotprod, gpu-clustering,
// gpu-packing and random. The number of fgd is a sigmoid of how much fragmentation falls.
// Fragmentation of a machine is the mean, over the typical tasks, of the free GPU that such a task
// could not use (lib/fit/gpu_fragments.h). Typical tasks are the most frequent types that make up
// 95 of 100 tasks.
//
// Where the study surprises, and this folder with it:
// - A score may hang on the last bit of a sum of doubles. So the classes of fragments are added up
//   in the study's order, each over the typical tasks in their order.
// - The sigmoid is rounded step by step: reciprocal first, then times 100, then cut to an integer.
//   Many machines share a number, so ties decide often.
// - Memory is checked but never scored. cpu counts for fgd only by how many typical requests it
//   reaches.
// - A type that did not fit never fits again, because no task leaves.
//
// How it stays quick:
// - Each distinct demand has a board of the machines' numbers. A placement changes one machine. A
//   board evaluates the machines that changed since it was last read, each once (change_list.h).
// - Every 64 machines have a bound that their numbers do not exceed. It is made exact only when it
//   is the highest.
// - Amounts of fragmentation are remembered by the state of the GPUs and the level of the cpu,
//   because few of them ever occur.
// - The sigmoid is a search in a table of the amounts at which the number changes
//   (lib/fit/sigmoid_score.h).
// - random keeps sets of machines that fit instead of boards (fit_sets.h).
//
// Files: gpu_packer.h is the entry, packed_machine.h its input and output, packing_scores.cc the
// numbers of the policies other than fgd.
//
// Not kept. The chance of the study's random policy depended on the timing of threads. Here it
// depends on the seed. Tasks that leave are not supported.
//
// Ties. The smallest rank of the order of nodes that the caller gives, then the first GPU.
//
// Cost. A decision: one pass over the bounds of 64 machines each, and for each pair of a board and
// a changed machine a look, or O(GPUs) amounts at a new combination. See bench/README.md.
//
// Proof. lib/reference/peer/fgd restates the policies slowly, and tests/peer/fgd compares them. On
// the recorded orders of openb, all but random decide as the study's simulator did, node by node
// and GPU by GPU (tests/replay/packing_test.cc).
#ifndef MUSTER_PEER_FGD_FGD_H_
#define MUSTER_PEER_FGD_FGD_H_

#endif  // MUSTER_PEER_FGD_FGD_H_
