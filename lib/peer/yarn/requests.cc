// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/requests.h"

#include <algorithm>

namespace muster::yarn {

const Ask* RequestKey::Find(Place place) const {
  if (place == kAnyPlace) return has_any_ ? &any_ : nullptr;
  const auto found = others_.find(place);
  return found == others_.end() ? nullptr : &found->second;
}

int64_t RequestKey::CountOf(Place place) const {
  const Ask* ask = Find(place);
  return ask == nullptr ? 0 : ask->count;
}

bool RequestKey::MayRelaxTo(Place place) const {
  const Ask* ask = Find(place);
  return ask == nullptr || ask->is_relaxed;
}

void RequestKey::TakeAt(Place place) {
  const auto found = others_.find(place);
  if (found == others_.end()) return;
  if (--found->second.count == 0) others_.erase(place);
}

RequestChange Requests::Update(int32_t priority, const std::vector<std::pair<Place, Ask>>& asks) {
  RequestKey& key = FindOrMake(priority);
  RequestChange change;
  if (key.has_any_) change.before = key.any_;
  for (const auto& [place, ask] : asks) {
    if (place != kAnyPlace) {
      key.others_[place] = ask;
      continue;
    }
    key.any_ = ask;
    key.has_any_ = change.has_any = true;
  }
  if (!change.has_any) return change;
  change.after = key.any_;
  if (key.any_.count <= 0) {
    key.has_any_ = false;
    key.any_ = {};
    key.others_.clear();
  }
  return change;
}

Ask Requests::Take(int32_t priority, Locality locality, Place node, Place rack) {
  RequestKey& key = *Find(priority);
  const Place at = locality == Locality::kNode   ? node
                   : locality == Locality::kRack ? rack
                                                 : kAnyPlace;
  const Ask taken = *key.Find(at);
  if (locality == Locality::kNode) key.TakeAt(node);
  if (locality != Locality::kAny) key.TakeAt(rack);
  if (--key.any_.count == 0) key.has_any_ = false;
  return taken;
}

RequestKey* Requests::Find(int32_t priority) {
  const auto at = std::ranges::lower_bound(keys_, priority, {}, &RequestKey::priority);
  return at == keys_.end() || at->priority() != priority ? nullptr : &*at;
}

bool Requests::IsEmpty() const {
  return std::ranges::none_of(keys_, [](const RequestKey& key) { return key.is_served(); });
}

RequestKey& Requests::FindOrMake(int32_t priority) {
  const auto at = std::ranges::lower_bound(keys_, priority, {}, &RequestKey::priority);
  if (at != keys_.end() && at->priority() == priority) return *at;
  return *keys_.emplace(at, priority);
}

}  // namespace muster::yarn
