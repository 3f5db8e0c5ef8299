// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// allocate for jobs with wishes for domains, or with sub-groups: every domain that the wish allows
// is tried for good, taken back, and the best one is gone through once more.
#include <algorithm>

#include "lib/reference/peer/volcano/network_topology.h"
#include "lib/reference/peer/volcano/volcano.h"

namespace muster::reference {

namespace {

bool Hard(const Cycle& cycle, JobIndex job) {
  if (WishOfJob(cycle, job).tier) return true;
  for (const Part& part : PartsOf(cycle, job)) {
    if (WishOfPart(cycle, part).tier) return true;
  }
  return false;
}

std::vector<NodeIndex> NodeList(const Cycle& cycle, const Vertex& vertex) {
  if (vertex.empty()) return cycle.world.session_nodes();
  const std::set<NodeIndex> nodes = NodesIn(cycle, vertex);
  return {nodes.begin(), nodes.end()};
}

void ForgetErrors(Cycle& cycle, const std::vector<TaskIndex>& tasks) {
  for (TaskIndex t : tasks) cycle.fit_errors.erase(t);
}

void DoAgain(Cycle& cycle, const Statement& done, Statement& statement) {
  for (const Operation& operation : done) {
    if (operation.kind == Operation::kAllocate) {
      DoAllocate(cycle, statement, operation.task, operation.node);
    } else {
      DoPipeline(cycle, statement, operation.task, operation.node, false);
    }
  }
}

struct PartTry {
  Statement done;
  Heap<TaskIndex> left;
};

bool PlacePart(Cycle& cycle, const Part& part, Heap<TaskIndex>& tasks, const Vertex& within,
               Statement& statement, double& score) {
  for (const std::vector<Vertex>& list : SearchForPart(cycle, part, within)) {
    std::map<Vertex, PartTry> tries;
    for (const Vertex& vertex : list) {
      ForgetErrors(cycle, TasksOf(cycle, part));
      Heap<TaskIndex> copy = tasks;
      Statement trial;
      const std::vector<NodeIndex> nodes = NodeList(cycle, vertex);
      if (nodes.empty()) continue;
      if (!PlaceTasks(cycle, part, copy, nodes, trial) || trial.empty()) continue;
      const Statement done = trial;
      Discard(cycle, trial);
      tries.emplace(vertex, PartTry{done, copy});
    }
    if (tries.empty()) continue;
    std::vector<Vertex> vertices;
    for (const auto& [vertex, tried] : tries) vertices.push_back(vertex);
    const std::map<Vertex, double> scores = VertexScores(cycle, part, vertices);
    Vertex best = vertices[0];
    for (const Vertex& vertex : vertices) {
      if (scores.at(vertex) > scores.at(best)) best = vertex;
    }
    DoAgain(cycle, tries.at(best).done, statement);
    tasks = tries.at(best).left;
    const auto place = MeetingPoint(cycle, PlaceOf(cycle, part), best);
    Tree(cycle).part_place[part] = place;
    Tree(cycle).noted[{part.job, within}][part] = place;
    score = scores.at(best);
    return true;
  }
  return false;
}

struct JobTry {
  Statement done;
  PartSheet left;
  double score;
};

// Places parts in the domain until the job is ready. What was placed stays, whether it is enough or
// not.
void PlaceParts(Cycle& cycle, JobIndex job, const Vertex& vertex, PartSheet& sheet,
                Statement& statement, double& score) {
  while (!sheet.waiting.empty()) {
    const Part part = sheet.waiting.Pop();
    Heap<TaskIndex>& tasks = sheet.tasks.at(part);
    double of_part = 0;
    if (!PlacePart(cycle, part, tasks, vertex, statement, of_part)) continue;
    score += of_part;
    if (!tasks.empty()) sheet.waiting.Push(part);
    if (JobReady(cycle, job)) return;
  }
}

}  // namespace

bool GoesByDomain(const Cycle& cycle, JobIndex job) {
  return CanPick(cycle, job) || cycle.tables().jobs.spec[job].topology.has_value();
}

PartSheet MakeSheet(const Cycle& cycle, JobIndex job, const std::vector<TaskIndex>& tasks) {
  std::map<std::string, int64_t> ready;
  const JobSpec& spec = cycle.tables().jobs.spec[job];
  const auto policy_of = [&](const Part& part) {
    return part.number == kNone ? std::string() : spec.sub_groups[part.number].policy;
  };
  std::vector<Part> others;
  for (const Part& part : PartsOf(cycle, job)) {
    if (PartReady(cycle, part)) {
      ++ready[policy_of(part)];
    } else {
      others.push_back(part);
    }
  }
  std::sort(others.begin(), others.end(),
            [&](const Part& l, const Part& r) { return PartLess(cycle, l, r); });
  std::set<Part> required;
  for (const Part& part : others) {
    for (const SubGroupPolicy& policy : spec.sub_group_policies) {
      if (part.number == kNone || policy.name != policy_of(part)) continue;
      if (ready[policy.name] < policy.min_sub_groups) {
        required.insert(part);
        ++ready[policy.name];
      }
    }
  }
  PartSheet sheet{PartHeap([&cycle, required](const Part& l, const Part& r) {
                    const bool left = required.count(l) > 0, right = required.count(r) > 0;
                    return left != right ? left : PartLess(cycle, l, r);
                  }),
                  {}};
  for (const Part& part : PartsOf(cycle, job)) {
    Heap<TaskIndex> wanted = TaskHeap(cycle);
    for (TaskIndex t : tasks) {
      if (cycle.tables().tasks.sub_group[t] == part.number) wanted.Push(t);
    }
    if (wanted.empty()) continue;
    sheet.tasks.emplace(part, wanted);
    sheet.waiting.Push(part);
  }
  return sheet;
}

bool PlaceByDomain(Cycle& cycle, JobIndex job, PartSheet& sheet, Statement& statement) {
  if (!Hard(cycle, job) && !CanPick(cycle, job)) {
    const Part part = sheet.waiting.Pop();
    const bool placed =
        PlaceTasks(cycle, part, sheet.tasks.at(part), NodeList(cycle, ""), statement);
    if (!sheet.tasks.at(part).empty()) sheet.waiting.Push(part);
    cycle.work += static_cast<int64_t>(statement.size());
    return placed;
  }
  for (const std::vector<Vertex>& list : SearchForJob(cycle, job)) {
    std::map<Vertex, JobTry> tries;
    for (const Vertex& vertex : list) {
      ForgetErrors(cycle, cycle.world.tasks_of(job));
      std::map<Part, std::optional<Vertex>> places;
      for (const auto& [part, heap] : sheet.tasks) places[part] = PlaceOf(cycle, part);
      JobTry tried{{}, sheet, 0};
      Statement trial;
      PlaceParts(cycle, job, vertex, tried.left, trial, tried.score);
      for (const auto& [part, place] : places) Tree(cycle).part_place[part] = place;
      const bool good = !trial.empty() && (JobReady(cycle, job) || JobPipelined(cycle, job));
      tried.done = trial;
      Discard(cycle, trial);
      if (good) tries.emplace(vertex, std::move(tried));
    }
    if (tries.empty()) continue;
    auto best = tries.begin();
    for (auto it = tries.begin(); it != tries.end(); ++it) {
      if (it->second.score > best->second.score) best = it;
    }
    DoAgain(cycle, best->second.done, statement);
    sheet = std::move(best->second.left);
    Tree(cycle).chosen[job] = best->first;
    cycle.work += static_cast<int64_t>(statement.size());
    return true;
  }
  return false;
}

void SettleByDomain(Cycle& cycle, JobIndex job) {
  const auto chosen = Tree(cycle).chosen.find(job);
  if (chosen == Tree(cycle).chosen.end()) return;
  Tree(cycle).job_place[job] = MeetingPoint(cycle, PlaceOf(cycle, job), chosen->second);
  for (const auto& [part, place] : Tree(cycle).noted[{job, chosen->second}]) {
    Tree(cycle).part_place[part] = MeetingPoint(cycle, PlaceOf(cycle, part), place);
  }
}

}  // namespace muster::reference
