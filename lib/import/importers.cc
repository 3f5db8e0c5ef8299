// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The one table of importers.
#include "lib/import/importer.h"

namespace muster {

extern const Importer kVolcanoImporter, kKubeBatchImporter, kPodImporter, kKueueImporter,
    kKaiImporter, kArmadaImporter, kYuniKornImporter, kHtCondorImporter, kMesosImporter,
    kPulsarImporter, kYarnCapacityImporter, kYarnFairImporter, kKoordinatorImporter,
    kSchedulerPluginsImporter, kRayImporter;

std::span<const Importer* const> Importers() {
  static constexpr const Importer* kTable[] = {
      &kVolcanoImporter,     &kKubeBatchImporter,        &kPodImporter,          &kKueueImporter,
      &kKaiImporter,         &kArmadaImporter,           &kYuniKornImporter,     &kHtCondorImporter,
      &kMesosImporter,       &kPulsarImporter,           &kYarnCapacityImporter, &kYarnFairImporter,
      &kKoordinatorImporter, &kSchedulerPluginsImporter, &kRayImporter};
  return kTable;
}

const Importer* ImporterOfScheduler(std::string_view scheduler) {
  for (const Importer* importer : Importers()) {
    for (const std::string_view name : importer->schedulers) {
      if (name == scheduler) return importer;
    }
  }
  return nullptr;
}

}  // namespace muster
