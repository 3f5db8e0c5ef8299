// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which plug-ins of kube-scheduler a profile has, at which points: the section `plugins` of a
// KubeSchedulerConfiguration.
//
//   PluginPoints points(more);                    // plug-ins beyond those of Kubernetes
//   points.Read(profile.Section("plugins"), "default-scheduler");
//   if (!points.on("NodePorts", PluginPoint::kFilter)) ...
//   int64_t weight = points.weight("ImageLocality");   // 0: it does not score
//
// A default plug-in is on at all its points. multiPoint adds the plug-ins that it enables, and
// removes those that it disables (`*`: all). A point's own list goes before multiPoint.
//
// Refused: a plug-in that is enabled twice at a point, a weight below 0, profiles without exactly
// one order of the queue. Reported: names of no plug-in, and plug-ins that are on at some, but not
// all, of the points that are switched together here.
#ifndef MUSTER_IMPORT_KUBE_PLUGINS_H_
#define MUSTER_IMPORT_KUBE_PLUGINS_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/import/field.h"

namespace muster {

enum class PluginPoint : uint8_t {
  kPreEnqueue,
  kQueueSort,
  kPreFilter,
  kFilter,
  kPostFilter,
  kPreScore,
  kScore,
  kReserve,
  kPermit,
  kPreBind,
  kBind,
  kPostBind,
};
inline constexpr int kPluginPointCount = 12;

class PluginPointSet {
 public:
  constexpr PluginPointSet(std::initializer_list<PluginPoint> points) {
    for (const PluginPoint point : points) bits_ |= 1u << static_cast<int>(point);
  }
  constexpr bool has(PluginPoint point) const {
    return (bits_ >> static_cast<int>(point) & 1) != 0;
  }

 private:
  uint32_t bits_ = 0;
};

struct KnownPlugin {
  std::string_view name;
  PluginPointSet points;
  // Where it is on if it is on at all. The points kFilter, kScore and kQueueSort are judged by
  // themselves, and so is what comes before the first two.
  PluginPoint main;
  int64_t weight = 0;            // that it has by default, where it scores
  PluginPointSet unjudged = {};  // points that decide nothing here
  // Of kFilter and kScore: where it is on, too, if it is on at the other one.
  PluginPointSet joined = {};
};

class PluginPoints {
 public:
  // `more`, which outlives this: plug-ins that are not on by default.
  explicit PluginPoints(std::span<const KnownPlugin> more);

  // `scheduler`: the profile's name, for refusals.
  void Read(const Field& plugins, std::string_view scheduler);

  bool on(std::string_view plugin, PluginPoint point) const;
  int64_t weight(std::string_view plugin) const;
  // Returns whether it is on at its main point. REQUIRES: it is one of `more`, or a default one.
  bool on(std::string_view plugin) const;
  // Returns whether pod groups require their minimum (GangScheduling). Always, where there are
  // plug-ins beyond those of Kubernetes: these schedulers have groups of their own.
  bool requires_minimums() const;
  // Returns whether plug-in a is asked before b at the point. REQUIRES: both are on there.
  bool IsBefore(std::string_view a, std::string_view b, PluginPoint point) const;

 private:
  struct Entry {
    std::string name;
    int64_t weight = 0;  // 0: not given
  };
  struct Set {
    std::vector<Entry> enabled;
    std::vector<std::string> disabled;
    bool all_disabled = false;
  };
  static const Entry* Find(const Set& set, std::string_view name);
  static bool IsDisabled(const Set& set, std::string_view name);
  const KnownPlugin* Known(std::string_view name) const;
  bool StandsForAll(const KnownPlugin& plugin) const;
  // Ascends in the order in which the point asks its plug-ins.
  std::pair<int, size_t> RankOf(std::string_view plugin, PluginPoint point) const;
  // `point`: nothing stands for multiPoint.
  Set ReadSet(const Field& set, std::optional<PluginPoint> point) const;
  void CheckOrder(const Field& plugins, std::string_view scheduler) const;
  void ReportParts(const Field& plugins) const;

  std::span<const KnownPlugin> more_;
  Set all_;  // multiPoint
  Set at_[kPluginPointCount];
};

}  // namespace muster

#endif  // MUSTER_IMPORT_KUBE_PLUGINS_H_
