// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// ElasticQuotas that Koordinator's webhook would not have taken.
//
//   ReportRefusedQuotas(source.dump);
//
// Each is read as it is, and noted with the first rule that it breaks (quota_rules.h): a dump may
// come from a cluster without the webhook, or be written by hand.
//
// Cost. O(quotas x quotas with the same parent x resources x log quotas).
#ifndef MUSTER_IMPORT_KOORDINATOR_QUOTAS_H_
#define MUSTER_IMPORT_KOORDINATOR_QUOTAS_H_

#include "lib/import/api_object.h"

namespace muster {

void ReportRefusedQuotas(const Dump& dump);

}  // namespace muster

#endif  // MUSTER_IMPORT_KOORDINATOR_QUOTAS_H_
