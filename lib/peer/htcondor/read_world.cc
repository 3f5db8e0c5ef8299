// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/htcondor/read_world.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>
#include <tuple>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/kube/selectors.h"

namespace muster::condor {
namespace {

constexpr int64_t kManyPods = 1'000'000'000;
constexpr std::string_view kDisk = "ephemeral-storage";

// The name as an attribute may have it.
std::string AttributeName(std::string_view name) {
  std::string made;
  for (const char c : name) {
    made.push_back(absl::ascii_isalnum(static_cast<unsigned char>(c)) ? c : '_');
  }
  if (made.empty() || absl::ascii_isdigit(static_cast<unsigned char>(made[0]))) made = "_" + made;
  return made;
}

// Whether a task of the status is a claim of its user.
bool IsClaim(TaskStatus status) {
  return HoldsNode(status) && status != TaskStatus::kNominated && status != TaskStatus::kUnknown;
}

}  // namespace

int64_t NodeGate::KindOf(TaskIndex task) {
  const ClassIndex plain = tables_.classes.plain[tables_.tasks.task_class[task]];
  const bool never = (tables_.tasks.flags[task] & kTaskNeverPreempts) != 0;
  const uint64_t key = uint64_t{plain} * 2 + (never ? 1 : 0);
  const auto [kind, is_new] = kind_of_.try_emplace(key, static_cast<int64_t>(kinds_.size()));
  if (is_new) kinds_.emplace_back(plain, never);
  return kind->second;
}

bool NodeGate::Refuses(NodeIndex node, int64_t kind, Refusal* refusal) const {
  const NodeSpec& spec = tables_.nodes.spec[node];
  const TaskShape& shape = tables_.classes.shape[kinds_[static_cast<size_t>(kind)].first];
  if (spec.unschedulable && !ToleratesUnschedulable(shape)) {
    refusal->code = RefusalCode::kUnschedulable;
    return true;
  }
  if (!MatchesNode(shape, spec)) {
    refusal->code = RefusalCode::kNodeAffinity;
    return true;
  }
  const Taint* taint = FirstUntolerated(shape, spec);
  if (taint == nullptr) return false;
  refusal->code = RefusalCode::kTaint;
  refusal->detail = taint->value.empty() ? taint->key : absl::StrCat(taint->key, "=", taint->value);
  return true;
}

bool NodeGate::Admits(const Slot& slot, int64_t kind) const {
  const SlotRow& row = (*slots_)[slot.row];
  if (row.task != kNone && kinds_[static_cast<size_t>(kind)].second) return false;
  Refusal refusal;
  return !Refuses(row.node, kind, &refusal);
}

PoolReader::Names::Names(AdNames* names)
    : name(names->Of("Name")),
      machine(names->Of("Machine")),
      slot_id(names->Of("SlotID")),
      start(names->Of("Start")),
      within(names->Of("WithinResourceLimits")),
      dynamic(names->Of("DynamicSlot")),
      remote_owner(names->Of("RemoteOwner")),
      job_runtime(names->Of("TotalJobRuntime")),
      owner(names->Of("Owner")),
      user(names->Of("User")),
      group(names->Of("AcctGroup")),
      priority(names->Of("JobPrio")),
      queued(names->Of("QDate")) {}

PoolReader::PoolReader(const Tables& tables, const Ledger& ledger, const PoolSettings& settings,
                       int64_t now, AdNames* names)
    : tables_(tables),
      ledger_(ledger),
      settings_(settings),
      now_(now),
      uses_time_(names->Knows(kTimeName)),
      all_(*names),
      known_(names),
      own_(names),
      gate_(tables) {
  FindAssets();
  MakeTemplate();
}

// Resources that some task requests; cpu and memory always.
void PoolReader::FindAssets() {
  const ClassTable& classes = tables_.classes;
  bool limits_pods = false;
  for (NodeIndex n = 0; n < tables_.nodes.alive.size(); ++n) {
    limits_pods |= tables_.nodes.alive[n] && tables_.nodes.allocatable.at(n, kPods) != kAbsent;
  }
  HashSet<std::string> words;
  for (DimensionIndex d = 0; d < tables_.dimension_count(); ++d) {
    bool counts = d == kCpu || d == kMemory || (d == kPods && limits_pods);
    for (ClassIndex c = 0; c < classes.shape.size() && !counts && d != kPods; ++c) {
      counts = classes.tasks[c] > 0 && RequestOf(c, d) > 0;
    }
    if (!counts) continue;
    const std::string_view name = tables_.dimensions.name(d);
    std::string word = d == kCpu                  ? "Cpus"
                       : d == kMemory             ? "Memory"
                       : d == kPods               ? "Pods"
                       : name == kDisk            ? "Disk"
                       : name == "nvidia.com/gpu" ? "GPUs"
                                                  : AttributeName(name);
    while (!words.insert(absl::AsciiStrToLower(word)).second) absl::StrAppend(&word, "_");
    const double unit = d == kMemory             ? 1 << 20
                        : name == kDisk          ? 1 << 10
                        : IsMilliDimension(name) ? 1000
                                                 : 1;
    assets_.push_back({d, unit, all_.Of(word), all_.Of(absl::StrCat("Request", word)), word});
  }
}

void PoolReader::MakeTemplate() {
  const auto parsed = [&](const std::string& text) {
    return std::make_shared<const AdExpression>(*AdExpression::Parse(text, &all_));
  };
  std::string within, resources;
  for (const Asset& asset : assets_) {
    absl::StrAppend(&within, within.empty() ? "" : " && ", "TARGET.Request", asset.word, " <= MY.",
                    asset.word);
    absl::StrAppend(&resources, resources.empty() ? "" : " ", asset.word);
    if (!settings_.divides_slots) continue;
    const std::string_view name = tables_.dimensions.name(asset.dimension);
    const char* const steps = asset.dimension == kCpu      ? "{1}"
                              : asset.dimension == kMemory ? "{128}"
                              : name == kDisk              ? "{1024}"
                                                           : nullptr;
    const std::string request = absl::StrCat("TARGET.Request", asset.word);
    template_.Set(
        all_.Of(absl::StrCat("Consumption", asset.word)),
        parsed(steps == nullptr ? request : absl::StrCat("quantize(", request, ", ", steps, ")")));
  }
  if (settings_.divides_slots) template_.Set(known_.machine_resources, AdValue::Of(resources));
  template_.Set(own_.within, parsed(within));
  template_.Set(known_.requirements, parsed("START && WithinResourceLimits"));
  template_.Set(own_.slot_id, AdValue::Of(int64_t{1}));
  if (uses_time_) template_.Set(all_.Of(kTimeName), AdValue::Of(now_));
  // Places of what each slot sets, as an ad grows slowly.
  for (const Asset& asset : assets_) template_.Set(asset.has, AdValue());
  for (const AdName name :
       {own_.name, known_.state, own_.machine, own_.start, known_.rank, known_.weight}) {
    template_.Set(name, AdValue());
  }
}

AdName PoolReader::LabelName(const std::string& key) {
  const auto known = labels_.find(key);
  if (known != labels_.end()) return known->second;
  return labels_.try_emplace(key, all_.Of(AttributeName(key))).first->second;
}

AdValue PoolReader::AmountOf(int64_t amount, double unit) {
  const double value = static_cast<double>(amount) / unit;
  if (value == std::floor(value)) return AdValue::Of(static_cast<int64_t>(value));
  return AdValue::Of(value);
}

int64_t PoolReader::RequestOf(ClassIndex c, DimensionIndex d) const {
  return std::max(OrZero(tables_.classes.request.at(c, d)),
                  OrZero(tables_.classes.initial_request.at(c, d)));
}

// What a task may get there now, without what others were promised.
int64_t PoolReader::FreeOf(NodeIndex n, DimensionIndex d) const {
  if (tables_.nodes.allocatable.at(n, d) == kAbsent) return d == kPods ? kManyPods : 0;
  return std::max<int64_t>(0, std::min(ledger_.node(n, kIdle)[d], ledger_.future_idle(n, d)));
}

// What all slots of the node have.
ClassAd PoolReader::NodeAd(NodeIndex n) {
  const NodeSpec& node = tables_.nodes.spec[n];
  const NodeSettings& settings = settings_.of_node(n);
  ClassAd ad = template_;
  // Several labels may be one attribute: "a-b" and "a.b". The smallest key counts.
  for (const auto& label : node.labels) {
    const AdName name = LabelName(label.first);
    if (template_.has(name)) continue;
    const auto is_before = [&](const auto& other) {
      return other.first < label.first && LabelName(other.first) == name;
    };
    if (ad.has(name) && std::ranges::any_of(node.labels, is_before)) continue;
    ad.Set(name, AdValue::Of(label.second));
  }
  for (const auto& [name, expression] : settings.attributes) ad.Set(name, expression);
  ad.Set(own_.machine, AdValue::Of(node.name));
  ad.Set(own_.start, settings.start);
  ad.Set(known_.rank, settings.rank);
  ad.Set(known_.weight, settings.weight);
  return ad;
}

void PoolReader::ReadNode(NodeIndex n, std::vector<Slot>* slots) {
  ClassAd ad = NodeAd(n);
  bool is_overfull = false;
  Slot whole{.name = absl::StrCat("slot1@", tables_.nodes.spec[n].name)};
  whole.ad = on_node_[n].empty() ? std::move(ad) : ad;
  for (const Asset& asset : assets_) {
    whole.ad.Set(asset.has, AmountOf(FreeOf(n, asset.dimension), asset.unit));
    is_overfull |= ledger_.node(n, kIdle)[asset.dimension] < 0 &&
                   tables_.nodes.allocatable.at(n, asset.dimension) != kAbsent;
  }
  whole.ad.Set(own_.name, AdValue::Of(whole.name));
  whole.ad.Set(known_.state, AdValue::Of(std::string("Unclaimed")));
  whole.ad.Set(known_.partitionable, AdValue::Of(true));
  whole.row = static_cast<uint32_t>(slots_.size());
  slots_.push_back({n, kNone});
  slots->push_back(std::move(whole));
  for (const TaskIndex t : on_node_[n]) AddClaim(n, t, is_overfull, ad, slots);
}

void PoolReader::AddClaim(NodeIndex n, TaskIndex t, bool is_overfull, const ClassAd& node_ad,
                          std::vector<Slot>* slots) {
  const TaskStatus status = ledger_.status(t);
  const JobIndex j = tables_.tasks.job[t];
  const std::string user = settings_.UserOf(tables_.jobs.spec[j]);
  const auto request = tables_.classes.request.row(tables_.tasks.task_class[t]);
  Slot slot{.name = absl::StrCat("slot1_", slots_.size() - 1, "@", tables_.nodes.spec[n].name),
            .ad = node_ad};
  ClassAd& ad = slot.ad;
  for (const Asset& asset : assets_) {
    ad.Set(asset.has, AmountOf(OrZero(request[asset.dimension]), asset.unit));
  }
  ad.Set(own_.name, AdValue::Of(slot.name));
  const bool leaves = status == TaskStatus::kReleasing;
  ad.Set(known_.state, AdValue::Of(std::string(leaves ? "Preempting" : "Claimed")));
  ad.Set(own_.dynamic, AdValue::Of(true));
  ad.Set(known_.remote_user, AdValue::Of(user));
  ad.Set(own_.remote_owner, AdValue::Of(user));
  ad.Set(known_.accounting_group, AdValue::Of(SubmitterOf(t)));
  if (const std::string& limits = settings_.of_job(j).concurrency_limits; !limits.empty()) {
    ad.Set(known_.concurrency_limits, AdValue::Of(limits));
  }
  if (const int64_t started = tables_.tasks.started[t]; started != kAbsent) {
    ad.Set(own_.job_runtime, AdValue::Of(std::max<int64_t>(0, now_ - std::min(now_, started))));
  }
  if (const int64_t until = tables_.tasks.protected_until[t]; until != kAbsent && until > now_) {
    ad.Set(known_.retirement_left,
           AdValue::Of(static_cast<double>(until) - static_cast<double>(now_)));
  }
  double rank = 0;
  ad.Get(known_.rank, JobOf(t).ad.get()).ToNumber(&rank);
  ad.Set(known_.current_rank, AdValue::Of(rank));
  const bool runs = status == TaskStatus::kRunning || status == TaskStatus::kBound;
  slot.is_offered = runs && !is_overfull && (tables_.tasks.flags[t] & kTaskPreemptable) != 0;
  slot.row = static_cast<uint32_t>(slots_.size());
  slots_.push_back({n, t});
  slots->push_back(std::move(slot));
}

const std::string& PoolReader::SubmitterOf(TaskIndex task) {
  const JobIndex j = tables_.tasks.job[task];
  const auto known = submitters_.find(j);
  if (known != submitters_.end()) return known->second;
  const std::string user = settings_.UserOf(tables_.jobs.spec[j]);
  return submitters_
      .try_emplace(j,
                   settings_.SubmitterOf(tables_.jobs.queue[j], user, settings_.of_job(j).is_nice))
      .first->second;
}

ClassAd PoolReader::MakeJobAd(TaskIndex t) {
  const JobIndex j = tables_.tasks.job[t];
  const JobSpec& job = tables_.jobs.spec[j];
  const JobSettings& settings = settings_.of_job(j);
  const std::string user = settings_.UserOf(job);
  ClassAd ad;
  for (const auto& [name, expression] : settings.attributes) ad.Set(name, expression);
  for (const Asset& asset : assets_) {
    ad.Set(asset.requests,
           AmountOf(RequestOf(tables_.tasks.task_class[t], asset.dimension), asset.unit));
  }
  ad.Set(own_.owner, AdValue::Of(user.substr(0, user.find('@'))));
  ad.Set(own_.user, AdValue::Of(user));
  ad.Set(own_.group, AdValue::Of(settings_.group_of[tables_.jobs.queue[j]]));
  ad.Set(own_.priority, AdValue::Of(int64_t{tables_.tasks.priority[t]}));
  ad.Set(own_.queued, AdValue::Of(job.created));
  if (uses_time_) ad.Set(all_.Of(kTimeName), AdValue::Of(now_));
  if (!settings.concurrency_limits.empty()) {
    ad.Set(known_.concurrency_limits, AdValue::Of(settings.concurrency_limits));
  }
  ad.Set(known_.requirements, settings.requirements);
  ad.Set(known_.rank, settings.rank);
  return ad;
}

// Tasks of one job, class and priority have one ad.
PoolReader::SharedJob& PoolReader::JobOf(TaskIndex t) {
  const bool never = (tables_.tasks.flags[t] & kTaskNeverPreempts) != 0;
  const SharedKey key{tables_.tasks.job[t], tables_.tasks.task_class[t], tables_.tasks.priority[t],
                      never};
  const auto known = shared_.find(key);
  if (known != shared_.end()) return shared_[key];
  SharedJob made{std::make_shared<const ClassAd>(MakeJobAd(t)), gate_.KindOf(t)};
  return shared_[key] = std::move(made);
}

void PoolReader::CountFor(TaskIndex t, double weight, bool runs, Pool* pool) {
  const std::string& name = SubmitterOf(t);
  const auto [place, is_new] = place_of_.try_emplace(name, pool->submitters.size());
  if (is_new) pool->submitters.push_back({.name = name});
  Submitter& submitter = pool->submitters[place->second];
  (runs ? submitter.running : submitter.idle) += 1;
  (runs ? submitter.weighted_running : submitter.weighted_idle) += weight;
}

Pool PoolReader::ReadPool(const std::vector<TaskIndex>& waiting) {
  Pool pool;
  pool.time = now_;
  on_node_.assign(tables_.nodes.alive.size(), {});
  for (TaskIndex t = 0; t < tables_.tasks.alive.size(); ++t) {
    if (!tables_.tasks.alive[t] || tables_.tasks.job[t] == kNone) continue;
    if (IsClaim(ledger_.status(t))) on_node_[ledger_.node_of(t)].push_back(t);
  }
  for (NodeIndex n = 0; n < tables_.nodes.alive.size(); ++n) {
    if (tables_.nodes.alive[n] && tables_.nodes.spec[n].ready) ReadNode(n, &pool.slots);
  }
  gate_.SetSlots(&slots_);
  pool.gate = &gate_;
  for (const Slot& slot : pool.slots) {
    slot.ad.AddNames(&named_);
    const TaskIndex t = slots_[slot.row].task;
    const double weight = WeightOf(known_, slot.ad, settings_.rules.match.weights);
    if (t != kNone) CountFor(t, weight, /*runs=*/true, &pool);
  }
  for (const auto* rule :
       {&settings_.rules.match.preemption_requirements, &settings_.rules.match.preemption_rank,
        &settings_.rules.match.first_rank, &settings_.rules.match.last_rank}) {
    if (rule->has_value()) (*rule)->AddNames(&named_);
  }
  AddJobs(waiting, &pool);
  return pool;
}

// Jobs that are equal in all significant attributes are of one auto cluster.
int64_t PoolReader::AutoClusterOf(const ClassAd& ad, int64_t kind) {
  std::string key;
  ad.AppendKey(&named_, &key);
  absl::StrAppend(&key, " ", kind);
  const auto next = static_cast<int64_t>(auto_clusters_.size());
  return auto_clusters_.try_emplace(std::move(key), next).first->second;
}

void PoolReader::AddJobs(const std::vector<TaskIndex>& waiting, Pool* pool) {
  for (const AdName name : {known_.requirements, known_.rank, known_.concurrency_limits}) {
    named_.Add(name);
  }
  std::vector<TaskIndex> order = waiting;
  const auto key = [&](TaskIndex t) {
    const JobIndex j = tables_.tasks.job[t];
    const JobSpec& job = tables_.jobs.spec[j];
    const auto& [pre1, pre2, post1, post2] = settings_.of_job(j).orders;
    return std::tuple(-pre1, -pre2, -int64_t{tables_.tasks.priority[t]}, -post1, -post2,
                      job.created, job.uid_rank, uint32_t{j}, tables_.tasks.ordinal[t]);
  };
  std::ranges::stable_sort(order, {}, key);
  // All names that jobs add are significant before the first auto cluster gets its number.
  for (const TaskIndex t : order) JobOf(t);
  for (bool grew = true; grew;) {
    grew = false;
    std::string unused;
    for (const auto& [key, shared] : shared_) grew |= shared.ad->AppendKey(&named_, &unused);
  }
  for (const TaskIndex t : order) {
    SharedJob& shared = JobOf(t);
    if (shared.auto_cluster < 0) shared.auto_cluster = AutoClusterOf(*shared.ad, shared.kind);
    CondorJob job;
    job.id = std::string(tables_.tasks.names.name(t));
    job.kind = shared.kind;
    job.auto_cluster = shared.auto_cluster;
    job.row = t;
    job.shared = shared.ad;
    double cpus = 1;
    shared.ad->Get(assets_[0].requests).ToNumber(&cpus);
    CountFor(t, cpus, /*runs=*/false, pool);
    pool->jobs[SubmitterOf(t)].push_back(std::move(job));
  }
}

}  // namespace muster::condor
