// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Traces made from mixes.
//
// Each drawn quantity has a random stream of its own, so another distribution of run times leaves
// the submissions as they were. Submissions are first drawn as if all hours were equal, then spread
// to the requested load, then moved within their day, so that each hour gets its weight of the
// day's time.
#include <algorithm>
#include <limits>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/math.h"
#include "lib/base/rng.h"
#include "lib/base/strings.h"
#include "muster/mix.h"
#include "muster/quantity.h"

namespace muster {
namespace {

constexpr int64_t kMostJobs = 100'000'000, kMostNodes = 10'000'000;
constexpr int64_t kMostWeight = int64_t{1} << 40;
constexpr int64_t kHour = 3600, kHours = 24;
enum Stream : uint64_t { kKinds = 1, kRuns, kGaps, kQueues, kUsers, kEstimates };

absl::Status Refuse(const TraceMix& mix, absl::string_view rule) {
  return absl::InvalidArgumentError(absl::StrCat("mix ", Quote(mix.name), ": ", rule));
}

absl::Status CheckDistribution(const TraceMix& mix, const std::vector<int64_t>& values,
                               absl::string_view table, int64_t least) {
  if (values.size() != kMixShares.size()) {
    return Refuse(mix, absl::StrCat(table, ": ", values.size(), " values, there must be ",
                                    kMixShares.size()));
  }
  if (values.front() < least || values.back() > kEndless ||
      !std::is_sorted(values.begin(), values.end())) {
    return Refuse(mix,
                  absl::StrCat(table, ": values must be ", least, " or more, none above the next"));
  }
  return absl::OkStatus();
}

// Draws indices, each as often as its weight requires.
class Weights {
 public:
  // False where a weight is out of range or all are 0.
  bool Add(int64_t weight) {
    sum_ = SatAdd(sum_, weight);
    ends_.push_back(sum_);
    return weight >= 0 && weight <= kMostWeight;
  }
  int64_t sum() const { return sum_; }
  size_t Draw(Rng* rng) const {
    const auto at = static_cast<int64_t>(rng->Below(static_cast<uint64_t>(sum_)));
    return static_cast<size_t>(std::upper_bound(ends_.begin(), ends_.end(), at) - ends_.begin());
  }

 private:
  int64_t sum_ = 0;
  std::vector<int64_t> ends_;
};

template <class Rows, class Weigh>
absl::Status CheckWeights(const TraceMix& mix, const Rows& rows, absl::string_view table,
                          Weigh weigh) {
  Weights weights;
  bool good = true;
  for (const auto& row : rows) good &= weights.Add(weigh(row));
  if (good && (rows.empty() || weights.sum() > 0)) return absl::OkStatus();
  return Refuse(mix, absl::StrCat(table, ": weights must be between 0 and 2^40, not all 0"));
}

// Interpolates between two shares by equal factors of one more than the value. Run times and gaps
// spread over many orders of magnitude, and straight lines would make most of them too long.
int64_t Draw(const std::vector<int64_t>& values, Rng* rng) {
  const double at = rng->Unit() * 10000;
  size_t above = 1;
  while (static_cast<double>(kMixShares[above]) <= at) ++above;
  const int64_t least = values[above - 1], most = values[above];
  if (least == most) return least;
  const auto share = static_cast<double>(kMixShares[above - 1]);
  const double part = (at - share) / (static_cast<double>(kMixShares[above]) - share);
  const double low = Log(static_cast<double>(least) + 1), high = Log(static_cast<double>(most) + 1);
  const double value = Exp(low + (high - low) * part) - 0.5;  // one less, rounded to nearest
  return std::clamp(static_cast<int64_t>(value), least, most);
}

using MilliAmounts = std::map<std::string, int64_t>;  // thousandths

absl::StatusOr<MilliAmounts> Parse(const Resources& resources) {
  MilliAmounts amounts;
  for (const auto& [name, quantity] : resources) {
    const absl::StatusOr<int64_t> amount = ParseQuantity(quantity.text, Unit::kMilli);
    if (!amount.ok()) return amount.status();
    amounts[name] = *amount;
  }
  return amounts;
}

// Returns how many such tasks an empty node holds.
int64_t Room(const MilliAmounts& node, const MilliAmounts& task) {
  int64_t room = std::numeric_limits<int64_t>::max();
  for (const auto& [name, amount] : task) {
    if (amount == 0) continue;
    const auto found = node.find(name);
    room = std::min(room, found == node.end() ? 0 : found->second / amount);
  }
  return room;
}

class Generator {
 public:
  Generator(const TraceMix& mix, const MixOptions& options) : mix_(mix), options_(options) {}

  absl::StatusOr<Trace> Run() {
    trace_.name = mix_.name;
    for (const MixQueue& queue : mix_.queues) trace_.queues.push_back(queue.queue);
    for (size_t i = 0; i < mix_.users.size(); ++i) trace_.users.push_back(absl::StrCat("u", i));
    if (mix_.processors > 0) {
      trace_.processors = options_.processors > 0 ? options_.processors : mix_.processors;
    } else {
      MakeNodes();
    }
    if (absl::Status s = ChooseKinds(); !s.ok()) return s;
    if (absl::Status s = DrawJobs(); !s.ok()) return s;
    Spread();
    return std::move(trace_);
  }

 private:
  // The kinds get nodes by their counts; what is left over goes to the largest remainders, the
  // first kind first.
  void MakeNodes() {
    int64_t sum = 0;
    for (const MixNodes& kind : mix_.nodes) sum += kind.count;
    const int64_t wanted = options_.nodes > 0 ? options_.nodes : sum;
    int64_t left = wanted;
    std::vector<std::pair<int64_t, size_t>> remainders;
    for (size_t k = 0; k < mix_.nodes.size(); ++k) {
      const int64_t share = MulDiv(wanted, mix_.nodes[k].count, sum);
      counts_.push_back(share);
      left -= share;
      remainders.emplace_back(share * sum - wanted * mix_.nodes[k].count, k);
    }
    std::sort(remainders.begin(), remainders.end());
    for (int64_t i = 0; i < left; ++i) ++counts_[remainders[static_cast<size_t>(i)].second];
    for (size_t k = 0; k < mix_.nodes.size(); ++k) {
      NodeSpec node = mix_.nodes[k].node;
      for (int64_t i = 0; i < counts_[k]; ++i) {
        node.name = absl::StrCat(mix_.nodes[k].node.name, i);
        trace_.machine.nodes.push_back(node);
      }
    }
  }

  // Kinds that fit, and what the machine has.
  absl::Status ChooseKinds() {
    std::vector<MilliAmounts> nodes;
    for (size_t k = 0; k < counts_.size(); ++k) {
      const absl::StatusOr<MilliAmounts> amounts = Parse(mix_.nodes[k].node.capacity);
      if (!amounts.ok()) return Refuse(mix_, amounts.status().message());
      nodes.push_back(*amounts);
      for (const auto& [name, amount] : *amounts) {
        capacity_[name] = SatAdd(capacity_[name], SatMul(amount, counts_[k]));
      }
    }
    for (const MixJobs& kind : mix_.jobs) {
      const absl::StatusOr<MilliAmounts> request = Parse(kind.shape.request);
      if (!request.ok()) return Refuse(mix_, request.status().message());
      int64_t room = trace_.processors;
      for (size_t k = 0; k < counts_.size(); ++k) {
        if (counts_[k] > 0) room = SatAdd(room, SatMul(Room(nodes[k], *request), counts_[k]));
      }
      weights_.Add(room >= kind.tasks ? kind.weight : 0);
      requests_.push_back(*request);
      trace_.shapes.push_back(kind.shape);
    }
    if (weights_.sum() > 0) return absl::OkStatus();
    return Refuse(mix_, "none of its jobs fits the machine");
  }

  absl::Status DrawJobs() {
    const auto stream = [&](Stream which) { return Rng(SplitMix64(options_.seed ^ which)); };
    Rng kinds = stream(kKinds), runs = stream(kRuns), gaps = stream(kGaps),
        queues = stream(kQueues), users = stream(kUsers), estimates = stream(kEstimates);
    Weights queue_weights, user_weights;
    for (const MixQueue& queue : mix_.queues) queue_weights.Add(queue.jobs);
    for (const int64_t weight : mix_.users) user_weights.Add(weight);
    int64_t now = 0;
    for (int64_t i = 0; i < options_.jobs; ++i) {
      const size_t k = weights_.Draw(&kinds);
      const MixJobs& kind = mix_.jobs[k];
      TraceJob job;
      job.submit = now;
      job.run = std::max<int64_t>(Draw(kind.run.empty() ? mix_.run : kind.run, &runs), 1);
      if (!mix_.estimate.empty()) {
        const int64_t estimate = MulDiv(job.run, Draw(mix_.estimate, &estimates), 100);
        job.estimate = std::clamp<int64_t>(estimate, 1, kEndless);
      }
      job.tasks = kind.tasks;
      job.min_tasks = kind.min_tasks;
      job.shape = static_cast<uint32_t>(k);
      if (!mix_.queues.empty()) job.queue = static_cast<uint32_t>(queue_weights.Draw(&queues));
      if (!mix_.users.empty()) job.user = static_cast<uint32_t>(user_weights.Draw(&users));
      if (absl::Status s = AddJob(job, &trace_); !s.ok()) return s;
      now = std::min(SatAdd(now, Draw(mix_.gaps, &gaps)), kEndless);
    }
    return absl::OkStatus();
  }

  // By shape: for each resource that the machine has, the part of it that a task requests.
  std::vector<std::vector<std::pair<size_t, double>>> Parts() const {
    if (trace_.processors > 0) {
      return std::vector<std::vector<std::pair<size_t, double>>>(
          trace_.shapes.size(), {{0, 1 / static_cast<double>(trace_.processors)}});
    }
    std::vector<std::vector<std::pair<size_t, double>>> parts;
    for (const MilliAmounts& request : requests_) {
      auto& of_shape = parts.emplace_back();
      size_t dimension = 0;
      for (const auto& [name, there] : capacity_) {
        const auto asked = request.find(name);
        if (asked != request.end() && there > 0) {
          of_shape.emplace_back(dimension,
                                static_cast<double>(asked->second) / static_cast<double>(there));
        }
        ++dimension;
      }
    }
    return parts;
  }

  // Returns the part of the scarcest resource that jobs hold on average until the last one is
  // submitted, if submissions take `length` seconds and each job starts when it is submitted.
  double Load(double length,
              const std::vector<std::vector<std::pair<size_t, double>>>& parts) const {
    const auto last = static_cast<double>(trace_.submit.back());
    std::vector<double> held(std::max<size_t>(capacity_.size(), 1), 0);
    for (size_t row = 0; row < trace_.size(); ++row) {
      const double left = length * (1 - static_cast<double>(trace_.submit[row]) / last);
      const double seconds = std::min(static_cast<double>(trace_.run[row]), left) *
                             static_cast<double>(trace_.tasks[row]);
      for (const auto& [dimension, part] : parts[trace_.shape[row]]) {
        held[dimension] += seconds * part;
      }
    }
    return *std::max_element(held.begin(), held.end()) / length;
  }

  // Returns the shortest time in which the jobs can be submitted without exceeding the load. The
  // load falls with the time, so bisection finds it.
  double LengthOf(double load) const {
    constexpr int kHalvings = 50;
    const auto parts = Parts();
    double high = 1;
    while (Load(high, parts) > load && high < static_cast<double>(kEndless)) high *= 2;
    double low = 0;
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = (low + high) / 2;
      (Load(middle, parts) > load ? low : high) = middle;
    }
    return high;
  }

  // Maps `time` of days with equal hours to days with weighted hours. Day by day both are the same.
  int64_t InItsHour(int64_t time, const std::vector<int64_t>& ends) const {
    const int64_t day = time - time % (kHours * kHour);
    // As far into the day's weight as the time is into the day.
    const int64_t at = MulDiv(time - day, ends.back(), kHours * kHour);
    const size_t hour =
        static_cast<size_t>(std::upper_bound(ends.begin(), ends.end(), at) - ends.begin());
    const int64_t before = hour == 0 ? 0 : ends[hour - 1];
    return day + static_cast<int64_t>(hour) * kHour +
           MulDiv(at - before, kHour, ends[hour] - before);
  }

  void Spread() {
    if (trace_.size() == 0) return;
    const int64_t last = trace_.submit.back();
    if (options_.load > 0 && last > 0) {
      const double stretch = LengthOf(options_.load) / static_cast<double>(last);
      for (int64_t& time : trace_.submit) {
        time = static_cast<int64_t>(
            std::min(static_cast<double>(time) * stretch, static_cast<double>(kEndless)));
      }
    }
    if (mix_.hours.empty()) return;
    std::vector<int64_t> ends;
    // Finer than the weights, so that equal weights change nothing but by a rounding.
    for (int64_t weight : mix_.hours)
      ends.push_back((ends.empty() ? 0 : ends.back()) + weight * kHour);
    for (int64_t& time : trace_.submit) time = InItsHour(time, ends);
  }

  const TraceMix& mix_;
  const MixOptions& options_;
  Trace trace_;
  std::vector<int64_t> counts_;  // of each kind of nodes
  std::vector<MilliAmounts> requests_;
  MilliAmounts capacity_;
  Weights weights_;  // of the kinds of jobs
};

}  // namespace

absl::Status CheckMix(const TraceMix& mix) {
  if (mix.jobs.empty()) return Refuse(mix, "jobs: there are none");
  if ((mix.processors > 0) == !mix.nodes.empty() || mix.processors < 0) {
    return Refuse(mix, "it needs nodes or processors, and not both");
  }
  int64_t nodes = 0;
  for (const MixNodes& kind : mix.nodes) {
    nodes += kind.count;
    if (kind.count < 1 || kind.count > kMostNodes || nodes > kMostNodes) {
      return Refuse(mix, absl::StrCat("nodes ", Quote(kind.node.name),
                                      ": counts must be above 0, up to ", kMostNodes, " together"));
    }
  }
  for (const MixJobs& kind : mix.jobs) {
    if (kind.tasks < 1 || kind.tasks >= int64_t{kNone} || kind.min_tasks < 0 ||
        kind.min_tasks > kind.tasks) {
      return Refuse(mix, "jobs: tasks must be above 0, min_tasks between 0 and tasks");
    }
    if (kind.run.empty()) continue;
    if (absl::Status s = CheckDistribution(mix, kind.run, "jobs: run", 1); !s.ok()) return s;
  }
  const absl::Status checks[] = {
      CheckWeights(mix, mix.jobs, "jobs", [](const MixJobs& kind) { return kind.weight; }),
      CheckWeights(mix, mix.queues, "queues", [](const MixQueue& queue) { return queue.jobs; }),
      CheckWeights(mix, mix.users, "users", [](int64_t weight) { return weight; }),
      CheckWeights(mix, mix.hours, "hours", [](int64_t weight) { return weight; }),
      CheckDistribution(mix, mix.run, "run", 1),
      CheckDistribution(mix, mix.gaps, "gaps", 0),
      mix.estimate.empty() ? absl::OkStatus() : CheckDistribution(mix, mix.estimate, "estimate", 0),
  };
  for (const absl::Status& status : checks) {
    if (!status.ok()) return status;
  }
  if (!mix.hours.empty() && mix.hours.size() != static_cast<size_t>(kHours)) {
    return Refuse(mix, absl::StrCat("hours: ", mix.hours.size(), " weights, a day has 24 hours"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Trace> GenerateTrace(const TraceMix& mix, const MixOptions& options) {
  if (absl::Status s = CheckMix(mix); !s.ok()) return s;
  if (options.jobs < 0 || options.jobs > kMostJobs) {
    return Refuse(mix,
                  absl::StrCat("jobs: expected between 0 and ", kMostJobs, ", got ", options.jobs));
  }
  if (options.nodes < 0 || options.nodes > kMostNodes || options.processors < 0 ||
      options.processors >= int64_t{kNone}) {
    return Refuse(mix, absl::StrCat("the machine: expected up to ", kMostNodes,
                                    " nodes or 2^32 - 2 processors"));
  }
  if (options.nodes > 0 && mix.processors > 0)
    return Refuse(mix, "nodes: its machine is a pool of processors");
  if (options.processors > 0 && mix.processors == 0)
    return Refuse(mix, "processors: its machine has nodes");
  if (!(options.load >= 0 && options.load <= 1000)) {  // NaN is not
    return Refuse(mix, absl::StrCat("load: expected between 0 and 1000, got ", options.load));
  }
  int64_t made = 0;  // nodes that the mix alone asks for
  for (const MixNodes& kind : mix.nodes) made += options.nodes > 0 ? 0 : kind.count;
  if (made > options.limits.rows) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "mix ", mix.name, ": ", made, " nodes in all; at most ", options.limits.rows, " are made"));
  }
  absl::StatusOr<Trace> trace = Generator(mix, options).Run();
  if (!trace.ok()) return trace;
  if (absl::Status s = CheckTrace(*trace); !s.ok()) return s;
  return trace;
}

}  // namespace muster
