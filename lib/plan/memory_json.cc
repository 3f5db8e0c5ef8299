// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/plan/memory_json.h"

#include <cstdint>
#include <variant>

#include "lib/model/memory_data.h"
#include "lib/plan/json_text.h"

namespace muster {
namespace {

// Calls write for each pair, with the key and a colon before it, in braces.
template <class Map, class Write>
void AppendObject(const Map& map, const Write& write, std::string* out) {
  out->push_back('{');
  bool first = true;
  for (const auto& [key, value] : map) {
    if (!first) out->append(", ");
    first = false;
    AppendJson(std::string_view(key), out);
    out->append(": ");
    write(value);
  }
  out->push_back('}');
}

void AppendCell(const MemoryCell& cell, std::string* out) {
  if (const auto* integer = std::get_if<int64_t>(&cell)) {
    AppendJson(*integer, out);
  } else if (const auto* text = std::get_if<std::string>(&cell)) {
    AppendJson(std::string_view(*text), out);
  } else {
    std::string number;
    AppendJson(std::get<double>(cell), &number);
    // A double reads back as one.
    if (number.find_first_of(".eE") == std::string::npos) number.append(".0");
    out->append(number);
  }
}

void AppendRow(const MemoryRow& row, std::string* out) {
  out->push_back('[');
  for (size_t i = 0; i < row.size(); ++i) {
    if (i > 0) out->append(", ");
    AppendCell(row[i], out);
  }
  out->push_back(']');
}

}  // namespace

void AppendJson(const MemorySlot& slot, std::string* out) {
  AppendObject(
      slot.rows(), [&](const MemoryRow& row) { AppendRow(row, out); }, out);
}

void AppendJson(const Memory& memory, std::string* out) {
  out->append("{\"version\": ");
  AppendJson(internal::kMemoryVersion, out);
  out->append(", \"slots\": ");
  const auto write = [&](const internal::MemoryData::Slot& slot) {
    out->append("{\"version\": ");
    AppendJson(int64_t{slot.version}, out);
    out->append(", \"generation\": ");
    AppendJson(slot.generation, out);
    out->append(", \"rows\": ");
    AppendJson(*slot.rows, out);
    out->push_back('}');
  };
  const internal::MemoryData* data = internal::DataOf(memory);
  const internal::MemoryData nothing;
  AppendObject((data == nullptr ? nothing : *data).slots, write, out);
  out->push_back('}');
}

std::string Memory::ToText() const {
  std::string out;
  AppendJson(*this, &out);
  return out;
}

}  // namespace muster
