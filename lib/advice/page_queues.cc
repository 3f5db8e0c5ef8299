// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The tree of queues: a row for each, below its parent, with a bar for the dimension of which it
// holds the largest part of the cluster. Queues below count for those above.
//
// The bar is what is held; a mark stands at what is deserved, another at the limit.
#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/advice/amounts.h"
#include "lib/advice/held.h"
#include "lib/advice/page_parts.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

class QueueRows {
 public:
  QueueRows(const PageView& view, std::string* out)
      : view_(view), out_(out), share_of_(view.tables.queues.alive.size(), nullptr) {
    for (const QueueShare& share : view.plan.shares()) share_of_[share.queue] = &share;
  }

  void Append() {
    const QueueTable& queues = view_.tables.queues;
    std::vector<std::pair<QueueIndex, int>> open;  // the next last
    const auto push = [&](const std::vector<QueueIndex>& list, int depth) {
      for (size_t i = list.size(); i-- > 0;) open.emplace_back(list[i], depth);
    };
    std::vector<QueueIndex> roots;
    for (QueueIndex q = 0; q < queues.alive.size(); ++q) {
      if (queues.alive[q] && queues.parent[q] == kNone) roots.push_back(q);
    }
    push(roots, 0);
    while (!open.empty()) {
      const auto [queue, depth] = open.back();
      open.pop_back();
      AppendRow(queue, depth);
      push(queues.children[queue], depth + 1);
    }
  }

 private:
  double PartOfCluster(DimensionIndex d, double amount) const {
    return view_.capacity[d] == 0 ? 0 : amount / static_cast<double>(view_.capacity[d]);
  }
  std::optional<double> Deserved(QueueIndex q, DimensionIndex d) const {
    const QueueShare* share = share_of_[q];
    if (share == nullptr || share->deserved.empty()) return std::nullopt;
    return share->deserved[d];
  }

  void AppendRow(QueueIndex q, int depth) {
    const std::vector<int64_t> held = HeldBelow(view_.tables, view_.plan, q);
    DimensionIndex shown = 0;
    const auto part = [&](DimensionIndex d) {
      return PartOfCluster(d, static_cast<double>(held[d]));
    };
    for (DimensionIndex d = 0; d < held.size(); ++d) {
      if (part(d) > part(shown)) shown = d;
    }
    const QueueSpec& spec = view_.tables.queues.spec[q];
    absl::StrAppend(out_, "<tr><td style=\"padding-left:", depth * 18 + 4, "px\">",
                    "<i style=\"background:", ColourOf(q), "\"></i>", Escaped(spec.name),
                    spec.state == QueueState::kClosed ? " <em>closed</em>" : "", "</td><td>");
    AppendBar(q, shown, part(shown));
    absl::StrAppend(out_, "</td><td>", Escaped(Amounts(q, held)), "</td><td class=number>");
    if (const QueueShare* share = share_of_[q]) {
      absl::StrAppendFormat(out_, "%.3f", share->share_after);
    }
    out_->append("</td></tr>\n");
  }

  void AppendBar(QueueIndex q, DimensionIndex d, double part) {
    const auto at = [](double of_cluster) { return 100 * std::clamp(of_cluster, 0.0, 1.0); };
    absl::StrAppendFormat(out_, "<div class=bar><u style=\"width:%.1f%%;background:%s\"></u>",
                          at(part), ColourOf(q));
    if (const auto deserved = Deserved(q, d)) {
      absl::StrAppendFormat(out_, "<s class=deserved style=\"left:%.1f%%\"></s>",
                            at(PartOfCluster(d, *deserved)));
    }
    const int64_t limit = view_.tables.queues.limit.at(q, d);
    if (limit != kAbsent) {
      absl::StrAppendFormat(out_, "<s class=limit style=\"left:%.1f%%\"></s>",
                            at(PartOfCluster(d, static_cast<double>(limit))));
    }
    out_->append("</div>");
  }

  // "nvidia.com/gpu: 24, limit 24; cpu: 96"
  std::string Amounts(QueueIndex q, const std::vector<int64_t>& held) const {
    std::string text;
    for (DimensionIndex d = 0; d < held.size(); ++d) {
      const int64_t limit = view_.tables.queues.limit.at(q, d);
      if (d == kPods || (held[d] == 0 && limit == kAbsent)) continue;
      const std::string_view name = view_.tables.dimensions.name(d);
      absl::StrAppend(&text, text.empty() ? "" : "; ", ToAbsl(name), ": ",
                      AmountText(name, held[d]));
      if (limit != kAbsent) absl::StrAppend(&text, ", limit ", AmountText(name, limit));
    }
    return text;
  }

  const PageView& view_;
  std::string* out_;
  std::vector<const QueueShare*> share_of_;  // by queue; null: none
};

}  // namespace

void AppendQueueTree(const PageView& view, std::string* out) {
  out->append(
      "<h3>Queues</h3>\n<table class=queues><tr><th>queue</th><th>of the cluster</th>"
      "<th>held</th><th>share</th></tr>\n");
  QueueRows(view, out).Append();
  out->append(
      "</table>\n<p class=note>The bar is the part of the cluster that the queue and those below "
      "it hold; <s class=deserved></s> what it deserves, <s class=limit></s> its limit.</p>\n");
}

}  // namespace muster
