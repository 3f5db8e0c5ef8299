// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// rounds on nodes: the first cycle of a first round. Nothing was remembered, so priorities are
// dues. Each job is a kind of its own, and every try is made on a copy of the world. The dues
// themselves come from the test.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "lib/reference/cycle.h"
#include "lib/reference/kube/domains.h"
#include "lib/reference/peer/training/training.h"

namespace muster::reference {
namespace {

// Stands for no type; "" is one.
std::string NoType() { return "\x01"; }

struct Share {
  JobIndex job;
  int64_t amount = 0;
  std::string type = NoType(), holds = NoType();  // holds: the only type on which it runs
  bool runs = false;
};

struct Wish {
  size_t share;
  std::string type;
  int64_t due, speed;
};

class RoundsTwin {
 public:
  explicit RoundsTwin(Cycle& cycle) : cycle_(cycle), tables_(cycle.tables()) {
    const auto found = cycle.profile->action_options.find("rounds");
    const auto text = [&](const char* key, const char* otherwise) -> std::string {
      if (found == cycle.profile->action_options.end()) return otherwise;
      const auto option = found->second.find(key);
      return option == found->second.end() ? otherwise : option->second;
    };
    resource_ = text("resource", "nvidia.com/gpu");
    label_ = text("label", "gpu-model");
    dimension_ = tables_.dimensions.Find(resource_).value_or(kNone);
    unit_ = IsMilliDimension(resource_) ? 1000 : 1;
  }

  void Run() {
    List();
    for (const auto& [type, amount] : Capacity()) types_.insert(type);
    std::vector<Wish> wishes = Wishes();
    do {
      Give(wishes);
    } while (DropHopeless(&wishes));
    Stop();
    for (const Share& share : Largest()) {
      if (share.type == NoType() || !Waits(share.job) || stopped_.contains(share.job)) continue;
      if (Lacks(share.job) == 0) continue;
      if (!Start(share.job, share.type)) Keep(share.job, share.type);
    }
    std::map<std::string, int64_t> left = Left();
    for (const Wish& wish : wishes_) {
      Share& share = shares_[wish.share];
      if (share.type != NoType() || share.runs || left[wish.type] < share.amount) continue;
      if (!Start(share.job, wish.type)) continue;
      share.type = wish.type;
      left[wish.type] -= Held(share.job);
    }
    for (JobIndex job : others_) {
      if (Lacks(job) > 0) Start(job, NoType());
    }
    GrowAll(left);
  }

 private:
  bool Holds(TaskIndex task) const { return IsAllocated(cycle_.world.status[task]); }
  bool Pends(TaskIndex task) const { return cycle_.world.status[task] == TaskStatus::kPending; }
  bool Waits(JobIndex job) const {
    const auto& tasks = cycle_.world.tasks_of(job);
    return std::any_of(tasks.begin(), tasks.end(), [&](TaskIndex t) { return Pends(t); }) &&
           JobValid(cycle_, job);
  }
  int64_t Amount(TaskIndex task) const {
    const bool leaves = cycle_.world.status[task] == TaskStatus::kReleasing;
    const bool waits = Pends(task) && !cycle_.world.gated(task);
    if (dimension_ == kNone || !(Holds(task) || leaves || waits)) return 0;
    return std::max<int64_t>(OrZero(cycle_.world.request(task)[dimension_]), 0);
  }
  std::string TypeOf(NodeIndex node) const {
    if (dimension_ == kNone || OrZero(tables_.nodes.allocatable.at(node, dimension_)) <= 0) {
      return NoType();
    }
    for (const auto& [key, value] : tables_.nodes.spec[node].labels) {
      if (key == label_) return value;
    }
    return "";
  }

  int64_t Held(JobIndex job) const {
    int64_t held = 0;
    for (TaskIndex t : cycle_.world.tasks_of(job)) held += Holds(t) ? Amount(t) : 0;
    return held;
  }
  int64_t Lacks(JobIndex job) const {
    const auto& tasks = cycle_.world.tasks_of(job);
    const bool runs =
        std::any_of(tasks.begin(), tasks.end(), [&](TaskIndex t) { return Holds(t); });
    const int64_t lacks = NeedOf(cycle_, job) - CountReady(cycle_.world, job);
    return runs ? std::max<int64_t>(lacks, 0) : std::max<int64_t>(lacks, 1);
  }
  // The smallest requests that make the gang whole.
  int64_t Lacking(JobIndex job) const {
    std::multiset<int64_t> amounts;
    for (TaskIndex t : cycle_.world.tasks_of(job)) {
      const bool leaves = cycle_.world.status[t] == TaskStatus::kReleasing;
      if (leaves || (Pends(t) && !cycle_.world.gated(t))) amounts.insert(Amount(t));
    }
    int64_t sum = 0, count = 0;
    for (int64_t amount : amounts) sum += count++ < Lacks(job) ? amount : 0;
    return sum;
  }

  // Tasks beyond gangs, unless a gang that is due some time waits.
  void GrowAll(std::map<std::string, int64_t> left) {
    for (const Wish& wish : wishes_) {
      const JobIndex job = shares_[wish.share].job;
      const bool waits = Waits(job) && !stopped_.contains(job) && Lacks(job) > 0;
      if (wish.due > 0 && waits) return;
    }
    for (const Share& share : shares_) {
      const std::string& type = share.type == NoType() ? share.holds : share.type;
      if (type != NoType()) Grow(share.job, type, &left[type]);
    }
    for (JobIndex job : others_) Grow(job, NoType(), nullptr);
  }
  void Grow(JobIndex job, const std::string& type, int64_t* left) {
    if (!Waits(job) || stopped_.contains(job) || Lacks(job) > 0) return;
    std::set<ClassIndex> failed;
    for (TaskIndex task : TasksToPlace(cycle_, job)) {
      const ClassIndex task_class = tables_.tasks.task_class[task];
      if (failed.contains(task_class)) continue;
      const int64_t amount = Amount(task);
      const auto may = [&](NodeIndex n) { return type == NoType() || TypeOf(n) == type; };
      Statement statement;
      const bool has_left = left == nullptr || amount <= *left;
      if (has_left && PlaceTask(cycle_, task, /*later=*/false, may, statement)) {
        Commit(cycle_, statement);
        if (left != nullptr) *left -= amount;
      } else {
        failed.insert(task_class);
      }
    }
  }

  void List() {
    std::vector<JobIndex> jobs;
    for (JobIndex job : cycle_.world.session_jobs()) {
      if (cycle_.world.phase[job] == JobPhase::kPending) {
        cycle_.world.phase[job] = JobPhase::kAdmitted;
      }
      jobs.push_back(job);
    }
    std::sort(jobs.begin(), jobs.end(),
              [this](JobIndex a, JobIndex b) { return JobLess(cycle_, a, b); });
    for (JobIndex job : jobs) {
      Share share{.job = job};
      bool free_to_play = true, never = false;
      std::set<std::string> on;
      int64_t all = 0;
      for (TaskIndex t : cycle_.world.tasks_of(job)) {
        all += Amount(t);
        never |= Pends(t) && (tables_.tasks.flags[t] & kTaskNeverPreempts) != 0;
        if (!Holds(t)) continue;
        share.runs = true;
        free_to_play &= cycle_.world.preemptable(t);
        on.insert(TypeOf(cycle_.world.node[t]));
      }
      if (on.size() == 1) share.holds = *on.begin();
      if (!share.runs && !Waits(job)) continue;
      share.amount = Held(job) + Lacking(job);
      if (free_to_play && all > 0 && (share.runs || !never)) {
        shares_.push_back(share);
      } else if (Waits(job)) {
        others_.push_back(job);
      }
    }
  }

  // What jobs can have of each type, on nodes that take tasks or by what they hold.
  std::map<std::string, int64_t> Capacity() const {
    std::map<std::string, int64_t> capacity;
    for (NodeIndex n = 0; n < tables_.nodes.alive.size(); ++n) {
      if (!tables_.nodes.alive[n] || TypeOf(n) == NoType()) continue;
      const NodeSpec& spec = tables_.nodes.spec[n];
      const int64_t idle = OrZero(cycle_.world.future_idle(n)[dimension_]);
      capacity[TypeOf(n)] += spec.ready && !spec.unschedulable && idle > 0 ? idle : 0;
    }
    for (const Share& share : shares_) {
      for (TaskIndex t : cycle_.world.tasks_of(share.job)) {
        if (Holds(t) && TypeOf(cycle_.world.node[t]) != NoType()) {
          capacity[TypeOf(cycle_.world.node[t])] += Amount(t);
        }
      }
    }
    return capacity;
  }
  std::map<std::string, int64_t> Left() const {
    std::map<std::string, int64_t> left = capacity_;
    for (const Share& share : shares_) {
      const std::string& type = share.type == NoType() ? share.holds : share.type;
      if (type != NoType()) left[type] -= std::max(share.amount, Held(share.job));
    }
    return left;
  }

  // In millionths; 0: it does not run there.
  int64_t Speed(JobIndex job, const std::string& type) const {
    bool some = false;
    for (const auto& [key, value] : tables_.jobs.spec[job].settings) {
      if (key == "speed/" + type) return std::llround(std::strtod(value.c_str(), nullptr) * 1e6);
      some |= key.rfind("speed/", 0) == 0;
    }
    return some ? 0 : 1'000'000;
  }

  // All pairs, those with the largest dues first.
  std::vector<Wish> Wishes() {
    capacity_ = Capacity();
    std::vector<int64_t> gpus;
    absl::int128 all = 0;
    for (const std::string& type : types_) {
      gpus.push_back(std::min<int64_t>(capacity_[type] / unit_, 1 << 20));
      all += gpus.back();
    }
    std::vector<std::vector<int64_t>> rates;
    std::vector<int64_t> widths;
    for (const Share& share : shares_) {
      const int64_t width = std::clamp<int64_t>((share.amount + unit_ - 1) / unit_, 1, 1 << 20);
      absl::int128 sum = 0;
      size_t j = 0;
      for (const std::string& type : types_) {
        sum += absl::int128(gpus[j++]) * Speed(share.job, type);
      }
      j = 0;
      std::vector<int64_t> of_job;
      for (const std::string& type : types_) {
        absl::int128 rate = 0;
        const int64_t speed = Speed(share.job, type);
        if (speed > 0 && width <= gpus[j]) {
          rate = absl::int128(speed) * width * (1 << 20) * all / sum;
          rate = std::min<absl::int128>(std::max<absl::int128>(rate, 1), int64_t{1} << 32);
        }
        of_job.push_back(static_cast<int64_t>(rate));
        ++j;
      }
      rates.push_back(of_job);
      widths.push_back(width);
    }
    const auto parts = cycle_.profile->fair_parts(rates, widths, gpus);
    for (size_t i = 0; i < shares_.size(); ++i) {
      size_t j = 0;
      for (const std::string& type : types_) {
        const absl::int128 due = absl::int128(parts[i][j++]) * 1'000'000 / (1 << 30);
        const int64_t speed = Speed(shares_[i].job, type);
        if (speed > 0) wishes_.push_back({i, type, static_cast<int64_t>(due), speed});
      }
    }
    std::stable_sort(wishes_.begin(), wishes_.end(), [](const Wish& a, const Wish& b) {
      if (a.due != b.due) return a.due > b.due;
      if (a.share != b.share) return a.share < b.share;
      return a.speed > b.speed;
    });
    return wishes_;
  }

  void Give(const std::vector<Wish>& wishes) {
    std::map<std::string, int64_t> left = capacity_;
    for (Share& share : shares_) share.type = NoType();
    for (const Wish& wish : wishes) {
      Share& share = shares_[wish.share];
      if (share.type != NoType() || left[wish.type] < share.amount) continue;
      share.type = wish.type;
      left[wish.type] -= share.amount;
    }
  }
  bool Keeps(const Share& share) const {
    return share.runs && share.type != NoType() && share.type == share.holds;
  }
  std::vector<Share> Largest() const {
    std::vector<Share> shares = shares_;
    std::stable_sort(shares.begin(), shares.end(),
                     [](const Share& a, const Share& b) { return a.amount > b.amount; });
    return shares;
  }

  bool DropHopeless(std::vector<Wish>* wishes) {
    const World before = cycle_.world;
    std::set<std::pair<JobIndex, std::string>> hopeless;
    for (const Share& share : shares_) {
      if (!share.runs || Keeps(share)) continue;
      for (TaskIndex t : cycle_.world.tasks_of(share.job)) {
        if (Holds(t)) Evict(cycle_.world, t);
      }
    }
    for (const Share& share : Largest()) {
      if (share.runs || share.type == NoType()) continue;
      const World without = cycle_.world;
      Statement statement;
      if (Place(share.job, share.type, true, statement)) continue;
      hopeless.insert({share.job, share.type});
      cycle_.world = without;
    }
    cycle_.world = before;
    std::erase_if(*wishes, [&](const Wish& wish) {
      return hopeless.contains({shares_[wish.share].job, wish.type});
    });
    return !hopeless.empty();
  }

  void Stop() {
    Statement statement;
    for (const Share& share : shares_) {
      if (!share.runs || Keeps(share)) continue;
      stopped_.insert(share.job);
      for (TaskIndex t : cycle_.world.tasks_of(share.job)) {
        if (Holds(t)) DoEvict(cycle_, statement, t, kNone);
      }
    }
    Commit(cycle_, statement);
  }

  bool Place(JobIndex job, const std::string& type, bool later, Statement& statement) {
    const auto may = [&](NodeIndex n) { return type == NoType() || TypeOf(n) == type; };
    int64_t lacks = Lacks(job);
    std::set<ClassIndex> failed;
    for (TaskIndex task : TasksToPlace(cycle_, job)) {
      if (lacks == 0) break;
      const ClassIndex task_class = tables_.tasks.task_class[task];
      if (failed.contains(task_class)) continue;
      if (PlaceTask(cycle_, task, later, may, statement)) {
        --lacks;
      } else {
        failed.insert(task_class);
      }
    }
    return lacks == 0;
  }
  bool Start(JobIndex job, const std::string& type) {
    const World before = cycle_.world;
    Statement statement;
    if (Place(job, type, false, statement)) {
      Commit(cycle_, statement);
      return true;
    }
    cycle_.world = before;
    return false;
  }
  void Keep(JobIndex job, const std::string& type) {
    const World before = cycle_.world;
    Statement statement;
    if (!Place(job, type, true, statement)) cycle_.world = before;
  }

  Cycle& cycle_;
  const Tables& tables_;
  std::string resource_, label_;
  DimensionIndex dimension_ = kNone;
  int64_t unit_ = 1;
  std::set<std::string> types_;
  std::map<std::string, int64_t> capacity_;
  std::vector<Share> shares_;     // in job order
  std::vector<JobIndex> others_;  // that wait and take no part
  std::vector<Wish> wishes_;
  std::set<JobIndex> stopped_;
};

}  // namespace

void RunRounds(Cycle& cycle) {
  if (cycle.profile->fair_parts != nullptr) RoundsTwin(cycle).Run();
}

}  // namespace muster::reference
