// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Playing, looking and waiting; the header has the rules.
#include "muster/episodes.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/log10.h"
#include "lib/base/strings.h"
#include "lib/model/tables.h"
#include "muster/quantity.h"

namespace muster {
namespace {

constexpr int64_t kSlowdownBound = 10;
constexpr std::string_view kPodsName = "pods";

int64_t AmountOf(const Resources& resources, std::string_view name) {
  for (const auto& [key, amount] : resources) {
    if (key != name) continue;
    const absl::StatusOr<int64_t> value =
        ParseQuantity(amount.text, IsMilliDimension(name) ? Unit::kMilli : Unit::kWhole);
    return value.ok() ? *value : 0;
  }
  return 0;
}

bool HasLabels(const Labels& has, const Labels& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& label) {
    return std::find(has.begin(), has.end(), label) != has.end();
  });
}

float Ratio(int64_t part, int64_t whole) {
  return whole > 0 ? static_cast<float>(static_cast<double>(part) / static_cast<double>(whole)) : 0;
}

}  // namespace

struct Episodes::Impl {
  struct Episode {
    size_t first = 0, next = 0, end = 0;  // into rows_
    int64_t now = 0, free = 0;
    std::vector<size_t> waiting;
    std::priority_queue<std::pair<int64_t, size_t>, std::vector<std::pair<int64_t, size_t>>,
                        std::greater<>>
        ends;
    std::vector<int64_t> idle;              // as capacity_
    std::vector<float> machine;             // the nodes as they are shown
    std::vector<uint32_t> chosen;           // nodes of the first job's tasks so far
    std::vector<std::vector<uint32_t>> on;  // nodes, by job of the episode
    std::vector<int64_t> starts;
  };

  Impl(std::shared_ptr<const Trace> trace, const EpisodeOptions& options)
      : trace_(std::move(trace)), options_(options) {}
  void ReadMachine();
  bool FitsEmpty(uint32_t row) const;
  bool Fits(const Episode& episode, uint32_t row, size_t node) const;
  bool MayWait(const Episode& episode) const {
    return !episode.ends.empty() || episode.next < episode.end;
  }
  bool Allows(const Episode& episode, size_t action) const;
  void Choose(Episode* episode, size_t action);
  void Start(Episode* episode, size_t place);
  void Hold(Episode* episode, uint32_t row, uint32_t node, int sign);
  void Show(Episode* episode, size_t node) const;
  double Wait(Episode* episode);
  void Arrive(Episode* episode);
  void MaskNodes(const Episode& episode, int8_t* mask) const;
  void LookAtPool(const Episode& episode, float* jobs, float* machine) const;
  void LookAtNodes(const Episode& episode, float* jobs, float* machine) const;
  float Estimate(uint32_t row) const;

  // As in Episodes.
  size_t choices() const { return options_.nodes ? nodes_ : static_cast<size_t>(options_.places); }
  size_t job_features() const { return options_.nodes ? resources_ + 3 : 3; }
  void Reset(size_t e, size_t first);
  Outcome Act(size_t e, size_t action);
  void Look(size_t e, float* jobs, float* machine, int8_t* mask) const;

  std::shared_ptr<const Trace> trace_;
  EpisodeOptions options_;
  std::vector<uint32_t> rows_;
  size_t nodes_ = 0, resources_ = 0;
  std::vector<int64_t> capacity_;  // by resource and node
  std::vector<int64_t> most_;      // by resource: the largest node's
  std::vector<int64_t> requests_;  // by shape and resource
  std::vector<uint8_t> may_;       // by shape and node: labels and resources are there at all
  std::vector<Episode> episodes_;
};

Episodes::Episodes(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Episodes::~Episodes() = default;
Episodes::Episodes(Episodes&&) noexcept = default;
Episodes& Episodes::operator=(Episodes&&) noexcept = default;

const std::vector<uint32_t>& Episodes::rows() const { return impl_->rows_; }
size_t Episodes::count() const { return impl_->episodes_.size(); }
size_t Episodes::choices() const { return impl_->choices(); }
size_t Episodes::job_features() const { return impl_->job_features(); }
size_t Episodes::machine_features() const {
  return impl_->options_.nodes ? 2 * impl_->resources_ : 1;
}
void Episodes::Reset(size_t e, size_t first) { impl_->Reset(e, first); }
Episodes::Outcome Episodes::Act(size_t e, size_t action) { return impl_->Act(e, action); }
bool Episodes::over(size_t e) const { return impl_->episodes_[e].waiting.empty(); }
void Episodes::Look(size_t e, float* jobs, float* machine, int8_t* mask) const {
  impl_->Look(e, jobs, machine, mask);
}
const std::vector<int64_t>& Episodes::starts(size_t e) const { return impl_->episodes_[e].starts; }

absl::StatusOr<Episodes> Episodes::Make(std::shared_ptr<const Trace> trace,
                                        const EpisodeOptions& options, size_t count) {
  auto impl = std::make_unique<Impl>(std::move(trace), options);
  const Trace& t = *impl->trace_;
  if (options.nodes == (t.processors > 0)) {
    return absl::InvalidArgumentError(absl::StrCat(
        t.name, options.nodes
                    ? ": choosing nodes needs a trace on nodes"
                    : ": choosing jobs needs a pool of processors (Trace.on(processors=))"));
  }
  if (options.nodes) impl->ReadMachine();
  for (uint32_t row = 0; row < t.size(); ++row) {
    if (impl->FitsEmpty(row)) impl->rows_.push_back(row);
  }
  std::stable_sort(impl->rows_.begin(), impl->rows_.end(),
                   [&](uint32_t a, uint32_t b) { return t.submit[a] < t.submit[b]; });
  if (options.jobs < 1 || options.jobs > static_cast<int64_t>(impl->rows_.size()) ||
      options.places < 1 || count < 1) {
    return absl::InvalidArgumentError(absl::StrCat(t.name, ": jobs must be 1 to ",
                                                   impl->rows_.size(),
                                                   ", window and number of episodes above 0"));
  }
  impl->episodes_.resize(count);
  for (size_t e = 0; e < count; ++e) impl->Reset(e, 0);
  return Episodes(std::move(impl));
}

void Episodes::Impl::ReadMachine() {
  const Trace& t = *trace_;
  std::vector<std::string> names;
  for (const TaskShape& shape : t.shapes) {
    for (const auto& [name, amount] : shape.request) {
      if (name != kPodsName && std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(name);
      }
    }
  }
  nodes_ = t.machine.nodes.size();
  resources_ = names.size();
  most_.assign(resources_, 0);
  for (size_t r = 0; r < resources_; ++r) {
    for (const NodeSpec& node : t.machine.nodes) {
      capacity_.push_back(AmountOf(node.capacity, names[r]));
      most_[r] = std::max(most_[r], capacity_.back());
    }
  }
  for (const TaskShape& shape : t.shapes) {
    const size_t from = requests_.size();
    for (const std::string& name : names) requests_.push_back(AmountOf(shape.request, name));
    for (size_t n = 0; n < nodes_; ++n) {
      bool may = HasLabels(t.machine.nodes[n].labels, shape.node_selector);
      for (size_t r = 0; r < resources_; ++r) {
        may &= requests_[from + r] <= capacity_[r * nodes_ + n];
      }
      may_.push_back(may);
    }
  }
}

// Tasks of a job are equal, so they fit in any order of nodes.
bool Episodes::Impl::FitsEmpty(uint32_t row) const {
  const int64_t tasks = trace_->tasks[row];
  if (!options_.nodes) return tasks <= trace_->processors;
  const size_t shape = trace_->shape[row];
  int64_t room = 0;
  for (size_t n = 0; n < nodes_ && room < tasks; ++n) {
    if (!may_[shape * nodes_ + n]) continue;
    int64_t here = tasks;
    for (size_t r = 0; r < resources_; ++r) {
      const int64_t request = requests_[shape * resources_ + r];
      if (request > 0) here = std::min(here, capacity_[r * nodes_ + n] / request);
    }
    room += here;
  }
  return room >= tasks;
}

void Episodes::Impl::Reset(size_t e, size_t first) {
  Episode& episode = episodes_[e];
  const auto jobs = static_cast<size_t>(options_.jobs);
  episode = Episode();
  episode.first = episode.next = std::min(first, rows_.size() - jobs);
  episode.end = episode.first + jobs;
  episode.free = trace_->processors;
  episode.now = trace_->submit[rows_[episode.first]];
  episode.idle = capacity_;
  episode.machine.resize(2 * capacity_.size());
  for (size_t n = 0; n < nodes_; ++n) Show(&episode, n);
  episode.on.resize(options_.nodes ? jobs : 0);
  episode.starts.assign(jobs, kAbsent);
  Arrive(&episode);
}

Episodes::Outcome Episodes::Impl::Act(size_t e, size_t action) {
  Episode& episode = episodes_[e];
  Outcome outcome;
  outcome.allowed = Allows(episode, action);
  if (outcome.allowed && action < choices()) {
    Choose(&episode, action);
  } else if (MayWait(episode)) {
    outcome.reward = Wait(&episode);
  } else {
    size_t other = 0;
    while (!Allows(episode, other)) ++other;
    Choose(&episode, other);
  }
  while (episode.waiting.empty() && episode.next < episode.end) Wait(&episode);
  outcome.over = episode.waiting.empty();
  return outcome;
}

// An action other than waiting is always allowed when there is nothing to wait for. The machine is
// then empty except for the places that the first job has chosen, and all its other tasks fit
// beside them.
bool Episodes::Impl::Allows(const Episode& episode, size_t action) const {
  if (action == choices()) return MayWait(episode);
  if (options_.nodes) return Fits(episode, rows_[episode.waiting.front()], action);
  return action < episode.waiting.size() &&
         trace_->tasks[rows_[episode.waiting[action]]] <= episode.free;
}

bool Episodes::Impl::Fits(const Episode& episode, uint32_t row, size_t node) const {
  const size_t shape = trace_->shape[row];
  if (!may_[shape * nodes_ + node]) return false;
  for (size_t r = 0; r < resources_; ++r) {
    if (requests_[shape * resources_ + r] > episode.idle[r * nodes_ + node]) return false;
  }
  return true;
}

void Episodes::Impl::Choose(Episode* episode, size_t action) {
  if (!options_.nodes) return Start(episode, action);
  const uint32_t row = rows_[episode->waiting.front()];
  Hold(episode, row, static_cast<uint32_t>(action), 1);
  episode->chosen.push_back(static_cast<uint32_t>(action));
  if (episode->chosen.size() < trace_->tasks[row]) return;
  episode->on[episode->waiting.front() - episode->first] = std::move(episode->chosen);
  episode->chosen.clear();
  Start(episode, 0);
}

void Episodes::Impl::Start(Episode* episode, size_t place) {
  const size_t job = episode->waiting[place];
  episode->waiting.erase(episode->waiting.begin() + static_cast<std::ptrdiff_t>(place));
  episode->free -= trace_->tasks[rows_[job]];
  episode->ends.emplace(episode->now + trace_->run[rows_[job]], job);
  episode->starts[job - episode->first] = episode->now;
}

void Episodes::Impl::Hold(Episode* episode, uint32_t row, uint32_t node, int sign) {
  const size_t shape = trace_->shape[row];
  for (size_t r = 0; r < resources_; ++r) {
    episode->idle[r * nodes_ + node] -= sign * requests_[shape * resources_ + r];
  }
  Show(episode, node);
}

double Episodes::Impl::Wait(Episode* episode) {
  int64_t then = kEndless;
  if (!episode->ends.empty()) then = episode->ends.top().first;
  if (episode->next < episode->end) then = std::min(then, trace_->submit[rows_[episode->next]]);
  double growth = 0;
  for (size_t job : episode->waiting) {
    growth += 1 / static_cast<double>(std::max(trace_->run[rows_[job]], kSlowdownBound));
  }
  const double cost =
      static_cast<double>(then - episode->now) * growth / static_cast<double>(options_.jobs);
  episode->now = then;
  for (uint32_t node : episode->chosen) Hold(episode, rows_[episode->waiting.front()], node, -1);
  episode->chosen.clear();
  while (!episode->ends.empty() && episode->ends.top().first <= then) {
    const size_t job = episode->ends.top().second;
    episode->ends.pop();
    episode->free += trace_->tasks[rows_[job]];
    if (!options_.nodes) continue;
    for (uint32_t node : episode->on[job - episode->first]) Hold(episode, rows_[job], node, -1);
  }
  Arrive(episode);
  return -cost;
}

void Episodes::Impl::Arrive(Episode* episode) {
  while (episode->next < episode->end && trace_->submit[rows_[episode->next]] <= episode->now) {
    episode->waiting.push_back(episode->next++);
  }
}

// --- what the agent observes

float Episodes::Impl::Estimate(uint32_t row) const {
  const int64_t told = trace_->estimate[row] > 0 ? trace_->estimate[row] : trace_->run[row];
  return Log10Float(told);
}

void Episodes::Impl::Show(Episode* episode, size_t node) const {
  float* shown = &episode->machine[2 * resources_ * node];
  for (size_t cell = node; cell < capacity_.size(); cell += nodes_) {
    *shown++ = Ratio(episode->idle[cell], capacity_[cell]);
    *shown++ = Ratio(capacity_[cell], most_[cell / nodes_]);
  }
}

void Episodes::Impl::Look(size_t e, float* jobs, float* machine, int8_t* mask) const {
  const Episode& episode = episodes_[e];
  if (options_.nodes) {
    LookAtNodes(episode, jobs, machine);
  } else {
    LookAtPool(episode, jobs, machine);
  }
  std::fill_n(mask, choices(), int8_t{0});
  mask[choices()] = MayWait(episode);
  if (episode.waiting.empty()) return;
  if (options_.nodes) return MaskNodes(episode, mask);
  const size_t places = std::min(choices(), episode.waiting.size());
  for (size_t place = 0; place < places; ++place) mask[place] = Allows(episode, place);
}

// As Fits of each node, a resource at a time.
void Episodes::Impl::MaskNodes(const Episode& episode, int8_t* mask) const {
  const size_t shape = trace_->shape[rows_[episode.waiting.front()]];
  std::copy_n(&may_[shape * nodes_], nodes_, mask);
  for (size_t r = 0; r < resources_; ++r) {
    const int64_t request = requests_[shape * resources_ + r];
    const int64_t* idle = &episode.idle[r * nodes_];
    for (size_t n = 0; n < nodes_; ++n) mask[n] &= static_cast<int8_t>(request <= idle[n]);
  }
}

void Episodes::Impl::LookAtPool(const Episode& episode, float* jobs, float* machine) const {
  std::fill_n(jobs, choices() * job_features(), 0.0F);
  for (size_t place = 0; place < std::min(choices(), episode.waiting.size()); ++place) {
    const uint32_t row = rows_[episode.waiting[place]];
    float* job = jobs + place * job_features();
    job[0] = Ratio(trace_->tasks[row], trace_->processors);
    job[1] = Estimate(row);
    job[2] = Log10Float(1 + episode.now - trace_->submit[row]);
  }
  *machine = Ratio(episode.free, trace_->processors);
}

void Episodes::Impl::LookAtNodes(const Episode& episode, float* jobs, float* machine) const {
  std::fill_n(jobs, job_features(), 0.0F);
  if (!episode.waiting.empty()) {
    const uint32_t row = rows_[episode.waiting.front()];
    const size_t shape = trace_->shape[row];
    for (size_t r = 0; r < resources_; ++r) {
      jobs[r] = Ratio(requests_[shape * resources_ + r], most_[r]);
    }
    const auto chosen = static_cast<int64_t>(episode.chosen.size());
    jobs[resources_] = Ratio(trace_->tasks[row] - chosen, trace_->tasks[row]);
    jobs[resources_ + 1] = Estimate(row);
    jobs[resources_ + 2] = Log10Float(1 + episode.now - trace_->submit[row]);
  }
  std::ranges::copy(episode.machine, machine);
}

}  // namespace muster
