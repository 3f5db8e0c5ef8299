// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Policies that answer nonsense: in the types and ranges of their headers, and without any sense.
// Orders are no orders, votes change from call to call, gates open and close, victims are any of
// the candidates. Plans are then worthless; they must still be plans.
//
// Checked: each cycle ends, its plan can be written and applied, and no node of the world has more
// cpu in use than it has.
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "muster/muster.h"
#include "muster/policy.h"
#include "tests/fuzz/checks.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/rows.h"
#include "tests/fuzz/target.h"

namespace muster::fuzz {
namespace {

// Choices without an end: the bytes over and over, mixed with how many were asked for.
class Endless {
 public:
  explicit Endless(std::string_view bytes) : bytes_(bytes) {}
  size_t Below(size_t bound) {
    const uint64_t byte = bytes_.empty() ? 7 : static_cast<uint8_t>(bytes_[at_ % bytes_.size()]);
    state_ = (state_ ^ byte ^ at_++) * 0x9E3779B97F4A7C15;
    return static_cast<size_t>(state_ >> 33) % bound;
  }
  bool Flip() { return Below(2) == 1; }
  int Sign() { return static_cast<int>(Below(3)) - 1; }
  Vote AnyVote() { return static_cast<Vote>(Sign()); }
  double Score() {
    constexpr double kScores[] = {0, 1, -1, 0.5, 100, 1e300, -1e300, 1e-300};
    return kScores[Below(std::size(kScores))];
  }

 private:
  const std::string_view bytes_;
  size_t at_ = 0;
  uint64_t state_ = 1;
};

class Nonsense : public Policy,
                 public OrderPolicy,
                 public GatePolicy,
                 public FitPolicy,
                 public ScorePolicy,
                 public VictimPolicy,
                 public DomainPolicy {
 public:
  Nonsense(std::string_view bytes, PointSet points) : any_(bytes), points_(points) {}

  std::string_view name() const override { return "nonsense"; }
  PointSet points() const override { return points_; }
  OrderPolicy* order() override { return this; }
  GatePolicy* gate() override { return this; }
  FitPolicy* fit() override { return this; }
  ScorePolicy* score() override { return this; }
  VictimPolicy* victims() override { return this; }
  DomainPolicy* domains() override { return this; }

  int CompareJobs(JobIndex, JobIndex) override { return any_.Sign(); }
  int CompareQueues(QueueIndex, QueueIndex) override { return any_.Sign(); }
  int CompareTasks(TaskIndex, TaskIndex) override { return any_.Sign(); }
  int CompareSubGroups(const SubGroup&, const SubGroup&) override { return any_.Sign(); }
  int CompareVictimQueues(QueueIndex, QueueIndex, QueueIndex) override { return any_.Sign(); }

  bool Overused(QueueIndex) override { return any_.Below(4) == 0; }
  Verdict Allocatable(QueueIndex, TaskIndex) override { return AnyVerdict(); }
  Verdict Preemptive(QueueIndex, std::span<const int64_t>) override { return AnyVerdict(); }
  Verdict Admit(JobIndex) override { return AnyVerdict(); }
  bool Valid(JobIndex) override { return any_.Below(4) > 0; }
  bool Ready(JobIndex) override { return any_.Flip(); }
  Vote Pipelined(JobIndex) override { return any_.AnyVote(); }
  bool Starving(JobIndex) override { return any_.Flip(); }
  bool SubGroupReady(const SubGroup&) override { return any_.Flip(); }
  Vote SubGroupPipelined(const SubGroup&) override { return any_.AnyVote(); }

  Scope FitScope(ClassIndex) override { return Scope::kKind; }
  bool FitsKind(ClassIndex, NodeIndex, NodeRefusal* refusal) override {
    if (any_.Below(4) > 0) return true;
    *refusal = {RefusalCode::kPolicy, "nonsense"};
    return false;
  }
  bool FitsTrial(ClassIndex, NodeIndex) override { return any_.Flip(); }
  Scope ScoreScope(ClassIndex) override { return Scope::kState; }
  void ScoreStates(ClassIndex, const StateColumns&, size_t begin, size_t end, double* order,
                   double* batch) override {
    for (size_t i = 0; i < end - begin; ++i) {
      order[i] += any_.Score();
      batch[i] += any_.Score();
    }
  }

  Vote Preemptable(TaskIndex, std::span<const TaskIndex> candidates,
                   std::vector<TaskIndex>* chosen) override {
    return Choose(candidates, chosen);
  }
  Vote Reclaimable(TaskIndex, std::span<const TaskIndex> candidates,
                   std::vector<TaskIndex>* chosen) override {
    return Choose(candidates, chosen);
  }
  Vote Evictable(JobIndex, bool, std::span<const TaskIndex> candidates,
                 std::vector<TaskIndex>* chosen) override {
    return Choose(candidates, chosen);
  }
  void Victims(std::span<const TaskIndex> candidates, std::vector<TaskIndex>* chosen) override {
    Choose(candidates, chosen);
  }
  void ScoreDomains(const SubGroup&, std::span<const DomainIndex>,
                    std::span<double> scores) override {
    for (double& score : scores) score += any_.Score();
  }

 private:
  Verdict AnyVerdict() {
    if (any_.Below(3) > 0) return Verdict::Yes();
    return any_.Flip() ? Verdict::No(static_cast<Cause>(any_.Below(4))) : Verdict::Abstain();
  }
  Vote Choose(std::span<const TaskIndex> candidates, std::vector<TaskIndex>* chosen) {
    for (const TaskIndex task : candidates) {
      if (any_.Flip()) chosen->push_back(task);
    }
    return any_.Below(8) == 0 ? Vote::kAbstain : Vote::kPermit;
  }

  Endless any_;
  const PointSet points_;
};

// All but kDomainSearch, which answers with domains that there are (callbacks of the C interface
// answer with ranks).
constexpr PointSet kPoints = {
    Point::kJobOrder,      Point::kQueueOrder,    Point::kTaskOrder,
    Point::kFit,           Point::kScore,         Point::kOverused,
    Point::kAllocatable,   Point::kPreemptive,    Point::kValid,
    Point::kReady,         Point::kPipelined,     Point::kAdmit,
    Point::kStarving,      Point::kPreemptable,   Point::kReclaimable,
    Point::kEvictable,     Point::kVictims,       Point::kVictimQueueOrder,
    Point::kSubGroupOrder, Point::kSubGroupReady, Point::kSubGroupPipelined,
    Point::kDomainScore};

constexpr int64_t kCpuOfNode = 4;

Cluster World(Input* in) {
  Cluster cluster;
  cluster.AddDomain({.name = "r"}).IgnoreError();
  cluster.AddNodes(4, {.name = "n", .capacity = {{"cpu", kCpuOfNode}, {"pods", 9}}, .domain = "r"})
      .IgnoreError();
  cluster.AddQueue({.name = "a", .weight = 2}).IgnoreError();
  cluster.AddQueue({.name = "b", .limit = Resources{{"cpu", 9}}}).IgnoreError();
  for (int i = 0; i < 6; ++i) {
    JobSpec job{.name = std::string(1, static_cast<char>('p' + i))};
    job.queue = in->OneIn(2) ? "a" : "b";
    job.priority = static_cast<int32_t>(in->Below(4));
    job.min_available = static_cast<int64_t>(in->Below(4));
    const auto cpu = static_cast<int64_t>(1 + in->Below(4));
    const auto count = static_cast<int64_t>(1 + in->Below(4));
    job.groups = {{.count = count, .shape = {.request = {{"cpu", cpu}}}}};
    if (in->OneIn(4)) job.topology = TopologyWish{.hard = in->OneIn(2), .highest_tier = 1};
    cluster.AddJob(job).IgnoreError();
    // Tasks that run are candidates for eviction.
    if (i < 4) {
      const TaskSpec task{.name = absl::StrCat("run", i),
                          .job = job.name,
                          .shape = {.request = {{"cpu", 3}}},
                          .status = TaskStatus::kRunning,
                          .node = absl::StrCat("n", i)};
      cluster.AddTask(task).IgnoreError();
    }
  }
  return cluster;
}

void CheckNodes(const Cluster& cluster) {
  std::map<std::string, int64_t> used;
  for (const TaskSpec& task : cluster.Describe().tasks) {
    if (task.node.empty() || task.status == TaskStatus::kReleasing) continue;
    used[task.node] += std::stoll(task.shape.request[0].second.text);
  }
  for (const auto& [node, cpu] : used) {
    if (cpu > kCpuOfNode) Fail(absl::StrCat("node ", node, " has ", cpu, " cpu in use"));
  }
}

}  // namespace

void FuzzNonsense(std::string_view bytes) {
  Input in(bytes);
  PointSet points = kPoints;
  for (int i = 0; i < kPointCount; ++i) {
    if (in.OneIn(4)) points.remove(static_cast<Point>(i));
  }
  Cluster cluster = World(&in);
  auto extensions = std::make_shared<Extensions>();
  const std::string_view rest = in.rest();
  extensions->policies.push_back(
      {.name = "nonsense", .summary = "answers anything", .make = [rest, points](const Options&) {
         return std::make_unique<Nonsense>(rest, points);
       }});
  for (int cycle = 0; cycle < 3; ++cycle) {
    const std::string spec = SpecOf(&in);
    const absl::StatusOr<Plan> plan =
        cluster.Schedule(spec, {.now = cycle, .extensions = extensions});
    if (!plan.ok()) continue;  // a profile without some point
    CheckJson(plan->ToJson(), "a plan");
    plan->Digest();
    Require(cluster.Apply(*plan).ok(), "a plan cannot be applied");
    CheckNodes(cluster);
  }
}

}  // namespace muster::fuzz
