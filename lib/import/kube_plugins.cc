// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/import/kube_plugins.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

using P = PluginPoint;

// The default profile. What concerns volumes, claims, features of nodes and binding decides nothing
// here. GangScheduling has no point that a list names: multiPoint switches it.
constexpr PluginPointSet kFilters = {P::kPreFilter, P::kFilter};
constexpr PluginPointSet kJudges = {P::kPreFilter, P::kFilter, P::kPreScore, P::kScore};
constexpr PluginPointSet kAny = {P::kPreEnqueue, P::kPreFilter, P::kFilter,  P::kPostFilter,
                                 P::kPreScore,   P::kScore,     P::kReserve, P::kPermit,
                                 P::kPreBind,    P::kBind,      P::kPostBind};
constexpr std::string_view kGangScheduling = "GangScheduling";
constexpr KnownPlugin kDefaultPlugins[] = {
    {"SchedulingGates", {P::kPreEnqueue}, P::kPreEnqueue},
    {"PrioritySort", {P::kQueueSort}, P::kQueueSort},
    {"NodeUnschedulable", {P::kFilter}, P::kFilter},
    {"NodeName", {P::kFilter}, P::kFilter, 0, {P::kFilter}},
    {"TaintToleration", {P::kFilter, P::kPreScore, P::kScore}, P::kFilter, 3},
    {"NodeAffinity", kJudges, P::kFilter, 2},
    {"NodePorts", kFilters, P::kFilter},
    {"NodeResourcesFit", kJudges, P::kFilter, 1},
    {"PodTopologySpread", kJudges, P::kFilter, 2},
    {"InterPodAffinity", kJudges, P::kFilter, 2},
    {"DefaultPreemption", {P::kPreEnqueue, P::kPostFilter}, P::kPostFilter, 0, {P::kPreEnqueue}},
    {"NodeResourcesBalancedAllocation", {P::kPreScore, P::kScore}, P::kScore, 1},
    {"ImageLocality", {P::kScore}, P::kScore, 1},
    {"DefaultBinder", {P::kBind}, P::kBind},
    {"VolumeRestrictions", kAny, P::kFilter, 0, kAny},
    {"NodeVolumeLimits", kAny, P::kFilter, 0, kAny},
    {"VolumeBinding", kAny, P::kFilter, 0, kAny},
    {"VolumeZone", kAny, P::kFilter, 0, kAny},
    {"DynamicResources", kAny, P::kFilter, 0, kAny},
    {"NodeDeclaredFeatures", kAny, P::kFilter, 0, kAny},
    {kGangScheduling, kAny, P::kPermit, 0, kAny},
    {"DefaultPreBind", kAny, P::kPreBind, 0, kAny},
};

constexpr std::span<const KnownPlugin> kDefaults = kDefaultPlugins;

constexpr std::string_view kPointNames[kPluginPointCount] = {
    "preEnqueue", "queueSort", "preFilter", "filter",  "postFilter", "preScore",
    "score",      "reserve",   "permit",    "preBind", "bind",       "postBind"};
constexpr std::string_view kTypeNames[kPluginPointCount] = {
    "PreEnqueuePlugin", "QueueSortPlugin", "PreFilterPlugin", "FilterPlugin",
    "PostFilterPlugin", "PreScorePlugin",  "ScorePlugin",     "ReservePlugin",
    "PermitPlugin",     "PreBindPlugin",   "BindPlugin",      "PostBindPlugin"};

// The point with which another one goes.
PluginPoint LeaderOf(const KnownPlugin& plugin, PluginPoint point) {
  if (plugin.joined.has(point)) return point == P::kFilter ? P::kScore : P::kFilter;
  if (point == P::kFilter || point == P::kScore || point == P::kQueueSort) return point;
  if (point == P::kPreFilter && plugin.points.has(P::kFilter)) return P::kFilter;
  if (point == P::kPreScore && plugin.points.has(P::kScore)) return P::kScore;
  return plugin.main;
}

// Returns whether what comes before filtering or scoring means nothing without it. The names of
// nodes that NodeAffinity finds there do.
bool PreparesAlone(const KnownPlugin& plugin, PluginPoint point) {
  if (point == P::kPreScore) return plugin.points.has(P::kScore);
  return point == P::kPreFilter && plugin.points.has(P::kFilter) && plugin.name != "NodeAffinity";
}

}  // namespace

PluginPoints::PluginPoints(std::span<const KnownPlugin> more) : more_(more) {}

const PluginPoints::Entry* PluginPoints::Find(const Set& set, std::string_view name) {
  const auto it = std::ranges::find(set.enabled, name, &Entry::name);
  return it == set.enabled.end() ? nullptr : &*it;
}

bool PluginPoints::IsDisabled(const Set& set, std::string_view name) {
  return set.all_disabled || std::ranges::find(set.disabled, name) != set.disabled.end();
}

const KnownPlugin* PluginPoints::Known(std::string_view name) const {
  for (const std::span<const KnownPlugin> list : {kDefaults, more_}) {
    const auto it = std::ranges::find(list, name, &KnownPlugin::name);
    if (it != list.end()) return &*it;
  }
  return nullptr;
}

bool PluginPoints::StandsForAll(const KnownPlugin& plugin) const {
  if (Find(all_, plugin.name) != nullptr) return true;
  const bool is_default =
      std::ranges::find(kDefaults, plugin.name, &KnownPlugin::name) != kDefaults.end();
  return is_default && !IsDisabled(all_, plugin.name);
}

bool PluginPoints::on(std::string_view plugin, PluginPoint point) const {
  const Set& set = at_[static_cast<int>(point)];
  if (Find(set, plugin) != nullptr) return true;
  const KnownPlugin* const known = Known(plugin);
  return known != nullptr && known->points.has(point) && !IsDisabled(set, plugin) &&
         StandsForAll(*known);
}

bool PluginPoints::on(std::string_view plugin) const { return on(plugin, Known(plugin)->main); }

// First come the plug-ins of multiPoint that the point lists, too, then the others of multiPoint,
// the default ones before those that it adds, and last what the point alone lists. What the point
// itself disables is not of multiPoint there.
std::pair<int, size_t> PluginPoints::RankOf(std::string_view plugin, PluginPoint point) const {
  const std::vector<Entry>& listed = at_[static_cast<int>(point)].enabled;
  const auto own = std::ranges::find(listed, plugin, &Entry::name) - listed.begin();
  const bool is_listed = own < std::ssize(listed);
  const KnownPlugin* const known = Known(plugin);
  if (known == nullptr || !StandsForAll(*known) ||
      IsDisabled(at_[static_cast<int>(point)], plugin)) {
    return {2, static_cast<size_t>(own)};
  }
  if (is_listed) return {0, static_cast<size_t>(own)};
  const auto by_default = std::ranges::find(kDefaults, plugin, &KnownPlugin::name);
  if (by_default != kDefaults.end() && !IsDisabled(all_, plugin)) {
    return {1, static_cast<size_t>(by_default - kDefaults.begin())};
  }
  const auto added = std::ranges::find(all_.enabled, plugin, &Entry::name) - all_.enabled.begin();
  return {1, kDefaults.size() + static_cast<size_t>(added)};
}

bool PluginPoints::IsBefore(std::string_view a, std::string_view b, PluginPoint point) const {
  return RankOf(a, point) < RankOf(b, point);
}

bool PluginPoints::requires_minimums() const {
  return !more_.empty() || StandsForAll(*Known(kGangScheduling));
}

int64_t PluginPoints::weight(std::string_view plugin) const {
  if (!on(plugin, P::kScore)) return 0;
  const Entry* entry = Find(at_[static_cast<int>(P::kScore)], plugin);
  if (entry == nullptr) entry = Find(all_, plugin);
  if (entry != nullptr) return std::max<int64_t>(1, entry->weight);
  return Known(plugin)->weight;
}

PluginPoints::Set PluginPoints::ReadSet(const Field& set, std::optional<PluginPoint> point) const {
  Set out;
  const auto report_unknown = [&](const Field& item, const std::string& name) {
    const KnownPlugin* const known = Known(name);
    if (known == nullptr) {
      item.Ignored(absl::StrCat(Quote(name), " is no plug-in of this scheduler"));
      return;
    }
    const PluginPoint at = point.value_or(known->main);
    const bool requires_minimums = name == kGangScheduling && !point && more_.empty();
    if ((!known->points.has(at) || known->unjudged.has(at)) && !requires_minimums) {
      item.Ignored(absl::StrCat(Quote(name), " decides nothing here"));
    }
  };
  for (const Field& item : set.Items("disabled")) {
    const std::string name = item.Text("name");
    if (name == "*") {
      out.all_disabled = true;
    } else {
      report_unknown(item, name);
      out.disabled.push_back(name);
    }
  }
  for (const Field& item : set.Items("enabled")) {
    Entry entry{item.Text("name"), item.Int64("weight", 0)};
    if (Find(out, entry.name) != nullptr) {
      // Of all points the peer names the first that the plug-in has, which is not known here.
      item["name"].Refuse(
          point ? absl::StrCat("plugin ", Quote(entry.name), " already registered as ",
                               Quote(kTypeNames[static_cast<int>(*point)]))
                : absl::StrCat(Quote(entry.name), " is enabled twice; once is allowed"));
    }
    if (entry.weight < 0) {
      item["weight"].Refuse(absl::StrCat(entry.weight, " is below 0; 1 or more is"));
    }
    report_unknown(item, entry.name);
    out.enabled.push_back(std::move(entry));
  }
  return out;
}

void PluginPoints::Read(const Field& plugins, std::string_view scheduler) {
  all_ = ReadSet(plugins.Section("multiPoint"), std::nullopt);
  for (int p = 0; p < kPluginPointCount; ++p) {
    at_[p] = ReadSet(plugins.Section(kPointNames[p]), static_cast<PluginPoint>(p));
  }
  CheckOrder(plugins, scheduler);
  ReportParts(plugins);
}

// A plug-in of another project may order the queue, or bind.
void PluginPoints::CheckOrder(const Field& plugins, std::string_view scheduler) const {
  const bool others = std::ranges::any_of(
      all_.enabled, [&](const Entry& entry) { return Known(entry.name) == nullptr; });
  const auto count = [&](PluginPoint point) {
    size_t found = at_[static_cast<int>(point)].enabled.size();
    for (const std::span<const KnownPlugin> list : {kDefaults, more_}) {
      for (const KnownPlugin& plugin : list) {
        found +=
            Find(at_[static_cast<int>(point)], plugin.name) == nullptr && on(plugin.name, point);
      }
    }
    return found;
  };
  const size_t orders = count(P::kQueueSort);
  if (orders > 1 || (orders == 0 && !others)) {
    plugins.Refuse(
        absl::StrCat("only one queue sort plugin required for profile with scheduler "
                     "name ",
                     Quote(scheduler), ", but got ", orders));
  }
  const bool binds =
      !at_[static_cast<int>(P::kBind)].enabled.empty() || on("DefaultBinder", P::kBind);
  if (!binds && !others) {
    plugins.Refuse(
        absl::StrCat("at least one bind plugin is needed for profile with scheduler "
                     "name ",
                     Quote(scheduler)));
  }
}

void PluginPoints::ReportParts(const Field& plugins) const {
  for (const std::span<const KnownPlugin> list : {kDefaults, more_}) {
    for (const KnownPlugin& plugin : list) {
      for (int p = 0; p < kPluginPointCount; ++p) {
        const auto point = static_cast<PluginPoint>(p);
        if (!plugin.points.has(point) || plugin.unjudged.has(point)) continue;
        const PluginPoint leader = LeaderOf(plugin, point);
        const bool is_on = on(plugin.name, leader);
        const bool stands_alone = PreparesAlone(plugin, point) || plugin.joined.has(point);
        if (on(plugin.name, point) == is_on || (!is_on && stands_alone)) continue;
        plugins[kPointNames[p]].Ignored(absl::StrCat(
            Quote(plugin.name), " is ", is_on ? "on" : "off", " at point ",
            ToAbsl(kPointNames[static_cast<int>(leader)]), ", and goes by that here, too"));
      }
    }
  }
}

}  // namespace muster
