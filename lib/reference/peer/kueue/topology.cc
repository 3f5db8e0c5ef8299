// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/reference/peer/kueue/topology.h"

#include <algorithm>
#include <utility>

namespace muster::reference {
namespace {

using Path = TopologyWorld::Path;
using Wish = TopologyWorld::Wish;

struct Domain {
  Path path;
  std::vector<std::unique_ptr<Domain>> children;
  int64_t pods = 0, slices = 0, pods_beside = 0, slices_beside = 0, leaders = 0;
};
using List = std::vector<Domain*>;

int64_t CountIn(const std::vector<int64_t>& pod, const std::vector<int64_t>& free) {
  int64_t least = INT32_MAX;
  for (size_t r = 0; r < pod.size(); ++r) {
    if (pod[r] > 0) least = std::min(least, std::max<int64_t>(free[r] / pod[r], 0));
  }
  return least;
}

class Placing {
 public:
  Placing(const TopologyWorld& world, const Wish& wish) : wish_(wish), depth_(0) {
    for (const auto& [path, free] : world.free) {
      depth_ = path.size();
      Domain* at = &root_;
      for (size_t level = 0; level < path.size(); ++level) {
        const Path here(path.begin(), path.begin() + static_cast<ptrdiff_t>(level) + 1);
        if (at->children.empty() || at->children.back()->path != here) {
          at->children.push_back(std::make_unique<Domain>());
          at->children.back()->path = here;
        }
        at = at->children.back().get();
      }
      at->pods = at->pods_beside = CountIn(wish.pod, free);
      if (wish.leader_pod.empty() || CountIn(wish.leader_pod, free) == 0) continue;
      at->leaders = 1;
      std::vector<int64_t> left = free;
      for (size_t r = 0; r < left.size(); ++r) left[r] -= wish.leader_pod[r];
      at->pods_beside = CountIn(wish.pod, left);
    }
    for (const auto& top : root_.children) Sum(top.get(), 0);
  }

  bool Place(std::map<Path, int64_t>* pods, Path* leader) {
    List chosen;
    size_t level = wish_.level;
    if (root_.children.empty() || !Choose(&level, &chosen)) return false;
    const int64_t leaders = wish_.leader_pod.empty() ? 0 : 1;
    chosen = Deal(chosen, wish_.count, leaders, wish_.slice_size, true);
    for (; level + 1 < depth_ && level < wish_.slice_level; ++level) {
      List children;
      for (Domain* d : chosen) {
        for (const auto& child : d->children) children.push_back(child.get());
      }
      Sort(&children, false);
      chosen = Deal(children, wish_.count, leaders, wish_.slice_size, true);
    }
    for (; level + 1 < depth_; ++level) {
      const auto inner = wish_.inner.find(level + 1);
      const int64_t size = inner == wish_.inner.end() ? 1 : inner->second;
      List lower;
      for (Domain* d : chosen) {
        List children;
        for (const auto& child : d->children) children.push_back(child.get());
        Sort(&children, false);
        for (Domain* child : children) {
          if (size == 1) continue;
          child->slices = child->pods / size;
          child->slices_beside = child->pods_beside / size;
        }
        const List dealt = Deal(children, d->pods, d->leaders, size, size > 1);
        lower.insert(lower.end(), dealt.begin(), dealt.end());
      }
      chosen = lower;
    }
    for (const Domain* d : chosen) {
      if (d->pods > 0) (*pods)[d->path] = d->pods;
      if (d->leaders > 0) *leader = d->path;
    }
    return true;
  }

 private:
  void Sum(Domain* d, size_t level) {
    if (!d->children.empty()) {
      const auto inner = wish_.inner.find(level + 1);
      const int64_t size = inner == wish_.inner.end() ? 1 : inner->second;
      int64_t pods_lost = INT32_MAX, slices_lost = INT32_MAX;
      for (const auto& c : d->children) {
        Sum(c.get(), level + 1);
        const int64_t pods = c->pods / size * size;
        d->pods += pods;
        d->slices += c->slices;
        d->leaders = std::max(d->leaders, c->leaders);
        if (!wish_.leader_pod.empty() && c->leaders == 0) continue;
        pods_lost = std::min(pods_lost, pods - c->pods_beside / size * size);
        slices_lost = std::min(slices_lost, c->slices - c->slices_beside);
      }
      const bool hosts = pods_lost < INT32_MAX;
      d->pods_beside = hosts ? d->pods - pods_lost : 0;
      d->slices_beside = hosts ? d->slices - slices_lost : 0;
    }
    if (level != wish_.slice_level) return;
    d->slices = d->pods / wish_.slice_size;
    d->slices_beside = d->pods_beside / wish_.slice_size;
  }

  void Sort(List* list, bool with_leader) const {
    std::sort(list->begin(), list->end(), [&](const Domain* a, const Domain* b) {
      if (with_leader && a->leaders != b->leaders) return a->leaders > b->leaders;
      const int64_t x = with_leader ? a->slices_beside : a->slices;
      const int64_t y = with_leader ? b->slices_beside : b->slices;
      if (x != y) return wish_.least_first ? x < y : x > y;
      const int64_t p = with_leader ? a->pods_beside : a->pods;
      const int64_t q = with_leader ? b->pods_beside : b->pods;
      return p != q ? p < q : a->path < b->path;
    });
  }

  void Collect(Domain* d, size_t level, List* list) const {
    if (level == 0) {
      list->push_back(d);
      return;
    }
    for (const auto& child : d->children) Collect(child.get(), level - 1, list);
  }

  bool Choose(size_t* level, List* chosen) {
    const int64_t slices = wish_.count / wish_.slice_size;
    const int64_t leaders = wish_.leader_pod.empty() ? 0 : 1;
    List list;
    Collect(&root_, *level + 1, &list);
    Sort(&list, true);
    if (wish_.least_first) {
      for (Domain* d : list) {
        if (d->leaders < leaders || (leaders > 0 ? d->slices_beside : d->slices) < slices) continue;
        *chosen = {d};
        return true;
      }
      if (wish_.required) return false;
    }
    Domain* top = list[0];
    if (top->slices_beside >= slices && top->leaders >= leaders) {
      if (!wish_.least_first) top = Smallest(list, 0, slices, leaders, true);
      *chosen = {top};
      return true;
    }
    if (wish_.required) return false;
    if (*level > 0 && !wish_.unconstrained) {
      --*level;
      return Choose(level, chosen);
    }
    return ChooseSeveral(list, slices, leaders, chosen);
  }

  bool ChooseSeveral(List list, int64_t slices, int64_t leaders, List* chosen) {
    list = HostFirst(list, wish_.count, leaders, wish_.slice_size, true);
    size_t i = 0;
    for (; leaders > 0 && i < list.size() && list[i]->leaders > 0; ++i) {
      Domain* d = list[i];
      if (!wish_.least_first && d->slices_beside >= slices) {
        d = Smallest(list, i, slices, leaders, true);
      }
      chosen->push_back(d);
      leaders -= d->leaders;
      slices -= d->slices_beside;
    }
    if (leaders > 0) return false;
    List rest(list.begin() + static_cast<ptrdiff_t>(i), list.end());
    Sort(&rest, false);
    for (i = 0; slices > 0 && i < rest.size(); ++i) {
      Domain* d = rest[i];
      if (!wish_.least_first && d->slices >= slices) d = Smallest(rest, i, slices, 0, true);
      chosen->push_back(d);
      slices -= d->slices;
    }
    return slices <= 0;
  }

  // The first with the least room that is enough, from position `from` on.
  static Domain* Smallest(const List& list, size_t from, int64_t needed, int64_t leaders,
                          bool slices) {
    Domain* best = nullptr;
    int64_t least = INT32_MAX;
    for (size_t i = from; i < list.size(); ++i) {
      Domain* d = list[i];
      const int64_t room = slices ? (leaders > 0 ? d->slices_beside : d->slices)
                                  : (leaders > 0 ? d->pods_beside : d->pods);
      if (d->leaders < leaders || room < needed || room >= least) continue;
      best = d;
      least = room;
    }
    return best == nullptr ? list[from] : best;
  }

  static List HostFirst(List list, int64_t count, int64_t leaders, int64_t size, bool slices) {
    if (leaders == 0 || list.size() < 2) return list;
    int64_t all = 0;
    for (const Domain* d : list) all += slices ? d->slices : d->pods;
    for (size_t i = 0; i < list.size(); ++i) {
      const Domain* d = list[i];
      const int64_t lost = slices ? d->slices - d->slices_beside : d->pods - d->pods_beside;
      if (d->leaders < leaders || all - lost < (slices ? count / size : count)) continue;
      std::rotate(list.begin(), list.begin() + static_cast<ptrdiff_t>(i),
                  list.begin() + static_cast<ptrdiff_t>(i) + 1);
      return list;
    }
    return list;
  }

  // The domains that take part, with what they take in `pods` and `leaders`.
  List Deal(List list, int64_t count, int64_t leaders, int64_t size, bool slices) const {
    list = HostFirst(list, count, leaders, size, slices);
    int64_t rest = slices ? count / size : count;
    const int64_t each = slices ? size : 1;
    List result;
    for (size_t i = 0; i < list.size(); ++i) {
      Domain* d = list[i];
      const auto room = [&](const Domain* of) {
        if (leaders > 0) return slices ? of->slices_beside : of->pods_beside;
        return slices ? of->slices : of->pods;
      };
      if (!wish_.least_first && room(d) >= rest && d->leaders >= leaders) {
        d = Smallest(list, i, rest, leaders, slices);
      }
      const int64_t takes = std::min(room(d), rest);
      const bool last = room(d) >= rest && d->leaders >= leaders;
      d->leaders = std::min(d->leaders, leaders);
      d->pods = takes * each;
      result.push_back(d);
      if (last) return result;
      leaders -= d->leaders;
      rest -= takes;
    }
    return {};
  }

  const Wish& wish_;
  size_t depth_;
  Domain root_;
};

}  // namespace

bool TopologyWorld::Place(const Wish& wish, std::map<Path, int64_t>* pods, Path* leader) {
  if (!Placing(*this, wish).Place(pods, leader)) return false;
  for (const auto& [path, count] : *pods) {
    for (size_t r = 0; r < wish.pod.size(); ++r) free[path][r] -= wish.pod[r] * count;
  }
  if (leader->empty()) return true;
  for (size_t r = 0; r < wish.leader_pod.size(); ++r) free[*leader][r] -= wish.leader_pod[r];
  return true;
}

}  // namespace muster::reference
