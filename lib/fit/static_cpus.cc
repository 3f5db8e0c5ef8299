// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/fit/static_cpus.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/go_sort.h"

namespace muster {
namespace {

size_t At(int i) { return static_cast<size_t>(i); }

// The numbers that occur, ascending.
std::vector<int> Distinct(std::vector<int> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

int IndexOf(const std::vector<int>& numbers, int number) {
  return static_cast<int>(std::lower_bound(numbers.begin(), numbers.end(), number) -
                          numbers.begin());
}

absl::Status Check(const LogicalCpu& cpu) {
  for (int number : {cpu.cpu, cpu.core, cpu.socket}) {
    if (number < 0 || number >= CpuSet::kMostCpus) {
      return absl::InvalidArgumentError(absl::StrCat("CPU manager: CPU ", cpu.cpu, ": ", number,
                                                     " is not in 0 .. ", CpuSet::kMostCpus - 1));
    }
  }
  if (cpu.zone < 0 || cpu.zone > 63) {
    return absl::InvalidArgumentError(
        absl::StrCat("CPU manager: CPU ", cpu.cpu, ": zone ", cpu.zone, " is not in 0 .. 63"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<StaticCpus> StaticCpus::Make(std::span<const LogicalCpu> cpus) {
  StaticCpus machine;
  std::vector<LogicalCpu> sorted(cpus.begin(), cpus.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const LogicalCpu& a, const LogicalCpu& b) { return a.cpu < b.cpu; });
  for (const LogicalCpu& cpu : sorted) {
    if (const absl::Status status = Check(cpu); !status.ok()) return status;
    if (machine.cpus_.Contains(cpu.cpu)) {
      return absl::InvalidArgumentError(
          absl::StrCat("CPU manager: CPU ", cpu.cpu, " is named twice"));
    }
    machine.cpus_.Add(cpu.cpu);
    machine.zones_ |= uint64_t{1} << cpu.zone;
  }
  if (std::popcount(machine.zones_) > kMostNumaZones) {
    return absl::InvalidArgumentError(absl::StrCat("CPU manager: the machine has ",
                                                   std::popcount(machine.zones_),
                                                   " zones, more than ", kMostNumaZones));
  }
  if (!sorted.empty()) machine.Index(std::move(sorted));
  return machine;
}

// Numbers cores and sockets in ascending order, and lists what is where.
void StaticCpus::Index(std::vector<LogicalCpu> cpus) {
  std::vector<std::pair<int, int>> physical;
  for (const LogicalCpu& cpu : cpus) {
    core_number_.push_back(cpu.core);
    socket_number_.push_back(cpu.socket);
    physical.emplace_back(cpu.socket, cpu.core);
  }
  core_number_ = Distinct(std::move(core_number_));
  socket_number_ = Distinct(std::move(socket_number_));
  std::sort(physical.begin(), physical.end());
  physical.erase(std::unique(physical.begin(), physical.end()), physical.end());
  per_socket_ = static_cast<int>(cpus.size() / socket_number_.size());
  per_core_ = static_cast<int>(cpus.size() / physical.size());
  for (const auto& [socket, core] : physical) {
    places_.push_back({IndexOf(socket_number_, socket), IndexOf(core_number_, core)});
  }

  const size_t numbers = At(cpus.back().cpu) + 1;
  core_of_.resize(numbers);
  socket_of_.resize(numbers);
  zone_of_.resize(numbers);
  core_socket_.assign(core_number_.size(), -1);
  for (const LogicalCpu& cpu : cpus) {
    const int core = IndexOf(core_number_, cpu.core);
    const int socket = IndexOf(socket_number_, cpu.socket);
    core_of_[At(cpu.cpu)] = core;
    socket_of_[At(cpu.cpu)] = socket;
    zone_of_[At(cpu.cpu)] = static_cast<uint8_t>(cpu.zone);
    if (core_socket_[At(core)] < 0) core_socket_[At(core)] = socket;
  }
  int in_zone[64] = {};
  for (const LogicalCpu& cpu : cpus) {
    largest_zone_ = std::max(largest_zone_, ++in_zone[cpu.zone]);
  }
  std::stable_sort(cpus.begin(), cpus.end(),
                   [](const LogicalCpu& a, const LogicalCpu& b) { return a.core < b.core; });
  for (const LogicalCpu& cpu : cpus) {
    const int core = core_of_[At(cpu.cpu)];
    while (static_cast<int>(core_begin_.size()) <= core) {
      core_begin_.push_back(static_cast<int>(cpus_of_cores_.size()));
    }
    cpus_of_cores_.push_back(cpu.cpu);
  }
  core_begin_.push_back(static_cast<int>(cpus.size()));
  for (Place& place : places_) {
    place.begin = static_cast<uint32_t>(cpus_of_places_.size());
    for (int i = core_begin_[At(place.core)]; i < core_begin_[At(place.core) + 1]; ++i) {
      const int cpu = cpus_of_cores_[At(i)];
      if (socket_of_[At(cpu)] == place.socket) cpus_of_places_.push_back(cpu);
    }
    place.end = static_cast<uint32_t>(cpus_of_places_.size());
  }
}

// One run of the accumulator.
class StaticCpus::Taker {
 public:
  Taker(const StaticCpus& machine, const CpuSet& free, int count)
      : machine_(machine), left_(free), needed_(count) {
    left_ &= machine.cpus_;
  }

  std::optional<CpuSet> Run() {
    if (needed_ < 1) return taken_;
    if (needed_ > left_.size()) return std::nullopt;
    if (needed_ >= machine_.per_socket_) TakeSockets();
    if (needed_ >= 1 && needed_ >= machine_.per_core_) TakeCores();
    if (needed_ >= 1) TakeSingles();
    return taken_;
  }

 private:
  using Ints = absl::InlinedVector<int, 128>;

  // Whether some free CPU happens to have this number.
  bool IsFreeCpu(int number) const { return left_.Contains(number); }

  void Take(int cpu) {
    if (!left_.Contains(cpu)) return;
    left_.Remove(cpu);
    taken_.Add(cpu);
    --needed_;
  }

  std::span<const int> CpusOf(int core) const {
    const size_t begin = At(machine_.core_begin_[At(core)]);
    return std::span(machine_.cpus_of_cores_)
        .subspan(begin, At(machine_.core_begin_[At(core) + 1]) - begin);
  }

  Ints CountBySocket(const CpuSet& cpus) const {
    Ints count(machine_.socket_number_.size(), 0);
    cpus.ForEach([&](int cpu) { ++count[At(machine_.socket_of_[At(cpu)])]; });
    return count;
  }

  void TakeSockets() {
    const Ints free = CountBySocket(left_);
    Ints sockets;
    for (size_t s = 0; s < free.size(); ++s) {
      if (free[s] > 0 && IsFreeCpu(machine_.socket_number_[s]))
        sockets.push_back(static_cast<int>(s));
    }
    for (int socket : sockets) {
      CpuSet all = left_;
      all.ForEach([&](int cpu) {
        if (machine_.socket_of_[At(cpu)] == socket) Take(cpu);
      });
      if (needed_ < 1 || needed_ < machine_.per_socket_) return;
    }
  }

  // Cores that have a free CPU, socket by socket: the socket with the fewest first.
  void TakeCores() {
    struct Socket {
      size_t begin, end;  // of `cores`
    };
    Ints cores;
    absl::InlinedVector<Socket, 8> sockets;
    for (size_t i = 0; i < machine_.places_.size(); ++i) {
      const Place& place = machine_.places_[i];
      if (i == 0 || place.socket != machine_.places_[i - 1].socket) {
        sockets.push_back({cores.size(), cores.size()});
      }
      if (!IsFreeCpu(machine_.core_number_[At(place.core)]) || !HasFree(place)) continue;
      cores.push_back(place.core);
      sockets.back().end = cores.size();
    }
    std::stable_sort(sockets.begin(), sockets.end(), [](const Socket& a, const Socket& b) {
      return a.end - a.begin < b.end - b.begin;
    });
    for (const Socket& socket : sockets) {
      for (size_t i = socket.begin; i < socket.end; ++i) {
        for (int cpu : CpusOf(cores[i])) Take(cpu);
        if (needed_ < 1 || needed_ < machine_.per_core_) return;
      }
    }
  }

  // A loop of its own: with std::any_of the compiler makes a call of every look at a CPU.
  bool HasFree(const Place& place) const {
    for (uint32_t i = place.begin; i < place.end; ++i) {
      if (left_.Contains(machine_.cpus_of_places_[i])) return true;
    }
    return false;
  }

  void TakeSingles() {
    const Ints free = CountBySocket(left_), taken = CountBySocket(taken_);
    Ints free_in_core(machine_.core_number_.size(), 0), cores;
    left_.ForEach([&](int cpu) { ++free_in_core[At(machine_.core_of_[At(cpu)])]; });
    for (size_t core = 0; core < free_in_core.size(); ++core) {
      if (free_in_core[core] > 0) cores.push_back(static_cast<int>(core));
    }
    GoSort(cores, [&](int a, int b) {
      const size_t of_a = At(machine_.core_socket_[At(a)]), of_b = At(machine_.core_socket_[At(b)]);
      return taken[of_a] > taken[of_b] || free[of_a] < free[of_b] ||
             free_in_core[At(a)] < free_in_core[At(b)] || of_a < of_b || a < b;
    });
    for (int core : cores) {
      for (int cpu : CpusOf(core)) {
        Take(cpu);
        if (needed_ < 1) return;
      }
    }
  }

  const StaticCpus& machine_;
  CpuSet left_, taken_;
  int needed_;
};

std::optional<CpuSet> StaticCpus::Take(const CpuSet& free, int count) const {
  return Taker(*this, free, count).Run();
}

uint64_t StaticCpus::ZonesOf(const CpuSet& cpus) const {
  uint64_t zones = 0;
  cpus.ForEach([&](int cpu) {
    if (cpus_.Contains(cpu)) zones |= uint64_t{1} << zone_of_[At(cpu)];
  });
  return zones;
}

CpuSet StaticCpus::WithoutReserved(const CpuSet& free, int64_t milli) const {
  CpuSet left = free;
  left &= cpus_;
  if (milli <= 0 || milli > int64_t{1000} * CpuSet::kMostCpus) return left;
  const std::optional<CpuSet> reserved = Take(cpus_, static_cast<int>((milli + 999) / 1000));
  if (reserved.has_value()) left.AndNot(*reserved);
  return left;
}

std::vector<NumaHint> StaticCpus::Hints(const CpuSet& free, int count) const {
  struct Zone {
    uint64_t bit;
    int total, free;
  };
  absl::InlinedVector<Zone, kMostNumaZones> zones;
  int index_of[64];
  for (uint64_t left = zones_; left != 0; left &= left - 1) {
    index_of[std::countr_zero(left)] = static_cast<int>(zones.size());
    zones.push_back({left & -left, 0, 0});
  }
  const auto zone_of = [&](int cpu) -> Zone& { return zones[At(index_of[zone_of_[At(cpu)]])]; };
  cpus_.ForEach([&](int cpu) { ++zone_of(cpu).total; });
  CpuSet usable = free;
  usable &= cpus_;
  usable.ForEach([&](int cpu) { ++zone_of(cpu).free; });

  std::vector<NumaHint> hints;
  const int all = static_cast<int>(zones.size());
  int fewest = all;
  for (int size = 1; size <= all; ++size) {
    // Chosen zones, in lexicographic order of their indices, and the sum of those before each.
    int chosen[kMostNumaZones];
    Zone sums[kMostNumaZones + 1] = {};
    for (int i = 0, from = 0;;) {
      for (; i < size; ++i, ++from) {
        chosen[i] = from;
        const Zone& zone = zones[At(from)];
        sums[i + 1] = {sums[i].bit | zone.bit, sums[i].total + zone.total,
                       sums[i].free + zone.free};
      }
      if (sums[size].total >= count) fewest = std::min(fewest, size);
      if (sums[size].free >= count) hints.push_back({.zones = sums[size].bit, .preferred = false});
      i = size - 1;
      while (i >= 0 && chosen[i] == all - size + i) --i;
      if (i < 0) break;
      from = chosen[i] + 1;
    }
  }
  for (NumaHint& hint : hints) hint.preferred = std::popcount(*hint.zones) == fewest;
  return hints;
}

std::optional<int> StaticCpus::FirstZone(const CpuSet& free, int count) const {
  int in_zone[64] = {};
  free.ForEach([&](int cpu) {
    if (cpus_.Contains(cpu)) ++in_zone[zone_of_[At(cpu)]];
  });
  for (uint64_t left = zones_; left != 0; left &= left - 1) {
    const int zone = std::countr_zero(left);
    if (in_zone[zone] >= count) return zone;
  }
  return std::nullopt;
}

CpuSet StaticCpus::Allocate(const CpuSet& free, const NumaHint& hint, int count) const {
  CpuSet left = free, taken;
  left &= cpus_;
  if (hint.zones.has_value()) {
    CpuSet aligned;
    left.ForEach([&](int cpu) {
      if ((*hint.zones >> zone_of_[At(cpu)] & 1) != 0) aligned.Add(cpu);
    });
    // As many as there are: never refused.
    taken = Take(aligned, std::min(aligned.size(), count)).value_or(CpuSet());
    left.AndNot(taken);
  }
  const std::optional<CpuSet> rest = Take(left, count - taken.size());
  return rest.has_value() ? taken |= *rest : CpuSet();
}

}  // namespace muster
