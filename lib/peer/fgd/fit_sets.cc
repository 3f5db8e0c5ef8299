// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/fgd/fit_sets.h"

#include <bit>

namespace muster {
namespace {

// A share needs so much of one GPU, any other type so many free GPUs. Every machine has 0.
int64_t PartOf(const GpuTaskType& type) { return type.gpu_milli < kWholeGpu ? type.gpu_milli : 0; }
int64_t WholeOf(const GpuTaskType& type) { return type.gpu_milli < kWholeGpu ? 0 : type.gpus; }
uint64_t MaskOf(const GpuTaskType& type) { return type.gpus > 0 ? type.model_mask : ~0ULL; }

template <class Row, class Value>
std::vector<int64_t> Column(const std::vector<Row>& rows, const Value& value) {
  std::vector<int64_t> out;
  out.reserve(rows.size());
  for (const Row& row : rows) out.push_back(value(row));
  return out;
}

}  // namespace

FitSets::FitSets(const std::vector<GpuTaskType>& types, const std::vector<PackedMachine>& machines)
    : cpu_(Column(types, [](const GpuTaskType& t) { return t.cpu_milli; }),
           Column(machines, [](const PackedMachine& m) { return m.cpu_milli; })),
      memory_(Column(types, [](const GpuTaskType& t) { return t.memory; }),
              Column(machines, [](const PackedMachine& m) { return m.memory; })),
      part_(Column(types, PartOf), Column(machines, [](const PackedMachine& m) { return m.most; })),
      whole_(Column(types, WholeOf),
             Column(machines, [](const PackedMachine& m) { return m.whole; })),
      found_(FitAxis::WordsOf(machines.size())) {
  std::vector<uint64_t> masks;
  for (const GpuTaskType& type : types) {
    const auto known = std::find(masks.begin(), masks.end(), MaskOf(type));
    rows_.push_back({cpu_.RowOf(type.cpu_milli), memory_.RowOf(type.memory),
                     part_.RowOf(PartOf(type)), whole_.RowOf(WholeOf(type)),
                     static_cast<size_t>(known - masks.begin())});
    if (known == masks.end()) masks.push_back(MaskOf(type));
  }
  model_sets_.assign(masks.size() * found_.size(), 0);
  for (size_t row = 0; row < masks.size(); ++row) {
    for (size_t m = 0; m < machines.size(); ++m) {
      const uint64_t accepted = masks[row] >> machines[m].model & 1;
      model_sets_[row * found_.size() + m / 64] |= accepted << (m % 64);
    }
  }
}

void FitSets::Lower(size_t m, const PackedMachine& machine) {
  cpu_.Lower(m, machine.cpu_milli);
  memory_.Lower(m, machine.memory);
  part_.Lower(m, machine.most);
  whole_.Lower(m, machine.whole);
}

size_t FitSets::Find(uint32_t type) {
  const Rows& rows = rows_[type];
  const auto cpu = cpu_.Set(rows.cpu), memory = memory_.Set(rows.memory),
             part = part_.Set(rows.part), whole = whole_.Set(rows.whole);
  const uint64_t* const models = model_sets_.data() + rows.models * found_.size();
  size_t fitting = 0;
  for (size_t w = 0; w < found_.size(); ++w) {
    found_[w] = cpu[w] & memory[w] & part[w] & whole[w] & models[w];
    fitting += static_cast<size_t>(std::popcount(found_[w]));
  }
  return fitting;
}

size_t FitSets::Found(uint64_t nth) const {
  size_t w = 0;
  for (;; ++w) {
    const auto here = static_cast<uint64_t>(std::popcount(found_[w]));
    if (nth < here) break;
    nth -= here;
  }
  uint64_t word = found_[w];
  for (; nth > 0; --nth) word &= word - 1;
  return w * 64 + static_cast<size_t>(std::countr_zero(word));
}

}  // namespace muster
