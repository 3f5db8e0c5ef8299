// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A mix from JSON, as Python's Mix.save writes it: {"muster_mix": 1, "jobs": [...], "run": [...],
// ...}, the keys being those of TraceMix.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/words.h"
#include "lib/replay/mix_members.h"
#include "lib/scenario/member_reader.h"
#include "muster/mix.h"

namespace muster {
namespace {

constexpr std::string_view kForm = "muster_mix";

class MixSink : public RowSink {
 public:
  explicit MixSink(const std::string& document) : document_(document), reader_(document) {}

  absl::StatusOr<Section> OnSection(std::string_view key) override {
    std::vector<std::string_view> valid = {kForm};
    ForEachMember(mix_, [&](auto m) { valid.push_back(m.key); });
    const auto known = std::find(valid.begin(), valid.end(), key);
    if (known == valid.end()) return Refuse(UnknownWord("key", key, valid));
    if (Seen(key)) return Refuse(absl::StrCat("key ", Quote(key), " is given twice"));
    seen_.push_back(*known);
    return Section::kOneRow;
  }

  absl::Status OnRow(std::string_view section, size_t, const Json& row) override {
    const Place top{nullptr, section, 0, true};
    if (section == kForm) {
      int64_t form = 0;
      absl::Status status = reader_.Read(top, row, &form);
      if (!status.ok() || form == 1) return status;
      return reader_.Refuse(top, absl::StrCat("form ", form, " is not known; this reads 1"));
    }
    absl::Status status;
    ForEachMember(mix_, [&](auto m) {
      if (m.key == section) status = reader_.Read(top, row, &m.value);
    });
    if (!status.ok() || reader_.shape_names.empty()) return status;
    return reader_.Refuse(top, absl::StrCat("shape ", Quote(reader_.shape_names.front().second),
                                            ": a mix spells its shapes out"));
  }

  absl::StatusOr<TraceMix> Finish() && {
    if (!Seen(kForm)) {
      return Refuse("key \"muster_mix\" is missing; it holds the version of the form, 1");
    }
    absl::Status status;
    ForEachMember(mix_, [&](auto m) {
      if (status.ok() && m.required && !Seen(m.key)) {
        status = Refuse(absl::StrCat("key ", Quote(m.key), " is missing"));
      }
    });
    if (!status.ok()) return status;
    return std::move(mix_);
  }

 private:
  bool Seen(std::string_view key) const {
    return std::find(seen_.begin(), seen_.end(), key) != seen_.end();
  }
  absl::Status Refuse(std::string_view rule) const {
    return absl::InvalidArgumentError(absl::StrCat(document_, ": ", ToAbsl(rule)));
  }

  const std::string document_;
  Reader reader_;
  TraceMix mix_;
  std::vector<std::string_view> seen_;
};

}  // namespace

absl::StatusOr<TraceMix> ParseTraceMix(const TraceFile& file) {
  MixSink sink(file.name);
  if (absl::Status s = ReadJsonRows(file.bytes, &sink, file.name); !s.ok()) return s;
  absl::StatusOr<TraceMix> mix = std::move(sink).Finish();
  if (!mix.ok()) return mix;
  if (absl::Status s = CheckMix(*mix); !s.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(file.name, ": ", s.message()));
  }
  return mix;
}

}  // namespace muster
