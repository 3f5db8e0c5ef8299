// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/htcondor/verdicts.h"

#include <limits>
#include <utility>

namespace muster::condor {
namespace {

constexpr double kFailed = -std::numeric_limits<double>::max();

// A double as the peer's float has it; what is beyond becomes infinite.
float CutToFloat(double number) { return static_cast<float>(number); }

float RankOf(const std::optional<AdExpression>& expression, const ClassAd& slot,
             const ClassAd& job) {
  if (!expression) return 0;
  double number = 0;
  return CutToFloat(expression->EvaluateScalar(slot, &job).ToNumber(&number) ? number : kFailed);
}

}  // namespace

void Verdicts::Begin(const std::vector<Slot>& slots, const SlotGate* gate) {
  slots_ = &slots;
  first_alike_.clear();
  gate_ = gate;
  classes_.clear();
  named_ = {};
  named_.Add(names_.requirements);
  named_.Add(names_.rank);
  named_.Add(names_.current_rank);
  for (const auto* rule : {&rules_.preemption_requirements, &rules_.preemption_rank,
                           &rules_.first_rank, &rules_.last_rank}) {
    if (rule->has_value()) (*rule)->AddNames(&named_);
  }
  for (const Slot& slot : slots) slot.ad.AddNames(&named_);
}

std::shared_ptr<JobClass> Verdicts::ClassOf(const ClassAd& job, int64_t kind) {
  std::string key;
  // A name that no expression had before makes the keys of all classes incomplete.
  while (job.AppendKey(&named_, &key)) {
    classes_.clear();
    first_alike_.clear();
    key.clear();
  }
  key.append(reinterpret_cast<const char*>(&kind), sizeof kind);
  const auto found = classes_.find(key);
  if (found != classes_.end()) return found->second;
  if ((classes_.size() + 1) * slots_->size() > kMostVerdicts) classes_.clear();
  auto made = std::make_shared<JobClass>();
  made->kind = kind;
  made->verdicts.resize(slots_->size());
  made->known.resize(slots_->size());
  return classes_.try_emplace(std::move(key), std::move(made)).first->second;
}

void Verdicts::FindAlike() {
  HashMap<std::string, uint32_t> first_of;
  std::string key;
  for (const Slot& slot : *slots_) {
    key.clear();
    slot.ad.AppendSharedKey(named_, &key);
    const auto own = static_cast<uint32_t>(first_alike_.size());
    first_alike_.push_back(first_of.try_emplace(key, own).first->second);
  }
}

Verdict Verdicts::Find(const JobClass& job_class, size_t s, const ClassAd& job) {
  if (first_alike_.empty()) FindAlike();
  const Slot& slot = (*slots_)[s];
  const size_t first = first_alike_[s];
  if (!job_class.known[first] || job_class.verdicts[first].refusal == MatchRefusal::kGate) {
    return Evaluate(slot, job, job, job_class.kind);
  }
  if (gate_ == nullptr || gate_->Admits(slot, job_class.kind)) return job_class.verdicts[first];
  return {.refusal = MatchRefusal::kGate};
}

Verdict Verdicts::Evaluate(const Slot& slot, const ClassAd& request, const ClassAd& job,
                           int64_t kind) const {
  Verdict verdict;
  const ClassAd& ad = slot.ad;
  if (gate_ != nullptr && !gate_->Admits(slot, kind)) {
    verdict.refusal = MatchRefusal::kGate;
  } else if (!ad.GetScalar(names_.requirements, &request).IsTrue()) {
    verdict.refusal = MatchRefusal::kSlot;
  } else if (!request.GetScalar(names_.requirements, &ad).IsTrue()) {
    verdict.refusal = MatchRefusal::kJob;
  }
  verdict.matches = verdict.refusal == MatchRefusal::kNone;
  if (!verdict.matches) return verdict;
  ad.GetScalar(names_.rank, &job).ToNumber(&verdict.slot_rank);
  ad.GetScalar(names_.current_rank, &job).ToNumber(&verdict.current_rank);
  job.GetScalar(names_.rank, &ad).ToNumber(&verdict.rank);
  verdict.first = RankOf(rules_.first_rank, ad, job);
  verdict.last = RankOf(rules_.last_rank, ad, job);
  if (!rules_.preemption) return verdict;
  verdict.may_preempt = rules_.preemption_requirements &&
                        rules_.preemption_requirements->EvaluateScalar(ad, &job).IsTrue();
  verdict.preemption = RankOf(rules_.preemption_rank, ad, job);
  return verdict;
}

}  // namespace muster::condor
