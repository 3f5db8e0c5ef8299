// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The steps of cpu_accumulator.h, in their order. Counters are arrays over cores, zones and
// sockets; a choice among zones or sockets is a minimum, not a sort.
#include "lib/peer/koordinator/device/cpu_accumulator.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <tuple>
#include <utility>

#include "absl/container/inlined_vector.h"

namespace muster {
namespace {

using Counts = absl::InlinedVector<int, 128>;
using Cpus = absl::InlinedVector<int, 256>;

size_t At(int i) { return static_cast<size_t>(i); }

class Accumulator {
 public:
  Accumulator(const CpuTopology& topology, const CpuUse& use, const CpuSet& available,
              const CpuRequest& request)
      : topology_(topology),
        use_(use),
        request_(request),
        left_(available),
        needed_(request.count),
        core_taken_(At(topology.cores()), 0),
        zone_taken_(At(topology.zones()), 0) {
    left_ &= topology.cpus();
    if (request.exclusive == CpuExclusive::kCore) MarkTaken(use.core_exclusive);
    if (request.exclusive == CpuExclusive::kZone) MarkTaken(use.zone_exclusive);
  }

  std::optional<CpuSet> Run() {
    if (needed_ < 1) return taken_;
    if (needed_ > left_.size()) return std::nullopt;
    const bool full = request_.bind == CpuBind::kFullCores;
    if (full || topology_.cpus_per_core() == 1) {
      if (FullCoresOfOneZone() || FullCoresOfOneSocket() || FullCoresOfSockets()) return taken_;
    }
    if (!full && (OneZone() || OneSocket())) return taken_;
    TakeNearest(/*exclusive=*/true);
    TakeNearest(/*exclusive=*/false);
    return taken_;
  }

 private:
  // Counts the CPUs left that a step may use.
  struct Count {
    explicit Count(const CpuTopology& t)
        : cores(At(t.cores()), 0), zones(At(t.zones()), 0), sockets(At(t.sockets()), 0) {}
    Counts cores, zones, sockets;
  };

  void MarkTaken(const CpuSet& cpus) {
    if (request_.exclusive == CpuExclusive::kNone) return;
    cpus.ForEach([&](int cpu) {
      if (!topology_.cpus().Contains(cpu)) return;
      const int core = topology_.core_of(cpu);
      if (request_.exclusive == CpuExclusive::kCore) core_taken_[At(core)] = 1;
      if (request_.exclusive == CpuExclusive::kZone) zone_taken_[At(topology_.zone_of(core))] = 1;
    });
  }

  void Take(std::span<const int> cpus) {
    CpuSet set;
    for (int cpu : cpus) set.Add(cpu);
    taken_ |= set;
    left_.AndNot(set);
    MarkTaken(set);
    needed_ -= static_cast<int>(cpus.size());
    is_counted_ = false;
  }

  // Leaves out cores and zones that other tasks hold exclusively, as the two flags have it. Most
  // steps find nothing to take, so the next one counts the same. The result is valid until the
  // next call.
  const Count& CountLeft(bool respect_cores, bool respect_zones) {
    // Without exclusive tasks nothing is marked.
    if (request_.exclusive == CpuExclusive::kNone) respect_cores = respect_zones = false;
    const std::pair flags(respect_cores, respect_zones);
    if (!is_counted_ || counted_for_ != flags) {
      CountAnew(respect_cores, respect_zones);
      counted_for_ = flags;
      is_counted_ = true;
    }
    return *counted_;
  }

  void CountAnew(bool respect_cores, bool respect_zones) {
    Count& count = counted_.emplace(topology_);
    // The loops run over plain arrays: an inlined vector looks up its place at every access.
    int* const cores = count.cores.data();
    int* const zones = count.zones.data();
    int* const sockets = count.sockets.data();
    left_.ForEach([&](int cpu) { ++cores[topology_.core_of(cpu)]; });
    if (respect_cores || respect_zones) {
      for (int core = 0; core < topology_.cores(); ++core) {
        if ((respect_cores && core_taken_[At(core)]) ||
            (respect_zones && zone_taken_[At(topology_.zone_of(core))])) {
          cores[core] = 0;
        }
      }
    }
    for (int core = 0; core < topology_.cores(); ++core) {
      zones[topology_.zone_of(core)] += cores[core];
      sockets[topology_.socket_of(core)] += cores[core];
    }
  }

  int Preference(int free) const { return request_.order == ZoneOrder::kFewestFree ? free : -free; }

  bool shared() const { return !use_.sharers.empty(); }
  int SharersOf(int cpu) const { return At(cpu) < use_.sharers.size() ? use_.sharers[At(cpu)] : 0; }

  // Sums sharers over the CPUs left, by core.
  absl::InlinedVector<int64_t, 128> SharersOfCores() const {
    absl::InlinedVector<int64_t, 128> sums(At(topology_.cores()), 0);
    left_.ForEach([&](int cpu) { sums[At(topology_.core_of(cpu))] += SharersOf(cpu); });
    return sums;
  }

  // Takes whole free cores.

  bool IsFull(const Count& count, int core) const {
    return count.cores[At(core)] == topology_.cpus_per_core();
  }

  // Returns the CPUs of the whole cores for which in_group(core) holds, core by core.
  template <typename InGroup>
  Cpus CpusOfFullCores(const Count& count, InGroup in_group) const {
    Counts cores;
    for (int core = 0; core < topology_.cores(); ++core) {
      if (IsFull(count, core) && in_group(core)) cores.push_back(core);
    }
    if (shared()) {
      const auto sharers = SharersOfCores();
      std::stable_sort(cores.begin(), cores.end(),
                       [&](int a, int b) { return sharers[At(a)] < sharers[At(b)]; });
    }
    Counts begin(At(topology_.cores()), -1);
    const int width = topology_.cpus_per_core();
    for (size_t i = 0; i < cores.size(); ++i) begin[At(cores[i])] = static_cast<int>(i) * width;
    Cpus cpus(cores.size() * At(width), 0);
    int* const next_of_core = begin.data();
    int* const placed = cpus.data();
    left_.ForEach([&](int cpu) {
      int& next = next_of_core[topology_.core_of(cpu)];
      if (next >= 0) placed[next++] = cpu;
    });
    return cpus;
  }

  void TakeFirst(const Cpus& cpus) { Take(std::span(cpus).first(At(needed_))); }

  bool FullCoresOfOneZone() {
    if (needed_ > topology_.cpus_per_zone()) return false;
    for (bool respect_zones : {true, false}) {
      // Nothing is marked, and nothing was found.
      if (!respect_zones && request_.exclusive == CpuExclusive::kNone) break;
      const Count& count = CountLeft(/*respect_cores=*/false, respect_zones);
      Counts full(At(topology_.zones()), 0);
      int* const full_of_zone = full.data();
      const int* const left_of_core = count.cores.data();
      const int width = topology_.cpus_per_core();
      for (int core = 0; core < topology_.cores(); ++core) {
        full_of_zone[topology_.zone_of(core)] += left_of_core[core] == width ? width : 0;
      }
      std::tuple best{0, 0, -1};
      for (int zone = 0; zone < topology_.zones(); ++zone) {
        if (full[At(zone)] < needed_) continue;
        const int in_socket = count.sockets[At(topology_.socket_of_zone(zone))];
        const std::tuple rank{Preference(full[At(zone)]), Preference(in_socket), zone};
        if (std::get<2>(best) < 0 || rank < best) best = rank;
      }
      const int zone = std::get<2>(best);
      if (zone < 0) continue;
      TakeFirst(CpusOfFullCores(count, [&](int core) { return topology_.zone_of(core) == zone; }));
      return true;
    }
    return false;
  }

  Counts FullCpusOfSockets(const Count& count) const {
    Counts full(At(topology_.sockets()), 0);
    for (int core = 0; core < topology_.cores(); ++core) {
      if (IsFull(count, core)) full[At(topology_.socket_of(core))] += topology_.cpus_per_core();
    }
    return full;
  }

  bool FullCoresOfOneSocket() {
    if (needed_ > topology_.cpus_per_socket()) return false;
    const Count& count = CountLeft(false, false);
    const Counts full = FullCpusOfSockets(count);
    std::pair best{0, -1};
    for (int socket = 0; socket < topology_.sockets(); ++socket) {
      if (full[At(socket)] < needed_) continue;
      const std::pair rank{Preference(full[At(socket)]), socket};
      if (best.second < 0 || rank < best) best = rank;
    }
    if (best.second < 0) return false;
    TakeFirst(
        CpusOfFullCores(count, [&](int core) { return topology_.socket_of(core) == best.second; }));
    return true;
  }

  // Takes whole sockets, the largest first, then cores of those that were too large, the smallest
  // first.
  bool FullCoresOfSockets() {
    const Count& count = CountLeft(false, false);
    const Counts full = FullCpusOfSockets(count);
    Counts order;
    for (int socket = 0; socket < topology_.sockets(); ++socket) {
      if (full[At(socket)] > 0) order.push_back(socket);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return full[At(a)] > full[At(b)]; });
    const auto cpus_of = [&](int socket) {
      return CpusOfFullCores(count, [&](int core) { return topology_.socket_of(core) == socket; });
    };
    Counts too_large;
    for (int socket : order) {
      if (full[At(socket)] > needed_) {
        too_large.push_back(socket);
        continue;
      }
      Take(cpus_of(socket));
      if (needed_ < 1) return true;
    }
    const int width = topology_.cpus_per_core();
    if (needed_ < width) return false;
    std::stable_sort(too_large.begin(), too_large.end(),
                     [&](int a, int b) { return full[At(a)] < full[At(b)]; });
    for (int socket : too_large) {
      const Cpus cpus = cpus_of(socket);
      // The next socket still gives a core where less than a core is needed.
      const int most =
          std::min(static_cast<int>(cpus.size()), std::max(1, needed_ / width) * width);
      Take(std::span(cpus).first(At(most)));
      if (needed_ < 1) return true;
    }
    return false;
  }

  // Takes single CPUs.

  // Takes one CPU of each core in turn, as the cores come up in the list. A list no longer than a
  // core stays as it is.
  void TakeInTurn(const Cpus& cpus) {
    if (cpus.size() <= At(topology_.cpus_per_core())) {
      TakeFirst(cpus);
      return;
    }
    Counts seen(At(topology_.cores()), 0);
    absl::InlinedVector<Cpus, 2> rounds;
    for (int cpu : cpus) {
      const size_t round = At(seen[At(topology_.core_of(cpu))]++);
      if (round == rounds.size()) rounds.emplace_back();
      rounds[round].push_back(cpu);
    }
    Cpus first;
    for (const Cpus& round : rounds) {
      const size_t room = At(needed_) - first.size();
      first.insert(first.end(), round.begin(), round.begin() + std::min(room, round.size()));
    }
    Take(first);
  }

  void SortBySharers(int* begin, int* end) const {
    if (!shared()) return;
    std::stable_sort(begin, end, [&](int a, int b) { return SharersOf(a) < SharersOf(b); });
  }

  // Returns the CPUs left in the cores for which in_group(core) holds, without those that `count`
  // leaves out.
  template <typename InGroup>
  Cpus CpusLeft(const Count& count, bool one_per_core, InGroup in_group) const {
    Cpus cpus;
    left_.ForEach([&](int cpu) {
      const int core = topology_.core_of(cpu);
      if (count.cores[At(core)] > 0 && in_group(core)) cpus.push_back(cpu);
    });
    SortBySharers(cpus.data(), cpus.data() + cpus.size());
    if (one_per_core) {
      Counts seen(At(topology_.cores()), 0);
      cpus.erase(std::remove_if(cpus.begin(), cpus.end(),
                                [&](int cpu) { return seen[At(topology_.core_of(cpu))]++ > 0; }),
                 cpus.end());
    }
    return cpus;
  }

  // For an exclusive request a core counts as one CPU in the first round.
  bool OneZone() {
    if (needed_ > topology_.cpus_per_zone()) return false;
    for (bool exclusive : {true, false}) {
      const Count& count = CountLeft(exclusive, exclusive);
      Counts usable(At(topology_.zones()), 0);
      for (int core = 0; core < topology_.cores(); ++core) {
        const int cpus = count.cores[At(core)];
        usable[At(topology_.zone_of(core))] += exclusive ? std::min(cpus, 1) : cpus;
      }
      std::tuple best{0, 0, -1};
      for (int zone = 0; zone < topology_.zones(); ++zone) {
        if (usable[At(zone)] < needed_) continue;
        const int in_socket = count.sockets[At(topology_.socket_of_zone(zone))];
        const std::tuple rank{Preference(count.zones[At(zone)]), Preference(in_socket), zone};
        if (std::get<2>(best) < 0 || rank < best) best = rank;
      }
      const int zone = std::get<2>(best);
      if (zone < 0) continue;
      TakeInTurn(CpusLeft(count, exclusive, [&](int c) { return topology_.zone_of(c) == zone; }));
      return true;
    }
    return false;
  }

  bool OneSocket() {
    if (needed_ > topology_.cpus_per_socket()) return false;
    for (bool exclusive : {true, false}) {
      const Count& count = CountLeft(exclusive, /*respect_zones=*/false);
      Counts usable(At(topology_.sockets()), 0);
      for (int core = 0; core < topology_.cores(); ++core) {
        const int cpus = count.cores[At(core)];
        usable[At(topology_.socket_of(core))] += exclusive ? std::min(cpus, 1) : cpus;
      }
      std::pair best{0, -1};
      for (int socket = 0; socket < topology_.sockets(); ++socket) {
        if (usable[At(socket)] < needed_) continue;
        const std::pair rank{Preference(usable[At(socket)]), socket};
        if (best.second < 0 || rank < best) best = rank;
      }
      if (best.second < 0) continue;
      TakeInTurn(CpusLeft(count, exclusive,
                          [&](int core) { return topology_.socket_of(core) == best.second; }));
      return true;
    }
    return false;
  }

  // Takes CPUs one by one. The order is: the socket with most of what was taken, then the preferred
  // socket and zone, then the core with the fewest CPUs left.
  void TakeNearest(bool exclusive) {
    if (needed_ < 1) return;
    const Count& count = CountLeft(exclusive, exclusive);
    Counts near(At(topology_.sockets()), 0);
    taken_.ForEach([&](int cpu) { ++near[At(topology_.socket_of(topology_.core_of(cpu)))]; });
    const auto sharers = shared() ? SharersOfCores() : absl::InlinedVector<int64_t, 128>();

    // A rank in two words, compared as numbers. No count reaches 2^16: kMostCpus.
    struct Rank {
      uint64_t high, low;
      int64_t sharers;
      int core;
      bool operator<(const Rank& other) const {
        return std::tie(high, low, sharers, core) <
               std::tie(other.high, other.low, other.sharers, other.core);
      }
    };
    const auto bits = [](int value) { return static_cast<uint64_t>(value + 0x8000) & 0xFFFF; };
    absl::InlinedVector<Rank, 128> cores;
    for (int core = 0; core < topology_.cores(); ++core) {
      const int cpus = count.cores[At(core)];
      if (cpus == 0) continue;
      const int socket = topology_.socket_of(core), zone = topology_.zone_of(core);
      cores.push_back({bits(-near[At(socket)]) << 32 |
                           bits(Preference(count.sockets[At(socket)])) << 16 |
                           bits(Preference(count.zones[At(zone)])),
                       bits(cpus) << 16 | bits(socket), shared() ? sharers[At(core)] : 0, core});
    }
    std::sort(cores.begin(), cores.end());

    Counts begin(At(topology_.cores()), -1);
    int size = 0;
    for (const Rank& rank : cores) {
      begin[At(rank.core)] = size;
      size += count.cores[At(rank.core)];
    }
    Cpus cpus(At(size), 0);
    Counts next = begin;
    left_.ForEach([&](int cpu) {
      int& at = next[At(topology_.core_of(cpu))];
      if (at >= 0) cpus[At(at++)] = cpu;
    });
    for (const Rank& rank : cores) {
      int* first = cpus.data() + begin[At(rank.core)];
      SortBySharers(first, first + count.cores[At(rank.core)]);
    }
    if (size <= needed_) {
      Take(cpus);
    } else {
      TakeInTurn(cpus);
    }
  }

  const CpuTopology& topology_;
  const CpuUse& use_;
  const CpuRequest& request_;
  CpuSet left_, taken_;
  int needed_;
  std::optional<Count> counted_;  // what CountLeft found last, for these flags
  std::pair<bool, bool> counted_for_;
  bool is_counted_ = false;                                 // and nothing was taken since
  absl::InlinedVector<char, 128> core_taken_, zone_taken_;  // by exclusive tasks
};

}  // namespace

std::optional<CpuSet> TakeCpus(const CpuTopology& topology, const CpuUse& use,
                               const CpuSet& available, const CpuRequest& request) {
  return Accumulator(topology, use, available, request).Run();
}

std::optional<CpuSet> TakePreferredCpus(const CpuTopology& topology, const CpuUse& use,
                                        const CpuSet& available, const CpuSet& preferred,
                                        const CpuRequest& request) {
  CpuSet first = available, taken;
  first &= preferred;
  first &= topology.cpus();
  CpuRequest rest = request;
  if (const int most = first.size(); most > 0) {
    rest.count = std::min(request.count, most);
    taken = *TakeCpus(topology, use, first, rest);
    rest.count = request.count - taken.size();
  }
  CpuSet others = available;
  others.AndNot(first);
  const std::optional<CpuSet> more = TakeCpus(topology, use, others, rest);
  if (!more.has_value()) return std::nullopt;
  return taken |= *more;
}

}  // namespace muster
