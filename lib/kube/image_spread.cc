// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/kube/image_spread.h"

#include <algorithm>

namespace muster {
namespace {

constexpr int64_t kMebibyte = 1024 * 1024;

// A colon after the last slash separates a tag; an earlier one belongs to the registry's port.
std::string Tagged(const std::string& image) {
  const size_t colon = image.rfind(':'), slash = image.rfind('/');
  const bool tagged = colon != std::string::npos && (slash == std::string::npos || colon > slash);
  return tagged ? image : image + ":latest";
}

// trunc(size * share), at most `most`: beyond it more makes no difference.
int64_t Scaled(int64_t size, size_t having, int64_t nodes, int64_t most) {
  const double share = static_cast<double>(having) / static_cast<double>(nodes);
  const double scaled = static_cast<double>(size) * share;
  return scaled >= static_cast<double>(most) ? most : static_cast<int64_t>(scaled);
}

}  // namespace

void ImageSpread::Open(const InterView* view) {
  view_ = view;
  indexed_ = false;
  images_.clear();
  known_.assign(view->tables().classes.shape.size(), 0);
  scores_.assign(known_.size(), {});
}

void ImageSpread::IndexImages() {
  if (indexed_) return;
  indexed_ = true;
  for (NodeIndex n = 0; n < view_->node_rows(); ++n) {
    if (!view_->counted(n)) continue;
    for (const ImageSpec& spec : view_->tables().nodes.spec[n].images) {
      for (const std::string& name : spec.names) {
        Image& image = images_.try_emplace(name, Image{spec.size, {}}).first->second;
        if (image.nodes.empty() || image.nodes.back() != n) image.nodes.push_back(n);
      }
    }
  }
}

const std::vector<uint8_t>& ImageSpread::ScoresOf(ClassIndex c) {
  std::vector<uint8_t>& scores = scores_[c];
  if (known_[c]) return scores;
  known_[c] = 1;
  const std::vector<ContainerSpec>& containers = view_->tables().classes.shape[c].containers;
  if (std::all_of(containers.begin(), containers.end(),
                  [](const ContainerSpec& container) { return container.image.empty(); })) {
    return scores;
  }
  IndexImages();
  const int64_t low = 23 * kMebibyte;
  const int64_t high =
      1000 * kMebibyte * std::max<int64_t>(1, static_cast<int64_t>(containers.size()));
  std::vector<int64_t> sums;
  for (const ContainerSpec& container : containers) {
    const auto it = images_.find(Tagged(container.image));
    if (it == images_.end()) continue;
    sums.resize(view_->node_rows(), 0);
    const Image& image = it->second;
    const int64_t scaled = Scaled(image.size, image.nodes.size(), view_->counted_nodes(), high);
    for (const NodeIndex n : image.nodes) sums[n] += scaled;
  }
  for (NodeIndex n = 0; n < sums.size(); ++n) {
    const int64_t sum = std::clamp(sums[n], low, high);
    const int64_t score = 100 * (sum - low) / (high - low);
    if (score == 0) continue;
    if (scores.empty()) scores.resize(sums.size(), 0);
    scores[n] = static_cast<uint8_t>(score);
  }
  return scores;
}

void ImageSpread::Score(ClassIndex c, std::span<const NodeIndex> nodes, double weight,
                        std::span<double> scores) {
  const std::vector<uint8_t>& known = ScoresOf(c);
  if (known.empty()) return;
  for (size_t i = 0; i < nodes.size(); ++i)
    scores[i] += weight * static_cast<double>(known[nodes[i]]);
}

}  // namespace muster
