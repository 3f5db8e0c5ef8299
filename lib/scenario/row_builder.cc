// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/scenario/row_builder.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

constexpr uint32_t kNoValue = 0xFFFFFFFF;

}  // namespace

std::string RowBuilder::Path() const {
  std::string path;
  for (size_t i = 0; i < levels_.size(); ++i) {
    const bool innermost = i + 1 == levels_.size();
    if (row_.values[levels_[i].value].kind == JsonKind::kArray) {
      absl::StrAppend(&path, "[", innermost ? levels_[i].children : levels_[i].children - 1, "]");
    } else if (!innermost) {
      absl::StrAppend(&path, JsonPathStep(Json(&row_, levels_[i + 1].value).key()));
    } else if (!pending_key_.empty()) {
      absl::StrAppend(&path, JsonPathStep(pending_key_));
    }
  }
  return path;
}

uint32_t RowBuilder::Append(JsonRow::Value value) {
  if (row_.values.size() >= kMaxRowValues) {
    error_ = absl::StrCat("more than ", kMaxRowValues, " values in one row");
    return kNoValue;
  }
  const auto index = static_cast<uint32_t>(row_.values.size());
  value.key = row_.texts.size();
  value.key_size = pending_key_.size();
  row_.texts.append(pending_key_);
  pending_key_.clear();
  if (!levels_.empty()) {
    Level& parent = levels_.back();
    if (parent.last_child == kNoValue) {
      row_.values[parent.value].first_child = index;
    } else {
      row_.values[parent.last_child].next = index;
    }
    parent.last_child = index;
    ++parent.children;
  }
  row_.values.push_back(value);
  return index;
}

bool RowBuilder::Scalar(JsonRow::Value value, std::string_view text) {
  value.text = row_.texts.size();
  value.text_size = text.size();
  row_.texts.append(text);
  return Append(value) != kNoValue;
}

bool RowBuilder::Open(JsonKind kind) {
  const uint32_t index = Append({.kind = kind});
  if (index == kNoValue) return false;
  levels_.push_back({index, kNoValue, 0});
  return true;
}

bool RowBuilder::Close() {
  const Level level = levels_.back();
  pending_key_.clear();
  if (row_.values[level.value].kind == JsonKind::kObject && !KeysDiffer(level)) return false;
  levels_.pop_back();
  return true;
}

JsonRow RowBuilder::Take() {
  JsonRow row = std::move(row_);
  row_ = {};
  Clear();
  return row;
}

void RowBuilder::Clear() {
  row_.values.clear();
  row_.texts.clear();
  levels_.clear();
  pending_key_.clear();
}

bool RowBuilder::KeysDiffer(const Level& level) {
  keys_.clear();
  for (Json c = Json(&row_, level.value).first(); c.exists(); c = c.next())
    keys_.push_back(c.key());
  std::sort(keys_.begin(), keys_.end());
  const auto twin = std::adjacent_find(keys_.begin(), keys_.end());
  if (twin == keys_.end()) return true;
  levels_.back().children = 0;
  error_ = absl::StrCat("key ", Quote(*twin), " is given twice");
  return false;
}

}  // namespace muster
