// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The C interface, held so that nothing leaks where an assertion ends a test.
//
//   Held<muster_cluster> cluster = SmallCluster();
//   Held<muster_plan> plan;
//   EXPECT_OK_C(muster_cluster_schedule(cluster.get(), "muster", nullptr, Out(plan), &error));
#ifndef MUSTER_CAPI_CAPI_SUPPORT_H_
#define MUSTER_CAPI_CAPI_SUPPORT_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "muster/c_experimental.h"

namespace muster {

struct Free {
  void operator()(muster_cluster* p) const { muster_cluster_free(p); }
  void operator()(muster_table* p) const { muster_table_free(p); }
  void operator()(muster_plan* p) const { muster_plan_free(p); }
  void operator()(muster_snapshot* p) const { muster_snapshot_free(p); }
  void operator()(muster_text* p) const { muster_text_free(p); }
  void operator()(muster_policies* p) const { muster_policies_free(p); }
  void operator()(muster_stop* p) const { muster_stop_free(p); }
  void operator()(muster_threads* p) const { muster_threads_free(p); }
  void operator()(muster_replay* p) const { muster_replay_free(p); }
  void operator()(muster_forecast* p) const { muster_forecast_free(p); }
  void operator()(muster_outlook* p) const { muster_outlook_free(p); }
  void operator()(muster_episodes* p) const { muster_episodes_free(p); }
};
template <class T>
using Held = std::unique_ptr<T, Free>;

// What a call is handed for its result: `Out(plan)` writes into a Held.
template <class T>
class Into {
 public:
  explicit Into(Held<T>& held) : held_(held) {}
  ~Into() { held_.reset(raw_); }
  operator T**() { return &raw_; }  // NOLINT: implicit on purpose

 private:
  Held<T>& held_;
  T* raw_ = nullptr;
};
template <class T>
Into<T> Out(Held<T>& held) {
  return Into<T>(held);
}

inline std::string Words(const muster_error& error) { return error.message; }
inline std::string Words(const Held<muster_text>& text) {
  return std::string(muster_text_data(text.get()),
                     static_cast<size_t>(muster_text_size(text.get())));
}

#define EXPECT_OK_C(call) EXPECT_EQ(call, MUSTER_OK) << error.message
#define ASSERT_OK_C(call) ASSERT_EQ(call, MUSTER_OK) << error.message

// Four nodes of 8 cores; a gang of three that fits and one of five that does not.
inline constexpr char kSmall[] = R"({"muster": 1,
  "nodes": [{"name": "n", "count": 4, "capacity": {"cpu": "8", "memory": "16Gi"}}],
  "queues": [{"name": "vision", "weight": 2}],
  "jobs": [{"name": "fits", "queue": "vision", "min_available": 3,
            "groups": [{"count": 3, "shape": {"request": {"cpu": "4", "memory": "1Gi"}}}]},
           {"name": "large", "min_available": 5,
            "groups": [{"count": 5, "shape": {"request": {"cpu": "8"}}}]}]})";

inline Held<muster_cluster> SmallCluster() {
  muster_error error = MUSTER_ERROR_INIT;
  Held<muster_cluster> cluster;
  EXPECT_OK_C(muster_cluster_new(nullptr, Out(cluster), &error));
  EXPECT_OK_C(muster_cluster_add_json(cluster.get(), kSmall, MUSTER_TO_NUL, &error));
  return cluster;
}

inline std::string DigestOf(const muster_plan* plan) {
  char digest[33] = "";
  EXPECT_EQ(muster_plan_digest(plan, digest, nullptr), MUSTER_OK);
  return digest;
}

}  // namespace muster

#endif  // MUSTER_CAPI_CAPI_SUPPORT_H_
