// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// MUSTER_EXPORT marks what a shared library of Muster lets out; all else is compiled with hidden
// visibility.
//
//   class MUSTER_EXPORT Cluster { ... };
//   MUSTER_EXPORT std::vector<ProfileInfo> Profiles();
//
// Only declarations in include/muster carry it, and only those that have a definition in lib/. A
// test compares the marks with what the linker exports, in both directions.
#ifndef MUSTER_EXPORT_H_
#define MUSTER_EXPORT_H_

#if defined(__GNUC__)
#define MUSTER_EXPORT __attribute__((visibility("default")))
#else
#define MUSTER_EXPORT
#endif

#endif  // MUSTER_EXPORT_H_
