// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "python/src/what_if.h"

#include <limits>
#include <string>
#include <string_view>

#include "python/src/columns.h"
#include "python/src/convert.h"

namespace muster::python {

std::vector<WhatIfChange> ReadChanges(py::handle changes) {
  std::vector<WhatIfChange> read;
  ReadInto(Place{nullptr, "what-if"}, changes, &read);
  return read;
}

py::dict OutlookTable(const Outlook& outlook) {
  const std::vector<QueueOutlook>& queues = outlook.queues;
  py::dict table;
  std::vector<std::string_view> names;
  for (const QueueOutlook& q : queues) names.push_back(q.name);
  table["queue"] = TextArray(names);
  const auto put = [&](const std::string& name, const auto& cell) {
    std::vector<decltype(cell(queues[0]))> column;
    for (const QueueOutlook& q : queues) column.push_back(cell(q));
    table[Text(name)] = NumberArray(column);
  };
  put("share_before", [](const QueueOutlook& q) { return q.share_before; });
  put("share_after", [](const QueueOutlook& q) { return q.share_after; });
  for (size_t d = 0; d < outlook.dimensions.size(); ++d) {
    const auto amount = [d](const std::vector<double>& cells) {
      return cells.empty() ? std::numeric_limits<double>::quiet_NaN() : cells[d];
    };
    const std::string& of = outlook.dimensions[d];
    put("deserved_before." + of, [&](const QueueOutlook& q) { return amount(q.deserved_before); });
    put("deserved_after." + of, [&](const QueueOutlook& q) { return amount(q.deserved_after); });
    put("allocated_before." + of, [d](const QueueOutlook& q) { return q.allocated_before[d]; });
    put("allocated_after." + of, [d](const QueueOutlook& q) { return q.allocated_after[d]; });
    put("pending_before." + of, [d](const QueueOutlook& q) { return q.pending_before[d]; });
    put("pending_after." + of, [d](const QueueOutlook& q) { return q.pending_after[d]; });
  }
  return table;
}

}  // namespace muster::python
