// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/pulsar/transfer_shedder.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace muster::pulsar {
namespace {

bool Lists(const std::vector<std::string>& list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

std::string_view NamespaceOf(std::string_view bundle) {
  return bundle.substr(0, bundle.rfind('/'));
}

double BytesOf(const TopBundle& bundle) { return bundle.bytes_in + bundle.bytes_out; }
double BytesOf(const BrokerReport& report) { return report.bytes_in + report.bytes_out; }

}  // namespace

struct TransferShedder::Pair {
  const BrokerReport *from, *to;
  double target = 0;  // bytes
  bool is_overload = false;
  double off = 0, gained = 0;
  size_t next_back = 0;        // of the bundles of `to` that may come back
  std::vector<Transfer> back;  // of the swap at hand
  double back_bytes = 0;
  std::vector<Transfer> transfers;
};

TransferRound::Skip TransferShedder::Count(const std::vector<BrokerReport>& reports,
                                           TransferWorld* world, Sums* sums) const {
  double sum = 0;
  bool saw_old = false;
  HashSet<std::string_view> reporting;
  for (const BrokerReport& report : reports) {
    reporting.insert(report.name);
    if (report.age > rules_.oldest) {
      saw_old = true;
      continue;
    }
    const auto unloaded = std::ranges::find(world->unloaded_brokers, report.name,
                                            &std::pair<std::string, int64_t>::first);
    if (unloaded != world->unloaded_brokers.end()) {
      // From the unload to the report.
      if (unloaded->second - report.age < rules_.delay) return TransferRound::Skip::kCoolDown;
      world->unloaded_brokers.erase(unloaded);
    }
    sum += report.load;
    sums->squares += report.load * report.load;
    ++sums->count;
  }
  if (sums->count == 0) {
    return saw_old ? TransferRound::Skip::kOutdated : TransferRound::Skip::kNoBrokers;
  }
  for (const std::string& broker : world->available) {
    if (!reporting.contains(broker)) return TransferRound::Skip::kNoLoadData;
  }
  const double count = static_cast<double>(sums->count);
  sums->mean = sum / count;
  sums->deviation = std::sqrt(sums->squares / count - sums->mean * sums->mean);
  return TransferRound::Skip::kNone;
}

bool TransferShedder::IsUnderloaded(const BrokerReport& least, const BrokerReport& most,
                                    double mean) const {
  const double part = std::min(0.5, std::max(0.0, rules_.target / 2.0));
  return least.load < mean * part || least.average_bytes < most.average_bytes * part;
}

bool TransferShedder::IsOverloaded(const BrokerReport& most, double mean) const {
  return most.load > rules_.overload && most.load > mean + rules_.target;
}

TransferRound TransferShedder::Shed(const std::vector<BrokerReport>& reports, TransferWorld world) {
  TransferRound round;
  Sums sums;
  round.skip = Count(reports, &world, &sums);
  for (const auto& [name, since] : world.unloaded_brokers) {
    round.unloaded_brokers_left.push_back(name);
  }
  round.mean = sums.mean;
  round.deviation = sums.deviation;
  if (round.skip != TransferRound::Skip::kNone) return round;
  std::vector<const BrokerReport*> sorted;
  for (const BrokerReport& report : reports) sorted.push_back(&report);
  std::ranges::stable_sort(sorted, {}, [](const BrokerReport* report) { return report->load; });
  if (sums.deviation > rules_.target || IsUnderloaded(*sorted.front(), *sorted.back(), sums.mean) ||
      IsOverloaded(*sorted.back(), sums.mean)) {
    ++hits_;
  } else {
    hits_ = 0;
  }
  if (hits_ <= rules_.hits) {
    round.skip = TransferRound::Skip::kHitCount;
    return round;
  }
  RunPairs(std::move(sorted), world, &sums, &round);
  round.deviation = sums.deviation;
  if (!round.transfers.empty()) {
    hits_ = 0;
    round.skip = TransferRound::Skip::kNone;
  } else if (round.skip == TransferRound::Skip::kNone) {
    round.skip = TransferRound::Skip::kHitCount;
  }
  return round;
}

void TransferShedder::RunPairs(std::vector<const BrokerReport*> sorted, const TransferWorld& world,
                               Sums* sums, TransferRound* round) const {
  size_t low = 0, high = sorted.size() - 1;
  bool lacks_data = false, lacks_bundles = false;
  for (int64_t pairs = 0; pairs < rules_.most_pairs && low < high;) {
    const BrokerReport &most = *sorted[high], &least = *sorted[low];
    Pair pair{&most, &least};
    if (sums->deviation > rules_.target) {
      pair.is_overload = true;
    } else if (IsUnderloaded(least, most, sums->mean)) {
      pair.is_overload = false;
    } else if (IsOverloaded(most, sums->mean)) {
      pair.is_overload = true;
    } else {
      break;
    }
    --high;
    if (!most.bundles) {
      lacks_data = true;
      continue;
    }
    lacks_data |= most.bundles->empty();
    if (most.bundles->size() <= 1) {
      lacks_bundles |= most.bundles->size() == 1;
      continue;
    }
    const double lead = (most.load - least.load) / 2.0;
    pair.target = BytesOf(most) * lead / most.load;
    Offload(world, &pair);
    if (pair.off <= 0) {
      lacks_bundles = true;
      continue;
    }
    for (Transfer& transfer : pair.transfers) round->transfers.push_back(std::move(transfer));
    const double moved = (pair.off - pair.gained) * most.load / BytesOf(most);
    const double left = std::max(0.0, most.load - moved), right = least.load + moved;
    sums->squares -= most.load * most.load + least.load * least.load;
    sums->squares += left * left + right * right;
    const double count = static_cast<double>(sums->count);
    sums->deviation = std::sqrt(std::fabs(sums->squares / count - sums->mean * sums->mean));
    ++pairs;
    ++low;
  }
  if (lacks_data) {
    round->skip = TransferRound::Skip::kNoLoadData;
  } else if (lacks_bundles) {
    round->skip = TransferRound::Skip::kNoBundles;
  }
}

void TransferShedder::Offload(const TransferWorld& world, Pair* pair) const {
  const std::vector<TopBundle>& bundles = *pair->from->bundles;
  size_t remaining = bundles.size();
  for (const TopBundle& bundle : bundles) {
    if (Lists(world.not_owned, bundle.name) || Lists(rules_.excluded, NamespaceOf(bundle.name)) ||
        Lists(world.recently_unloaded, bundle.name) ||
        !IsMovable(world, bundle.name, pair->from->name, pair->to->name)) {
      continue;
    }
    if (remaining <= 1) return;
    const double bytes = BytesOf(bundle);
    if (bytes == 0) continue;
    pair->back.clear();
    pair->back_bytes = 0;
    if (pair->off - pair->gained + bytes > pair->target) {
      if (!rules_.transfers || !pair->to->bundles || !Swap(world, bytes, pair)) return;
    }
    pair->gained += pair->back_bytes;
    for (Transfer& transfer : pair->back) pair->transfers.push_back(std::move(transfer));
    pair->transfers.push_back({pair->from->name, bundle.name,
                               rules_.transfers ? pair->to->name : std::string(),
                               pair->is_overload});
    pair->off += bytes;
    --remaining;
  }
}

// Looks for bundles that come back for one of `bytes`. Returns whether that brings the two
// together.
bool TransferShedder::Swap(const TransferWorld& world, double bytes, Pair* pair) const {
  const std::vector<TopBundle>& bundles = *pair->to->bundles;
  const double most = BytesOf(*pair->from);
  double from = most - pair->off + pair->gained - bytes;
  double to = BytesOf(*pair->to) + pair->off - pair->gained + bytes;
  while (pair->next_back < bundles.size()) {
    const TopBundle& bundle = bundles[pair->next_back++];
    const double own = BytesOf(bundle);
    if (!IsMovable(world, bundle.name, pair->to->name, pair->from->name) || own == 0) continue;
    if (from + own < most && to - own < most) {
      pair->back.push_back({pair->to->name, bundle.name, pair->from->name, pair->is_overload});
      from += own;
      to -= own;
      if (rules_.debug) pair->back_bytes += own;
    }
    if (to <= from && from < most * 0.75) return true;
  }
  return false;
}

bool TransferShedder::IsMovable(const TransferWorld& world, const std::string& bundle,
                                const std::string& from, const std::string& to) const {
  if (!world.policies) return true;
  const std::string_view space = NamespaceOf(bundle);
  if (!rules_.moves_isolated && Lists(world.policies->isolated, space)) return false;
  const auto& lists = world.policies->allowed;
  const auto allowed = std::ranges::find(
      lists, space, [](const auto& entry) { return std::string_view(entry.first); });
  bool is_possible = false, others = false;
  for (const std::string& broker : world.available) {
    if (allowed != lists.end() && !Lists(allowed->second, broker)) continue;
    is_possible |= broker == to;
    others |= broker != from;
  }
  return is_possible && (rules_.transfers ? to != from : others);
}

}  // namespace muster::pulsar
