// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The answer to a what-if as JSON: amounts by dimension, in the units of a plan.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/plan/json_text.h"
#include "lib/scenario/scenario.h"

namespace muster {
namespace {

template <class T>
void AppendAmounts(std::string_view key, const std::vector<std::string>& dimensions,
                   const std::vector<T>& cells, std::string* out) {
  out->append(", ");
  AppendJson(key, out);
  out->append(": {");
  for (size_t d = 0; d < cells.size(); ++d) {
    if (d > 0) out->append(", ");
    AppendJson(dimensions[d], out);
    out->append(": ");
    AppendJson(cells[d], out);
  }
  out->append("}");
}

}  // namespace

std::string WriteOutlook(const Outlook& outlook) {
  std::string out = "{\"dimensions\": [";
  for (size_t d = 0; d < outlook.dimensions.size(); ++d) {
    if (d > 0) out.append(", ");
    AppendJson(outlook.dimensions[d], &out);
  }
  absl::StrAppend(&out, "],\n \"divides\": ", outlook.divides ? "true" : "false",
                  ",\n \"queues\": [");
  for (size_t i = 0; i < outlook.queues.size(); ++i) {
    const QueueOutlook& queue = outlook.queues[i];
    out.append(i == 0 ? "\n  {\"name\": " : ",\n  {\"name\": ");
    AppendJson(queue.name, &out);
    out.append(", \"share_before\": ");
    AppendJson(queue.share_before, &out);
    out.append(", \"share_after\": ");
    AppendJson(queue.share_after, &out);
    AppendAmounts("deserved_before", outlook.dimensions, queue.deserved_before, &out);
    AppendAmounts("deserved_after", outlook.dimensions, queue.deserved_after, &out);
    AppendAmounts("allocated_before", outlook.dimensions, queue.allocated_before, &out);
    AppendAmounts("allocated_after", outlook.dimensions, queue.allocated_after, &out);
    AppendAmounts("pending_before", outlook.dimensions, queue.pending_before, &out);
    AppendAmounts("pending_after", outlook.dimensions, queue.pending_after, &out);
    out.append("}");
  }
  out.append("]}\n");
  return out;
}

}  // namespace muster
