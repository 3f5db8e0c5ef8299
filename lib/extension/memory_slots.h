// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The memory during one cycle: as it was, and as the cycle changes it.
//
//   MemorySlots slots(before, config.memory, tables.events, /*one_event=*/false);
//   slots.Remember("sampling").Set("next", {int64_t{7}});
//   plan.memory = cut ? before : std::move(slots).After();
#ifndef MUSTER_EXTENSION_MEMORY_SLOTS_H_
#define MUSTER_EXTENSION_MEMORY_SLOTS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/model/event_log.h"
#include "lib/model/memory_data.h"
#include "muster/memory.h"

namespace muster {

class MemorySlots {
 public:
  // Constructs it without slots: what is written is lost.
  MemorySlots() = default;
  // `before` and `events` must outlive this. `one_event`: a slot gets one event at most.
  MemorySlots(const Memory& before, std::span<const MemoryDecl> declared, const EventLog& events,
              bool one_event);

  // Returns the slot as it is now. A slot that was not declared is empty.
  const MemorySlot& Recall(std::string_view slot) const;
  // Returns the slot to be changed. What is written to a slot that was not declared is lost.
  MemorySlot& Remember(std::string_view slot);
  // Returns the events that the slot had not seen before the cycle. It has seen them afterwards.
  ClusterEvents EventsSince(std::string_view slot);

  // Calls `write` when After begins, with the books as the actions left them: the time to remember
  // what the cycle has decided. Several are called in the order in which they were handed in. None
  // is called if the cycle is cut.
  void AtEnd(std::function<void()> write) { at_end_.push_back(std::move(write)); }

  // Returns the memory with the slots that were touched. Slots that were only recalled stay.
  Memory After() &&;

 private:
  struct Slot {
    int32_t version = 1;
    uint64_t generation = 0;
    const MemorySlot* before = nullptr;
    std::optional<MemorySlot> now;  // once it was touched
    bool has_seen = false;          // the events up to now
  };
  MemorySlot& Touch(Slot* slot);
  // Returns the generation of such a slot once it has seen the events of this cycle.
  uint64_t GenerationAfter(uint64_t generation) const;

  const Memory* before_ = nullptr;
  const EventLog* events_ = nullptr;
  bool one_event_ = false;
  std::map<std::string_view, Slot> slots_;
  std::vector<std::function<void()>> at_end_;
  MemorySlot none_, lost_;
};

}  // namespace muster

#endif  // MUSTER_EXTENSION_MEMORY_SLOTS_H_
