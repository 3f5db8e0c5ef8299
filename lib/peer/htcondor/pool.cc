// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/htcondor/pool.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/base/decimal.h"
#include "lib/base/strings.h"

namespace muster::condor {
namespace {

// Calls `visit(name, units)` for each "name[:units]" of the list, in lower case.
template <class Visit>
void ForEachLimit(std::string_view list, const Visit& visit) {
  while (!list.empty()) {
    const size_t comma = list.find(',');
    std::string_view item = list.substr(0, comma);
    list = comma == list.npos ? std::string_view() : list.substr(comma + 1);
    const size_t colon = item.find(':');
    double units = 1;
    if (colon != item.npos) {
      const absl::string_view number = absl::StripAsciiWhitespace(ToAbsl(item.substr(colon + 1)));
      ReadDecimal(number.data(), number.data() + number.size(), units);
      if (!(units > 0)) units = 1;
    }
    const std::string name =
        absl::AsciiStrToLower(absl::StripAsciiWhitespace(ToAbsl(item.substr(0, colon))));
    if (!name.empty()) visit(name, units);
  }
}

// The words of MachineResources.
std::vector<std::string> ResourcesOf(const PoolNames& names, const ClassAd& slot) {
  const std::string text = TextOf(slot, names.machine_resources);
  std::vector<std::string> words;
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find_first_of(" ,"), rest.size());
    if (end > 0) words.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return words;
}

}  // namespace

PoolNames::PoolNames(AdNames* names)
    : state(names->Of("State")),
      cpus(names->Of("Cpus")),
      weight(names->Of("SlotWeight")),
      rank(names->Of("Rank")),
      current_rank(names->Of("CurrentRank")),
      requirements(names->Of("Requirements")),
      remote_user(names->Of("RemoteUser")),
      accounting_group(names->Of("AccountingGroup")),
      preempting_user(names->Of("PreemptingUser")),
      preempting_group(names->Of("PreemptingAccountingGroup")),
      concurrency_limits(names->Of("ConcurrencyLimits")),
      partitionable(names->Of("PartitionableSlot")),
      machine_resources(names->Of("MachineResources")),
      retirement_left(names->Of("RetirementTimeRemaining")),
      remote_priority(names->Of("RemoteUserPrio")),
      remote_usage(names->Of("RemoteUserResourcesInUse")),
      submitter_priority(names->Of("SubmitterUserPrio")),
      submitter_usage(names->Of("SubmitterUserResourcesInUse")) {}

double WeightOf(const PoolNames& names, const ClassAd& slot, bool weights) {
  double weight = 0;
  if (!weights || !slot.GetScalar(names.weight).ToNumber(&weight) || weight < 0) return 1;
  return weight;
}

bool IsTrue(const ClassAd& ad, AdName name) { return ad.GetScalar(name).IsTrue(); }

std::string TextOf(const ClassAd& ad, AdName name, const ClassAd* target) {
  return ad.GetText(name, target);
}

std::string UserOf(const PoolNames& names, const ClassAd& slot) {
  for (const AdName name :
       {names.preempting_group, names.preempting_user, names.accounting_group, names.remote_user}) {
    std::string user = TextOf(slot, name);
    if (!user.empty()) return user;
  }
  return {};
}

double ConcurrencyCounts::LimitOf(std::string_view name) const {
  for (const auto& [known, limit] : limits_.limits) {
    if (known == name) return limit;
  }
  const size_t dot = name.find('.');
  if (dot != name.npos) {
    for (const auto& [scope, limit] : limits_.scopes) {
      if (scope == name.substr(0, dot)) return limit;
    }
  }
  return limits_.otherwise;
}

bool ConcurrencyCounts::Refuses(std::string_view list) const {
  bool refuses = false;
  ForEachLimit(list, [&](const std::string& name, double units) {
    const auto it = counts_.find(name);
    const double count = it == counts_.end() ? 0 : it->second;
    refuses |= count + units > LimitOf(name);
  });
  return refuses;
}

void ConcurrencyCounts::Add(std::string_view list) {
  ForEachLimit(list, [&](const std::string& name, double units) { counts_[name] += units; });
}

bool HasConsumptionPolicy(const PoolNames& names, AdNames* all, const ClassAd& slot) {
  if (!IsTrue(slot, names.partitionable)) return false;
  const std::vector<std::string> resources = ResourcesOf(names, slot);
  return !resources.empty() && std::ranges::all_of(resources, [&](const std::string& word) {
    return slot.has(all->Of(absl::StrCat("Consumption", word)));
  });
}

std::optional<Consumption> ConsumptionOf(const PoolNames& names, AdNames* all, const ClassAd& slot,
                                         const ClassAd& job) {
  Consumption consumption;
  ClassAd filled = job;
  const std::vector<std::string> words = ResourcesOf(names, slot);
  for (const std::string& word : words) {
    Consumption::Part part;
    part.asset = all->Of(word);
    part.request = all->Of(absl::StrCat("Request", word));
    if (!filled.has(part.request)) filled.Set(part.request, AdValue::Of(int64_t{0}));
    consumption.parts.push_back(part);
  }
  bool takes = false;
  for (size_t i = 0; i < words.size(); ++i) {
    Consumption::Part& part = consumption.parts[i];
    const AdName rule = all->Of(absl::StrCat("Consumption", words[i]));
    double has = 0;
    if (!slot.Get(rule, &filled).ToNumber(&part.amount)) return std::nullopt;
    if (!slot.Get(part.asset, &filled).ToNumber(&has)) return std::nullopt;
    if (part.amount < 0 || part.amount > has) return std::nullopt;
    takes |= part.amount > 0;
  }
  if (!takes) return std::nullopt;
  return consumption;
}

void Deduct(const Consumption& consumption, ClassAd* slot) {
  for (const Consumption::Part& part : consumption.parts) {
    double has = 0;
    slot->Get(part.asset).ToNumber(&has);
    slot->Set(part.asset, AdValue::Of(has - part.amount));
  }
}

void Fill(const Consumption& consumption, ClassAd* job) {
  for (const Consumption::Part& part : consumption.parts) {
    job->Set(part.request, AdValue::Of(part.amount));
  }
}

}  // namespace muster::condor
