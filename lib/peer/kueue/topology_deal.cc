// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/topology_deal.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace muster::kueue {

// --- DomainLine ---------------------------------------------------------------------------------

void DomainLine::Add(uint32_t first, uint32_t last) {
  items_.reserve(items_.size() + last - first);
  for (uint32_t d = first; d < last; ++d) items_.push_back({KeyOf(counts_[d], d, rule_), d});
}

void DomainLine::Append(uint32_t domain) {
  items_.push_back({{0, 0, 0, static_cast<uint32_t>(items_.size())}, domain});
}

DomainLine DomainLine::Rest(DomainLine line, const OrderRule& rule, bool only_with_room) {
  DomainLine rest(line.counts_, rule);
  if (line.front_) line.items_.push_back(*line.front_);
  rest.items_.reserve(line.items_.size());
  for (const auto& [key, domain] : line.items_) {
    const DomainCounts& c = line.counts_[domain];
    if (only_with_room && c.slices <= 0) continue;
    rest.items_.push_back({KeyOf(c, domain, rule), domain});
  }
  return rest;
}

// A heap is enough, except where the first of equal scores must be told from later ones.
void DomainLine::Arrange() {
  if (arranged_) return;
  arranged_ = true;
  const auto later = [](const Item& a, const Item& b) { return b.key < a.key; };
  if (rule_.by_affinity) {
    std::sort(items_.begin(), items_.end(), later);  // the first at the back
  } else {
    std::make_heap(items_.begin(), items_.end(), later);
  }
}

uint32_t DomainLine::First() {
  if (front_) return front_->domain;
  Arrange();
  return rule_.by_affinity ? items_.back().domain : items_.front().domain;
}

uint32_t DomainLine::Last() const {
  return std::max_element(items_.begin(), items_.end(),
                          [](const Item& a, const Item& b) { return a.key < b.key; })
      ->domain;
}

void DomainLine::Pop() {
  if (front_) {
    front_.reset();
    return;
  }
  Arrange();
  if (!rule_.by_affinity) {
    std::pop_heap(items_.begin(), items_.end(),
                  [](const Item& a, const Item& b) { return b.key < a.key; });
  }
  items_.pop_back();
}

template <class Holds>
uint32_t DomainLine::FirstWhere(Holds holds) {
  if (front_ && holds(counts_[front_->domain])) return front_->domain;
  const Item* first = nullptr;
  for (const Item& item : items_) {
    if ((first == nullptr || item.key < first->key) && holds(counts_[item.domain])) first = &item;
  }
  return first == nullptr ? uint32_t{kNone} : first->domain;
}

template <class RoomOf>
int64_t DomainLine::Sum(RoomOf room_of) const {
  int64_t sum = front_ ? room_of(counts_[front_->domain]) : 0;
  for (const Item& item : items_) sum += room_of(counts_[item.domain]);
  return sum;
}

template <class RoomOf>
uint32_t DomainLine::BestFit(int32_t needed, int32_t leaders, RoomOf room_of) {
  const uint32_t first = First();
  const Item* best = nullptr;
  int32_t least = std::numeric_limits<int32_t>::max();
  const auto look_at = [&](const Item& item) {
    const DomainCounts& c = counts_[item.domain];
    const int32_t room = room_of(c);
    if (c.leaders < leaders || room < needed || room > least) return;
    const bool is_earlier =
        best != nullptr && !(front_ && best == &*front_) && item.key < best->key;
    if (room == least && !is_earlier) return;
    best = &item;
    least = room;
  };
  if (front_) look_at(*front_);
  if (!rule_.by_affinity) {
    for (const Item& item : items_) look_at(item);
  } else {
    for (auto item = items_.rbegin(); item != items_.rend(); ++item) {
      if (counts_[item->domain].affinity != counts_[first].affinity) break;
      look_at(*item);
    }
  }
  return best == nullptr ? first : best->domain;
}

void DomainLine::MoveToFront(uint32_t domain) {
  const auto at = std::find_if(items_.begin(), items_.end(),
                               [&](const Item& item) { return item.domain == domain; });
  front_ = *at;
  items_.erase(at);
  arranged_ = false;
}

// --- TopologyDeal -------------------------------------------------------------------------------

void TopologyDeal::Choose(uint32_t level, std::vector<uint32_t> domains, bool balanced) {
  level_ = level;
  chosen_ = std::move(domains);
  balanced_ = balanced;
}

bool TopologyDeal::Choose() {
  for (uint32_t level = plan_.level;; --level) {
    level_ = level;
    const int32_t slices = plan_.slices();
    DomainLine line(counts_[level], Rule(/*with_leader=*/true));
    line.Add(0, tree_.size(level));
    const auto holds_all = [&](const DomainCounts& c) {
      return c.slices_with_leader >= slices && c.leaders >= plan_.leaders;
    };
    if (plan_.least_first) {
      const uint32_t first = line.FirstWhere([&](const DomainCounts& c) {
        const int32_t room = plan_.leaders > 0 ? c.slices_with_leader : c.slices;
        return c.leaders >= plan_.leaders && room >= slices;
      });
      if (first != kNone) {
        chosen_ = {first};
        return true;
      }
      if (plan_.required) {
        fits_ = counts_[level][line.Last()].pods;
        return false;
      }
    }
    const auto room_of = [&](const DomainCounts& c) {
      return plan_.leaders > 0 ? c.slices_with_leader : c.slices;
    };
    uint32_t top = line.First();
    if (!plan_.least_first && holds_all(counts_[level][top])) {
      top = line.BestFit(slices, plan_.leaders, room_of);
    }
    if (holds_all(counts_[level][top])) {
      chosen_ = {top};
      return true;
    }
    if (plan_.required) {
      fits_ = counts_[level][top].slices;
      if (!by_affinity_) return false;
      // The first in order may have a better score and too little room.
      for (line.Pop(); !line.empty(); line.Pop()) {
        if (!holds_all(counts_[level][line.First()])) continue;
        chosen_ = {line.BestFit(slices, plan_.leaders, room_of)};
        return true;
      }
      return false;
    }
    if (level == 0 || plan_.unconstrained) return ChooseSeveral(std::move(line));
  }
}

// Takes domains for the leaders, in order, and what pods they have room for.
bool TopologyDeal::ChooseLeaders(DomainLine* line, int32_t* slices) {
  int32_t leaders = plan_.leaders;
  while (leaders > 0 && !line->empty() && line->counts(line->First()).leaders > 0) {
    uint32_t domain = line->First();
    if (!plan_.least_first && line->counts(domain).slices_with_leader >= *slices) {
      domain = line->BestFit(*slices, leaders,
                             [](const DomainCounts& c) { return c.slices_with_leader; });
    }
    chosen_.push_back(domain);
    leaders -= line->counts(domain).leaders;
    *slices -= line->counts(domain).slices_with_leader;
    line->Pop();
  }
  fits_ = plan_.leaders - leaders;
  return leaders <= 0;
}

bool TopologyDeal::ChooseSeveral(DomainLine line) {
  chosen_.clear();
  int32_t slices = plan_.slices();
  Prioritize(slices, plan_.leaders, {.slices = true, .size = plan_.slice_size}, &line);
  if (!ChooseLeaders(&line, &slices)) return false;
  // A domain without room would take nothing, and may only host the leader further down.
  DomainLine rest = DomainLine::Rest(std::move(line), Rule(/*with_leader=*/false),
                                     /*only_with_room=*/plan_.leaders == 0);
  for (; slices > 0 && !rest.empty(); rest.Pop()) {
    uint32_t domain = rest.First();
    if (!plan_.least_first && rest.counts(domain).slices >= slices) {
      domain = rest.BestFit(slices, 0, [](const DomainCounts& c) { return c.slices; });
    }
    chosen_.push_back(domain);
    slices -= rest.counts(domain).slices;
  }
  fits_ = plan_.slices() - slices;
  return slices <= 0;
}

// A sum of room beside a leader is less by what the best host loses. So the host that comes first
// must lose no more than there is to spare.
void TopologyDeal::Prioritize(int32_t units, int32_t leaders, const DealUnit& unit,
                              DomainLine* line) {
  if (leaders == 0 || line->size() < 2) return;
  const int64_t all = line->Sum([&](const DomainCounts& c) { return unit.Room(c); });
  const uint32_t host = line->FirstWhere([&](const DomainCounts& c) {
    return c.leaders >= leaders && all - (unit.Room(c) - unit.RoomBesideLeader(c)) >= units;
  });
  if (host != kNone) line->MoveToFront(host);
}

std::optional<std::vector<Portion>> TopologyDeal::Distribute(DomainLine line, int32_t pods,
                                                             int32_t leaders,
                                                             const DealUnit& unit) const {
  int32_t rest = unit.units(pods);
  Prioritize(rest, leaders, unit, &line);
  const auto room = [&](const DomainCounts& c) { return unit.Room(c); };
  const auto beside = [&](const DomainCounts& c) { return unit.RoomBesideLeader(c); };
  const auto ends_with = [&](const DomainCounts& c) {
    return leaders > 0 ? beside(c) >= rest && c.leaders >= leaders : room(c) >= rest;
  };
  std::vector<Portion> portions;
  for (; !line.empty(); line.Pop()) {
    uint32_t domain = line.First();
    if (!plan_.least_first && ends_with(line.counts(domain))) {
      domain = leaders > 0 ? line.BestFit(rest, leaders, beside) : line.BestFit(rest, 0, room);
    }
    const DomainCounts& c = line.counts(domain);
    const bool is_last = ends_with(c);
    const int32_t taken = std::min(leaders > 0 ? beside(c) : room(c), rest);
    portions.push_back({domain, taken * unit.pods_each(), std::min(c.leaders, leaders)});
    if (is_last) return portions;
    rest -= taken;
    leaders -= portions.back().leaders;
  }
  return std::nullopt;
}

std::vector<Portion> TopologyDeal::DealOut() {
  const DealUnit slice{.slices = true, .size = plan_.slice_size};
  const auto all_of = [&](DomainLine line) {
    return Distribute(std::move(line), plan_.count, plan_.leaders, slice)
        .value_or(std::vector<Portion>());
  };
  DomainLine chosen(counts_[level_], {.by_affinity = by_affinity_});
  for (const uint32_t domain : chosen_) chosen.Append(domain);
  std::vector<Portion> portions = all_of(std::move(chosen));
  uint32_t level = level_;
  for (; level < std::min(tree_.lowest(), plan_.slice_level) && !balanced_; ++level) {
    DomainLine children(counts_[level + 1], Rule(/*with_leader=*/false));
    for (const Portion& p : portions) {
      children.Add(tree_.first_child(level, p.domain), tree_.last_child(level, p.domain));
    }
    portions = all_of(std::move(children));
  }
  for (; level < tree_.lowest(); ++level) {
    int32_t size = plan_.slice_size;
    if (level >= plan_.slice_level) {
      size = plan_.sizes.empty() ? 1 : std::max(plan_.sizes[level + 1], 1);
    }
    const DealUnit unit{.slices = size > 1, .resized = size > 1, .size = size};
    std::vector<Portion> lower;
    for (const Portion& p : portions) {
      DomainLine children(counts_[level + 1], Rule(/*with_leader=*/false));
      children.Add(tree_.first_child(level, p.domain), tree_.last_child(level, p.domain));
      const auto dealt = Distribute(std::move(children), p.pods, p.leaders, unit);
      if (dealt) lower.insert(lower.end(), dealt->begin(), dealt->end());
    }
    portions = std::move(lower);
  }
  std::sort(portions.begin(), portions.end(),
            [](const Portion& a, const Portion& b) { return a.domain < b.domain; });
  return portions;
}

}  // namespace muster::kueue
