// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a cycle is asked to do.
//
//   muster::ScheduleOptions options;
//   options.turn = muster::NextDecisions{1};                  // the next gang, and no more
//   options.turn = muster::Heartbeats{{"node7", "node3"}};    // these nodes report, in this order
//   absl::StatusOr<muster::Plan> plan = cluster.Schedule("volcano:actions=beat", options);
//
// Every action declares the kinds of turn that it serves (CustomAction::turns). Schedule fails with
// InvalidArgument if an action of the profile does not serve the kind: `options: turn: action
// "allocate" does not serve heartbeats; it serves cycle, decisions`. The actions of all presets
// serve a whole cycle and the next decisions.
#ifndef MUSTER_TURN_H_
#define MUSTER_TURN_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "muster/export.h"

namespace muster {

// Everything that the profile decides now. The default.
struct WholeCycle {
  friend bool operator==(const WholeCycle&, const WholeCycle&) = default;
};

// The first `count` decisions of a whole cycle: the plan ends with the gang that reaches that
// number, and is complete. Admissions, binds, nominations and evictions count; phases do not. 1 or
// more.
struct NextDecisions {
  int64_t count = 1;
  friend bool operator==(const NextDecisions&, const NextDecisions&) = default;
};

// Nodes that report, by name, in this order; a node may report twice. Actions decide node by node
// (Cycle::heartbeats).
struct Heartbeats {
  std::vector<std::string> nodes;
  friend bool operator==(const Heartbeats&, const Heartbeats&) = default;
};

// The oldest event that a slot of the memory has not seen: Cycle::EventsSince returns it alone, and
// the plan's memory has seen it. Where the list is not known, `everything` is that event.
struct OneEvent {
  friend bool operator==(const OneEvent&, const OneEvent&) = default;
};

using Turn = std::variant<WholeCycle, NextDecisions, Heartbeats, OneEvent>;

// The alternatives of Turn, in their order.
enum class TurnKind : uint8_t { kCycle, kDecisions, kHeartbeats, kEvent };
inline constexpr int kTurnKindCount = 4;

inline TurnKind KindOf(const Turn& turn) { return static_cast<TurnKind>(turn.index()); }
// Returns "cycle", "decisions", "heartbeats" or "event".
MUSTER_EXPORT std::string_view TurnKindName(TurnKind kind);

class TurnSet {
 public:
  constexpr TurnSet() = default;
  constexpr TurnSet(std::initializer_list<TurnKind> kinds) {
    for (TurnKind kind : kinds) bits_ |= 1u << static_cast<int>(kind);
  }
  constexpr bool has(TurnKind kind) const { return bits_ >> static_cast<int>(kind) & 1; }

 private:
  uint32_t bits_ = 0;
};

// What an action serves that calls ShouldStop between gangs.
inline constexpr TurnSet kUsualTurns = {TurnKind::kCycle, TurnKind::kDecisions};

}  // namespace muster

#endif  // MUSTER_TURN_H_
