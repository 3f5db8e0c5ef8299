// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/reference/peer/kueue/victims.h"

#include <algorithm>
#include <limits>

namespace muster::reference {
namespace {

using Whom = EvictionWorld::Whom;
using Evictions = EvictionWorld::Evictions;

class SlowSearch {
 public:
  SlowSearch(EvictionWorld& world, const EvictionWorld::Wish& wish) : w_(world), wish_(wish) {
    mine_ = Path(wish.queue);
  }

  Evictions Classical() {
    const Node& queue = w_.nodes[Index(wish_.queue)];
    std::vector<Candidate> all = ClassicalCandidates();
    const auto any = [&](int kind) {
      return std::any_of(all.begin(), all.end(),
                         [&](const Candidate& c) { return c.kind == kind; });
    };
    if (all.empty()) return {};
    const bool forbidden = !queue.borrows;
    if ((!any(kEntitled) && !any(kOther)) || (forbidden && !UnderNominal())) return Try(all, true);
    const bool first = !(forbidden && !any(kEntitled));
    const Evictions victims = Try(all, first);
    return victims.empty() ? Try(all, !first) : victims;
  }

  Evictions Fair() {
    const Node& own = w_.nodes[Index(wish_.queue)];
    lists_.resize(w_.nodes.size());
    pruned_.assign(w_.nodes.size(), false);
    bool any = false;
    for (int q = 0; q < Count(); ++q) {
      const bool inside = q == wish_.queue;
      if (w_.nodes[Index(q)].cohort || Path(q).back() != mine_.back()) continue;
      if (!inside && (own.parent < 0 || !Borrows(q))) continue;
      lists_[Index(q)] = Sorted(q, inside ? own.within : own.reclaim);
      any = any || !lists_[Index(q)].empty();
    }
    if (!any) return {};
    evictor_counts_ = true;
    std::vector<std::vector<size_t>> refused(w_.nodes.size());
    bool fits = FairPass(&refused);
    if (!fits && w_.second_rule) {
      lists_ = refused;
      pruned_.assign(w_.nodes.size(), false);
      fits = SecondPass();
    }
    evictor_counts_ = false;
    const Evictions victims = fits ? GiveBack(true) : Evictions();
    Restore();
    return victims;
  }

 private:
  using Node = EvictionWorld::Node;
  using Workload = EvictionWorld::Workload;
  enum { kEntitled, kOther, kOwn };
  struct Candidate {
    size_t workload;
    int kind;
    int meeting;
  };
  struct Share {
    double ratio = 0, weight = 1;
    bool borrows = false;
  };

  static size_t Index(int n) { return static_cast<size_t>(n); }
  int Count() const { return static_cast<int>(w_.nodes.size()); }
  std::vector<int> Path(int n) const {
    std::vector<int> path;
    for (; n >= 0; n = w_.nodes[Index(n)].parent) path.push_back(n);
    return path;
  }
  std::vector<int> Children(int n) const {
    std::vector<int> children;
    for (int c = 0; c < Count(); ++c) {
      if (w_.nodes[Index(c)].parent == n) children.push_back(c);
    }
    return children;
  }

  // --- quotas
  int64_t Subtree(int n, size_t cell) const {
    int64_t sum = w_.nodes[Index(n)].nominal[cell];
    for (const int c : Children(n)) sum += Subtree(c, cell) - Local(c, cell);
    return sum;
  }
  int64_t Local(int n, size_t cell) const {
    const auto& lend = w_.nodes[Index(n)].lend[cell];
    return lend ? std::max<int64_t>(0, Subtree(n, cell) - *lend) : 0;
  }
  int64_t Usage(int n, size_t cell) const {
    int64_t sum = 0;
    for (const int c : Children(n)) sum += std::max<int64_t>(0, Usage(c, cell) - Local(c, cell));
    for (const Workload& w : w_.workloads) sum += w.queue == n && w.held ? w.usage[cell] : 0;
    return sum +
           (evictor_counts_ && n == wish_.queue ? std::max<int64_t>(0, wish_.usage[cell]) : 0);
  }
  int64_t Available(int n, size_t cell) const {
    const Node& node = w_.nodes[Index(n)];
    if (node.parent < 0) return Subtree(n, cell) - Usage(n, cell);
    int64_t above = Available(node.parent, cell);
    const int64_t local = Local(n, cell), used = Usage(n, cell);
    if (node.borrow[cell]) {
      const int64_t seen = std::max<int64_t>(0, used - local);
      above = std::min(above, Subtree(n, cell) - local - seen + *node.borrow[cell]);
    }
    return std::max<int64_t>(0, local - used) + above;
  }
  int64_t Potential(int n, size_t cell) const {
    const Node& node = w_.nodes[Index(n)];
    if (node.parent < 0) return Subtree(n, cell);
    const int64_t all = Local(n, cell) + Potential(node.parent, cell);
    return node.borrow[cell] ? std::min(all, Subtree(n, cell) + *node.borrow[cell]) : all;
  }
  bool Borrows(int n) const {
    return std::any_of(wish_.lacking.begin(), wish_.lacking.end(),
                       [&](size_t cell) { return Usage(n, cell) > Subtree(n, cell); });
  }
  bool UnderNominal() const {
    return std::all_of(wish_.lacking.begin(), wish_.lacking.end(), [&](size_t cell) {
      return Usage(wish_.queue, cell) < w_.nodes[Index(wish_.queue)].nominal[cell];
    });
  }
  bool Fits(bool may_borrow) const {
    for (size_t cell = 0; cell < wish_.usage.size(); ++cell) {
      const int64_t amount = wish_.usage[cell];
      if (amount < 0) continue;  // not requested
      if (!may_borrow && Usage(wish_.queue, cell) + amount > Subtree(wish_.queue, cell)) {
        return false;
      }
      if (amount > std::max<int64_t>(0, Available(wish_.queue, cell))) return false;
    }
    return true;
  }

  // --- candidates
  bool Satisfies(Whom whom, const Workload& w) const {
    if (whom == Whom::kAny) return true;
    if (whom == Whom::kNever) return false;
    if (wish_.priority != w.priority) return wish_.priority > w.priority;
    return whom == Whom::kLowerOrNewer && wish_.created < w.created;
  }
  bool Precedes(size_t a, size_t b) const {
    const Workload &x = w_.workloads[a], &y = w_.workloads[b];
    if (x.evicted != y.evicted) return x.evicted;
    if (x.priority != y.priority) return x.priority < y.priority;
    if (x.reserved_at != y.reserved_at) return x.reserved_at > y.reserved_at;
    return x.uid < y.uid;
  }
  bool PrecedesWithin(size_t a, size_t b) const {
    const Workload &x = w_.workloads[a], &y = w_.workloads[b];
    const double u = w_.local_usage[x.local], v = w_.local_usage[y.local];
    const bool counts = w_.nodes[Index(x.queue)].by_usage && x.local != y.local && u >= 0 && v >= 0;
    if (x.evicted == y.evicted && counts && u != v) return u > v;
    return Precedes(a, b);
  }
  std::vector<size_t> Sorted(int queue, Whom whom) const {
    std::vector<size_t> list;
    for (size_t i = 0; i < w_.workloads.size(); ++i) {
      const Workload& w = w_.workloads[i];
      const bool uses = std::any_of(wish_.lacking.begin(), wish_.lacking.end(),
                                    [&](size_t cell) { return w.usage[cell] > 0; });
      if (w.queue == queue && uses && Satisfies(whom, w)) list.push_back(i);
    }
    std::sort(list.begin(), list.end(), [&](size_t a, size_t b) { return PrecedesWithin(a, b); });
    return list;
  }

  // --- without fair sharing
  std::vector<Candidate> ClassicalCandidates() const {
    std::vector<Candidate> all;
    const Node& own = w_.nodes[Index(wish_.queue)];
    for (const size_t i : Sorted(wish_.queue, own.within)) all.push_back({i, kOwn, wish_.queue});
    // Whether the request fits below each ancestor, from what its child passes on.
    EvictionWorld::Amounts rest = wish_.usage;
    bool entitled = false;
    for (size_t k = 0; k + 1 < mine_.size(); ++k) {
      entitled = FitsBelow(mine_[k], &rest) || entitled;
      for (int q = 0; q < Count(); ++q) {
        const std::vector<int> path = Path(q);
        const auto met = std::find(path.begin(), path.end(), mine_[k + 1]);
        if (w_.nodes[Index(q)].cohort || met == path.end() || met == path.begin()) continue;
        if (*(met - 1) == mine_[k]) continue;
        if (!std::all_of(path.begin(), met, [&](int n) { return Borrows(n); })) continue;
        for (const size_t i : Sorted(q, own.reclaim)) {
          all.push_back({i, entitled ? kEntitled : kOther, mine_[k + 1]});
        }
      }
    }
    return all;
  }
  bool FitsBelow(int n, EvictionWorld::Amounts* rest) const {
    bool fits = true;
    for (size_t cell = 0; cell < rest->size(); ++cell) {
      int64_t& amount = (*rest)[cell];
      if (wish_.usage[cell] < 0) continue;
      fits = fits && Usage(n, cell) + amount <= Subtree(n, cell);
      const int64_t local = std::max<int64_t>(0, Local(n, cell) - Usage(n, cell));
      amount = std::max<int64_t>(0, amount - local);
    }
    return fits;
  }

  Evictions Try(const std::vector<Candidate>& all, bool may_borrow) {
    const Node& own = w_.nodes[Index(wish_.queue)];
    std::vector<Candidate> order = Merged(all);
    bool fits = false;
    for (const Candidate& c : order) {
      const Workload& w = w_.workloads[c.workload];
      std::string why = c.kind == kOwn ? "InClusterQueue" : "InCohortReclamation";
      if (c.kind == kOther) {
        const bool low = own.borrows && w.priority < wish_.priority &&
                         (!own.borrows_most || w.priority <= *own.borrows_most);
        if (!low && may_borrow) continue;
        if (low) why = "InCohortReclaimWhileBorrowing";
      }
      const std::vector<int> path = Path(w.queue);
      const auto met = std::find(path.begin(), path.end(), c.meeting);
      if (c.kind != kOwn && !std::all_of(path.begin(), met, [&](int n) { return Borrows(n); })) {
        continue;
      }
      Take(c.workload, why);
      fits = Fits(may_borrow);
      if (fits) break;
    }
    const Evictions victims = fits ? GiveBack(may_borrow) : Evictions();
    Restore();
    return victims;
  }
  // Evicted ones of each kind, then the others of each kind. The queues of a kind give the one of
  // their first candidates that precedes; the order within one queue stays.
  std::vector<Candidate> Merged(const std::vector<Candidate>& all) const {
    std::vector<Candidate> merged;
    for (const bool evicted : {true, false}) {
      for (const int kind : {kEntitled, kOther, kOwn}) {
        std::vector<Candidate> left;
        for (const Candidate& c : all) {
          if (c.kind == kind && w_.workloads[c.workload].evicted == evicted) left.push_back(c);
        }
        while (!left.empty()) {
          std::vector<int> seen;
          size_t best = left.size();
          for (size_t i = 0; i < left.size(); ++i) {
            const int q = w_.workloads[left[i].workload].queue;
            if (std::find(seen.begin(), seen.end(), q) != seen.end()) continue;
            seen.push_back(q);
            if (best == left.size() || Precedes(left[i].workload, left[best].workload)) best = i;
          }
          merged.push_back(left[best]);
          left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
        }
      }
    }
    return merged;
  }

  // --- with fair sharing
  Share ShareOf(int n) const {
    const Node& node = w_.nodes[Index(n)];
    Share share{.weight = node.weight};
    if (node.parent < 0) return share;
    for (const size_t resource : w_.resource) {
      int64_t over = 0, lendable = 0;
      for (size_t cell = 0; cell < w_.resource.size(); ++cell) {
        if (w_.resource[cell] != resource) continue;
        over += std::max<int64_t>(0, Usage(n, cell) - Subtree(n, cell));
        lendable += Potential(node.parent, cell);
      }
      share.borrows = share.borrows || over > 0;
      if (over <= 0 || lendable <= 0) continue;
      share.ratio =
          std::max(share.ratio, static_cast<double>(over) * 1000.0 / static_cast<double>(lendable));
    }
    return share;
  }
  static int Compare(const Share& a, const Share& b) {
    const auto endless = [](const Share& s) { return s.weight == 0 && s.ratio != 0; };
    const auto value = [&](const Share& s, bool both) {
      if (s.ratio == 0 || both) return s.ratio;
      return s.weight == 0 ? std::numeric_limits<double>::infinity() : s.ratio / s.weight;
    };
    const bool both = endless(a) && endless(b);
    const double x = value(a, both), y = value(b, both);
    return (x > y) - (x < y);
  }
  bool Before(size_t a, size_t b) const {
    const Workload &x = w_.workloads[a], &y = w_.workloads[b];
    if (x.evicted != y.evicted) return x.evicted;
    const bool own_x = x.queue == wish_.queue, own_y = y.queue == wish_.queue;
    return own_x != own_y ? own_y : Precedes(a, b);
  }
  int NextGiver() {
    const int root = mine_.back();
    if (mine_.size() == 1) return lists_[Index(root)].empty() || pruned_[Index(root)] ? -1 : root;
    while (!pruned_[Index(root)]) {
      const int found = GiverBelow(root);
      if (found >= 0) return found;
    }
    return -1;
  }
  int GiverBelow(int cohort) {
    int queue = -1, below = -1;
    for (const int c : Children(cohort)) {
      if (pruned_[Index(c)]) continue;
      const Node& node = w_.nodes[Index(c)];
      const bool mine = std::find(mine_.begin(), mine_.end(), c) != mine_.end();
      if ((!ShareOf(c).borrows && !mine) || (!node.cohort && lists_[Index(c)].empty())) {
        pruned_[Index(c)] = true;
      } else if (node.cohort) {
        if (below < 0 || Compare(ShareOf(c), ShareOf(below)) >= 0) below = c;
      } else {
        const int order = queue < 0 ? 1 : Compare(ShareOf(c), ShareOf(queue));
        const bool first =
            order == 0 && Before(lists_[Index(c)].front(), lists_[Index(queue)].front());
        if (order > 0 || first) queue = c;
      }
    }
    if (queue < 0 && below < 0) {
      pruned_[Index(cohort)] = true;
      return -1;
    }
    const bool down = below >= 0 && (queue < 0 || Compare(ShareOf(below), ShareOf(queue)) >= 0);
    return down ? GiverBelow(below) : queue;
  }
  // The children of the lowest common ancestor on both sides.
  std::pair<int, int> Sides(int queue) const {
    const std::vector<int> theirs = Path(queue);
    size_t i = mine_.size(), j = theirs.size();
    while (mine_[i - 1] == theirs[j - 1]) --i, --j;
    return {mine_[i - 1], theirs[j - 1]};
  }
  size_t PopFront(int queue) {
    const size_t w = lists_[Index(queue)].front();
    lists_[Index(queue)].erase(lists_[Index(queue)].begin());
    return w;
  }
  // Returns whether the request fits once the workload is gone, too.
  bool TakeFair(size_t w, const std::string& why) {
    Take(w, why);
    evictor_counts_ = false;
    const bool fits = Fits(true);
    evictor_counts_ = true;
    return fits;
  }
  bool FairPass(std::vector<std::vector<size_t>>* refused) {
    const bool within = !Borrows(wish_.queue);
    for (int q = NextGiver(); q >= 0; q = NextGiver()) {
      if (q == wish_.queue || within) {
        const char* why = q == wish_.queue ? "InClusterQueue" : "InCohortReclamation";
        if (TakeFair(PopFront(q), why)) return true;
        continue;
      }
      const auto [mine, theirs] = Sides(q);
      const Share evictor = ShareOf(mine), before = ShareOf(theirs);
      while (!lists_[Index(q)].empty()) {
        const size_t w = PopFront(q);
        w_.workloads[w].held = false;
        const Share after = ShareOf(theirs);
        w_.workloads[w].held = true;
        const bool passes =
            w_.first_rule_final ? Compare(evictor, after) <= 0 : Compare(evictor, before) < 0;
        if (!passes) {
          (*refused)[Index(q)].push_back(w);
          continue;
        }
        if (TakeFair(w, "InCohortFairSharing")) return true;
        break;
      }
    }
    return false;
  }
  bool SecondPass() {
    for (int q = NextGiver(); q >= 0; q = NextGiver()) {
      const auto [mine, theirs] = Sides(q);
      const bool passes = Compare(ShareOf(mine), ShareOf(theirs)) < 0;
      if (passes && TakeFair(PopFront(q), "InCohortFairSharing")) return true;
      pruned_[Index(q)] = true;
    }
    return false;
  }

  // --- both
  void Take(size_t w, const std::string& why) {
    w_.workloads[w].held = false;
    taken_.emplace_back(w, why);
  }
  Evictions GiveBack(bool may_borrow) {
    Evictions victims = taken_;
    for (size_t i = victims.size() - 1; i-- > 0;) {
      Workload& w = w_.workloads[victims[i].first];
      w.held = true;
      if (Fits(may_borrow)) {
        victims[i] = victims.back();
        victims.pop_back();
      } else {
        w.held = false;
      }
    }
    return victims;
  }
  void Restore() {
    for (const auto& [w, why] : taken_) w_.workloads[w].held = true;
    taken_.clear();
  }

  EvictionWorld& w_;
  const EvictionWorld::Wish& wish_;
  std::vector<int> mine_;  // from the evictor's queue to the root
  bool evictor_counts_ = false;
  Evictions taken_;
  std::vector<std::vector<size_t>> lists_;  // by queue
  std::vector<bool> pruned_;
};

}  // namespace

Evictions EvictionWorld::Classical(const Wish& wish) { return SlowSearch(*this, wish).Classical(); }
Evictions EvictionWorld::Fair(const Wish& wish) { return SlowSearch(*this, wish).Fair(); }

}  // namespace muster::reference
