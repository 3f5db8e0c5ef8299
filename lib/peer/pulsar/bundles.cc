// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/pulsar/bundles.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>

namespace muster::pulsar {
namespace {

std::string_view NamespaceOfBundle(std::string_view bundle) {
  return bundle.substr(0, bundle.rfind('/'));
}

// Busier is greater. Steps of traffic are rounded, those of counts are cut.
auto KeyOf(const BundleStats& stats) {
  const auto step = [](double value, double size) { return std::floor(value / size + 0.5); };
  return std::tuple(step(stats.traffic.bytes_in, 1e5), step(stats.traffic.bytes_out, 1e5),
                    step(stats.traffic.rate(), 100), (stats.topics + stats.sessions()) / 500,
                    stats.cache / 100'000);
}

}  // namespace

std::vector<BundleStats> TopBundles(std::vector<BundleStats> bundles, size_t count) {
  if (bundles.empty()) return bundles;
  size_t start = 0, end = bundles.size() - 1;
  const size_t target = count - 1;
  while (start < end) {
    size_t low = start, high = end, middle = low;
    const auto pivot = KeyOf(bundles[high]);
    while (middle <= high) {
      const auto key = KeyOf(bundles[middle]);
      if (pivot < key) {
        std::swap(bundles[low++], bundles[middle++]);
      } else if (key < pivot) {
        std::swap(bundles[middle], bundles[high]);
        if (high-- == 0) break;
      } else {
        ++middle;
      }
    }
    if (low <= target && target < middle) {
      end = low;
      break;
    }
    if (target < low) {
      end = low - 1;
    } else {
      start = middle;
    }
  }
  std::stable_sort(bundles.begin(),
                   bundles.begin() + static_cast<std::ptrdiff_t>(std::min(end, bundles.size())),
                   [](const BundleStats& a, const BundleStats& b) { return KeyOf(b) < KeyOf(a); });
  bundles.resize(std::min(count, bundles.size()));
  std::ranges::reverse(bundles);
  return bundles;
}

std::vector<size_t> ChooseSplits(const std::vector<BundleStats>& stats,
                                 const HashMap<std::string, Traffic>& longly,
                                 HashMap<std::string, int64_t> bundles, const SplitLimits& limits) {
  std::vector<size_t> chosen;
  for (size_t i = 0; i < stats.size(); ++i) {
    const BundleStats& bundle = stats[i];
    if (bundle.topics < 2) continue;
    const auto it = longly.find(bundle.name);
    const Traffic traffic = it == longly.end() ? Traffic() : it->second;
    const bool exceeds = bundle.topics > limits.topics ||
                         (limits.sessions > 0 && bundle.sessions() > limits.sessions) ||
                         traffic.rate() > limits.rate || traffic.bytes() > limits.bytes;
    if (!exceeds) continue;
    int64_t& count = bundles[std::string(NamespaceOfBundle(bundle.name))];
    if (count >= limits.bundles) continue;
    ++count;
    chosen.push_back(i);
  }
  return chosen;
}

std::optional<HashRange> RangeOf(std::string_view bundle) {
  const size_t slash = bundle.rfind('/');
  if (slash == bundle.npos) return std::nullopt;
  const std::string_view text = bundle.substr(slash + 1);
  const size_t bar = text.find('_');
  if (bar == text.npos) return std::nullopt;
  constexpr int64_t kMostHash = 0xffffffff;
  const auto read = [](std::string_view hex, int64_t* number) {
    if (!hex.starts_with("0x")) return false;
    const char* const end = hex.data() + hex.size();
    const auto read = std::from_chars(hex.data() + 2, end, *number, 16);
    return read.ec == std::errc() && read.ptr == end && *number >= 0 && *number <= kMostHash;
  };
  HashRange range;
  if (!read(text.substr(0, bar), &range.lower) || !read(text.substr(bar + 1), &range.upper)) {
    return std::nullopt;
  }
  if (range.lower >= range.upper) return std::nullopt;
  return range;
}

std::optional<SplitStrategy::Reason> SplitStrategy::Exceeds(const BundleStats& stats) const {
  const SplitLimits& limits = rules_.limits;
  if (stats.topics > limits.topics) return Reason::kTopics;
  if (limits.sessions > 0 && stats.sessions() > limits.sessions) return Reason::kSessions;
  if (limits.rate > 0 && stats.traffic.rate() > limits.rate) return Reason::kRate;
  if (limits.bytes > 0 && stats.traffic.bytes() > limits.bytes) return Reason::kBytes;
  return std::nullopt;
}

std::vector<SplitStrategy::Split> SplitStrategy::Choose(const std::vector<BundleStats>& stats,
                                                        const World& world) {
  HashSet<std::string_view> present;
  for (const BundleStats& bundle : stats) present.insert(bundle.name);
  hits_.erase_if([&](const auto& entry) { return !present.contains(entry.first); });
  HashMap<std::string, int64_t> bundles = world.bundles;
  std::vector<Split> splits;
  for (const BundleStats& bundle : stats) {
    const std::optional<HashRange> range = RangeOf(bundle.name);
    if (bundle.topics < 2 || !range) continue;
    if (std::ranges::find(world.not_owned, bundle.name) != world.not_owned.end()) continue;
    if (range->upper - range->lower <= 1) continue;
    const std::optional<Reason> reason = Exceeds(bundle);
    if (!reason) {
      hits_.erase(bundle.name);
      continue;
    }
    if (++hits_[bundle.name] <= rules_.hits) continue;
    const std::string_view space = NamespaceOfBundle(bundle.name);
    int64_t& count = bundles[std::string(space)];
    if (count >= rules_.limits.bundles) continue;
    // A neighbour is being split: its range begins or ends with a boundary of ours.
    const std::string_view text = std::string_view(bundle.name).substr(space.size() + 1);
    const std::string_view lower = text.substr(0, text.find('_'));
    const std::string_view upper = text.substr(text.find('_') + 1);
    const bool is_blocked = std::ranges::any_of(world.splitting, [&](const std::string& other) {
      const std::string_view range_of = std::string_view(other).substr(other.rfind('/') + 1);
      return NamespaceOfBundle(other) == space &&
             (range_of.starts_with(lower) || range_of.ends_with(upper));
    });
    if (is_blocked) continue;
    ++count;
    hits_.erase(bundle.name);
    splits.push_back({bundle.name, *reason, CutRange(*range)[0]});
    if (static_cast<int64_t>(splits.size()) == rules_.most_splits) break;
  }
  return splits;
}

Cuts CutRange(const HashRange& range) { return {range.lower + (range.upper - range.lower) / 2}; }

std::optional<Cuts> CutByTopics(std::vector<Topic> topics) {
  if (topics.size() < 2) return std::nullopt;
  std::ranges::sort(topics, {}, &Topic::hash);
  const size_t half = topics.size() / 2;
  const int64_t a = topics[half == 0 ? 0 : half - 1].hash, b = topics[half].hash;
  return Cuts{a + (b - a) / 2};
}

std::optional<Cuts> CutAtPositions(const HashRange& range, const std::vector<Topic>& topics,
                                   Cuts positions) {
  if (topics.size() < 2) return std::nullopt;
  std::ranges::sort(positions);
  std::erase_if(positions, [&](int64_t p) { return p <= range.lower || p >= range.upper; });
  if (positions.empty()) return std::nullopt;
  return positions;
}

std::optional<Cuts> CutByTraffic(const std::vector<Topic>& topics, double most_rate,
                                 double most_bytes, double difference) {
  struct Busy {
    int64_t hash;
    double rate, bytes;
  };
  std::vector<Busy> busy;
  double all_rate = 0, all_bytes = 0;
  for (const Topic& topic : topics) {
    if (!topic.traffic) continue;
    const Busy row{topic.hash, topic.traffic->rate(), topic.traffic->bytes()};
    if (row.rate <= 0 && row.bytes <= 0) continue;
    all_rate += row.rate;
    all_bytes += row.bytes;
    busy.push_back(row);
  }
  const double factor = 1 + difference / 100.0;
  if (busy.size() < 2 || (all_rate < most_rate * factor && all_bytes < most_bytes * factor)) {
    return std::nullopt;
  }
  std::ranges::sort(busy, {}, &Busy::hash);
  Cuts cuts;
  double rate = busy[0].rate, bytes = busy[0].bytes;
  for (size_t i = 1; i < busy.size(); ++i) {
    const int64_t before = busy[i - 1].hash;
    if (rate + busy[i].rate > most_rate || bytes + busy[i].bytes > most_bytes) {
      cuts.push_back(before + (busy[i].hash - before) / 2 + 1);
      rate = bytes = 0;
    }
    rate += busy[i].rate;
    bytes += busy[i].bytes;
  }
  return cuts;
}

}  // namespace muster::pulsar
