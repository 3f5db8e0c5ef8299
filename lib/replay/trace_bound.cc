// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Lower bounds on the mean wait and the mean bounded slowdown of any schedule (trace_bound.h).
//
// The claim. Let job j have submission s, run time p and amount r, and add f(w) to the sum if it
// waits w seconds; f does not fall. Let the machine have the amount P. For any prices l(t) >= 0,
// every schedule has a sum of at least
//
//   D(l) = sum over j of min over t >= s of [ f(t - s) + r * (L(t + p) - L(t)) ]  -  P * integral l
//
// with L the integral of l. Proof. Take a schedule, and let job j begin its last run at t_j. This
// run has full width and length p and is not before s, so the schedule is among the choices of the
// minimum, and its turnaround less run time is t_j - s. So D(l) is at most
//   sum of f(t_j - s) + integral of l(t) * (what the last runs use at t - P) dt
// and the second part is not above 0, because at no time do the runs use more than P. What other
// runs, failures and rules of nodes or queues take from the schedule only makes it worse. Jobs that
// are left out of the sum use no less than nothing, so it holds for any subset, too.
//
// Why prices. A preemptive relaxation that serves the least remaining work first (SRPT on one
// machine of speed P) is quicker, and says nothing at all below an overload: it runs each job on
// the whole machine, in less time than the job takes. With prices a job keeps its width and length;
// what is relaxed is only that capacity holds in total, paid for, and not at each moment.
//
// For the wait f(w) = w. For bounded slowdowns f(w) = max(0, w + p - m) / m with m = max(p, bound):
// the slowdown less 1. In both cases it is v * max(0, w - g).
//
// Prices are constant between steps of time, so each bracket is linear between the submission, the
// end of its grace g, edges, and edges less p; its minimum is at one of these. The search ends
// at the first start with a wait that alone costs more than the best so far.
//
// The ascent. D is concave, and what the minimizing starts use of each step, less what there is, is
// a supergradient. Steps go along a running mean of these, by Polyak's rule for a target that is a
// little above the best; the target comes nearer when nothing improves. Doubles are used here. The
// best prices are then rounded to integers and D is evaluated in 128 bits, which is the answer.
#include "muster/trace_bound.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/model/tables.h"
#include "lib/replay/speeds.h"
#include "muster/quantity.h"

namespace muster {
namespace {

constexpr int kPriceShift = 40;
// Prices times capacity times seconds stay below.
constexpr absl::int128 kMostPaid = absl::int128(1) << 118;

// One job as the dual sees it.
struct PricedJob {
  int64_t submit, run, amount;
  // Of f: 2^40 of it a second, and the seconds without cost.
  int64_t slope, grace;
};

// Prices with their integral. Number: double or int128, in units of 2^-40.
template <class Number>
class PriceList {
 public:
  PriceList(int64_t origin, int64_t width, const std::vector<Number>& price)
      : origin_(origin), width_(width), price_(price) {
    sum_.reserve(price.size() + 1);
    sum_.push_back(Number(0));
    for (const Number& p : price) sum_.push_back(sum_.back() + p * Number(width));
  }

  // Returns the integral up to `time`.
  Number Until(int64_t time) const {
    if (time <= origin_) return Number(0);
    const auto step = static_cast<size_t>((time - origin_) / width_);
    if (step >= price_.size()) return sum_.back();
    return sum_[step] + price_[step] * Number((time - origin_) % width_);
  }
  const Number& total() const { return sum_.back(); }

  // Sets the cheapest start of the job, the earliest of equal ones, and returns its cost.
  Number Cheapest(const PricedJob& job, int64_t* start) const {
    const auto cost = [&](int64_t t) {
      return Number(job.slope) * Number(std::max<int64_t>(t - job.submit - job.grace, 0)) +
             Number(job.amount) * (Until(t + job.run) - Until(t));
    };
    Number best = cost(job.submit);
    *start = job.submit;
    const auto take = [&](int64_t t) {
      const Number waiting =
          Number(job.slope) * Number(std::max<int64_t>(t - job.submit - job.grace, 0));
      if (waiting >= best) return false;
      const Number of_t = cost(t);
      if (of_t < best || (of_t == best && t < *start)) {
        best = of_t;
        *start = t;
      }
      return true;
    };
    if (job.grace > 0) take(job.submit + job.grace);
    const auto edges = static_cast<int64_t>(price_.size());
    for (const int64_t back : {int64_t{0}, job.run}) {
      // The first edge with edge - back > submit.
      const int64_t after = job.submit + back - origin_;
      for (int64_t k = after < 0 ? 0 : after / width_ + 1; k <= edges; ++k) {
        if (!take(origin_ + k * width_ - back)) break;
      }
    }
    return best;
  }

 private:
  const int64_t origin_, width_;
  const std::vector<Number>& price_;
  std::vector<Number> sum_;
};

// The dual of one mean.
class Dual {
 public:
  Dual(std::vector<PricedJob> jobs, int64_t capacity, int64_t steps)
      : jobs_(std::move(jobs)), capacity_(capacity) {
    origin_ = std::numeric_limits<int64_t>::max();
    int64_t last = 0, longest = 0;
    absl::int128 work = 0;
    for (const PricedJob& job : jobs_) {
      origin_ = std::min(origin_, job.submit);
      last = std::max(last, job.submit);
      longest = std::max(longest, job.run);
      work += absl::int128(job.amount) * job.run;
    }
    if (jobs_.empty()) origin_ = 0;
    // A schedule without holes would be over by then.
    const absl::int128 busy = std::min<absl::int128>(work / capacity_, kEndless);
    const int64_t span = last - origin_ + longest + static_cast<int64_t>(busy) / 4 + 1;
    width_ = std::max<int64_t>((span + steps - 1) / steps, 1);
    price_.assign(static_cast<size_t>((span + width_ - 1) / width_), 0);
  }

  // Improves the prices `rounds` times, and keeps the best.
  void Ascend(int64_t rounds) {
    std::vector<double> best = price_, direction(price_.size(), 0);
    double value = 0, nearness = 0.3;
    int64_t since = 0;
    const double scale = Scale();
    for (int64_t round = 0; round < rounds; ++round) {
      std::vector<double> gradient;
      double now = Evaluate(&gradient);
      if (now > value) {
        since = now > value * (1 + nearness * 0.05) ? 0 : since + 1;
        value = now;
        best = price_;
      } else {
        ++since;
      }
      if (since >= 8) {
        nearness = std::max(nearness * 0.6, 1e-5);
        since = 0;
        price_ = best;
        std::fill(direction.begin(), direction.end(), 0);
        now = Evaluate(&gradient);
      }
      double norm = 0;
      for (size_t k = 0; k < price_.size(); ++k) {
        direction[k] = 0.7 * direction[k] + gradient[k];
        if (price_[k] == 0 && direction[k] < 0) direction[k] = 0;
        norm += direction[k] * direction[k];
      }
      if (norm == 0) break;
      const double target = value + nearness * std::max(value, scale);
      const double length = (target - now) / norm;
      for (size_t k = 0; k < price_.size(); ++k) {
        price_[k] = std::max(0.0, price_[k] + length * direction[k]);
      }
    }
    price_ = std::move(best);
  }

  // Returns D of the prices, rounded to integers, which it also returns, in units of 2^-40.
  absl::int128 Prove(TracePrices* out) const {
    std::vector<absl::int128> exact;
    *out = {.origin = origin_, .width = width_};
    const absl::int128 seconds = absl::int128(width_) * static_cast<int64_t>(price_.size());
    const auto most =
        static_cast<double>(std::min(kMostPaid / (seconds * capacity_ + 1), absl::int128(1) << 60));
    for (double price : price_) {
      out->price.push_back(static_cast<int64_t>(std::min(price, most)));
      exact.push_back(out->price.back());
    }
    const PriceList<absl::int128> prices(origin_, width_, exact);
    absl::int128 sum = -absl::int128(capacity_) * prices.total();
    int64_t start = 0;
    for (const PricedJob& job : jobs_) sum += prices.Cheapest(job, &start);
    return sum;
  }

 private:
  // What it costs if each job waits a step; the first target where nothing waits yet.
  double Scale() const {
    double slopes = 0;
    for (const PricedJob& job : jobs_) slopes += static_cast<double>(job.slope);
    return slopes * static_cast<double>(width_) * 0.1;
  }

  // Returns D in doubles, and by step what the cheapest starts use less what there is.
  double Evaluate(std::vector<double>* gradient) const {
    const PriceList<double> prices(origin_, width_, price_);
    const auto width = static_cast<double>(width_), capacity = static_cast<double>(capacity_);
    gradient->assign(price_.size(), -capacity * width);
    std::vector<double> change(price_.size() + 1, 0);
    double sum = -capacity * prices.total();
    for (const PricedJob& job : jobs_) {
      int64_t start = job.submit;
      sum += prices.Cheapest(job, &start);
      Use(job, start, gradient, &change);
    }
    double level = 0;
    for (size_t k = 0; k < price_.size(); ++k) {
      level += change[k];
      (*gradient)[k] += level * width;
    }
    return sum;
  }

  // Adds what the run uses: whole steps as a change of level, the ends by themselves.
  void Use(const PricedJob& job, int64_t start, std::vector<double>* gradient,
           std::vector<double>* change) const {
    const auto amount = static_cast<double>(job.amount);
    const auto add = [&](int64_t from, double sign) {
      // Everything from `from` on.
      const int64_t k = (from - origin_) / width_;
      if (k >= static_cast<int64_t>(price_.size())) return;
      const auto step = static_cast<size_t>(k);
      const int64_t into = (from - origin_) % width_;
      (*gradient)[step] += sign * amount * static_cast<double>(width_ - into);
      (*change)[step + 1] += sign * amount;
    };
    add(start, 1);
    add(start + job.run, -1);
  }

  const std::vector<PricedJob> jobs_;
  const int64_t capacity_;
  int64_t origin_ = 0, width_ = 1;
  std::vector<double> price_;
};

// The resource that counts, and what each job uses of it.
struct Counted {
  std::string resource = "processors";
  int64_t capacity = 0;
  std::vector<int64_t> amount;  // by row
};

Unit UnitOfAmount(std::string_view name) {
  return IsMilliDimension(name) ? Unit::kMilli : Unit::kWhole;
}

// Returns what all nodes have of each resource.
std::map<std::string, absl::int128> MachineOf(const Trace& trace) {
  std::map<std::string, absl::int128> has;
  for (const NodeSpec& node : trace.machine.nodes) {
    for (const auto& [name, amount] : node.allocatable.value_or(node.capacity)) {
      const absl::StatusOr<int64_t> units = ParseQuantity(amount.text, UnitOfAmount(name));
      if (units.ok()) has[name] += *units;
    }
  }
  return has;
}

Counted CountOf(const Trace& trace) {
  Counted counted;
  counted.capacity = trace.processors;
  for (size_t row = 0; row < trace.size(); ++row) counted.amount.push_back(trace.tasks[row]);
  if (trace.processors > 0) return counted;
  double most = -1;
  for (const auto& [name, all_nodes] : MachineOf(trace)) {
    // So much of it is never scarce.
    if (all_nodes <= 0 || all_nodes > absl::int128(1) << 60) continue;
    const auto capacity = static_cast<int64_t>(all_nodes);
    Counted of = {.resource = name, .capacity = capacity, .amount = {}};
    std::vector<int64_t> request(trace.shapes.size(), 0);
    for (size_t s = 0; s < request.size(); ++s) {
      for (const auto& [dimension, amount] : trace.shapes[s].request) {
        if (dimension == name) {
          request[s] = ParseQuantity(amount.text, UnitOfAmount(name)).value_or(0);
        }
      }
    }
    double work = 0;
    for (size_t row = 0; row < trace.size(); ++row) {
      const int64_t each = trace.shape[row] < request.size() ? request[trace.shape[row]] : 0;
      const absl::int128 all = absl::int128(each) * trace.tasks[row];
      of.amount.push_back(static_cast<int64_t>(std::min(all, absl::int128(kEndless))));
      work += static_cast<double>(of.amount.back()) * static_cast<double>(trace.run[row]);
    }
    if (work / static_cast<double>(capacity) <= most) continue;
    most = work / static_cast<double>(capacity);
    counted = std::move(of);
  }
  return counted;
}

absl::Status CheckRange(const char* name, int64_t value, int64_t most) {
  if (value >= 1 && value <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, ": ", value, " is not in 1..", most));
}

absl::Status CheckTraceBoundOptions(const Trace& trace, const TraceBoundOptions& options) {
  for (const absl::Status& status : {CheckTrace(trace), RefuseSpeeds(trace, "a bound"),
                                     CheckRange("slowdown_bound", options.slowdown_bound, kEndless),
                                     CheckRange("rounds", options.rounds, 100'000),
                                     CheckRange("steps", options.steps, 1'000'000)}) {
    if (!status.ok()) return status;
  }
  if (!options.rows.has_value()) return absl::OkStatus();
  std::vector<uint8_t> seen(trace.size(), 0);
  for (size_t i = 0; i < options.rows->size(); ++i) {
    const uint32_t row = (*options.rows)[i];
    if (row >= trace.size() || seen[row]++ != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("rows[", i, "]: ", row, " is not a row of the trace, or is listed twice"));
    }
  }
  return absl::OkStatus();
}

// Returns the jobs with the cost of their waits.
std::vector<PricedJob> JobsOf(const Trace& trace, const Counted& counted,
                              const std::vector<uint32_t>& rows, int64_t slowdown_bound) {
  std::vector<PricedJob> jobs;
  for (uint32_t row : rows) {
    PricedJob job = {trace.submit[row], trace.run[row],
                     std::min(counted.amount[row], counted.capacity), int64_t{1} << kPriceShift, 0};
    // A job that may run with fewer tasks may use less at a time.
    const uint32_t least = trace.min_tasks.empty() ? 0 : trace.min_tasks[row];
    if (least > 0 && least < trace.tasks[row]) job.amount = 0;
    if (slowdown_bound > 0) {
      const int64_t over = std::max(job.run, slowdown_bound);
      job.slope = (int64_t{1} << kPriceShift) / over;
      job.grace = over - job.run;
    }
    jobs.push_back(job);
  }
  return jobs;
}

double MeanOf(absl::int128 sum, size_t jobs) {
  if (sum <= 0 || jobs == 0) return 0;
  const double mean =
      static_cast<double>(sum >> (kPriceShift / 2)) * 0x1p-20 / static_cast<double>(jobs);
  return mean * (1 - 0x1p-50);  // more than what the conversions may have added
}

}  // namespace

absl::StatusOr<TraceBound> BoundTrace(const Trace& trace, const TraceBoundOptions& options) {
  if (const absl::Status checked = CheckTraceBoundOptions(trace, options); !checked.ok()) {
    return checked;
  }
  const Counted counted = CountOf(trace);
  std::vector<uint32_t> rows;
  if (options.rows.has_value()) {
    rows = *options.rows;
  } else {
    for (uint32_t row = 0; row < trace.size(); ++row) {
      if (counted.amount[row] <= counted.capacity) rows.push_back(row);
    }
  }
  TraceBound bound = {.jobs = static_cast<int64_t>(rows.size()),
                      .resource = counted.resource,
                      .capacity = counted.capacity};
  if (counted.capacity <= 0) return bound;
  Dual wait(JobsOf(trace, counted, rows, 0), counted.capacity, options.steps);
  wait.Ascend(options.rounds);
  bound.mean_wait = MeanOf(wait.Prove(&bound.wait_prices), rows.size());
  Dual slowdown(JobsOf(trace, counted, rows, options.slowdown_bound), counted.capacity,
                options.steps);
  slowdown.Ascend(options.rounds);
  bound.mean_bounded_slowdown = 1 + MeanOf(slowdown.Prove(&bound.slowdown_prices), rows.size());
  return bound;
}

}  // namespace muster
