// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Records of calls, played again, make the rows that the calls made.
#include "tools/muster/record_player.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/fuzz/checks.h"

namespace muster {
namespace {

TEST(RecordPlayer, RowsKeepTheOrderOfTheirKeys) {
  RecordPlayer player({});
  std::string out;
  const std::string record = absl::StrCat(
      R"({"call":"begin","record":2,"muster":"0.2.0"})", "\n",
      R"({"call":"add","rows":{"muster": 1, "nodes": [{"name": "\",\"rows\":{", )",
      R"("labels": {"z": "1", "a": "2"}, "capacity": {"pods": 9, "memory": "8Gi", "cpu": 4}}]}})",
      "\n");
  const absl::Status played = player.PlayAll(record, &out);
  ASSERT_TRUE(played.ok()) << played;
  const std::string rows = fuzz::RowsOf(player.cluster());
  ASSERT_NE(rows.find("\"z\""), std::string::npos) << rows;
  EXPECT_LT(rows.find("\"z\""), rows.find("\"a\"")) << rows;
  EXPECT_LT(rows.find("pods"), rows.find("memory")) << rows;
  EXPECT_LT(rows.find("memory"), rows.find("cpu")) << rows;
}

TEST(RecordPlayer, ALineWithoutRowsIsRefused) {
  RecordPlayer player({});
  std::string out;
  EXPECT_TRUE(
      player.PlayAll("{\"call\":\"begin\",\"record\":2,\"muster\":\"0.2.0\"}\n", &out).ok());
  EXPECT_FALSE(player.Play("{\"call\":\"add\"}", &out).ok());
  EXPECT_FALSE(player.Play("{\"call\":\"add\",\"row\":{\"rows\":{\"muster\":1}}}", &out).ok());
}

}  // namespace
}  // namespace muster
