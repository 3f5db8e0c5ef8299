// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The version of these headers, for the preprocessor. The build takes its own from here.
//
//   #if MUSTER_VERSION_MAJOR > 0 || MUSTER_VERSION_MINOR >= 2
#ifndef MUSTER_VERSION_H_
#define MUSTER_VERSION_H_

#define MUSTER_VERSION_MAJOR 0
#define MUSTER_VERSION_MINOR 2
#define MUSTER_VERSION_PATCH 0
#define MUSTER_VERSION_STRING "0.2.0"

#endif  // MUSTER_VERSION_H_
