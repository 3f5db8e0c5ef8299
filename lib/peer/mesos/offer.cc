// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// offer: a round of the allocator. Its offers become decisions of the plan, in their order.
//
// An offer has the job, its queue, the node, and what is offered of each resource of the cluster;
// what only the peer knows, such as ports, is not listed. A caller that answers the offers itself
// launches tasks before the next cycle; an amount that it does not use is offered again then.
#include <utility>

#include "lib/peer/mesos/offers.h"
#include "lib/peer/mesos/profile.h"

namespace muster {
namespace mesos {
namespace {

constexpr OptionDecl kOfferOptions[] = {
    {"role_sorter", OptionKind::kChoice, "drf", 0, 0, "drf|random: order of roles"},
    {"framework_sorter", OptionKind::kChoice, "drf", 0, 0,
     "drf|random: order of the frameworks of a role"},
    {"shuffle", OptionKind::kFlag, "off", 0, 0,
     "agents in random order, by the cycle's seed; off: in the order of the nodes"},
    {"min_allocatable", OptionKind::kText, "cpus:0.01|mem:32", 0, 0,
     "an offer has at least one of these sets; empty: any offer will do"},
    {"interval", OptionKind::kNumber, "1", 0, 1e6, "seconds; no filter is shorter"},
    {"guard_gpus", OptionKind::kFlag, "on", 0, 0,
     "agents with GPUs are for frameworks with the capability, or that request some"},
    {"not_in_shares", OptionKind::kText, "", 0, 0,
     "resources, between |, that count in no share: gpus|ports"},
    {"region", OptionKind::kText, "", 0, 0, "region of the master; agents of others are remote"},
};

muster::Offer InPlan(const World& world, const Tables& tables, const Offer& offer) {
  muster::Offer listed;
  listed.job = world.job_of[offer.framework];
  listed.queue = tables.jobs.queue[listed.job];
  listed.node = world.node_of[offer.agent];
  listed.amounts.assign(tables.dimension_count(), kAbsent);
  for (const NamedColumn& column : world.columns) {
    int64_t thousandths = 0;
    for (const Item& item : offer.resources) {
      if (item.scalar() && world.allocator->KindOf(item.kind).name == column.name) {
        thousandths += item.amount;
      }
    }
    if (thousandths > 0) listed.amounts[column.dimension] = AmountFrom(column, thousandths);
  }
  return listed;
}

void RunOffer(ActionContext& context, const muster::Options& options) {
  if (context.meter.Cut()) return;
  context.meter.Spend();
  OfferBook& book = context.memory<OfferBook>();
  book.world = ReadWorld(context, options);
  LoadFilters(context, &*book.world);
  book.RunRound(context);
}

}  // namespace

void OfferBook::RunRound(ActionContext& context) {
  world->allocator->ConsiderAll();
  offers = world->allocator->Allocate();
  for (const Offer& offer : offers) {
    context.decisions.Add(InPlan(*world, context.tables, offer));
  }
}

}  // namespace mesos

ActionDecl MesosOfferAction() {
  ActionDecl action;
  action.name = "offer";
  action.summary = "a round of offers, an amount to one framework alone";
  action.options = mesos::kOfferOptions;
  action.run = mesos::RunOffer;
  action.check = mesos::CheckTables;
  action.memory = {{mesos::kFilterSlot, 1}};
  action.points = PointSet{Point::kFit};
  return action;
}

}  // namespace muster
