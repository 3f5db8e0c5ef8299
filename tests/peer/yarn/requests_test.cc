// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/requests.h"

#include "gtest/gtest.h"

namespace muster::yarn {
namespace {

constexpr Place kNode = 1, kRack = 2;

Ask AskFor(int64_t count) { return {.size = {1024, 1}, .count = count}; }

TEST(Requests, NodeLocalContainersCountAtAllThreePlaces) {
  Requests requests;
  requests.Update(1, {{kAnyPlace, AskFor(2)}, {kNode, AskFor(1)}, {kRack, AskFor(2)}});
  requests.Take(1, Locality::kNode, kNode, kRack);
  const RequestKey& key = *requests.Find(1);
  EXPECT_EQ(key.any().count, 1);
  EXPECT_EQ(key.CountOf(kNode), 0);
  EXPECT_EQ(key.CountOf(kRack), 1);
  EXPECT_EQ(key.places(), 2);
}

TEST(Requests, PlacesOutliveACountThatIsUsedUp) {
  Requests requests;
  requests.Update(1, {{kAnyPlace, AskFor(1)}, {kNode, AskFor(1)}});
  requests.Take(1, Locality::kAny, kNode, kRack);
  EXPECT_TRUE(requests.IsEmpty());
  requests.Update(1, {{kAnyPlace, AskFor(1)}});
  EXPECT_EQ(requests.Find(1)->places(), 2);
}

TEST(Requests, AnUpdateToNothingForgetsPlaces) {
  Requests requests;
  requests.Update(1, {{kAnyPlace, AskFor(1)}, {kNode, AskFor(1)}});
  const RequestChange change = requests.Update(1, {{kAnyPlace, AskFor(0)}});
  EXPECT_EQ(change.before.count, 1);
  EXPECT_EQ(requests.Find(1)->places(), 0);
}

TEST(Requests, KeysAreInOrderOfPriority) {
  Requests requests;
  requests.Update(3, {{kAnyPlace, AskFor(1)}});
  requests.Update(1, {{kAnyPlace, AskFor(1)}});
  EXPECT_EQ(requests.keys().front().priority(), 1);
}

}  // namespace
}  // namespace muster::yarn
