// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#ifndef MUSTER_EXPERIMENTAL_H_
#define MUSTER_EXPERIMENTAL_H_

#include "muster/episodes.h"
#include "muster/metrics.h"
#include "muster/mix.h"
#include "muster/packing.h"
#include "muster/replay.h"
#include "muster/statistics.h"
#include "muster/trace.h"

#endif  // MUSTER_EXPERIMENTAL_H_
