// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/part/task_placer.h"

#include <memory>
#include <utility>

#include "lib/ledger/placement_run.h"

namespace muster {

bool TaskPlacer::MayPool(ClassIndex c, DomainIndex within, const std::vector<uint8_t>* refused) {
  return within != kNone && refused == nullptr && context_.domains.children(within).empty() &&
         context_.search.LooksAtNodesAlone(c);
}

void TaskPlacer::Move(TaskIndex task, bool now, NodeIndex node) {
  context_.ledger.Move(task, now ? TaskStatus::kPlaced : TaskStatus::kNominated, node);
  if (!now) context_.decisions.NoteNominatedAfterEviction(task, false);
}

NodeIndex TaskPlacer::Best(TaskIndex task, Want want, DomainIndex within,
                           std::vector<uint8_t>* refused) {
  NodeSearch& search = context_.search;
  if (const TaskBounds::Bound* const bound = bounds_.Of(task)) {
    if (within == kNone) return search.BestAmong(task, want, bound->nodes, refused);
    std::vector<NodeIndex> nodes = bound->nodes;
    std::erase_if(nodes, [&](NodeIndex n) { return !context_.domains.Holds(within, n); });
    return search.BestAmong(task, want, nodes, refused);
  }
  if (within != kNone) return search.BestAmong(task, want, context_.domains.nodes(within), refused);
  return refused == nullptr ? search.Best(task, want) : search.BestExcept(task, want, *refused);
}

bool TaskPlacer::Place(TaskIndex task, DomainIndex within, std::vector<uint8_t>* refused) {
  const ClassIndex c = context_.ClassOf(task);
  NodeSearch& search = context_.search;
  const NodeIndex nominated = context_.tables.tasks.nominated[task];
  const TaskBounds::Bound* const bound = bounds_.Of(task);
  const bool fits_nominated =
      nominated != kNone && (within == kNone || context_.domains.Holds(within, nominated)) &&
      (bound == nullptr || bound->Has(nominated)) && search.FitsFutureIdle(c, nominated);
  if (fits_nominated) search.ForgetPlace();
  if (fits_nominated && search.FitsNode(c, nominated) &&
      (refused == nullptr || !(*refused)[nominated])) {
    Move(task, search.FitsIdle(c, nominated), nominated);
    StartAfresh();
    return true;
  }
  if (bound == nullptr && search.samples()) return PlaceInSample(task, c, within, refused);
  const bool pools = bound == nullptr && MayPool(c, within, refused);
  if (pools && pooled_ != within) {
    pool_.Fill(search, context_.domains.nodes(within));
    pooled_ = within;
  }
  for (const Want want : {Want::kNow, Want::kLater}) {
    const NodeIndex node =
        pools ? pool_.Best(search, task, want) : Best(task, want, within, refused);
    if (node == kNone) continue;
    if (pools) {
      Move(task, want == Want::kNow, node);
      pool_.Moved(search);
      return true;
    }
    StartAfresh();
    if (refused != nullptr) search.AddRefused(c, Want::kNow, context_.facts.evicts, refused);
    Move(task, want == Want::kNow, node);
    return true;
  }
  if (refused != nullptr) search.AddRefused(c, Want::kNow, context_.facts.evicts, refused);
  return false;
}

ReasonPtr TaskPlacer::WhyNot(TaskIndex task) {
  const TaskBounds::Bound* const bound = bounds_.Of(task);
  if (bound == nullptr) return context_.reasons.NoNode(context_.ClassOf(task));
  Reason reason{ReasonKind::kNoNode};
  if (context_.reasons.wanted()) reason.where = bound->refusal;
  return std::make_shared<const Reason>(std::move(reason));
}

size_t TaskPlacer::PlaceRun(std::span<const TaskIndex> tasks) {
  if (context_.search.samples()) return 0;
  PlacementRun run(context_.ledger);
  for (const TaskIndex task : tasks) {
    if (context_.tables.tasks.nominated[task] != kNone || IsKept(task) || !run.Add(task)) break;
  }
  if (run.size() < 2) return 0;
  StartAfresh();
  const size_t placed = context_.search.PlaceRun(&run);
  run.End();
  return placed;
}

bool TaskPlacer::PlaceInSample(TaskIndex task, ClassIndex c, DomainIndex within,
                               std::vector<uint8_t>* refused) {
  NodeSearch& search = context_.search;
  const size_t nodes = context_.tables.nodes.alive.size();
  std::vector<uint8_t> examined, except(nodes, 1), outside;
  if (within != kNone) {
    outside.assign(nodes, 1);
    for (NodeIndex n : context_.domains.nodes(within)) outside[n] = 0;
  }
  const std::vector<NodeIndex> sample =
      search.Sample(c, Want::kNow, within == kNone ? nullptr : &outside, refused, &examined);
  for (NodeIndex n : sample) except[n] = 0;
  if (refused != nullptr) {
    std::vector<uint8_t> now = *refused;
    search.AddRefused(c, Want::kNow, context_.facts.evicts, &now);
    for (NodeIndex n = 0; n < now.size(); ++n) {
      if (examined[n]) (*refused)[n] = now[n];
    }
  }
  for (const Want want : {Want::kNow, Want::kLater}) {
    const NodeIndex node = search.BestExcept(task, want, except);
    if (node == kNone) continue;
    Move(task, want == Want::kNow, node);
    return true;
  }
  return false;
}

}  // namespace muster
