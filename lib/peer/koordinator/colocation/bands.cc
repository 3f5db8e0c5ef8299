// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Names, numbers and defaults of bands.
#include "lib/peer/koordinator/colocation/bands.h"

namespace muster::koordinator {
namespace {

struct BandRow {
  std::string_view name;
  Band band;
  int64_t least, most;  // priorities
};

constexpr BandRow kBands[] = {
    {"koord-prod", Band::kProduction, 9000, 9999},
    {"koord-mid", Band::kMid, 7000, 7999},
    {"koord-batch", Band::kBatch, 5000, 5999},
    {"koord-free", Band::kFree, 3000, 3999},
};

struct ServiceRow {
  std::string_view name;
  Service service;
};

constexpr ServiceRow kServices[] = {
    {"SYSTEM", Service::kSystem}, {"LSE", Service::kLse}, {"LSR", Service::kLsr},
    {"LS", Service::kLs},         {"BE", Service::kBe},
};

Band BandByPriority(int64_t priority) {
  for (const BandRow& row : kBands) {
    if (row.least <= priority && priority <= row.most) return row.band;
  }
  return Band::kNone;
}

}  // namespace

Band BandByName(std::string_view name) {
  for (const BandRow& row : kBands) {
    if (row.name == name) return row.band;
  }
  return Band::kNone;
}

Service ServiceByName(std::string_view name) {
  for (const ServiceRow& row : kServices) {
    if (row.name == name) return row.service;
  }
  return Service::kNone;
}

Service ServiceOf(const std::optional<std::string>& label, KubeService kube) {
  const Service named = label.has_value() ? ServiceByName(*label) : Service::kNone;
  if (named != Service::kNone) return named;
  switch (kube) {
    case KubeService::kGuaranteed:
      return Service::kLsr;
    case KubeService::kBurstable:
      return Service::kLs;
    case KubeService::kBestEffort:
      return Service::kBe;
  }
  return Service::kNone;
}

Band BandOf(const BandMarks& marks, Service service) {
  Band band = Band::kNone;
  if (marks.label.has_value()) {
    band = BandByName(*marks.label);
  } else if (marks.priority.has_value()) {
    band = BandByPriority(*marks.priority);
  }
  if (band != Band::kNone || service == Service::kNone) return band;
  return service == Service::kBe ? Band::kBatch : Band::kProduction;
}

int ImportanceOf(Band band) {
  switch (band) {
    case Band::kProduction:
      return 4;
    case Band::kMid:
      return 3;
    case Band::kBatch:
      return 2;
    case Band::kFree:
      return 1;
    case Band::kNone:
      return 0;
  }
  return 0;
}

}  // namespace muster::koordinator
