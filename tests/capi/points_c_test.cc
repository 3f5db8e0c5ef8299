// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Each extension point through a table of callbacks: what it answers changes what is decided, what
// is wrong is refused, and a failure changes nothing.
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "muster/policy.h"
#include "tests/capi/capi_support.h"

namespace muster {
namespace {

// What one policy answers: `of` for each row, in the order of `rows`.
struct PointAnswers {
  std::function<double(const std::string& name, double nothing)> of;
  muster_status status = MUSTER_OK;
  int calls = 0;
  int32_t evictor = -5, other = -5, within = -5;
  std::vector<int32_t> groups;
};
PointAnswers& PointsOf(uintptr_t user) { return *reinterpret_cast<PointAnswers*>(user); }

std::string RowName(const muster_cycle* cycle, int32_t kind, int32_t index) {
  int64_t size = 0;
  const char* name = muster_cycle_name(cycle, kind, index, &size);
  return name == nullptr ? "" : std::string(name, static_cast<size_t>(size));
}

template <class T>
muster_status Answer(uintptr_t user, const muster_cycle* cycle, int32_t kind, const int32_t* rows,
                     int64_t count, T* out) {
  ++PointsOf(user).calls;
  for (int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<T>(
        PointsOf(user).of(RowName(cycle, kind, rows[i]), static_cast<double>(out[i])));
  }
  return PointsOf(user).status;
}
template <int32_t kind, class T>
muster_status Rows(uintptr_t user, const muster_cycle* cycle, const int32_t* rows, int64_t count,
                   T* out) {
  return Answer(user, cycle, kind, rows, count, out);
}
template <int32_t kind, class T>
muster_status For(uintptr_t user, const muster_cycle* cycle, int32_t evictor, const int32_t* rows,
                  int64_t count, T* out) {
  PointsOf(user).evictor = evictor;
  return Answer(user, cycle, kind, rows, count, out);
}
template <class T>
muster_status OfNodes(uintptr_t user, const muster_cycle* cycle, const muster_class_view*,
                      const muster_nodes_view* nodes, T* out) {
  return Answer(user, cycle, MUSTER_KIND_NODES, nodes->node, nodes->count, out);
}
// Sub-groups are named by their numbers: "1"; -1 is none.
template <class T>
muster_status Groups(uintptr_t user, const muster_cycle*, const int32_t* jobs,
                     const int32_t* groups, int64_t count, T* out) {
  ++PointsOf(user).calls;
  PointsOf(user).groups.assign(groups, groups + count);
  for (int64_t i = 0; i < count; ++i) {
    EXPECT_EQ(jobs[i], 0);
    out[i] =
        static_cast<T>(PointsOf(user).of(std::to_string(groups[i]), static_cast<double>(out[i])));
  }
  return PointsOf(user).status;
}

// Sets the callback of a point. A point that is not here is not reached by C.
const std::map<std::string, std::function<void(muster_policy*)>>& Setters() {
  static const std::map<std::string, std::function<void(muster_policy*)>> setters = {
      {"job_order", [](muster_policy* p) { p->job_order = Rows<MUSTER_KIND_JOBS>; }},
      {"queue_order", [](muster_policy* p) { p->queue_order = Rows<MUSTER_KIND_QUEUES>; }},
      {"task_order", [](muster_policy* p) { p->task_order = Rows<MUSTER_KIND_TASKS>; }},
      {"fit", [](muster_policy* p) { p->fit = OfNodes; }},
      {"score", [](muster_policy* p) { p->score = OfNodes; }},
      {"overused", [](muster_policy* p) { p->overused = Rows<MUSTER_KIND_QUEUES>; }},
      {"allocatable",
       [](muster_policy* p) {
         p->allocatable = [](uintptr_t user, const muster_cycle* cycle, const muster_class_view* c,
                             const int32_t* queues, int64_t count, uint8_t* out) {
           EXPECT_EQ(c->request[0], 1000);
           return Answer(user, cycle, MUSTER_KIND_QUEUES, queues, count, out);
         };
       }},
      {"preemptive",
       [](muster_policy* p) {
         p->preemptive = [](uintptr_t user, const muster_cycle* cycle, const int64_t* request,
                            int32_t dimensions, const int32_t* queues, int64_t count,
                            uint8_t* out) {
           EXPECT_EQ(dimensions, muster_cycle_count(cycle, MUSTER_KIND_DIMENSIONS));
           EXPECT_EQ(request[0], 1000);
           return Answer(user, cycle, MUSTER_KIND_QUEUES, queues, count, out);
         };
       }},
      {"valid", [](muster_policy* p) { p->valid = Rows<MUSTER_KIND_JOBS>; }},
      {"ready", [](muster_policy* p) { p->ready = Rows<MUSTER_KIND_JOBS>; }},
      {"pipelined", [](muster_policy* p) { p->pipelined = Rows<MUSTER_KIND_JOBS>; }},
      {"admit", [](muster_policy* p) { p->admit = Rows<MUSTER_KIND_JOBS>; }},
      {"starving", [](muster_policy* p) { p->starving = Rows<MUSTER_KIND_JOBS>; }},
      {"preemptable", [](muster_policy* p) { p->preemptable = For<MUSTER_KIND_TASKS>; }},
      {"reclaimable", [](muster_policy* p) { p->reclaimable = For<MUSTER_KIND_TASKS>; }},
      {"evictable",
       [](muster_policy* p) {
         p->evictable = [](uintptr_t user, const muster_cycle* cycle, int32_t evictor,
                           int32_t from_other_queues, const int32_t* tasks, int64_t count,
                           uint8_t* out) {
           PointsOf(user).evictor = evictor;
           PointsOf(user).other = from_other_queues;
           return Answer(user, cycle, MUSTER_KIND_TASKS, tasks, count, out);
         };
       }},
      {"victims", [](muster_policy* p) { p->victims = Rows<MUSTER_KIND_TASKS>; }},
      {"victim_queue_order",
       [](muster_policy* p) { p->victim_queue_order = For<MUSTER_KIND_QUEUES>; }},
      {"sub_group_order", [](muster_policy* p) { p->sub_group_order = Groups; }},
      {"sub_group_ready", [](muster_policy* p) { p->sub_group_ready = Groups; }},
      {"sub_group_pipelined", [](muster_policy* p) { p->sub_group_pipelined = Groups; }},
      {"domain_score",
       [](muster_policy* p) {
         p->domain_score = [](uintptr_t user, const muster_cycle* cycle, int32_t job, int32_t group,
                              const int32_t* domains, int64_t count, double* out) {
           EXPECT_EQ(job, 0);
           EXPECT_EQ(group, MUSTER_NONE);
           return Answer(user, cycle, MUSTER_KIND_DOMAINS, domains, count, out);
         };
       }},
      {"domain_search",
       [](muster_policy* p) {
         p->domain_search = [](uintptr_t user, const muster_cycle* cycle, int32_t, int32_t,
                               int32_t within, int32_t allocated, int32_t evicting,
                               const int32_t* domains, int64_t count, int32_t* out) {
           EXPECT_EQ(allocated, MUSTER_NONE);
           EXPECT_EQ(evicting, 0);
           PointsOf(user).within = within;
           for (int64_t i = 0; i < count; ++i) EXPECT_EQ(out[i], domains[i] == within ? 0 : -1);
           return Answer(user, cycle, MUSTER_KIND_DOMAINS, domains, count, out);
         };
       }},
  };
  return setters;
}

// --- small worlds

constexpr char kQueues[] = R"("queues": [{"name": "q"}, {"name": "x"}, {"name": "y"}])";
// Two gangs of one task, and room for one of them.
const std::string kWaiting = std::string(R"({"muster": 1, "nodes": [
    {"name": "n0", "capacity": {"cpu": 1, "pods": 99}}],)") +
                             kQueues + R"(,
  "jobs": [
    {"name": "a", "queue": "x", "min_available": 1, "created": 1, "min_resources": {"cpu": 1},
     "groups": [{"count": 1, "shape": {"request": {"cpu": 1}}}]},
    {"name": "b", "queue": "y", "min_available": 1, "created": 2, "min_resources": {"cpu": 1},
     "groups": [{"count": 1, "shape": {"request": {"cpu": 1}}}]}]})";
// The same with both in one queue.
const std::string kOneQueue = [] {
  std::string world = kWaiting;
  return world.replace(world.find(R"("queue": "y")"), 12, R"("queue": "x")");
}();
// Two tasks of a job, and two nodes with room for one.
const std::string kTwoNodes = std::string(R"({"muster": 1, "nodes": [
    {"name": "n0", "capacity": {"cpu": 1, "pods": 99}},
    {"name": "n1", "capacity": {"cpu": 1, "pods": 99}}],)") +
                              kQueues + R"(,
  "jobs": [{"name": "a", "queue": "x", "min_available": 2, "phase": "admitted",
            "groups": [{"count": 2, "shape": {"request": {"cpu": 1}}}]}]})";

// Job v runs on all of node n0 and is in queue `of_v`, as u is in y; job g of queue q waits.
std::string Full(const std::string& of_v, int tasks_of_u) {
  std::string tasks;
  for (int i = 0; i < 4; ++i) {
    const bool of_u = i < tasks_of_u;
    tasks += std::string(R"({"name": ")") + (of_u ? "u" : "v") + std::to_string(i) +
             R"(", "job": ")" + (of_u ? "u" : "v") +
             R"(", "node": "n0", "status": "running", "priority": 1,
                 "shape": {"request": {"cpu": 1}}},)";
  }
  return std::string(R"({"muster": 1, "nodes": [
      {"name": "n0", "capacity": {"cpu": 4, "pods": 99}}],)") +
         kQueues + R"(,
    "jobs": [
      {"name": "v", "queue": ")" +
         of_v + R"(", "priority": 1, "min_available": 1,
       "phase": "running"},
      {"name": "u", "queue": "y", "priority": 1, "min_available": 1, "phase": "running"},
      {"name": "g", "queue": "q", "priority": 2, "min_available": 1, "phase": "admitted"}],
    "tasks": [)" +
         tasks + R"({"name": "g0", "job": "g", "priority": 2,
                               "shape": {"request": {"cpu": 1}}}]})";
}
// Job j in two racks of two cores; with sub-groups of one task each, of which two have room.
std::string Racks(bool groups) {
  std::string tasks;
  for (int i = 0; i < (groups ? 3 : 2); ++i) {
    tasks += std::string(i == 0 ? "" : ",") + R"({"name": "j)" + std::to_string(i) +
             R"(", "job": "j",)" +
             (groups ? R"("sub_group": "s)" + std::to_string(i) + "\"," : "") +
             R"("shape": {"request": {"cpu": 1}}})";
  }
  const std::string cpu = groups ? "1" : "2";
  return R"({"muster": 1, "domains": [{"name": "r0", "tier": 1}, {"name": "r1", "tier": 1}],
    "nodes": [{"name": "n0", "domain": "r0", "capacity": {"pods": 99, "cpu": )" +
         cpu + R"(}},
              {"name": "n1", "domain": "r1", "capacity": {"pods": 99, "cpu": )" +
         cpu + R"(}}],
    "jobs": [{"name": "j", "min_available": )" +
         (groups ? "1" : "2") + R"(, "phase": "admitted")" +
         (groups ? R"(, "sub_groups": [{"name": "s0"}, {"name": "s1"}, {"name": "s2"}])"
                 : R"(, "topology": {"highest_tier": 1})") +
         R"(}], "tasks": [)" + tasks + "]}";
}

// A sub-group of two tasks, and room for one: it is not whole.
constexpr char kHalfGroup[] = R"({"muster": 1,
  "nodes": [{"name": "n0", "capacity": {"cpu": 1, "pods": 99}}],
  "jobs": [{"name": "j", "min_available": 1, "phase": "admitted",
            "sub_groups": [{"name": "s0", "min_available": 2}]}],
  "tasks": [{"name": "j0", "job": "j", "sub_group": "s0", "shape": {"request": {"cpu": 1}}},
            {"name": "j1", "job": "j", "sub_group": "s0", "shape": {"request": {"cpu": 1}}}]})";

struct Case {
  const char* point;
  std::string world;
  const char* profile;
  std::function<double(const std::string&, double)> of;
  const char* without;  // what is decided if the policy has no opinion
  const char* with;
  double wrong = std::nan("");
};

double Last(const std::string& name, double) { return name == "b" || name == "y" ? -1 : 1; }
double No(const std::string&, double) { return 0; }
double Reject(const std::string&, double) { return -1; }
double V1(const std::string& name, double) { return name == "v1"; }

constexpr char kAllocate[] = "volcano:actions=allocate,tiers=mine/priority+gang/predicates";
constexpr char kPreempt[] =
    "volcano:actions=allocate+preempt,tiers=mine+priority+gang/predicates+nodeorder";
constexpr char kReclaim[] =
    "volcano:actions=allocate+reclaim,tiers=mine+priority+gang(without=reclaimable)/"
    "predicates+nodeorder+proportion";
constexpr char kNoVictims[] =
    "volcano:actions=allocate+preempt,tiers=mine+priority(without=preemptable)+gang(without="
    "preemptable)/predicates+nodeorder";
constexpr char kOwnReclaim[] =
    "volcano:actions=allocate+reclaim,tiers=mine+priority+gang(without=reclaimable)/"
    "predicates+nodeorder";
constexpr char kGangPreempt[] =
    "volcano:actions=gangpreempt,tiers=mine+priority+gang/predicates+nodeorder";
constexpr char kGangReclaim[] =
    "volcano:actions=gangreclaim,tiers=mine+priority+gang/predicates+nodeorder";
constexpr char kShuffle[] = "volcano:actions=shuffle,tiers=mine+priority/predicates";

std::vector<Case> Cases() {
  return {
      {"job_order", kOneQueue, kAllocate, Last, "bind a-0 n0", "bind b-0 n0"},
      {"queue_order", kWaiting, kAllocate, Last, "bind a-0 n0", "bind b-0 n0"},
      {"task_order", kTwoNodes, kAllocate,
       [](const std::string& name, double) { return name == "a-0"; }, "bind a-0 n0; bind a-1 n1",
       "bind a-1 n0; bind a-0 n1"},
      {"fit", kWaiting, kAllocate, No, "bind a-0 n0", "", 2},
      {"score", kTwoNodes, kAllocate, [](const std::string& name, double) { return name == "n1"; },
       "bind a-0 n0; bind a-1 n1", "bind a-0 n1; bind a-1 n0"},
      {"overused", kWaiting, kAllocate, [](const std::string& name, double) { return name == "x"; },
       "bind a-0 n0", "bind b-0 n0", 2},
      {"allocatable", kWaiting, kAllocate,
       [](const std::string& name, double) { return name != "x"; }, "bind a-0 n0", "bind b-0 n0",
       7},
      {"preemptive", Full("x", 2), kReclaim, No, "evict u0; nominate g0 n0", "", 9},
      {"valid", kWaiting, kAllocate, [](const std::string& name, double) { return name != "a"; },
       "bind a-0 n0", "bind b-0 n0", 3},
      {"ready", kWaiting, kAllocate, No, "bind a-0 n0", "", 255},
      {"pipelined", Full("q", 0), kPreempt, Reject, "evict v2; nominate g0 n0", "", 2},
      {"admit", kWaiting, "volcano:actions=admit+allocate,tiers=mine+gang/predicates",
       [](const std::string& name, double) { return name == "a" ? -1 : 1; },
       "admit a; admit b; bind a-0 n0", "admit b; bind b-0 n0", -2},
      {"starving", Full("q", 0), kPreempt, No, "evict v2; nominate g0 n0", "", 2},
      {"preemptable", Full("q", 0), kNoVictims, V1, "", "evict v1; nominate g0 n0", 2},
      {"reclaimable", Full("x", 0), kOwnReclaim, V1, "", "evict v1; nominate g0 n0", 2},
      {"evictable", Full("q", 0), kGangPreempt, V1, "evict v0; evict v1; evict v2; nominate g0 n0",
       "evict v1; nominate g0 n0", 2},
      {"victims", Full("q", 0), kShuffle, V1, "", "evict v1", 2},
      {"victim_queue_order", Full("x", 2), kGangReclaim,
       [](const std::string& name, double) { return name == "x" ? -1 : 0; },
       "evict u0; nominate g0 n0", "evict v2; nominate g0 n0"},
      {"sub_group_order", Racks(true), kAllocate,
       [](const std::string& name, double) { return -std::stod(name); }, "bind j0 n0; bind j1 n1",
       "bind j2 n0; bind j1 n1"},
      {"sub_group_ready", kHalfGroup,
       "volcano:actions=allocate,tiers=mine+gang(without=sub_group_ready)/predicates", No,
       "bind j0 n0", "", 2},
      {"sub_group_pipelined", kHalfGroup,
       "volcano:actions=allocate,tiers=mine+gang(without=sub_group_pipelined)/predicates", Reject,
       "bind j0 n0", "", 2},
      {"domain_score", Racks(false),
       "volcano:actions=allocate,tiers=mine+gang/predicates+network-topology-aware(without="
       "domain_score)",
       [](const std::string& name, double) { return name == "r1"; }, "bind j0 n0; bind j1 n0",
       "bind j0 n1; bind j1 n1"},
      {"domain_search", Racks(false), kAllocate,
       [](const std::string& name, double) { return name == "r1" ? 0 : -1; },
       "bind j0 n0; bind j1 n0", "bind j0 n1; bind j1 n1", -2},
  };
}

class EachPoint : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    policy_.name = "mine";
    policy_.user = reinterpret_cast<uintptr_t>(&mine_);
    Setters().at(GetParam().point)(&policy_);
    EXPECT_OK_C(muster_cluster_new(nullptr, Out(cluster_), &error));
    EXPECT_OK_C(
        muster_cluster_add_json(cluster_.get(), GetParam().world.c_str(), MUSTER_TO_NUL, &error));
  }
  muster_status Run() {
    const muster_policy* all[] = {&policy_};
    Held<muster_policies> list;
    EXPECT_OK_C(muster_policies_new(all, 1, Out(list), &error));
    muster_schedule_options options = MUSTER_SCHEDULE_OPTIONS_INIT;
    options.policies = list.get();
    plan_.reset();
    return muster_cluster_schedule(cluster_.get(), GetParam().profile, &options, Out(plan_),
                                   &error);
  }
  std::string Decided() {
    if (plan_ == nullptr) return Words(error);
    muster_plan_view view = MUSTER_PLAN_VIEW_INIT;
    EXPECT_OK_C(muster_plan_get_view(plan_.get(), &view, &error));
    const auto name = [&](int32_t kind, int32_t row) {
      return std::string(muster_plan_name(plan_.get(), kind, row, nullptr));
    };
    std::string out;
    for (int64_t i = 0; i < view.decision_count; ++i) {
      std::string one;
      switch (view.decision_kind[i]) {
        case MUSTER_DECISION_ADMIT:
          one = "admit " + name(MUSTER_KIND_JOBS, view.decision_job[i]);
          break;
        case MUSTER_DECISION_BIND:
        case MUSTER_DECISION_NOMINATE:
          one = (view.decision_kind[i] == MUSTER_DECISION_BIND ? "bind " : "nominate ") +
                name(MUSTER_KIND_TASKS, view.decision_task[i]) + " " +
                name(MUSTER_KIND_NODES, view.decision_node[i]);
          break;
        case MUSTER_DECISION_EVICT:
          one = "evict " + name(MUSTER_KIND_TASKS, view.decision_task[i]);
          break;
        default:
          continue;
      }
      out += (out.empty() ? "" : "; ") + one;
    }
    return out;
  }

  muster_error error = MUSTER_ERROR_INIT;
  PointAnswers mine_;
  muster_policy policy_ = MUSTER_POLICY_INIT;
  Held<muster_cluster> cluster_;
  Held<muster_plan> plan_;
};

TEST_P(EachPoint, Decides) {
  mine_.of = GetParam().of;
  mine_.status = MUSTER_PASSTHROUGH;
  ASSERT_OK_C(Run());
  EXPECT_EQ(Decided(), GetParam().without);
  EXPECT_GT(mine_.calls, 0);
  mine_.status = MUSTER_OK;
  ASSERT_OK_C(Run());
  EXPECT_EQ(Decided(), GetParam().with);
}

TEST_P(EachPoint, RefusesWrongAnswers) {
  const uint64_t version = muster_cluster_version(cluster_.get());
  mine_.of = [](const std::string&, double) { return GetParam().wrong; };
  EXPECT_EQ(Run(), MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(plan_, nullptr);
  EXPECT_EQ(Words(error).find(std::string("policy \"mine\", ") + GetParam().point +
                              ": the answer for row "),
            0)
      << Words(error);
  EXPECT_EQ(muster_cluster_version(cluster_.get()), version);
}

TEST_P(EachPoint, FailureDiscardsTheCycle) {
  const uint64_t version = muster_cluster_version(cluster_.get());
  mine_.of = GetParam().of;
  mine_.status = 42;
  EXPECT_EQ(Run(), MUSTER_E_USER);
  EXPECT_EQ(plan_, nullptr);
  EXPECT_EQ(error.user_code, 42);
  EXPECT_EQ(Words(error), std::string("policy \"mine\", ") + GetParam().point + ": returned 42");
  EXPECT_EQ(mine_.calls, 1);
  EXPECT_EQ(muster_cluster_version(cluster_.get()), version);
  // The same cluster decides as if nothing had been.
  mine_.status = MUSTER_OK;
  ASSERT_OK_C(Run());
  EXPECT_EQ(Decided(), GetParam().with);
}

INSTANTIATE_TEST_SUITE_P(Points, EachPoint, ::testing::ValuesIn(Cases()),
                         [](const auto& info) { return std::string(info.param.point); });

// A point that is added to muster/policy/point.h must have a callback and a case here.
TEST(Points, AllAreReached) {
  std::set<std::string> names, set, tried;
  for (int p = 0; p < kPointCount; ++p) {
    names.insert(std::string(PointName(static_cast<Point>(p))));
  }
  for (const auto& [name, setter] : Setters()) set.insert(name);
  for (const Case& one : Cases()) tried.insert(one.point);
  EXPECT_EQ(names.size(), static_cast<size_t>(kPointCount));
  EXPECT_EQ(set, names);
  EXPECT_EQ(tried, names);
}

}  // namespace
}  // namespace muster
