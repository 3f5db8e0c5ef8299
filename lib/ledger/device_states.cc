// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/ledger/device_states.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/base/rng.h"
#include "lib/model/device_holds.h"
#include "lib/model/words.h"

namespace muster {
namespace {

constexpr size_t kCells = 4;  // a device: share and memory now, share and memory later

uint64_t Factor(size_t cell) { return SplitMix64(cell) | 1; }

// Amounts are often multiples of large powers of two, so the differences are in the high bits of
// the sum.
uint64_t Hash(uint32_t machine, uint64_t sum) {
  const uint64_t h = (machine * 0x9E3779B97F4A7C15 ^ sum ^ (sum >> 32)) * 0xBF58476D1CE4E5B9;
  return h ^ (h >> 32);
}

std::string Wanted(const DeviceRequest& request) {
  const bool one = request.count == 1;
  std::string words = absl::StrCat(
      one ? std::string("no device with ") : absl::StrCat("fewer than ", request.count, " with "),
      request.milli, " milli");
  if (request.memory.text != "0") absl::StrAppend(&words, " and ", request.memory.text);
  absl::StrAppend(&words, request.exclusive ? " and nobody on it" : " free");
  return words;
}

}  // namespace

DeviceStates::DeviceStates(const DeviceRules& rules) : rules_(rules) {
  machines_.emplace_back();
  aligned_cpus_.emplace_back();
  machine_of_.emplace(std::string(), 0);
  lists_.push_back({0, 0});
  index_.assign(64, kNone);
  Intern(0, 0);
}

uint32_t DeviceStates::Number(const std::string& name) {
  return names_.Find(name) ? *names_.Find(name) : names_.Intern(name);
}

DeviceStateIndex DeviceStates::Fresh(const NodeSpec& node) {
  if (node.devices.empty()) return 0;
  std::string key;
  for (const DeviceSpec& device : node.devices) {
    for (const std::string* text : {&device.kind, &device.model, &device.zone}) {
      absl::StrAppend(&key, text->size(), ":", *text);
    }
    for (const std::string& link : device.links) absl::StrAppend(&key, link.size(), ":", link);
    absl::StrAppend(&key, ";", device.milli, ";", MemoryOf(device.memory), ";", device.healthy,
                    "\n");
  }
  const bool has_cpus = rules_.cpus && AlignedCpus::AreOn(node);
  if (has_cpus) absl::StrAppend(&key, AlignedCpus::Key(node));
  const auto [entry, is_new] =
      machine_of_.try_emplace(key, static_cast<uint32_t>(machines_.size()));
  if (is_new) {
    machines_.emplace_back();
    aligned_cpus_.emplace_back();
    if (has_cpus) aligned_cpus_.back().emplace(node);
    any_cpus_ |= has_cpus;
    for (const DeviceSpec& device : node.devices) {
      NodeDevice& made = machines_.back().emplace_back();
      made.kind = Number(device.kind);
      made.model = Number(device.model);
      if (!device.zone.empty()) made.zone = Number(device.zone);
      for (const std::string& link : device.links) made.links.push_back(Number(link));
      made.total = {device.milli, MemoryOf(device.memory)};
      made.healthy = device.healthy;
    }
  }
  scratch_.clear();
  for (const NodeDevice& device : machines_[entry->second]) {
    for (int view = 0; view < 2; ++view) {
      scratch_.push_back(device.total.milli);
      scratch_.push_back(device.total.memory);
    }
  }
  return Intern(entry->second, SumOfScratch());
}

// A sum of products follows a change of few cells.
uint64_t DeviceStates::SumOfScratch() const {
  uint64_t sum = 0;
  for (size_t i = 0; i < scratch_.size(); ++i) {
    sum += static_cast<uint64_t>(scratch_[i]) * Factor(i);
  }
  return sum;
}

bool DeviceStates::SurelyAlike(const NodeSpec& a, const NodeSpec& b) {
  const auto alike = [](const DeviceSpec& x, const DeviceSpec& y) {
    return x.name == y.name && x.kind == y.kind && x.model == y.model && x.zone == y.zone &&
           x.links == y.links && x.memory == y.memory && x.milli == y.milli &&
           x.healthy == y.healthy;
  };
  const auto named = [](const ZoneSpec& x, const ZoneSpec& y) { return x.name == y.name; };
  // What follows the devices is read for AlignedCpus.
  return std::ranges::equal(a.devices, b.devices, alike) && a.alignment == b.alignment &&
         a.capacity == b.capacity && a.allocatable == b.allocatable &&
         std::ranges::equal(a.zones, b.zones, named);
}

DeviceStateIndex DeviceStates::Intern(uint32_t machine, uint64_t sum) {
  const uint64_t hash = Hash(machine, sum);
  size_t mask = index_.size() - 1;
  size_t i = hash & mask;
  for (; index_[i] != kNone; i = (i + 1) & mask) {
    const State& state = states_[index_[i]];
    if (state.sum == sum && state.machine == machine &&
        std::equal(scratch_.begin(), scratch_.end(),
                   cells_.begin() + static_cast<std::ptrdiff_t>(state.begin))) {
      return index_[i];
    }
  }
  const auto number = DeviceStateIndex(states_.size());
  index_[i] = number;
  states_.push_back({machine, cells_.size(), sum});
  cells_.insert(cells_.end(), scratch_.begin(), scratch_.end());
  if (2 * states_.size() > index_.size()) Rehash();
  return number;
}

void DeviceStates::Rehash() {
  index_.assign(4 * index_.size(), kNone);
  const size_t mask = index_.size() - 1;
  for (DeviceStateIndex b = 0; b < states_.size(); ++b) {
    size_t i = Hash(states_[b].machine, states_[b].sum) & mask;
    while (index_[i] != kNone) i = (i + 1) & mask;
    index_[i] = b;
  }
}

DeviceStateIndex DeviceStates::With(DeviceStateIndex state, GrantsIndex grants, int now,
                                    int later) {
  const uint32_t machine = states_[state].machine;
  const auto begin = cells_.begin() + static_cast<std::ptrdiff_t>(states_[state].begin);
  scratch_.assign(begin, begin + static_cast<std::ptrdiff_t>(kCells * machines_[machine].size()));
  uint64_t sum = states_[state].sum;
  for (const DevicePart& grant : this->grants(grants)) {
    const size_t first = kCells * grant.device;
    const int64_t changes[kCells] = {now * grant.amount.milli, now * grant.amount.memory,
                                     later * grant.amount.milli, later * grant.amount.memory};
    for (size_t i = 0; i < kCells; ++i) {
      scratch_[first + i] += changes[i];
      sum += static_cast<uint64_t>(changes[i]) * Factor(first + i);
    }
  }
  return Intern(machine, sum);
}

void DeviceStates::ReadFree(DeviceStateIndex state, bool later,
                            std::vector<DeviceAmount>* free) const {
  const int64_t* cell = cells_.data() + states_[state].begin;
  const size_t devices = machines_[states_[state].machine].size();
  free->resize(devices);
  for (size_t d = 0; d < devices; ++d, cell += kCells) {
    (*free)[d] = later ? DeviceAmount{cell[2], cell[3]}
                       : DeviceAmount{std::min(cell[0], cell[2]), std::min(cell[1], cell[3])};
  }
}

std::vector<DeviceAmount> DeviceStates::Free(DeviceStateIndex state, bool later) const {
  std::vector<DeviceAmount> free;
  ReadFree(state, later, &free);
  return free;
}

const DeviceStates::ClassAsks& DeviceStates::Asks(const Tables& tables, ClassIndex c) {
  if (c >= asks_.size()) asks_.resize(tables.classes.shape.size());
  ClassAsks& asks = asks_[c];
  if (asks.known) return asks;
  asks.known = true;
  const TaskShape& shape = tables.classes.shape[c];
  if (rules_.cpus) asks.cpus = CpuAskOf(shape);
  if (!rules_.strategy) return asks;
  for (const DeviceRequest& request : shape.devices) {
    DeviceAsk& ask = asks.devices.emplace_back();
    ask.kind = Number(request.kind);
    ask.count = request.count;
    ask.each = {request.milli, MemoryOf(request.memory)};
    for (const std::string& model : request.models) ask.models.push_back(Number(model));
    ask.exclusive = request.exclusive;
    ask.together = request.same == SamePart::kZone   ? DeviceTogether::kZone
                   : request.same == SamePart::kLink ? DeviceTogether::kLink
                                                     : DeviceTogether::kAnyhow;
  }
  return asks;
}

GrantsIndex DeviceStates::Choose(const Tables& tables, ClassIndex c, DeviceStateIndex state,
                                 bool later) {
  if (!Find(tables, c, state, later, nullptr)) chosen_.clear();
  const std::vector<DeviceAsk>& asks = Asks(tables, c).devices;
  if (rules_.by_cost && cost_ && chosen_.size() == 1 &&
      asks.front().together == DeviceTogether::kAnyhow) {
    ChooseCheapest(asks.front(), state, later);
  }
  const std::optional<AlignedCpus>& cpus = aligned_cpus_[states_[state].machine];
  if (cpus && Asks(tables, c).cpus) {
    cpus->AddGrants(PlaceCpus(tables, c, state).cpus, &chosen_);
    SortChosen();
  }
  return InternGrants();
}

void DeviceStates::ChooseCheapest(const DeviceAsk& ask, DeviceStateIndex state, bool later) {
  const uint32_t machine = states_[state].machine;
  const std::vector<DeviceAmount> free = Free(state, later);
  const auto cost_of = [&](uint32_t device) {
    chosen_[0] = {device, ask.exclusive ? machines_[machine][device].total : ask.each};
    return cost_(With(state, InternGrants(), /*now=*/-1, /*later=*/-1), later);
  };
  uint32_t best = chosen_[0].device;
  double least = cost_of(best);
  for (uint32_t d = 0; d < free.size(); ++d) {
    const NodeDevice& device = machines_[machine][d];
    const bool alike = free[d] == free[best] && device.model == machines_[machine][best].model;
    if (alike || !CanServe(device, free[d], ask)) continue;
    const double cost = cost_of(d);
    if (cost >= least) continue;
    best = d;
    least = cost;
  }
  chosen_[0] = {best, ask.exclusive ? machines_[machine][best].total : ask.each};
}

CpuSet DeviceStates::FreeCpus(const AlignedCpus& cpus, DeviceStateIndex state) const {
  const int64_t* cells = cells_.data() + states_[state].begin;
  return cpus.Free([&](uint32_t device) {
    return std::min(cells[kCells * device], cells[kCells * device + 2]);  // now and later
  });
}

NumaAnswer DeviceStates::PlaceCpus(const Tables& tables, ClassIndex c, DeviceStateIndex state) {
  const NumaTask& task = *Asks(tables, c).cpus;
  const std::optional<AlignedCpus>& cpus = aligned_cpus_[states_[state].machine];
  return cpus ? cpus->Place(task, FreeCpus(*cpus, state)) : PlaceOnZones(NumaMachine(), task);
}

NumaFit DeviceStates::FitCpus(const Tables& tables, ClassIndex c, DeviceStateIndex state) {
  const NumaTask& task = *Asks(tables, c).cpus;
  const std::optional<AlignedCpus>& cpus = aligned_cpus_[states_[state].machine];
  return cpus ? cpus->Fit(task, FreeCpus(*cpus, state)) : FitOnZones(NumaMachine(), task);
}

bool DeviceStates::Find(const Tables& tables, ClassIndex c, DeviceStateIndex state, bool later,
                        double* score) {
  const std::vector<DeviceAsk>& asks = Asks(tables, c).devices;
  const std::vector<NodeDevice>& devices = machines_[states_[state].machine];
  const DevicePick strategy = rules_.strategy.value_or(DevicePick::kPack);
  ReadFree(state, later, &free_);
  if (!ChooseNodeDevices(devices, free_, asks, strategy, &chosen_)) return false;
  if (score != nullptr) *score = ScoreNodeDevices(devices, free_, asks, chosen_, strategy);
  return true;
}

std::string DeviceStates::WhyNot(const Tables& tables, ClassIndex c, DeviceStateIndex state,
                                 bool later) {
  const std::vector<DeviceAsk>& asks = Asks(tables, c).devices;
  const std::vector<DeviceRequest>& requests = tables.classes.shape[c].devices;
  ReadFree(state, later, &free_);
  const size_t which = FirstShortAsk(machines_[states_[state].machine], free_, asks);
  if (which < asks.size()) return absl::StrCat(requests[which].kind, ": ", Wanted(requests[which]));
  std::string words;
  for (const DeviceRequest& request : requests) {
    if (request.same == SamePart::kNode) continue;
    if (words.empty()) {
      absl::StrAppend(&words, request.kind, ": no ", ToAbsl(Word(request.same)), " with all of ");
    }
    absl::StrAppend(&words, words.back() == ' ' ? "" : ", ", request.count, " ", request.kind);
  }
  return words;
}

void DeviceStates::SortChosen() {
  std::sort(chosen_.begin(), chosen_.end(),
            [](const DevicePart& a, const DevicePart& b) { return a.device < b.device; });
}

GrantsIndex DeviceStates::InternGrants() {
  if (chosen_.empty()) return 0;
  list_key_.clear();
  for (const DevicePart& grant : chosen_) {
    list_key_.insert(list_key_.end(), {grant.device, grant.amount.milli, grant.amount.memory});
  }
  const auto found = list_of_.find(list_key_);
  if (found != list_of_.end()) return found->second;
  const auto number = GrantsIndex(lists_.size());
  list_of_.emplace(list_key_, number);
  lists_.push_back({grants_.size(), chosen_.size()});
  grants_.insert(grants_.end(), chosen_.begin(), chosen_.end());
  return number;
}

GrantsIndex DeviceStates::Held(const NodeSpec& node, const std::vector<DeviceHold>& holds) {
  chosen_.clear();
  for (const DeviceHold& hold : holds) {
    const DeviceSpec* device = FindDevice(node, hold.device);
    if (device == nullptr) continue;
    chosen_.push_back(
        {static_cast<uint32_t>(device - node.devices.data()), {hold.milli, MemoryOf(hold.memory)}});
  }
  SortChosen();
  return InternGrants();
}

void DeviceStates::Restart(std::span<DeviceStateIndex> kept) {
  const std::vector<State> states = std::move(states_);
  const std::vector<int64_t> cells = std::move(cells_);
  states_.clear();
  cells_.clear();
  index_.assign(64, kNone);
  scratch_.clear();
  Intern(0, 0);
  for (DeviceStateIndex& state : kept) {
    const State& old = states[state];
    const auto begin = cells.begin() + static_cast<std::ptrdiff_t>(old.begin);
    scratch_.assign(begin,
                    begin + static_cast<std::ptrdiff_t>(kCells * machines_[old.machine].size()));
    state = Intern(old.machine, old.sum);
  }
  ++generation_;
}

}  // namespace muster
