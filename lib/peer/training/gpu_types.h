// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The types of GPUs of a cluster, how fast jobs are on them, and the part of its time that is each
// job's due on each type.
//
//   const GpuTypes types(tables, "nvidia.com/gpu", "gpu-model");
//   std::vector<TypeJob> jobs = {{.speed = types.SpeedsOf(job), .gpus = 4}};
//   const auto due = ShareTypes(jobs, /*gpus=*/{8, 16});
//   due[0][1];                               // of job 0 on type 1, in kWholeTime
//
// Rules.
// - The type of a node is the value of its label; nodes without the label are of the type "". Types
//   go by their names. Nodes without the resource are of no type.
// - The speed of a job on a type is its setting "speed/TYPE", in millionths. A job without such
//   settings is as fast everywhere; one that has some does not run on other types.
// - A job's rate on a type is its GPUs times its speed there over its mean speed, which is that on
//   a GPU drawn from all of them. The least rate is as high as it can be, and so on upwards
//   (lib/share/rate_filling.h). So a job of one GPU is due twice the time of one of two. On types
//   with fewer GPUs than it has, a job has no due.
//
// Cost. GpuTypes: O(nodes). ShareTypes: that of FillRates, for each kind of job once.
#ifndef MUSTER_PEER_TRAINING_GPU_TYPES_H_
#define MUSTER_PEER_TRAINING_GPU_TYPES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "lib/model/tables.h"

namespace muster {

class GpuTypes {
 public:
  // `tables` must outlive this.
  GpuTypes(const Tables& tables, std::string_view resource, std::string_view label);

  size_t size() const { return names_.size(); }
  const std::string& name(size_t type) const { return names_[type]; }
  // Returns size() where there is no such type.
  size_t Find(std::string_view name) const;
  // Returns size() for a node of no type.
  size_t of_node(NodeIndex node) const { return of_node_[node]; }
  // By type, in millionths.
  std::vector<int64_t> SpeedsOf(JobIndex job) const;

  // kNone: no node has the resource.
  DimensionIndex dimension() const { return dimension_; }
  int64_t unit() const { return unit_; }  // of the dimension, in a GPU

 private:
  const Tables& tables_;
  DimensionIndex dimension_ = kNone;
  int64_t unit_ = 1;
  std::vector<std::string> names_;
  std::vector<size_t> of_node_;
};

struct TypeJob {
  std::vector<int64_t> speed;  // by type
  int64_t gpus = 1;
};

// Returns the due by job and type, in kWholeTime. `gpus`: by type.
std::vector<std::vector<int64_t>> ShareTypes(const std::vector<TypeJob>& jobs,
                                             const std::vector<int64_t>& gpus);

// Fails for the first setting "speed/TYPE" of a job that is no speed.
absl::Status CheckSpeedSettings(const Tables& tables);

}  // namespace muster

#endif  // MUSTER_PEER_TRAINING_GPU_TYPES_H_
