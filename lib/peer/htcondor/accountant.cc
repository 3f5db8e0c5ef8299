// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/htcondor/accountant.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/match.h"
#include "lib/base/decimal.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"

namespace muster::condor {
namespace {

constexpr double kLeastPriority = 0.5;

std::string_view DomainOf(std::string_view customer) {
  const size_t at = customer.rfind('@');
  return at == customer.npos ? std::string_view() : customer.substr(at + 1);
}

}  // namespace

double SixDecimals(double number) {
  if (!std::isfinite(number)) return number;
  // Six binary digits behind the point are at most six decimals, which read back as they were.
  const double scaled = number * 64;
  if (std::abs(scaled) < 9e15 && scaled == std::floor(scaled)) return number;
  char text[kMostDecimal];
  const char* const end = WriteSixDecimals(text, number);
  double kept = number;
  ReadDecimal(text, end, kept);
  return kept;
}

Accountant::Accountant(AccountantRules rules, const GroupTree* tree)
    : rules_(std::move(rules)), tree_(*tree), group_used_(tree->groups().size(), 0) {}

const Accountant::Record* Accountant::Find(std::string_view customer) const {
  const auto it = records_.find(customer);
  return it == records_.end() ? nullptr : &it->second;
}

void Accountant::SetTime(int64_t now) {
  now_ = now;
  if (last_update_) return;
  last_update_ = now;
  for (const Group& group : tree_.groups()) records_[group.name].priority = kLeastPriority;
}

void Accountant::Restore(int64_t last_update, HashMap<std::string, Record> records) {
  last_update_ = last_update;
  held_.clear();
  records_ = std::move(records);
  for (GroupIndex g = 0; g < group_used_.size(); ++g) {
    group_used_[g] = WeightedUsed(tree_.groups()[g].name);
  }
}

void Accountant::UpdatePriorities() {
  const int64_t passed = SatSub(now_, *last_update_);
  if (passed == 0) return;
  last_update_ = now_;
  if (passed < 0) return;
  const double seconds = static_cast<double>(passed);
  const double kept = Pow(0.5, seconds / rules_.half_life);
  for (auto& [customer, record] : records_) {
    double usage = record.weighted_used + record.weighted_uncharged / seconds;
    if (record.hierarchical > 0) usage = record.hierarchical;
    const double before = std::max(kLeastPriority, record.priority.value_or(kLeastPriority));
    record.priority = SixDecimals(std::max(kLeastPriority, before * kept + usage * (1.0 - kept)));
    const double sum = record.weighted_accumulated.value_or(record.accumulated);
    const double more = record.weighted_used * seconds + record.weighted_uncharged;
    if (more != 0) record.weighted_accumulated = SixDecimals(sum + more);
    record.accumulated = SixDecimals(record.accumulated +
                                     static_cast<double>(record.used) * seconds + record.uncharged);
    record.weighted_uncharged = record.uncharged = 0;
  }
}

size_t Accountant::PlaceOf(std::string_view customer) {
  const auto found = records_.find(customer);
  const auto at = found != records_.end() ? found : records_.try_emplace(customer).first;
  return static_cast<size_t>(at - records_.begin());
}

Accountant::Payer Accountant::PayerOf(std::string_view customer) {
  Payer payer;
  payer.own = PlaceOf(customer);
  payer.group = tree_.GroupOf(customer);
  payer.of_group = PlaceOf(tree_.groups()[payer.group].name);
  // The group and all above it, but for the root, which counts those in no group.
  GroupIndex g = payer.group;
  do {
    payer.in_groups.push_back(PlaceOf(tree_.groups()[g].name));
    g = tree_.groups()[g].parent;
  } while (g != kNoGroup && g != kRootGroup);
  return payer;
}

void Accountant::ChargeRecord(double weight, int64_t seconds, int64_t count, Record* record) {
  const double passed = static_cast<double>(seconds);
  record->weighted_used = SixDecimals(std::max(0.0, record->weighted_used + weight));
  record->weighted_uncharged = SixDecimals(record->weighted_uncharged - passed * weight);
  record->uncharged = SixDecimals(record->uncharged - passed * static_cast<double>(count));
  record->used = std::max<int64_t>(0, SatAdd(record->used, count));
}

void Accountant::Charge(const Payer& payer, double weight, int64_t seconds, int64_t count) {
  ChargeRecord(weight, seconds, count, &record(payer.own));
  Record& group = record(payer.of_group);
  ChargeRecord(weight, seconds, count, &group);
  group_used_[payer.group] = group.weighted_used;
  for (const size_t place : payer.in_groups) {
    double& sum = record(place).hierarchical;
    sum = SixDecimals(std::max(0.0, sum + weight));
  }
}

void Accountant::Match(const Payer& payer, std::string_view slot, double weight) {
  Charge(payer, weight, now_ - *last_update_, 1);
  held_.push_back({std::string(slot), payer.own, SixDecimals(weight), now_});
}

void Accountant::Release(std::string_view slot) {
  const auto last = std::find_if(held_.rbegin(), held_.rend(),
                                 [&](const Held& held) { return held.slot == slot; });
  if (last == held_.rend()) return;
  const Held held = *last;
  std::erase_if(held_, [&](const Held& other) { return other.slot == held.slot; });
  const int64_t passed = now_ - std::max(held.start, *last_update_);
  const std::string customer = (records_.begin() + static_cast<ptrdiff_t>(held.customer))->first;
  Charge(PayerOf(customer), -held.weight, passed, -1);
}

void Accountant::CheckMatches(std::span<const Claim> claims) {
  held_.clear();
  std::ranges::fill(group_used_, 0.0);
  for (auto& [customer, record] : records_) {
    record.weighted_used = 0;
    if (!rules_.resets_groups) continue;
    record.hierarchical = 0;
    record.used = 0;
  }
  for (const Claim& claim : claims) Match(claim.customer, claim.slot, claim.weight);
}

void Accountant::SetFactor(std::string_view customer, double factor) {
  records_[std::string(customer)].factor = SixDecimals(std::max(1.0, factor));
}

void Accountant::SetPriority(std::string_view customer, double priority) {
  records_[std::string(customer)].priority = SixDecimals(priority);
}

void Accountant::SetCeiling(std::string_view customer, int64_t ceiling) {
  records_[std::string(customer)].ceiling = ceiling;
}

void Accountant::SetFloor(std::string_view customer, int64_t floor) {
  records_[std::string(customer)].floor = floor;
}

double Accountant::DefaultFactor(std::string_view customer) const {
  if (absl::StartsWithIgnoreCase(ToAbsl(customer), "nice-user")) return rules_.nice_factor;
  const std::string& group = tree_.groups()[tree_.GroupOf(customer)].name;
  for (const auto& [name, factor] : rules_.group_factors) {
    if (factor != 0 && absl::EqualsIgnoreCase(name, group)) return factor;
  }
  if (!rules_.local_domain.empty() && DomainOf(customer) != rules_.local_domain) {
    return rules_.remote_factor;
  }
  return rules_.default_factor;
}

double Accountant::Factor(std::string_view customer) {
  Record& record = records_[std::string(customer)];
  if (!record.factor || *record.factor < 1) record.factor = SixDecimals(DefaultFactor(customer));
  return *record.factor;
}

double Accountant::RealPriority(std::string_view customer) const {
  const Record* record = Find(customer);
  const double stored = record == nullptr ? 0 : record->priority.value_or(0);
  return std::max(kLeastPriority, stored);
}

double Accountant::EffectivePriority(std::string_view customer) {
  const double factor = Factor(customer);
  return RealPriority(customer) * factor;
}

double Accountant::WeightedUsed(std::string_view customer) const {
  const Record* record = Find(customer);
  return record == nullptr ? 0 : record->weighted_used;
}

int64_t Accountant::Used(std::string_view customer) const {
  const Record* record = Find(customer);
  return record == nullptr ? 0 : record->used;
}

double Accountant::HierarchicalUsed(std::string_view customer) const {
  const Record* record = Find(customer);
  return record == nullptr ? 0 : record->hierarchical;
}

double Accountant::WeightedAccumulated(std::string_view customer) const {
  const Record* record = Find(customer);
  return record == nullptr ? 0 : record->weighted_accumulated.value_or(0);
}

int64_t Accountant::Ceiling(std::string_view customer) const {
  const Record* record = Find(customer);
  return record == nullptr ? -1 : record->ceiling;
}

int64_t Accountant::Floor(std::string_view customer) const {
  const Record* record = Find(customer);
  return record == nullptr ? -1 : record->floor;
}

}  // namespace muster::condor
