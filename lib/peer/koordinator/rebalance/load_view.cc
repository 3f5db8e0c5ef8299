// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Sums of measurements, thresholds as amounts, and classes of nodes.
#include "lib/peer/koordinator/rebalance/load_view.h"

#include <algorithm>

#include "lib/base/math.h"

namespace muster::koordinator {
namespace {

constexpr double kWhole = 100, kNone = 0;

const double* FindPercent(const Percents& percents, std::string_view resource) {
  for (const auto& [name, percent] : percents) {
    if (name == resource) return &percent;
  }
  return nullptr;
}

double PercentOf(const Percents& percents, std::string_view resource) {
  const double* found = FindPercent(percents, resource);
  return found == nullptr ? 0 : *found;
}

void SetPercent(std::string_view resource, double percent, Percents* percents) {
  for (auto& [name, old] : *percents) {
    if (name == resource) {
      old = percent;
      return;
    }
  }
  percents->emplace_back(resource, percent);
}

std::vector<std::string> NamesOf(const std::vector<const Percents*>& lists) {
  std::vector<std::string> names;
  for (const Percents* list : lists) {
    for (const auto& [name, percent] : *list) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// What a share of an amount is computed from: thousandths of cores, whole units of all others.
double ScaledAmount(std::string_view resource, int64_t amount) {
  return static_cast<double>(ScoredAmount(resource, amount));
}

struct LevelRule {
  const Percents& low;
  const Percents& high;
  bool is_distance;
};

void SetLevel(const LevelRule& rule, const std::string& resource, int64_t capacity, double average,
              LoadLevel* level) {
  const double low = PercentOf(rule.low, resource), high = PercentOf(rule.high, resource);
  if (rule.is_distance && low == kNone) {
    level->low.push_back(capacity);
    level->high.push_back(capacity);
    return;
  }
  const auto percent = [&](double given) {
    return rule.is_distance ? std::clamp(average + given, kNone, kWhole) : given;
  };
  level->low.push_back(PercentOfAmount(resource, capacity, percent(rule.is_distance ? -low : low)));
  level->high.push_back(PercentOfAmount(resource, capacity, percent(high)));
}

bool IsUnder(const LoadLevel& level) {
  for (size_t i = 0; i < level.used.size(); ++i) {
    if (level.used[i] > level.low[i]) return false;
  }
  return true;
}

}  // namespace

int64_t PercentOfAmount(std::string_view resource, int64_t amount, double percent) {
  const auto part = static_cast<int64_t>(percent * 0.01 * ScaledAmount(resource, amount));
  return resource == "cpu" ? part : part * 1000;
}

bool IsExpired(std::optional<int64_t> measured, int64_t now, std::optional<int64_t> seconds) {
  if (!seconds.has_value()) return false;
  return !measured.has_value() || (*seconds > 0 && now - *measured >= *seconds * 1'000'000'000);
}

void FillThresholds(LoadThresholds* thresholds) {
  Thresholds &all = thresholds->all, &production = thresholds->production;
  std::vector<std::string> names =
      NamesOf({&all.low, &all.high, &production.low, &production.high});
  names.push_back("memory");
  const double percent = thresholds->is_distance ? kNone : kWhole;
  for (const std::string& name : names) {
    for (Thresholds* side : {&all, &production}) {
      if (FindPercent(side->low, name) != nullptr) continue;
      SetPercent(name, percent, &side->low);
      SetPercent(name, percent, &side->high);
    }
  }
}

Percents UsagePercents(const NamedAmounts& usage, const NamedAmounts& capacity) {
  Percents percents;
  for (const auto& [resource, used] : usage) {
    const int64_t has = AmountOf(capacity, resource);
    if (has == 0) continue;
    percents.emplace_back(resource, 100 * static_cast<double>(used) / static_cast<double>(has));
  }
  return percents;
}

LoadView::LoadView(const LoadThresholds& thresholds, std::span<const LoadedNode> nodes,
                   std::span<const size_t> pool)
    : given_(nodes) {
  LoadThresholds filled = thresholds;
  FillThresholds(&filled);
  resources_ = NamesOf({&filled.all.low});
  for (const size_t index : pool) {
    if (!nodes[index].is_measured) continue;
    nodes_.push_back({.index = index});
    Measure(&nodes_.back());
  }
  SetThresholds(filled);
}

void LoadView::Measure(ViewedNode* node) const {
  const LoadedNode& given = Given(*node);
  node->tasks = static_cast<int64_t>(given.tasks.size());
  node->production_tasks =
      std::count_if(given.tasks.begin(), given.tasks.end(),
                    [](const LoadedTask& task) { return task.rank.band == Band::kProduction; });
  for (const std::string& resource : resources_) {
    int64_t all = AmountOf(given.system, resource), production = 0;
    for (const NamedAmounts& usage : given.unlisted) {
      all = SatAdd(all, AmountOf(usage, resource));
    }
    for (const LoadedTask& task : given.tasks) {
      if (!task.usage.has_value()) continue;
      const int64_t used = AmountOf(*task.usage, resource);
      all = SatAdd(all, used);
      if (task.rank.band == Band::kProduction) production = SatAdd(production, used);
    }
    const bool counts_tasks = resource == "pods";
    node->all.used.push_back(counts_tasks ? node->tasks * 1000 : all);
    node->production.used.push_back(counts_tasks ? node->production_tasks * 1000 : production);
  }
}

void LoadView::SetThresholds(const LoadThresholds& thresholds) {
  const LevelRule all{thresholds.all.low, thresholds.all.high, thresholds.is_distance};
  const LevelRule production{thresholds.production.low, thresholds.production.high,
                             thresholds.is_distance};
  for (size_t r = 0; r < resources_.size(); ++r) {
    const std::string& resource = resources_[r];
    double sum = 0, production_sum = 0;
    for (const ViewedNode& node : nodes_) {
      const int64_t capacity = AmountOf(Given(node).capacity, resource);
      if (capacity == 0) continue;
      const double has = ScaledAmount(resource, capacity);
      sum += ScaledAmount(resource, node.all.used[r]) / has * 100.0;
      production_sum += ScaledAmount(resource, node.production.used[r]) / has * 100.0;
    }
    const auto count = static_cast<double>(nodes_.size());
    for (ViewedNode& node : nodes_) {
      const int64_t capacity = AmountOf(Given(node).capacity, resource);
      SetLevel(all, resource, capacity, sum / count, &node.all);
      SetLevel(production, resource, capacity, production_sum / count, &node.production);
    }
  }
}

std::vector<size_t> LoadView::OverResources(const LoadLevel& level) {
  std::vector<size_t> over;
  for (size_t i = 0; i < level.used.size(); ++i) {
    if (level.used[i] > level.high[i]) over.push_back(i);
  }
  return over;
}

LoadView::Classes LoadView::Classify() const {
  Classes classes;
  for (size_t n = 0; n < nodes_.size(); ++n) {
    const ViewedNode& node = nodes_[n];
    const bool takes_tasks = Given(node).takes_tasks;
    const bool is_under = takes_tasks && IsUnder(node.all);
    const bool is_production_under = takes_tasks && IsUnder(node.production);
    if (!is_under && !OverResources(node.all).empty()) {
      classes.over.push_back(n);
    } else if (!OverResources(node.production).empty()) {
      classes.production_over.push_back(n);
    } else if (is_production_under) {
      (is_under ? classes.both_under : classes.production_under).push_back(n);
    } else if (is_under) {
      classes.under.push_back(n);
    }
  }
  return classes;
}

NamedAmounts LoadView::Named(const std::vector<int64_t>& amounts) const {
  NamedAmounts named;
  for (size_t i = 0; i < resources_.size(); ++i) named.emplace_back(resources_[i], amounts[i]);
  return named;
}

NamedAmounts LoadView::UsageOf(const ViewedNode& node, LoadSide side) const {
  NamedAmounts usage = Named(side == LoadSide::kAll ? node.all.used : node.production.used);
  if (std::find(resources_.begin(), resources_.end(), "pods") == resources_.end()) {
    const int64_t tasks = side == LoadSide::kAll ? node.tasks : node.production_tasks;
    usage.emplace_back("pods", tasks * 1000);
  }
  return usage;
}

}  // namespace muster::koordinator
