// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/solver.h"

#include <algorithm>
#include <map>
#include <utility>

#include "lib/peer/kai/placing.h"

namespace muster {
namespace {

// Returns the ascending numbers of both, each once. `some` is ascending.
std::vector<uint32_t> Joined(std::span<const uint32_t> some, std::vector<uint32_t> others) {
  std::ranges::sort(others);
  others.erase(std::unique(others.begin(), others.end()), others.end());
  std::vector<uint32_t> joined(some.size() + others.size());
  const auto end = std::ranges::set_union(some, others, joined.begin()).out;
  joined.erase(end, joined.end());
  return joined;
}

std::vector<uint32_t> TasksOf(const std::vector<KaiPod*>& pods) {
  std::vector<uint32_t> tasks;
  tasks.reserve(pods.size());
  for (const KaiPod* pod : pods) tasks.push_back(pod->task);
  return tasks;
}

// The tasks of each step.
std::vector<std::vector<uint32_t>> TasksOf(const std::vector<const KaiJob*>& steps) {
  std::vector<std::vector<uint32_t>> tasks;
  for (const KaiJob* step : steps) {
    std::vector<KaiPod*> pods;
    AppendKaiPods(*step, &pods);
    tasks.push_back(TasksOf(pods));
  }
  return tasks;
}

}  // namespace

std::vector<uint8_t> KaiFeasibleNodes(const KaiWorld& world, const KaiJob& job) {
  std::vector<uint8_t> feasible(world.nodes.size(), 1);
  for (const KaiPod* pod : job.pods()) {
    if (pod != nullptr && world.ShapeOf(*pod).cpu_only) return feasible;
  }
  return world.nodes.HasFreeGpus();
}

const KaiJob* KaiPartOf(KaiWorld* world, const KaiJob& job, std::span<KaiPod* const> tasks) {
  KaiScenario::Pods pods;
  for (KaiPod* pod : job.pods()) {
    if (pod != nullptr && IsActiveAllocated(pod->status)) pods.push_back(pod);
  }
  pods.insert(pods.end(), tasks.begin(), tasks.end());
  KaiJob* const part = world->arena.Clone(job, pods);
  for (const uint32_t set : job.facts().pod_sets) {
    const int32_t count = part->counts(set).pods;
    if (count > 0) part->set_minimum(set, std::min(part->minimum(set), count));
  }
  // Returns whether some task is below the set.
  const std::function<bool(uint32_t)> adjust = [&](uint32_t set) {
    const KaiGroup& own = job.facts().groups[set];
    int32_t members = 0;
    for (const uint32_t member : own.pod_sets) members += part->counts(member).pods > 0;
    for (const uint32_t member : own.sets) members += adjust(member);
    if (part->minimum(set) >= 0) part->set_minimum(set, std::min(part->minimum(set), members));
    return members > 0;
  };
  adjust(0);
  return part;
}

KaiSolver::KaiSolver(KaiWorld* world, KaiQuestion question)
    : world_(world), question_(std::move(question)) {
  for (uint32_t n = 0; n < question_.feasible.size(); ++n) {
    if (question_.feasible[n] != 0) feasible_nodes_.push_back(n);
  }
}

KaiSolution KaiSolver::Solve(const KaiJob& job) {
  const int active = job.CountActiveUsed();
  const Pods tasks = job.Next(/*real=*/false);
  failed_.clear();
  if (tasks.empty()) return {};
  waiting_.clear();
  for (const uint32_t j : question_.waiting) {
    if (world_->job(j).CountOf(KaiStatus::kPending) > 0) waiting_.push_back(j);
  }
  for (const Generator generator : {Generator::kNodeLocal, Generator::kGang}) {
    Recorded recorded;
    Answer answer;
    if (!SearchMost(job, tasks, generator, &recorded, &answer)) continue;
    if (answer.solved) {
      ++simulations_;
    } else {
      answer = Ask(job, tasks, generator, recorded, /*would_repeat=*/nullptr);
    }
    if (!answer.solved) continue;
    const bool solved = job.IsGangSatisfied() && job.CountActiveUsed() > active;
    return {solved, std::move(answer.statement)};
  }
  return {};
}

// Returns whether some tasks of the job can be placed, and records the victims of the most.
bool KaiSolver::SearchMost(const KaiJob& job, const Pods& tasks, Generator generator,
                           Recorded* recorded, Answer* whole) {
  const size_t all = tasks.size();
  const auto answers = [&](size_t count) {
    return Try(job, std::span(tasks).first(count), generator, recorded,
               count == all ? whole : nullptr);
  };
  size_t low = 0, high = 1;
  while (answers(high)) {
    low = high == 1 ? Leap(job, tasks, high, recorded, whole) : high;
    if (low == all) return true;
    high = std::min(low * 2, all);
  }
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    (answers(middle) ? low : high) = middle;
  }
  return low > 0;
}

bool KaiSolver::Try(const KaiJob& job, std::span<KaiPod* const> tasks, Generator generator,
                    Recorded* recorded, Answer* whole) {
  bool would_repeat = false;
  Answer answer = Ask(job, tasks, generator, *recorded, whole != nullptr ? &would_repeat : nullptr);
  if (!answer.solved) return false;
  const bool repeats = whole != nullptr && MayCutShort() &&
                       (would_repeat || (TasksOf(answer.victims) == TasksOf(recorded->victims) &&
                                         TasksOf(answer.victim_jobs) == TasksOf(recorded->jobs)));
  *recorded = {std::move(answer.victims), std::move(answer.victim_jobs)};
  if (repeats) {
    *whole = std::move(answer);
  } else {
    answer.statement->Discard();
  }
  return true;
}

// Returns the questions that would follow the one about `low` tasks, each about twice as many, with
// the recorded victims and no others; up to the first one for which these are too few. `*count`:
// the tasks of the last one.
std::vector<KaiScenario> KaiSolver::Repeated(const KaiJob& job, const Pods& tasks, size_t low,
                                             const Recorded& recorded, size_t* count) const {
  std::vector<uint8_t> feasible = question_.feasible;
  for (const KaiPod* pod : recorded.victims) feasible[pod->node] = 1;
  std::vector<KaiScenario> questions;
  while (low < tasks.size()) {
    low = std::min(low * 2, tasks.size());
    const KaiJob* const part = KaiPartOf(world_, job, std::span(tasks).first(low));
    const KaiScenario question(world_, part, part->Next(/*real=*/false), recorded.jobs);
    if (failed_.contains(question.fingerprint())) break;
    if (!KaiScenarioFilters(*world_, question, feasible).Admit(question)) break;
    questions.push_back(question);
    *count = low;
  }
  return questions;
}

// Asks about as many tasks as the recorded victims may suffice for. Returns their number if each
// question between that and the last one, about `low` tasks, would have the same answer; else
// `low`.
//
// Proof. With fewer tasks the job passes the same gates, and places them as it did the first of
// more. Then less is free than after the last question, and no victim found room even there. What
// is left to ask is whether the job would still have gone first, and whether the answer is valid.
size_t KaiSolver::Leap(const KaiJob& job, const Pods& tasks, size_t low, Recorded* recorded,
                       Answer* whole) {
  const bool simple = job.facts().groups.size() == 2 && job.active_allocated() == 0 &&
                      std::ranges::none_of(job.facts().groups, [](const KaiGroup& group) {
                        return group.topology.named;
                      });
  if (!simple || !asked_alone_ || !MayCutShort()) return low;
  size_t count = low;
  const std::vector<KaiScenario> questions = Repeated(job, tasks, low, *recorded, &count);
  if (questions.size() < 2) return low;
  const KaiScenario& hardest = questions.back();
  const std::span<const KaiScenario> easier = std::span(questions).first(questions.size() - 1);
  // If it answers nothing, it counts as none: a budget of work reaches as far as without it.
  const int64_t before = simulations_;
  Answer answer = Simulate(hardest, easier);
  if (!answer.solved) {
    simulations_ = before;
    failed_.insert(hardest.fingerprint());
    return low;
  }
  const std::vector<uint32_t> wanted = TasksOf(hardest.pending());
  const auto same = [&](const KaiScenario& question) {
    const std::vector<uint32_t> some = TasksOf(question.pending());
    return std::ranges::equal(some, std::span(wanted).first(some.size())) &&
           (!question_.is_valid || question_.is_valid(question));
  };
  if (!asked_alone_ || !easier_go_first_ ||
      TasksOf(answer.victims) != TasksOf(hardest.recorded()) ||
      !std::ranges::all_of(easier, same)) {
    simulations_ = before;
    answer.statement->Discard();
    return low;
  }
  *recorded = {answer.victims, answer.victim_jobs};
  if (count == tasks.size()) {
    *whole = std::move(answer);
  } else {
    answer.statement->Discard();
  }
  return count;
}

// Returns whether the answered question, asked again with all these victims recorded, would have
// the same answer, which then is as if asked again. `then`: what was free before.
//
// Proof. The first scenario is all that is recorded. If the filters meet the same victims in the
// same order, they have admitted them; else they are asked. The same victims are evicted, and which
// of them were recorded before changes neither the simulation nor whether it is valid. Nor does
// their order change the simulation, if the job went first and no victim was tried: books are
// exact. Whether it is valid in that order is asked.
bool KaiSolver::WouldRepeat(const KaiScenario& scenario, const KaiScenario& base,
                            const KaiFreeGpus& then, Answer* answer) const {
  if (!MayCutShort() || has_victim_twice_) return false;
  const Pods all = scenario.AllVictims();
  const auto are_all = [&](const Pods& pods) {
    return std::ranges::equal(pods, all, {}, &KaiPod::task, &KaiPod::task);
  };
  if (!are_all(answer->victims)) return false;
  Pods recorded;
  for (const KaiJob* job : answer->victim_jobs) {
    AppendKaiPods(*job, &recorded);
    if (recorded.size() > all.size()) return false;
  }
  const bool in_order = are_all(recorded);
  if (!in_order && (!asked_alone_ || recorded.size() < all.size())) return false;
  KaiFingerprint print;
  print.Add(KaiFingerprint::Role::kPreemptor, scenario.preemptor().number());
  for (const KaiPod* pod : scenario.pending()) {
    print.Add(KaiFingerprint::Role::kPending, pod->task);
  }
  for (const KaiPod* pod : all) print.Add(KaiFingerprint::Role::kRecorded, pod->task);
  if (failed_.contains(print)) return false;
  if (in_order && are_all(base.AllVictims())) return true;
  const KaiScenario again(world_, &scenario.preemptor(), scenario.pending(), answer->victim_jobs);
  std::vector<uint8_t> feasible = question_.feasible;
  for (const KaiPod* pod : all) feasible[pod->node] = 1;
  if (!KaiScenarioFilters(*world_, again, feasible, &then).Admit(again)) return false;
  if (in_order) return true;
  if (question_.is_valid && !question_.is_valid(again)) return false;
  return answer->statement->PutEvictionsInOrder(recorded);
}

bool KaiSolver::MayCutShort() const {
  return world_->has_exact_books() && !world_->searches_leave_marks && !world_->has_moved_tasks;
}

KaiSolver::Answer KaiSolver::Ask(const KaiJob& job, std::span<KaiPod* const> tasks, Generator which,
                                 const Recorded& recorded, bool* would_repeat) {
  KaiProbe probe{KaiPartOf(world_, job, tasks), recorded.jobs, question_.feasible,
                 question_.victims, &failed_};
  for (const KaiPod* pod : recorded.victims) probe.feasible[pod->node] = 1;
  std::unique_ptr<KaiScenarioGenerator> generator;
  if (which == Generator::kNodeLocal) {
    generator = std::make_unique<KaiNodeLocalScenarios>(world_, probe);
  } else {
    generator = std::make_unique<KaiGangScenarios>(world_, probe);
  }
  KaiFreeGpus then;
  if (would_repeat != nullptr) {
    then = {world_->nodes.FreeGpusOfAll(), world_->nodes.NodesWithGpus()};
  }
  while (const KaiScenario* const scenario = generator->Next()) {
    if (failed_.contains(scenario->fingerprint())) continue;
    Answer answer = Simulate(*scenario);
    if (answer.solved) {
      if (would_repeat != nullptr) {
        *would_repeat = WouldRepeat(*scenario, generator->Base(), then, &answer);
      }
      return answer;
    }
    failed_.insert(scenario->fingerprint());
  }
  return {};
}

KaiSolver::Answer KaiSolver::Simulate(const KaiScenario& scenario,
                                      std::span<const KaiScenario> easier) {
  asked_alone_ = false;
  const Pods victims = scenario.AllVictims();
  if (victims.empty()) return {};
  ++simulations_;
  Answer answer;
  answer.statement = std::make_unique<KaiStatement>(world_);
  for (KaiPod* pod : victims) {
    if (!answer.statement->Evict(pod)) {
      answer.statement->Discard();
      return {};
    }
  }
  // The second eviction of a task puts another copy of it in its job.
  has_victim_twice_ = std::ranges::any_of(
      victims, [&](const KaiPod* pod) { return &world_->pod(pod->task) != pod; });
  std::vector<uint32_t> left;
  for (const KaiPod* pod : victims) {
    if (question_.feasible[pod->node] == 0) left.push_back(pod->node);
  }
  std::vector<uint32_t> joined;
  if (!left.empty()) joined = Joined(feasible_nodes_, std::move(left));
  const std::vector<uint32_t>& nodes = joined.empty() ? feasible_nodes_ : joined;
  if (!PlaceAgain(scenario, victims, answer.statement.get(), nodes, easier)) {
    answer.statement->Discard();
    return {};
  }
  const bool consolidates = world_->options().consolidating_reclaim;
  const auto collect = [&](KaiStatus status) {
    for (KaiPod* pod : victims) {
      if (pod->status == status) answer.victims.push_back(pod);
    }
  };
  collect(KaiStatus::kReleasing);
  if (!consolidates) collect(KaiStatus::kPipelined);
  if (question_.is_valid && !question_.is_valid(scenario)) {
    answer.statement->Discard();
    return {};
  }
  if (consolidates) collect(KaiStatus::kPipelined);
  answer.victim_jobs = JobsOf(answer.victims, scenario);
  answer.solved = true;
  return answer;
}

bool KaiSolver::PlaceAgain(const KaiScenario& scenario, const Pods& victims,
                           KaiStatement* statement, std::span<const uint32_t> nodes,
                           std::span<const KaiScenario> easier) {
  const uint32_t preemptor = scenario.preemptor().number();
  is_victim_.resize(world_->job_count(), 0);
  std::vector<uint32_t> involved = {preemptor};
  for (const KaiPod* pod : victims) {
    const uint32_t j = world_->facts().tasks[pod->task].job;
    if (std::exchange(is_victim_[j], 1) == 0) involved.push_back(j);
  }
  easier_go_first_ = std::ranges::all_of(easier, [&](const KaiScenario& question) {
    return GoesFirst(question.preemptor(), involved);
  });
  Order(scenario.preemptor(), involved);
  const bool placed = PlaceInOrder(preemptor, statement, nodes, involved);
  for (const uint32_t j : involved) is_victim_[j] = 0;
  return placed;
}

// Puts the jobs that wait and those that are involved in order.
void KaiSolver::Order(const KaiJob& preemptor, std::span<const uint32_t> involved) {
  question_.again->Clear();
  const std::span<const uint32_t> others =
      MayCutShort() && AreOfOneQueue(involved) ? std::span<const uint32_t>() : waiting_;
  for (const uint32_t j : Joined(others, {involved.begin(), involved.end()})) {
    const KaiJob& job = world_->job(j);
    if (!job.facts().schedulable) continue;
    question_.again->Push(j == preemptor.number() ? &preemptor : &job);
  }
}

// Returns whether no victim has its turn before the job that asks.
bool KaiSolver::GoesFirst(const KaiJob& preemptor, std::span<const uint32_t> involved) {
  Order(preemptor, involved);
  while (!question_.again->empty()) {
    const uint32_t j = question_.again->Pop()->number();
    if (j == preemptor.number()) return true;
    if (is_victim_[j] != 0) return false;
  }
  return false;
}

bool KaiSolver::AreOfOneQueue(std::span<const uint32_t> involved) const {
  return std::ranges::all_of(involved, [&](uint32_t j) {
    return world_->job(j).facts().queue == world_->job(involved[0]).facts().queue;
  });
}

// Places the jobs that are involved, as they come among all that wait.
bool KaiSolver::PlaceInOrder(uint32_t preemptor, KaiStatement* statement,
                             std::span<const uint32_t> nodes, std::span<const uint32_t> involved) {
  KaiJobQueue& queue = *question_.again;
  KaiPlacer placer(world_, statement, /*pipeline_only=*/true);
  bool alone = true;
  const auto place = [&](const KaiJob& job) {
    alone &= job.number() == preemptor;
    job.NextRequest(/*real=*/false);  // is known from here on
    if (placer.Place(job, nodes)) return true;
    if (job.number() != preemptor) job.Next(/*real=*/false);
    return false;
  };
  bool placed = false;
  while (!queue.empty()) {
    const KaiJob& job = *queue.Pop();
    const bool asks = job.number() == preemptor;
    if (std::exchange(is_victim_[job.number()], 0) == 0 && !asks) continue;
    const bool found = place(job);
    if (!asks) continue;
    if (!found) return false;
    placed = true;
    if (!AreHopeless(involved)) continue;
    for (const uint32_t j : involved) {
      if (is_victim_[j] != 0 && TrialLeavesMarks(world_->job(j))) place(world_->job(j));
    }
    asked_alone_ = alone;
    break;
  }
  return placed;
}

// Returns whether a trial of the victim that fails may change what is decided later.
bool KaiSolver::TrialLeavesMarks(const KaiJob& victim) const {
  if (!victim.facts().schedulable) return false;
  return has_victim_twice_ || victim.CountOf(KaiStatus::kPending) > 0;
}

// Returns whether no victim that has not had its turn finds a place.
bool KaiSolver::AreHopeless(std::span<const uint32_t> involved) {
  if (!MayCutShort()) return false;
  const Pods* asked = nullptr;  // the latest tasks for which there is no room
  const auto same_shape = [&](const KaiPod* a, const KaiPod* b) {
    return world_->facts().tasks[a->task].shape == world_->facts().tasks[b->task].shape;
  };
  return std::ranges::all_of(involved, [&](uint32_t j) {
    const KaiJob& job = world_->job(j);
    if (is_victim_[j] == 0 || !job.facts().schedulable) return true;
    const Pods& tasks = job.Next(/*real=*/false);
    if (asked != nullptr && std::ranges::equal(*asked, tasks, same_shape)) return true;
    asked = &tasks;
    question_.room->Begin(tasks);
    return !question_.room->IsFree();
  });
}

// Returns the representatives that have victims among these, by job.
std::vector<const KaiJob*> KaiSolver::JobsOf(const Pods& victims,
                                             const KaiScenario& scenario) const {
  std::map<uint32_t, std::vector<const KaiJob*>> by_job;
  for (const KaiPod* pod : victims) {
    std::vector<const KaiJob*>& steps = by_job[world_->facts().tasks[pod->task].job];
    const bool known = std::ranges::any_of(
        steps, [&](const KaiJob* step) { return step->Find(pod->task) != nullptr; });
    if (!known) steps.push_back(scenario.StepOf(*pod));
  }
  std::vector<const KaiJob*> jobs;
  for (const auto& [job, steps] : by_job) jobs.insert(jobs.end(), steps.begin(), steps.end());
  return jobs;
}

}  // namespace muster
