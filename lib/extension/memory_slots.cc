// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/extension/memory_slots.h"

#include <utility>

namespace muster {

MemorySlots::MemorySlots(const Memory& before, std::span<const MemoryDecl> declared,
                         const EventLog& events, bool one_event)
    : before_(&before), events_(&events), one_event_(one_event) {
  const internal::MemoryData* data = internal::DataOf(before);
  for (const MemoryDecl& decl : declared) {
    Slot& slot = slots_[decl.slot];
    slot.version = decl.version;
    if (data == nullptr) continue;
    const auto known = data->slots.find(decl.slot);
    if (known == data->slots.end()) continue;
    slot.generation = known->second.generation;
    slot.before = &*known->second.rows;
  }
}

const MemorySlot& MemorySlots::Recall(std::string_view name) const {
  const auto found = slots_.find(name);
  if (found == slots_.end()) return none_;
  const Slot& slot = found->second;
  if (slot.now.has_value()) return *slot.now;
  return slot.before == nullptr ? none_ : *slot.before;
}

MemorySlot& MemorySlots::Touch(Slot* slot) {
  if (!slot->now.has_value()) {
    slot->now = slot->before == nullptr ? MemorySlot() : *slot->before;
  }
  return *slot->now;
}

MemorySlot& MemorySlots::Remember(std::string_view name) {
  const auto found = slots_.find(name);
  if (found == slots_.end()) {
    lost_ = MemorySlot();
    return lost_;
  }
  return Touch(&found->second);
}

uint64_t MemorySlots::GenerationAfter(uint64_t generation) const {
  const ClusterEvents unseen = events_->Since(generation);
  if (one_event_ && !unseen.everything && !unseen.list.empty()) return generation + 1;
  return events_->generation();
}

ClusterEvents MemorySlots::EventsSince(std::string_view name) {
  const auto found = slots_.find(name);
  if (found == slots_.end()) return {.everything = true};
  Touch(&found->second);
  found->second.has_seen = true;
  ClusterEvents unseen = events_->Since(found->second.generation);
  if (one_event_ && !unseen.list.empty()) unseen.list = unseen.list.first(1);
  return unseen;
}

Memory MemorySlots::After() && {
  if (before_ == nullptr) return {};
  for (const auto& write : at_end_) write();
  const internal::MemoryData* before = internal::DataOf(*before_);
  const auto touched = [&](std::string_view name) {
    const auto found = slots_.find(name);
    return found != slots_.end() && found->second.now.has_value();
  };
  internal::MemoryData data;
  if (before != nullptr) {
    for (const auto& [name, slot] : before->slots) {
      if (!touched(name)) data.slots.emplace(name, slot);
    }
  }
  bool changed = false;
  for (auto& [name, slot] : slots_) {
    if (!slot.now.has_value()) continue;
    changed = true;
    internal::MemoryData::Slot& kept = data.slots[std::string(name)];
    kept.version = slot.version;
    // What a slot has not asked for it has not seen. So its generation does not tell which cycles
    // wrote rows that were there already.
    kept.generation = slot.has_seen ? GenerationAfter(slot.generation) : slot.generation;
    kept.rows = internal::SharedRows(*std::move(slot.now));
  }
  return changed ? internal::MakeMemory(std::move(data)) : *before_;
}

}  // namespace muster
