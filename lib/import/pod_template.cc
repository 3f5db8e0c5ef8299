// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A template of pods as a pod: its text is written again, below metadata with a name.
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/import/kubernetes.h"
#include "lib/plan/json_text.h"

namespace muster {
namespace {

void AppendValue(const Json& value, std::string* out) {
  switch (value.kind()) {
    case JsonKind::kNull:
      out->append("null");
      return;
    case JsonKind::kBool:
      out->append(value.boolean() ? "true" : "false");
      return;
    case JsonKind::kInteger:
      absl::StrAppend(out, value.negative() ? "-" : "", value.magnitude());
      return;
    case JsonKind::kFloat:
      absl::StrAppend(out, ToAbsl(value.text()));
      return;
    case JsonKind::kString:
      AppendJson(value.text(), out);
      return;
    case JsonKind::kArray:
    case JsonKind::kObject:
      break;
  }
  const bool is_object = value.kind() == JsonKind::kObject;
  out->push_back(is_object ? '{' : '[');
  for (Json child = value.first(); child.exists(); child = child.next()) {
    if (child.index() != value.first().index()) out->push_back(',');
    if (is_object) {
      AppendJson(child.key(), out);
      out->push_back(':');
    }
    AppendValue(child, out);
  }
  out->push_back(is_object ? '}' : ']');
}

void AppendMember(std::string_view key, const Field& value, std::string* out) {
  if (!value.given()) return;
  absl::StrAppend(out, ",");
  AppendJson(key, out);
  out->push_back(':');
  AppendValue(value.json(), out);
}

}  // namespace

std::unique_ptr<ApiObject> MakePod(const PodParts& parts, const Limits& limits, ImportLog* log) {
  std::string text = "{\"metadata\":{\"name\":";
  AppendJson(parts.name, &text);
  absl::StrAppend(&text, ",\"namespace\":");
  AppendJson(parts.name_space, &text);
  AppendMember("labels", parts.metadata["labels"], &text);
  AppendMember("annotations", parts.metadata["annotations"], &text);
  text.push_back('}');
  AppendMember("spec", parts.spec, &text);
  text.push_back('}');
  Budget budget(limits);
  RawObject raw{.kind = "Template of pods", .api_version = "v1"};
  absl::StatusOr<JsonRow> row = ReadJsonValue(text, raw.kind, &budget);
  if (!row.ok()) {
    log->Refuse(parts.spec.object(), std::string(row.status().message()));
    return nullptr;
  }
  raw.row = *std::move(row);
  return std::make_unique<ApiObject>(std::move(raw), log);
}

}  // namespace muster
