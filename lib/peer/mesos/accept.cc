// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// accept: the built-in framework of every job answers the offers, and further rounds follow until
// one has no offers.
//
// Tasks take their turn in the job's order; one that does not fit the offer, or may not run on the
// node, is passed over. Policies decide both, at points task_order and fit: those of a caller are
// a framework of its own. What is not taken is declined for `refuse_seconds`, or the job's setting.
// With 0 there is no filter: the next round may offer the same again. The cycle then ends with the
// first round that launches no task, sets no filter, and repeats an offer that was declined since
// either happened. The library's gangs are none of the peer's: a framework launches each task for
// itself.
//
// A task that waits gets the refusals of the nodes with the peer's account of its offers, or the
// limit of its top-level role. Ties: as the allocator's. Cuts fall between offers.
// Cost. An offer looks at the waiting tasks of its job until nothing of it is left.
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/peer/mesos/offers.h"
#include "lib/peer/mesos/profile.h"
#include "lib/peer/mesos/tasks.h"

namespace muster {
namespace mesos {
namespace {

constexpr OptionDecl kAcceptOptions[] = {
    {"refuse_seconds", OptionKind::kNumber, "5", 0, 31'536'000,
     "how long a framework is not offered again what it declined; 0: no filter"},
    {"rounds", OptionKind::kWhole, "1000", 1, 1e9, "rounds of offers in a cycle at most"},
};

class Accept {
 public:
  Accept(ActionContext& context, const muster::Options& options, OfferBook& book)
      : context_(context),
        book_(book),
        world_(*book.world),
        refuse_seconds_(options.number("refuse_seconds")),
        rounds_(static_cast<int64_t>(options.number("rounds"))) {
    for (const Allocator::Refused& filter : world_.allocator->Filters()) {
      ++stories_[world_.job_of[filter.framework]].filtered;
    }
  }

  void Run() {
    bool ends = false;
    for (int64_t round = 1; !book_.offers.empty() && !ends; ++round) {
      advances_ = repeats_ = false;
      for (const Offer& offer : book_.offers) {
        if (context_.meter.Cut()) return;
        context_.meter.Spend();
        Answer(offer);
      }
      book_.offers.clear();
      ends = round == rounds_ || (repeats_ && !advances_);
      if (!ends) book_.RunRound(context_);
    }
    Explain();
  }

 private:
  // What happened to the offers of a job.
  struct Story {
    int64_t filtered = 0, offered = 0;
  };

  const Amounts& NeedsOfClass(ClassIndex c) {
    const auto [it, is_new] = needs_.try_emplace(c);
    if (is_new) it->second = *world_.allocator->AmountsOf(NeedsOf(world_, context_.tables, c));
    return it->second;
  }

  void Answer(const Offer& offer) {
    const JobIndex job = world_.job_of[offer.framework];
    const NodeIndex node = world_.node_of[offer.agent];
    const JobSettings& settings = world_.settings[offer.framework];
    ++stories_[job].offered;
    Offer rest = offer;
    const Ledger::Savepoint before = context_.ledger.Save();
    HashSet<ClassIndex> refused;
    bool waits = false, launches = false;
    for (const TaskIndex task : context_.PendingTasks(job, /*with_best_effort=*/true)) {
      const ClassIndex c = context_.ClassOf(task);
      const bool fits = !refused.contains(c) && context_.search.FitsNode(c, node) &&
                        context_.search.FitsIdle(c, node) &&
                        Take(NeedsOfClass(c), settings.capabilities.revocable, &rest);
      if (!fits) {
        refused.insert(c);
        waits = true;
        continue;
      }
      context_.ledger.Move(task, TaskStatus::kPlaced, node);
      launches = true;
    }
    context_.decisions.Commit(before);
    const double seconds = settings.refuse_seconds < 0 ? refuse_seconds_ : settings.refuse_seconds;
    (void)world_.allocator->Recover(rest, seconds);
    if (launches || seconds > 0) {
      advances_ = true;
      declined_.clear();
    } else {
      repeats_ |= !declined_.insert(std::pair(offer.framework, offer.agent)).second;
    }
    if (!waits)
      (void)world_.allocator->Suppress(world_.allocator->FrameworkName(offer.framework), {});
  }

  static bool Take(const Amounts& needs, bool revocable, Offer* rest) {
    if (needs.empty()) return true;
    const WaitingTask waiting{.needs = needs, .revocable = revocable};
    Taken taken = TakeTasks(*rest, {&waiting, 1});
    if (taken.tasks.empty()) return false;
    *rest = std::move(taken.rest);
    return true;
  }

  // Returns the top-level queue above, if its limit leaves too little; with the dimension.
  std::pair<QueueIndex, DimensionIndex> Limit(QueueIndex queue, ClassIndex c) const {
    while (context_.tables.queues.parent[queue] != muster::kNone) {
      queue = context_.tables.queues.parent[queue];
    }
    for (const NamedColumn& column : world_.columns) {
      const DimensionIndex d = column.dimension;
      const int64_t limit = context_.tables.queues.limit.at(queue, d);
      if (limit == kAbsent) continue;
      const int64_t held = context_.ledger.tree_allocated(queue)[d];
      if (OrZero(context_.tables.classes.request.at(c, d)) > limit - held) return {queue, d};
    }
    return {muster::kNone, muster::kNone};
  }

  std::string WordsOf(JobIndex job) {
    const JobSettings& settings = world_.settings[world_.framework_of[job]];
    if (settings.suppressed) return "framework is suppressed and gets no offers";
    const Story& story = stories_[job];
    std::string words = story.offered == 0 ? std::string("framework got no offer")
                                           : absl::StrCat("framework declined ", story.offered,
                                                          " offers: none held the task");
    if (story.filtered > 0)
      absl::StrAppend(&words, "; ", story.filtered, " filters of earlier refusals");
    if (!settings.constraints.empty())
      absl::StrAppend(&words, "; offer constraints exclude agents");
    return words;
  }

  void Explain() {
    for (const JobIndex job : context_.waiting) {
      if (world_.framework_of[job] == kNone) continue;
      const QueueIndex queue = context_.tables.jobs.queue[job];
      const bool open = context_.tables.queues.spec[queue].state == QueueState::kOpen;
      HashMap<ClassIndex, ReasonPtr> of_class;
      for (const TaskIndex task : context_.PendingTasks(job, /*with_best_effort=*/true)) {
        const ClassIndex c = context_.ClassOf(task);
        ReasonPtr& reason = of_class[c];
        if (reason == nullptr) reason = ReasonOf(job, queue, open, c);
        context_.reasons.Explain(task, reason);
      }
    }
  }

  ReasonPtr ReasonOf(JobIndex job, QueueIndex queue, bool open, ClassIndex c) {
    Reason reason{ReasonKind::kNoNode};
    if (!open) {
      reason.kind = ReasonKind::kQueueClosed;
      reason.queue = queue;
      return std::make_shared<const Reason>(std::move(reason));
    }
    const auto [limited, dimension] = Limit(queue, c);
    if (limited != muster::kNone) {
      reason.kind = ReasonKind::kQueueLimit;
      reason.queue = limited;
      reason.dimension = dimension;
      return std::make_shared<const Reason>(std::move(reason));
    }
    reason = *context_.reasons.NoNode(c);
    reason.where = WordsOf(job);
    return std::make_shared<const Reason>(std::move(reason));
  }

  ActionContext& context_;
  OfferBook& book_;
  World& world_;
  const double refuse_seconds_;
  const int64_t rounds_;
  // Whether this round launched a task or set a filter, and whether it repeated an offer.
  bool advances_ = false, repeats_ = false;
  // Offers that were declined without a filter since a round advanced.
  HashSet<std::pair<uint32_t, uint32_t>> declined_;
  HashMap<ClassIndex, Amounts> needs_;
  HashMap<JobIndex, Story> stories_;
};

void RunAccept(ActionContext& context, const muster::Options& options) {
  OfferBook& book = context.memory<OfferBook>();
  if (!book.world) return;
  Accept(context, options, book).Run();
  StoreFilters(context, *book.world);
}

}  // namespace
}  // namespace mesos

ActionDecl MesosAcceptAction() {
  ActionDecl action;
  action.name = "accept";
  action.summary = "tasks take what they need of the offers, and the rest is declined";
  action.options = mesos::kAcceptOptions;
  action.run = mesos::RunAccept;
  action.memory = {{mesos::kFilterSlot, 1}};
  action.points = PointSet{Point::kFit, Point::kTaskOrder};
  return action;
}

}  // namespace muster
