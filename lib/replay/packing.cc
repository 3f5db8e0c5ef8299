// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The experiment around the packer (lib/peer/fgd/gpu_packer.h): arrivals, their outcome, and curves
// over what arrived.
//
// Curves are the study's, with its roundings, so that they can be compared with its tables to the
// last digit. After each arrival the share of GPUs in use, the fragments and their share of what is
// free are rounded to hundredths. Arrivals that lead to the same rounded percentage share a point,
// the mean of theirs.
#include "muster/packing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/base/strings.h"
#include "lib/peer/fgd/gpu_packer.h"

namespace muster {
namespace {

struct PolicyWord {
  std::string_view word;
  PackingPolicy policy;
};
constexpr std::array<PolicyWord, 6> kPolicies = {
    {{"fgd", PackingPolicy::kFragments},
     {"fgd:best-fit", PackingPolicy::kBestFit},
     {"fgd:dotprod", PackingPolicy::kDotProduct},
     {"fgd:gpu-clustering", PackingPolicy::kGpuClustering},
     {"fgd:gpu-packing", PackingPolicy::kGpuPacking},
     {"fgd:random", PackingPolicy::kRandom}}};

constexpr int64_t kMostCpu = int64_t{1} << 21, kMostAmount = int64_t{1} << 40;
constexpr size_t kMostPercent = 1000;  // of a curve

// Sums of many numbers of which one changes: pairs, pairs of pairs, and so on, always in the same
// order.
class SumTree {
 public:
  explicit SumTree(size_t leaves) : leaves_(1) {
    while (leaves_ < leaves) leaves_ *= 2;
    sums_.assign(2 * leaves_, 0);
  }
  void Set(size_t leaf, double value) {
    size_t at = leaves_ + leaf;
    sums_[at] = value;
    for (at /= 2; at > 0; at /= 2) sums_[at] = sums_[2 * at] + sums_[2 * at + 1];
  }
  double total() const { return sums_[1]; }

 private:
  size_t leaves_;
  std::vector<double> sums_;
};

double Hundredths(double x) { return std::rint(x * 100) / 100; }

// Returns eight sums side by side and halves of long rows, as NumPy adds. The order of addition
// decides whether a mean of hundredths that ends in a 5 is rounded up.
double PairwiseSum(std::span<const double> row) {
  constexpr size_t kSums = 8, kLong = 128;
  double sum = 0;
  if (row.size() > kLong) {
    const size_t half = row.size() / 2 / kSums * kSums;
    return PairwiseSum(row.subspan(0, half)) + PairwiseSum(row.subspan(half));
  }
  size_t i = 0;
  if (row.size() >= kSums) {
    std::array<double, kSums> sums;
    for (; i < kSums; ++i) sums[i] = row[i];
    for (; i + kSums <= row.size(); i += kSums) {
      for (size_t k = 0; k < kSums; ++k) sums[k] += row[i + k];
    }
    sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  }
  for (; i < row.size(); ++i) sum += row[i];
  return sum;
}

// Points of a curve: the values after arrivals, by the percentage they lead to.
class Curve {
 public:
  void Add(size_t percent, double value) {
    if (percent > kMostPercent) return;
    if (rows_.size() <= percent) rows_.resize(percent + 1);
    rows_[percent].push_back(value);
  }
  std::vector<double> Means() const {
    std::vector<double> means;
    for (size_t p = 0; p < rows_.size(); ++p) {
      std::vector<double> row = rows_[p];
      if (row.empty()) {
        if (p > 0) row = rows_[p - 1];
        if (p + 1 < rows_.size()) row.insert(row.end(), rows_[p + 1].begin(), rows_[p + 1].end());
      }
      means.push_back(row.empty() ? std::numeric_limits<double>::quiet_NaN()
                                  : PairwiseSum(row) / static_cast<double>(row.size()));
    }
    return means;
  }

 private:
  std::vector<std::vector<double>> rows_;
};

// Numbers of GPU models, and masks of them.
class Models {
 public:
  int32_t Of(const std::string& name) {
    return numbers_.try_emplace(name, static_cast<int32_t>(numbers_.size())).first->second;
  }
  uint64_t Mask(const std::string& words) const {
    if (words.empty()) return ~uint64_t{0};
    uint64_t mask = 0;
    for (absl::string_view word : absl::StrSplit(words, '|')) {
      const auto at = numbers_.find(std::string(word));
      if (at != numbers_.end()) mask |= uint64_t{1} << at->second;
    }
    return mask;
  }
  int32_t size() const { return static_cast<int32_t>(numbers_.size()); }

 private:
  std::map<std::string, int32_t> numbers_;
};

absl::Status Invalid(const std::string& message) { return absl::InvalidArgumentError(message); }

// Returns what is wrong with the node except for its model, or an empty text.
std::string NodeProblem(const PackingNode& node) {
  // Numbers of machines fit two bytes up to there.
  if (node.cpu_milli < 0 || node.cpu_milli > kMostCpu) {
    return absl::StrCat("cpu_milli is not between 0 and ", kMostCpu);
  }
  if (node.memory_mebi < 0 || node.memory_mebi > kMostAmount) {
    return "memory is not between 0 and 2^40";
  }
  if (node.gpus < 0 || node.gpus > kMostGpus) {
    return absl::StrCat(node.gpus, " GPUs; 0 to ", kMostGpus, " can be");
  }
  return {};
}

absl::Status CheckNodes(const PackingTrace& trace) {
  Models models;
  for (const PackingNode& node : trace.nodes) {
    std::string problem = NodeProblem(node);
    models.Of(node.model);
    if (problem.empty() && models.size() > kMostModels) {
      problem = absl::StrCat("more than ", kMostModels, " models of GPUs");
    }
    if (problem.empty()) continue;
    return Invalid(absl::StrCat("node ", Quote(node.name), ": ", problem));
  }
  if (trace.gpu_milli() == 0) return Invalid("no node has a GPU");
  if (trace.rank.empty()) return absl::OkStatus();
  if (trace.rank.size() != trace.nodes.size()) {
    return Invalid(absl::StrCat(trace.rank.size(), " ranks for ", trace.nodes.size(), " nodes"));
  }
  std::vector<uint8_t> taken(trace.nodes.size(), 0);
  for (uint32_t rank : trace.rank) {
    if (rank >= taken.size()) return Invalid(absl::StrCat("there is no rank ", rank));
    if (taken[rank]++) return Invalid(absl::StrCat("two nodes have the rank ", rank));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckPackingTrace(const PackingTrace& trace) {
  if (absl::Status s = CheckNodes(trace); !s.ok()) return s;
  for (size_t i = 0; i < trace.shapes.size(); ++i) {
    const PackingShape& shape = trace.shapes[i];
    const std::string place = absl::StrCat("shape ", i, ": ");
    if (shape.cpu_milli < 0 || shape.cpu_milli > kMostAmount || shape.memory_mebi < 0 ||
        shape.memory_mebi > kMostAmount) {
      return Invalid(absl::StrCat(place, "cpu or memory is not between 0 and 2^40"));
    }
    if (shape.gpus < 0 || shape.gpus > kMostGpus) {
      return Invalid(absl::StrCat(place, shape.gpus, " GPUs; 0 to ", kMostGpus, " can be"));
    }
    const int32_t least = shape.gpus == 0 ? 0 : shape.gpus == 1 ? 1 : kWholeGpu;
    const int32_t most = shape.gpus == 0 ? 0 : kWholeGpu;
    if (shape.gpu_milli < least || shape.gpu_milli > most) {
      return Invalid(absl::StrCat(place, "gpu_milli is ", shape.gpu_milli, "; of ", shape.gpus,
                                  " GPUs ", least, " to ", most, " can be requested"));
    }
  }
  for (uint32_t shape : trace.shape) {
    if (shape >= trace.shapes.size()) return Invalid(absl::StrCat("there is no shape ", shape));
  }
  for (uint32_t task : trace.arrivals) {
    if (task >= trace.shape.size()) return Invalid(absl::StrCat("there is no task row ", task));
  }
  return absl::OkStatus();
}

std::vector<std::string_view> PackingPolicies() {
  std::vector<std::string_view> words;
  words.reserve(std::size(kPolicies));
  for (const PolicyWord& known : kPolicies) words.push_back(known.word);
  return words;
}

namespace {

absl::Status NoSuchPolicy(std::string_view policy) {
  const std::vector<std::string_view> words = PackingPolicies();
  const std::string_view nearest = NearestName(policy, words);
  std::string others = absl::StrCat(", did you mean ", Quote(nearest), "?");
  if (nearest.empty()) {
    const auto append = [](std::string* out, std::string_view word) {
      absl::StrAppend(out, ToAbsl(word));
    };
    others = absl::StrCat("; there are ", absl::StrJoin(words.begin(), words.end(), ", ", append));
  }
  return Invalid(absl::StrCat("policy ", Quote(policy), " does not pack GPUs", others));
}

// The node of each machine: by their ranks, so that the first of equal ones has the smallest rank.
std::vector<uint32_t> NodesByRank(const PackingTrace& trace) {
  const size_t count = trace.nodes.size();
  std::vector<uint32_t> node_of(count);
  for (uint32_t i = 0; i < count; ++i) node_of[trace.rank.empty() ? i : trace.rank[i]] = i;
  return node_of;
}

// What the packer needs to know of a trace.
struct PackerInput {
  std::vector<GpuMachine> machines;
  std::vector<GpuTaskType> types;  // by shape
  std::vector<TypicalTask> typical;
  int32_t models = 0;
};

PackerInput InputOf(const PackingTrace& trace, const std::vector<uint32_t>& node_of) {
  PackerInput input;
  Models models;
  for (uint32_t i : node_of) {
    const PackingNode& node = trace.nodes[i];
    input.machines.push_back({node.cpu_milli, node.memory_mebi, node.gpus, models.Of(node.model)});
  }
  std::vector<GpuTaskKind> kinds;
  std::vector<size_t> kind_of;
  std::map<std::tuple<int64_t, int32_t, int32_t, std::string>, size_t> kind_numbers;
  for (const PackingShape& s : trace.shapes) {
    const uint64_t mask = models.Mask(s.models);
    input.types.push_back({s.cpu_milli, s.memory_mebi, s.gpu_milli, s.gpus, mask});
    const auto [at, added] =
        kind_numbers.try_emplace({s.cpu_milli, s.gpu_milli, s.gpus, s.models}, kinds.size());
    if (added) kinds.push_back({s.cpu_milli, s.gpu_milli, s.gpus, s.models, mask, 0});
    kind_of.push_back(at->second);
  }
  for (uint32_t shape : trace.shape) ++kinds[kind_of[shape]].count;
  input.typical = TypicalTasks(std::move(kinds));
  input.models = models.size();
  return input;
}

// The three curves of a replay, and the fragments after each arrival.
class Curves {
 public:
  Curves(GpuPacker& packer, size_t machines, double capacity)
      : packer_(packer), capacity_(capacity), gpus_(capacity / kWholeGpu), amounts_(machines) {
    for (size_t m = 0; m < machines; ++m) amounts_.Set(m, packer.Amount(m));
  }
  // To be called after each arrival; `machine` is negative where it fitted nowhere.
  void Add(int32_t machine, PackingResult* result) {
    if (machine >= 0) {
      const auto m = static_cast<size_t>(machine);
      amounts_.Set(m, packer_.Amount(m));
    }
    const double lost = amounts_.total();
    result->fragments.push_back(lost);
    const auto percent =
        static_cast<size_t>(std::rint(static_cast<double>(result->arrived_milli) / gpus_ / 10));
    const double used = static_cast<double>(result->used_milli), idle = capacity_ - used;
    allocated_.Add(percent, Hundredths(used / gpus_ / 10));
    fragment_.Add(percent, Hundredths(lost));
    ratio_.Add(percent, idle > 0 ? Hundredths(100 * lost / idle) : 0);
  }
  void Finish(PackingResult* result) const {
    result->allocated = allocated_.Means();
    for (double& point : result->allocated) point = Hundredths(point);
    result->fragment = fragment_.Means();
    for (double& point : result->fragment) point = Hundredths(100 * point / kWholeGpu / gpus_);
    result->fragment_ratio = ratio_.Means();
  }

 private:
  GpuPacker& packer_;
  const double capacity_, gpus_;
  SumTree amounts_;
  Curve allocated_, fragment_, ratio_;
};

}  // namespace

absl::StatusOr<PackingResult> ReplayPacking(const PackingTrace& trace, std::string_view policy,
                                            const PackingOptions& options) {
  const auto* const word = std::find_if(kPolicies.begin(), kPolicies.end(),
                                        [&](const PolicyWord& k) { return k.word == policy; });
  if (word == kPolicies.end()) return NoSuchPolicy(policy);
  if (absl::Status s = CheckPackingTrace(trace); !s.ok()) return s;
  const std::vector<uint32_t> node_of = NodesByRank(trace);
  PackerInput input = InputOf(trace, node_of);
  if (input.typical.size() > kMostTypical) {
    return Invalid(
        absl::StrCat(input.typical.size(), " typical kinds of tasks; at most ", kMostTypical));
  }
  PackingResult result;
  result.policy = std::string(policy);
  GpuFragments fragments(std::move(input.typical), input.models);
  result.typical = static_cast<int64_t>(fragments.typical().size());
  GpuPacker packer(word->policy, input.machines, std::move(input.types), std::move(fragments),
                   options.seed, options.curves);
  std::optional<Curves> curves;
  if (options.curves) {
    curves.emplace(packer, node_of.size(), static_cast<double>(trace.gpu_milli()));
    result.fragments.reserve(trace.arrivals.size());
  }
  result.node.reserve(trace.arrivals.size());
  result.gpus.reserve(trace.arrivals.size());
  for (uint32_t task : trace.arrivals) {
    const PackingShape& shape = trace.shapes[trace.shape[task]];
    const int64_t milli = int64_t{shape.gpus} * shape.gpu_milli;
    const GpuPlace place = packer.Place(trace.shape[task]);
    result.arrived_milli += milli;
    result.gpus.push_back(place.gpus);
    if (place.machine < 0) {
      result.node.push_back(-1);
      ++result.failed;
    } else {
      result.node.push_back(static_cast<int32_t>(node_of[static_cast<size_t>(place.machine)]));
      result.used_milli += milli;
    }
    if (curves) curves->Add(place.machine, &result);
  }
  if (curves) curves->Finish(&result);
  return result;
}

}  // namespace muster
