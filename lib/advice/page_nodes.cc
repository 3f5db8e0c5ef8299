// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The map of nodes: a square for each, filled from below.
//
// The height of the filling is the largest part of an allocatable amount that is held; its stripes
// are what each queue holds of that dimension. Hovering shows all amounts. Nodes that take no tasks
// have a dashed outline. Beyond a thousand nodes squares are smaller.
#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/advice/amounts.h"
#include "lib/advice/held.h"
#include "lib/advice/page_parts.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

constexpr size_t kManyNodes = 1000;

class NodeSquare {
 public:
  NodeSquare(const PageView& view, NodeIndex node) : view_(view), node_(node) {
    held_.assign(view.tables.dimension_count(), 0);
    for (const TaskIndex t : view.on_node[node]) {
      AddUpTo(view.tables.classes.request.row(view.tables.tasks.task_class[t]), held_);
    }
    for (DimensionIndex d = 0; d < held_.size(); ++d) {
      if (PartOf(d, held_[d]) > PartOf(scarcest_, held_[scarcest_])) scarcest_ = d;
    }
  }

  std::string Title() const {
    const NodeSpec& spec = view_.tables.nodes.spec[node_];
    std::string title = spec.name;
    if (!spec.ready) title += ", not ready";
    if (spec.unschedulable) title += ", cordoned";
    for (DimensionIndex d = 0; d < held_.size(); ++d) {
      const int64_t has = Has(d);
      if (has == 0 && held_[d] == 0) continue;
      const std::string_view name = view_.tables.dimensions.name(d);
      absl::StrAppend(&title, "\n", ToAbsl(name), ": ", AmountText(name, held_[d]), " of ",
                      AmountText(name, has));
    }
    const size_t tasks = view_.on_node[node_].size();
    absl::StrAppend(&title, "\n", tasks, tasks == 1 ? " task" : " tasks");
    return title;
  }

  // A gradient with a stripe for each queue, and nothing above.
  std::string Fill() const {
    std::map<QueueIndex, double> part_of;
    for (const TaskIndex t : view_.on_node[node_]) {
      part_of[view_.QueueOf(t)] += PartOf(scarcest_, view_.Request(t, scarcest_));
    }
    std::string stops;
    double from = 0;
    for (const auto& [queue, part] : part_of) {
      const double to = std::min(1.0, from + part);
      if (to <= from) continue;
      absl::StrAppendFormat(&stops, "%s %.1f%% %.1f%%,", ColourOf(queue), 100 * from, 100 * to);
      from = to;
    }
    if (stops.empty()) return "";
    absl::StrAppendFormat(&stops, "transparent %.1f%%", 100 * from);
    return absl::StrCat(" style=\"background:linear-gradient(to top,", stops, ")\"");
  }

 private:
  int64_t Has(DimensionIndex d) const {
    return OrZero(view_.tables.nodes.allocatable.at(node_, d));
  }
  double PartOf(DimensionIndex d, int64_t amount) const {
    const int64_t has = Has(d);
    return has == 0 ? 0 : static_cast<double>(amount) / static_cast<double>(has);
  }

  const PageView& view_;
  const NodeIndex node_;
  DimensionIndex scarcest_ = 0;
  std::vector<int64_t> held_;  // by dimension
};

void AppendLegend(const PageView& view, std::string* out) {
  std::vector<bool> seen(view.tables.queues.alive.size());
  bool others = false;
  for (const std::vector<TaskIndex>& tasks : view.on_node) {
    for (const TaskIndex t : tasks) {
      const QueueIndex queue = view.QueueOf(t);
      if (queue == kNone) {
        others = true;
      } else {
        seen[queue] = true;
      }
    }
  }
  out->append("<p class=legend>");
  const auto entry = [&](QueueIndex queue, std::string_view name) {
    absl::StrAppend(out, "<span><i style=\"background:", ColourOf(queue), "\"></i>", Escaped(name),
                    "</span> ");
  };
  for (QueueIndex q = 0; q < seen.size(); ++q) {
    if (seen[q]) entry(q, view.tables.queues.spec[q].name);
  }
  if (others) entry(kNone, "tasks without a job");
  out->append("</p>\n");
}

}  // namespace

void AppendNodeMap(const PageView& view, std::string* out) {
  const NodeTable& nodes = view.tables.nodes;
  const auto count = static_cast<size_t>(std::ranges::count(nodes.alive, 1));
  absl::StrAppend(out, "<h3>", count, count == 1 ? " node" : " nodes", "</h3>\n");
  if (count == 0) return;
  AppendLegend(view, out);
  absl::StrAppend(out, "<div class=\"nodes", count > kManyNodes ? " many" : "", "\">\n");
  for (NodeIndex n = 0; n < nodes.alive.size(); ++n) {
    if (!nodes.alive[n]) continue;
    const NodeSquare square(view, n);
    const bool closed = nodes.spec[n].unschedulable || !nodes.spec[n].ready;
    absl::StrAppend(out, "<b", closed ? " class=closed" : "", " title=\"", Escaped(square.Title()),
                    "\"", square.Fill(), "></b>\n");
  }
  out->append("</div>\n");
}

}  // namespace muster
