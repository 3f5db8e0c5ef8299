// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The facade: which rules are on, and in which order they run. Each rule has a file of its own and
// is written as counters per (class, rule, label domain); inter_counters.h explains why that is
// exact.
//
//   inter_view.h      where tasks are, and the values of topology keys
//   inter_classes.h   which classes a term matches
//   inter_counters.h  counting along the journal
//   inter_ports.h, inter_affinity.h, inter_spread.h, image_spread.h   the rules
//
// The data of a class are built at its first question. A cluster without such rules pays one look
// at each new task class.
#include "lib/kube/inter_task.h"

#include <algorithm>

#include "lib/kube/image_spread.h"
#include "lib/kube/inter_affinity.h"
#include "lib/kube/inter_classes.h"
#include "lib/kube/inter_ports.h"
#include "lib/kube/inter_spread.h"
#include "lib/kube/inter_view.h"
#include "lib/kube/refusals.h"

namespace muster {
namespace {

// Returns whether no rule but that of images concerns tasks because of such a task.
bool IsPlain(const TaskShape& shape) {
  return shape.host_ports.empty() && shape.spread.empty() && shape.required_affinity.empty() &&
         shape.required_anti_affinity.empty() && shape.preferred_affinity.empty() &&
         shape.preferred_anti_affinity.empty();
}

bool HasImages(const TaskShape& shape) {
  return std::any_of(shape.containers.begin(), shape.containers.end(),
                     [](const ContainerSpec& container) { return !container.image.empty(); });
}

}  // namespace

struct InterTask::State {
  InterTaskOptions options;
  InterView view;
  InterClasses classes;
  InterPorts ports;
  InterAffinity affinity;
  InterSpread spread;
  ImageSpread images;
  // Whether no rule concerns any class, and the classes that were looked at. Classes only come
  // while the layout of the tables stays.
  bool plain = true;
  size_t looked_at = 0;
  uint64_t layout = 0;

  bool scores_affinity() const { return options.affinity_weight != 0; }
  bool scores_spread() const { return options.spread_weight != 0; }
  bool scores_images() const { return options.image_weight != 0 && options.rules.image_scores; }
  void LookAtClasses(const Tables& tables) {
    const std::vector<TaskShape>& shapes = tables.classes.shape;
    if (layout != tables.layout || shapes.size() < looked_at) {
      plain = true;
      looked_at = 0;
    }
    layout = tables.layout;
    for (; looked_at < shapes.size(); ++looked_at) {
      const TaskShape& shape = shapes[looked_at];
      plain &= IsPlain(shape) && !(scores_images() && HasImages(shape));
    }
  }
};

InterTask::InterTask(const InterTaskOptions& options) : state_(std::make_unique<State>()) {
  state_->options = options;
}

InterTask::~InterTask() = default;

void InterTask::Open(const Tables& tables, const Ledger& ledger) {
  State& s = *state_;
  s.LookAtClasses(tables);
  if (s.plain) return;
  s.view.Open(tables, ledger, s.options.rules.sees_all_tasks);
  s.classes.Open(tables, s.options.rules);
  s.ports.Open(&s.view, &s.classes);
  s.affinity.Open(&s.view, &s.classes, s.options.rules);
  s.spread.Open(&s.view, &s.classes);
  s.images.Open(&s.view);
}

bool InterTask::FitDepends(ClassIndex c) {
  State& s = *state_;
  if (s.plain) return false;
  return (s.options.host_ports && s.ports.FitDepends(c)) ||
         (s.options.affinity && s.affinity.FitDepends(c)) ||
         (s.options.spread && s.spread.FitDepends(c));
}

bool InterTask::ScoreDepends(ClassIndex c) {
  State& s = *state_;
  if (s.plain) return false;
  return (s.scores_affinity() && s.affinity.ScoreDepends(c)) ||
         (s.scores_spread() && s.spread.ScoreDepends(c)) ||
         (s.scores_images() && s.images.ScoreDepends(c));
}

void InterTask::Fit(ClassIndex c, std::span<const NodeIndex> nodes, std::span<uint8_t> fits,
                    std::span<RefusalCode> codes, std::span<uint8_t> hard) {
  State& s = *state_;
  if (s.plain) return;
  s.view.Refresh();
  Refusals refusals(fits, codes, hard);
  if (s.options.host_ports) s.ports.Fit(c, nodes, &refusals);
  if (s.options.affinity) s.affinity.Fit(c, nodes, &refusals);
  if (s.options.spread) s.spread.Fit(c, nodes, &refusals);
}

bool InterTask::FitsAffinity(ClassIndex c, NodeIndex node) {
  State& s = *state_;
  if (s.plain || !s.options.affinity || !s.affinity.FitDepends(c)) return true;
  s.view.Refresh();
  uint8_t fits = 1, hard = 0;
  RefusalCode code;
  Refusals refusals({&fits, 1}, {&code, 1}, {&hard, 1});
  s.affinity.Fit(c, {&node, 1}, &refusals);
  return fits;
}

void InterTask::Score(ClassIndex c, std::span<const NodeIndex> nodes, std::span<double> order,
                      std::span<double> batch) {
  State& s = *state_;
  if (s.plain) return;
  s.view.Refresh();
  if (s.scores_affinity()) s.affinity.Score(c, nodes, s.options.affinity_weight, batch);
  if (s.scores_spread()) s.spread.Score(c, nodes, s.options.spread_weight, batch);
  if (s.scores_images()) s.images.Score(c, nodes, s.options.image_weight, order);
}

}  // namespace muster
