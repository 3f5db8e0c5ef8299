// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// fragmentation: nodes on which a task leaves the fewest fragments of GPUs behind.
//
// Idea. What is free of a GPU is of use only if the tasks that usually come could take it: enough
// of one GPU, enough GPUs of a model they accept, and enough cpu beside them. What they could not
// take is a fragment. The score compares the fragments of a node before and after the task: 50
// where nothing changes, towards 100 where fragments vanish, towards 0 where they arise. It is the
// score of "Beware of Fragmentation" (ATC'23), trunc(100 / (1 + exp(-d / 1000))) with d the milli
// of GPUs that stop being fragments (lib/fit/gpu_fragments.h has the measure).
// Rules. The usual tasks are the shapes of all tasks in the cluster, by their number; of more than
// 4,096 the most frequent. The study leaves out the rarest 5 of 100 tasks. Here they count: what is
// left for them is lost if nothing asks for it, and lists with many cpus lost up to 1.4 of 100 GPUs
// without them (docs/quality.md). GPUs are devices of the kind that most tasks request; of equal
// ones the first by name. A request for one GPU, or for a part of one, gets the GPU that leaves the
// fewest fragments where cpu is plenty; others get those of policy devices. A task that requests
// none changes fragments by the cpu that it takes. On nodes without such devices, and on nodes with
// more than 16, nothing changes. The policy abstains where no policy assigns devices, and where no
// task requests any.
// Ties. None left. Cost. When a cycle opens, one look at the tasks of each job that changed; the
// usual tasks are measured, and all nodes scored, anew if their numbers changed. Then O(usual tasks
// + GPUs) for each new combination of free devices, level of cpu and class, and a look-up a state.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/extension/cycle.h"
#include "lib/extension/needs.h"
#include "lib/fit/gpu_fragments.h"
#include "lib/fit/sigmoid_score.h"
#include "lib/ledger/device_book.h"
#include "lib/policy/class_counts.h"
#include "lib/policy/policies.h"

namespace muster {
namespace {

constexpr OptionDecl kFragmentationOptions[] = {
    {"weight", OptionKind::kNumber, "1", 0, 1e9, "how much the score counts; 0 switches it off"},
};

constexpr size_t kMostUsual = 4096;
constexpr int64_t kMostMilliCpu = (int64_t{1} << 31) - 2;  // that levels tell apart

// What a task requests of GPUs; none: count 0.
struct GpuRequest {
  int64_t count = 0, milli = 0;
  std::vector<uint32_t> models;  // empty: any
};

// The GPUs of nodes as the measure has them, while the usual tasks stay the same.
class UsualTasks {
 public:
  UsualTasks(const Tables& tables, DeviceStates* states, std::span<const int64_t> tasks_of_class)
      : states_(states), kind_(MostWanted(tables, *states, tasks_of_class)) {
    if (!kind_) return;
    ReadModels(tables, tasks_of_class);
    fragments_.emplace(Typical(tables, tasks_of_class), kMostModels);
  }

  // Returns whether the tasks request any GPUs.
  bool any() const { return kind_.has_value(); }
  uint32_t LevelOf(double milli_cpu) const {
    const double most = static_cast<double>(kMostMilliCpu);
    return fragments_->LevelOf(static_cast<int64_t>(std::clamp(milli_cpu, 0.0, most)));
  }
  // Returns what devices are chosen by: fragments as if no cpu were taken.
  double Cost(DeviceStateIndex state, bool later) {
    return any() ? Amount(state, later, fragments_->LevelOf(kMostMilliCpu)) : 0;
  }
  // Returns the milli of GPUs that are fragments, in the view `later` or now. 0: no GPUs.
  double Amount(DeviceStateIndex state, bool later, uint32_t level) {
    const size_t at = 2 * size_t{state} + size_t{later};
    if (at >= state_of_.size()) state_of_.resize(std::max<size_t>(2 * at, 64), kUnread);
    if (state_of_[at] == kUnread) state_of_[at] = Read(state, later);
    return state_of_[at] == kNoGpus ? 0 : fragments_->Amount(state_of_[at], level);
  }

 private:
  static constexpr GpuFragments::State kUnread = ~GpuFragments::State{0}, kNoGpus = kUnread - 1;

  // Returns the kind that most tasks request, by its number in `states`.
  static std::optional<uint32_t> MostWanted(const Tables& tables, DeviceStates& states,
                                            std::span<const int64_t> tasks_of_class) {
    std::map<std::string, std::pair<int64_t, uint32_t>> wanted;
    for (ClassIndex c = 0; c < tasks_of_class.size(); ++c) {
      const std::span<const DeviceAsk> asks = states.Requests(tables, c);
      for (size_t i = 0; i < asks.size() && tasks_of_class[c] > 0; ++i) {
        auto& [tasks, kind] = wanted[tables.classes.shape[c].devices[i].kind];
        tasks += tasks_of_class[c];
        kind = asks[i].kind;
      }
    }
    const auto most =
        std::ranges::max_element(wanted, {}, [](const auto& row) { return row.second.first; });
    if (most == wanted.end()) return std::nullopt;
    return most->second.second;
  }

  GpuRequest RequestOf(const Tables& tables, ClassIndex c) {
    for (const DeviceAsk& ask : states_->Requests(tables, c)) {
      if (ask.kind != *kind_) continue;
      return {ask.count, ask.exclusive ? kWholeGpu : std::min<int64_t>(ask.each.milli, kWholeGpu),
              ask.models};
    }
    return {};
  }

  // Models that requests name get numbers in the order of their names; all others have the last.
  void ReadModels(const Tables& tables, std::span<const int64_t> tasks_of_class) {
    std::map<std::string, uint32_t> named;
    for (ClassIndex c = 0; c < tasks_of_class.size(); ++c) {
      const std::span<const DeviceAsk> asks = states_->Requests(tables, c);
      for (size_t i = 0; i < asks.size() && tasks_of_class[c] > 0; ++i) {
        const std::vector<std::string>& names = tables.classes.shape[c].devices[i].models;
        for (size_t m = 0; m < names.size(); ++m) named[names[m]] = asks[i].models[m];
      }
    }
    for (const auto& [name, number] : named) {
      if (models_.size() + 1 < kMostModels) models_.push_back(number);
    }
  }
  int32_t ModelOf(uint32_t name) const {
    const auto known = std::ranges::find(models_, name);
    if (known == models_.end()) return kMostModels - 1;
    return static_cast<int32_t>(known - models_.begin());
  }
  uint64_t MaskOf(const GpuRequest& request) const {
    if (request.models.empty()) return ~uint64_t{0};
    uint64_t mask = 0;
    for (const uint32_t model : request.models) {
      mask |= uint64_t{1} << ModelOf(model);
    }
    return mask;
  }

  std::vector<TypicalTask> Typical(const Tables& tables, std::span<const int64_t> tasks_of_class) {
    std::map<std::tuple<int64_t, int64_t, int64_t, uint64_t>, int64_t> tasks_of;
    for (ClassIndex c = 0; c < tasks_of_class.size(); ++c) {
      if (tasks_of_class[c] == 0) continue;
      const GpuRequest request = RequestOf(tables, c);
      tasks_of[{tables.classes.request.row(c)[kCpu], request.milli, request.count,
                MaskOf(request)}] += tasks_of_class[c];
    }
    std::vector<GpuTaskKind> kinds;
    for (const auto& [wanted, tasks] : tasks_of) {
      const auto [cpu, milli, count, mask] = wanted;
      kinds.push_back({cpu, static_cast<int32_t>(milli), static_cast<int32_t>(count),
                       absl::StrCat(absl::Hex(mask, absl::kZeroPad16)), mask, tasks});
    }
    return TypicalTasks(std::move(kinds), /*percent=*/100, kMostUsual);
  }

  GpuFragments::State Read(DeviceStateIndex state, bool later) {
    const std::span<const NodeDevice> devices = states_->devices(state);
    const std::vector<DeviceAmount> free = states_->Free(state, later);
    GpuLefts left = {};
    int32_t gpus = 0, model = 0;
    for (size_t d = 0; d < devices.size(); ++d) {
      if (devices[d].kind != *kind_) continue;
      if (gpus == kMostGpus) return kNoGpus;
      if (gpus == 0) model = ModelOf(devices[d].model);
      const int64_t milli =
          devices[d].healthy ? std::clamp<int64_t>(free[d].milli, 0, kWholeGpu) : 0;
      left[static_cast<size_t>(gpus++)] = static_cast<int16_t>(milli);
    }
    return gpus == 0 ? kNoGpus : fragments_->StateOf(model, gpus, left);
  }

  DeviceStates* const states_;
  std::vector<uint32_t> models_;  // that some request names
  const std::optional<uint32_t> kind_;
  std::optional<GpuFragments> fragments_;
  std::vector<GpuFragments::State> state_of_;  // by state of devices, and later or now
};

class Fragmentation : public Policy, public ScorePolicy {
 public:
  explicit Fragmentation(const Options& options) : weight_(options.number("weight")) {}

  std::string_view name() const override { return "fragmentation"; }
  Traits traits() const override {
    Traits traits;
    traits.states_changed = usual_changed_;
    return traits;
  }
  PointSet points() const override { return weight_ != 0 ? PointSet{Point::kScore} : PointSet{}; }
  ScorePolicy* score() override { return this; }
  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    DeviceBook* const book = DeviceBook::Of(internal::DataOf(cycle).ledger);
    states_ = book == nullptr ? nullptr : &book->states();
    const bool changed = counts_.Follow(cycle);
    usual_changed_ = states_ != nullptr && (changed || generation_ != states_->generation());
    if (!usual_changed_) return;
    generation_ = states_->generation();
    usual_ = std::make_shared<UsualTasks>(*tables_, states_, counts_.tasks());
    known_.clear();
    states_->SetCost(
        [usual = usual_](DeviceStateIndex state, bool later) { return usual->Cost(state, later); });
  }

  Scope ScoreScope(ClassIndex c) override {
    return states_ != nullptr && usual_->any() ? Scope::kState : Scope::kNone;
  }
  void ScoreStates(ClassIndex c, const StateColumns& states, size_t begin, size_t end,
                   double* order, double*) override {
    const auto request = static_cast<double>(tables_->classes.request.row(c)[kCpu]);
    for (size_t i = begin; i < end; ++i) {
      const double idle = states.idle[kCpu][i];
      order[i - begin] += weight_ * Score(c, DeviceStateIndex(states.devices[i]),
                                          usual_->LevelOf(idle), usual_->LevelOf(idle - request));
    }
  }

 private:
  int16_t Score(ClassIndex c, DeviceStateIndex state, uint32_t before, uint32_t after) {
    if (c >= known_.size()) known_.resize(tables_->classes.shape.size());
    const uint64_t key = uint64_t{state} << 32 | uint64_t{before} << 16 | after;
    const auto [entry, is_new] = known_[c].try_emplace(key, int16_t{0});
    if (!is_new) return entry->second;
    // What the task gets when it cannot start now, it gets later.
    const bool later = !states_->Find(*tables_, c, state, /*later=*/false, nullptr);
    const GrantsIndex grants = states_->Choose(*tables_, c, state, later);
    const DeviceStateIndex left = states_->With(state, grants, /*now=*/-1, /*later=*/-1);
    return entry->second =
               sigmoid_(usual_->Amount(state, later, before) - usual_->Amount(left, later, after));
  }

  const double weight_;
  const Tables* tables_ = nullptr;
  DeviceStates* states_ = nullptr;
  uint64_t generation_ = 0;
  bool usual_changed_ = false;
  ClassCounts counts_;
  std::shared_ptr<UsualTasks> usual_;
  const SigmoidScore sigmoid_;
  std::vector<HashMap<uint64_t, int16_t>> known_;  // scores, by class
};

}  // namespace

PolicyDecl FragmentationPolicy() {
  return {"fragmentation",
          "nodes on which a task leaves the fewest fragments of GPUs",
          kFragmentationOptions,
          [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<Fragmentation>(options);
          },
          /*revision=*/2,
          [](const Options& options, PolicyNeeds* needs) { needs->devices.by_cost = true; }};
}

}  // namespace muster
