// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Remedies about the job's size: a gang of fewer tasks, tasks that request less.
#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/advice/amounts.h"
#include "lib/advice/ends.h"
#include "lib/advice/held.h"
#include "lib/advice/proposals.h"
#include "lib/advice/room.h"
#include "lib/advice/smallest.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

constexpr int64_t kSteps = 16;  // of a request: sixteenths of it are tried, too

// The gang that needs the most tasks and starts more of them than the whole one.
void ProposeGang(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out) {
  const int64_t minimum = job.tables.jobs.spec[job.job].min_available;
  const auto changes = [&](int64_t fewer) {
    return std::vector<WhatIfChange>{
        {.job = JobEdit{.name = job.name(), .min_available = minimum - fewer}}};
  };
  if (minimum < 2) return;
  // More than none under profiles that know no gangs.
  const int64_t now = job.today.starts;
  const std::optional<int64_t> fewer =
      Smallest(minimum - 1, [&](int64_t f) { return trials->Try(changes(f)).starts > now; });
  if (!fewer) return;
  out->push_back({.kind = RemedyKind::kSmallerGang,
                  .words = absl::StrCat("let the gang start with ", minimum - *fewer, " of its ",
                                        minimum, " tasks"),
                  .changes = changes(*fewer)});
}

// What each task may request at most, by dimension, descending in what is left of the requests.
struct Cap {
  std::vector<std::pair<DimensionIndex, int64_t>> amounts;  // ascending dimensions
  double kept = 1;  // the product of what is left of each request, as a part of it
};

// Looks for the largest amounts with which the tasks that wait start.
//
// Idea. So many equal tasks share a node, or what a limit leaves, that each gets an equal part of
// what is free. These parts, and sixteenths of the request, are the amounts to try. First each
// dimension alone; if none helps, all that a node is short of together.
class RequestProposer {
 public:
  RequestProposer(const WaitingCase& job, Trials* trials)
      : job_(job), trials_(trials), waiting_(job.Waiting()) {
    largest_.assign(job.tables.dimension_count(), 0);
    for (const WaitingTasks& tasks : waiting_) {
      count_ = SatAdd(count_, tasks.count);
      for (DimensionIndex d = 0; d < largest_.size(); ++d) {
        largest_[d] = std::max(largest_[d], tasks.request[d]);
      }
    }
    const FreeRoom room(job.tables, EndsOf(job.tables, job.plan));
    for (const NodeIndex n : room.NodesFor(*waiting_[0].shape, Refused())) {
      std::vector<int64_t>& free = free_.emplace_back();
      for (DimensionIndex d = 0; d < largest_.size(); ++d) free.push_back(room.Free(n, d));
    }
    std::ranges::sort(free_);
    free_.erase(std::unique(free_.begin(), free_.end()), free_.end());
    for (QueueIndex q = job.queue(); q != kNone; q = job.tables.queues.parent[q]) {
      AddLeft(job.tables.queues.limit.row(q), HeldBelow(job.tables, job.plan, q));
    }
  }

  void Run(std::vector<Remedy>* out) {
    bool found = false;
    for (DimensionIndex d = 0; d < largest_.size(); ++d) {
      if (d != kPods && largest_[d] > 0) found |= Propose(Alone(d), out);
    }
    if (!found) Propose(Together(), out);
  }

 private:
  static constexpr int64_t kMostSharers = 32;
  static constexpr int64_t kMi = 1 << 20;

  std::set<RefusalCode> Refused() const {
    std::set<RefusalCode> codes;
    for (const PendingTask& pending : job_.plan.pending()) {
      if (job_.is_lone() ? pending.task != job_.lone
                         : job_.tables.tasks.job[pending.task] != job_.job) {
        continue;
      }
      for (const Refusal& refusal : job_.plan.reasons()[pending.reason].refusals) {
        codes.insert(refusal.code);
      }
    }
    return codes;
  }

  void AddLeft(std::span<const int64_t> limit, const std::vector<int64_t>& held) {
    std::vector<int64_t> left;
    for (size_t d = 0; d < limit.size(); ++d) {
      left.push_back(limit[d] == kAbsent ? INT64_MAX : std::max<int64_t>(0, limit[d] - held[d]));
    }
    left_.push_back(std::move(left));
  }

  // Parts of cores are common. Those of devices are proposed only to tasks that request such; many
  // bytes are rounded to Mi.
  int64_t Rounded(DimensionIndex d, int64_t amount) const {
    const std::string_view name = job_.tables.dimensions.name(d);
    if (!IsMilliDimension(name)) return amount < 64 * kMi ? amount : amount / kMi * kMi;
    return name == "cpu" || largest_[d] % 1000 != 0 ? amount : amount / 1000 * 1000;
  }

  // Calls for what each of so many tasks gets that share what is free on a node or left by a limit.
  template <class F>
  void ForEachPart(F&& f) const {
    for (const std::vector<int64_t>& free : free_) {
      for (int64_t sharers = 1; sharers <= std::min(count_, kMostSharers); ++sharers) {
        f(free, sharers);
      }
    }
    for (const std::vector<int64_t>& left : left_) f(left, count_);
  }

  std::vector<Cap> Alone(DimensionIndex d) const {
    std::set<int64_t> amounts;
    ForEachPart([&](const std::vector<int64_t>& free, int64_t sharers) {
      amounts.insert(Rounded(d, free[d] / sharers));
    });
    for (int64_t part = 1; part < kSteps; ++part) {
      amounts.insert(Sixteenths(job_.tables.dimensions.name(d), largest_[d], part));
    }
    std::vector<Cap> caps;
    for (auto amount = amounts.rbegin(); amount != amounts.rend(); ++amount) {
      if (*amount > 0 && *amount < largest_[d]) caps.push_back({.amounts = {{d, *amount}}});
    }
    return caps;
  }

  std::vector<Cap> Together() const {
    std::vector<Cap> caps;
    ForEachPart([&](const std::vector<int64_t>& free, int64_t sharers) {
      Cap cap;
      for (DimensionIndex d = 0; d < largest_.size(); ++d) {
        const int64_t amount = Rounded(d, free[d] / sharers);
        if (d == kPods || amount >= largest_[d]) continue;
        cap.amounts.emplace_back(d, amount);
        cap.kept *= static_cast<double>(amount) / static_cast<double>(largest_[d]);
      }
      if (cap.amounts.size() > 1 && cap.kept > 0) caps.push_back(std::move(cap));
    });
    std::ranges::sort(caps, [](const Cap& a, const Cap& b) {
      return std::tie(b.kept, b.amounts) < std::tie(a.kept, a.amounts);
    });
    return caps;
  }

  std::vector<WhatIfChange> Changes(const Cap& cap) const {
    JobEdit edit{.name = job_.name()};
    for (const auto& [d, amount] : cap.amounts) {
      const std::string name(job_.tables.dimensions.name(d));
      edit.request_at_most.emplace_back(name, Quantity(AmountText(name, amount)));
    }
    return {{.job = std::move(edit)}};
  }

  // Adds the first that helps of caps that fall, as if all behind it helped, too.
  bool Propose(const std::vector<Cap>& caps, std::vector<Remedy>* out) const {
    if (caps.empty() || !trials_->Helps(Changes(caps.back()))) return false;
    const std::optional<int64_t> place = Smallest(
        static_cast<int64_t>(caps.size()),
        [&](int64_t i) { return trials_->Helps(Changes(caps[static_cast<size_t>(i) - 1])); });
    if (!place) return false;
    const Cap& cap = caps[static_cast<size_t>(*place) - 1];
    out->push_back(
        {.kind = RemedyKind::kSmallerRequest, .words = Words(cap), .changes = Changes(cap)});
    return true;
  }

  std::string Words(const Cap& cap) const {
    const bool equal = std::ranges::all_of(cap.amounts, [this](const auto& amount) {
      return std::ranges::all_of(waiting_, [&](const WaitingTasks& tasks) {
        return tasks.request[amount.first] == largest_[amount.first];
      });
    });
    std::string words = equal ? "request less" : "let no task request more than";
    for (size_t i = 0; i < cap.amounts.size(); ++i) {
      const auto& [d, amount] = cap.amounts[i];
      const std::string_view name = job_.tables.dimensions.name(d);
      const std::string text = AmountText(name, amount), now = AmountText(name, largest_[d]);
      const char* const comma = i == 0 ? " " : ", ";
      if (!equal) {
        absl::StrAppend(&words, comma, text, " ", ToAbsl(name), " (the largest: ", now, ")");
      } else if (cap.amounts.size() == 1) {
        absl::StrAppend(&words, " ", ToAbsl(name), " for each task: ", now, " -> ", text);
      } else {
        absl::StrAppend(&words, i == 0 ? " for each task: " : ", ", ToAbsl(name), " ", now, " -> ",
                        text);
      }
    }
    return words;
  }

  const WaitingCase& job_;
  Trials* const trials_;
  const std::vector<WaitingTasks> waiting_;
  int64_t count_ = 0;                       // of tasks that wait
  std::vector<int64_t> largest_;            // by dimension: the largest request
  std::vector<std::vector<int64_t>> free_;  // by dimension, of each node that is open to the tasks
  std::vector<std::vector<int64_t>> left_;  // by dimension, below the limit of each queue
};

}  // namespace

void ProposeSizes(const WaitingCase& job, Trials* trials, std::vector<Remedy>* out) {
  if (!job.is_lone()) ProposeGang(job, trials, out);
  RequestProposer(job, trials).Run(out);
}

}  // namespace muster
