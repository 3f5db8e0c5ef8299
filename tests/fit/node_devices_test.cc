// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which devices a strategy prefers, by hand.
#include "lib/fit/node_devices.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/rng.h"

namespace muster {
namespace {

constexpr uint32_t kGpu = 1, kNic = 2;
constexpr uint32_t kLarge = 7, kSmall = 8;
constexpr DevicePick kPack = DevicePick::kPack, kSpread = DevicePick::kSpread,
                     kBestFit = DevicePick::kBestFit;

// Four GPUs of 16 GB: zones 10, 10, 11, 11; links 20 (0, 1, 2) and 21 (2, 3); the last is of the
// small model. A NIC in each zone.
std::vector<NodeDevice> Machine() {
  return {{kGpu, kLarge, 10, {20}, {1000, 16}},
          {kGpu, kLarge, 10, {20}, {1000, 16}},
          {kGpu, kLarge, 11, {20, 21}, {1000, 16}},
          {kGpu, kSmall, 11, {21}, {1000, 8}},
          {kNic, 0, 10, {}, {1000, 0}},
          {kNic, 0, 11, {}, {1000, 0}}};
}

std::vector<DeviceAmount> Fresh(const std::vector<NodeDevice>& devices) {
  std::vector<DeviceAmount> free;
  for (const NodeDevice& device : devices) free.push_back(device.total);
  return free;
}

// "1:500/4 3:500/4": by position, share and memory; "no".
std::string Choose(const std::vector<NodeDevice>& devices, const std::vector<DeviceAmount>& free,
                   const std::vector<DeviceAsk>& asks, DevicePick strategy) {
  std::vector<DevicePart> grants;
  if (!ChooseNodeDevices(devices, free, asks, strategy, &grants)) return "no";
  std::string out;
  for (const DevicePart& grant : grants) {
    out += (out.empty() ? "" : " ") + std::to_string(grant.device) + ":" +
           std::to_string(grant.amount.milli) + "/" + std::to_string(grant.amount.memory);
  }
  return out;
}

TEST(NodeDevices, StrategiesPreferDifferentDevices) {
  const std::vector<NodeDevice> devices = Machine();
  std::vector<DeviceAmount> free = Fresh(devices);
  free[1] = {400, 16};
  free[2] = {700, 4};
  const DeviceAsk ask{.kind = kGpu, .each = {300, 2}};
  EXPECT_EQ(Choose(devices, free, {ask}, kPack), "1:300/2");
  EXPECT_EQ(Choose(devices, free, {ask}, kSpread), "0:300/2");
  // Left over, in thousandths: 700+875, 100+875, 400+125, 700+750.
  EXPECT_EQ(Choose(devices, free, {ask}, kBestFit), "2:300/2");
  // With equal shares the memory decides, then the position.
  free = Fresh(devices);
  EXPECT_EQ(Choose(devices, free, {ask}, kPack), "3:300/2");
  EXPECT_EQ(Choose(devices, free, {ask}, kSpread), "0:300/2");
  EXPECT_EQ(Choose(devices, free, {{.kind = kNic, .each = {1000, 0}}}, kPack), "4:1000/0");
}

TEST(NodeDevices, WhatADeviceMustHave) {
  std::vector<NodeDevice> devices = Machine();
  std::vector<DeviceAmount> free = Fresh(devices);
  free[0] = {499, 16};
  free[1] = {1000, 3};
  devices[2].healthy = false;
  const DeviceAsk half{.kind = kGpu, .each = {500, 4}};
  EXPECT_EQ(Choose(devices, free, {half}, kPack), "3:500/4");
  EXPECT_EQ(FirstShortAsk(devices, free, {&half, 1}), 1u);
  const DeviceAsk large{.kind = kGpu, .each = {500, 4}, .models = {kLarge}};
  EXPECT_EQ(Choose(devices, free, {large}, kPack), "no");
  EXPECT_EQ(FirstShortAsk(devices, free, {&large, 1}), 0u);
  const DeviceAsk two{.kind = kGpu, .count = 2, .each = {500, 0}};
  EXPECT_EQ(Choose(devices, free, {two}, kPack), "1:500/0 3:500/0");
  const DeviceAsk three{.kind = kGpu, .count = 3, .each = {500, 0}};
  EXPECT_EQ(Choose(devices, free, {three}, kPack), "no");
}

TEST(NodeDevices, ExclusiveWantsAnUntouchedDeviceAndTakesItWhole) {
  const std::vector<NodeDevice> devices = Machine();
  std::vector<DeviceAmount> free = Fresh(devices);
  free[0].milli = 999;
  free[3].memory = 7;
  const DeviceAsk ask{.kind = kGpu, .each = {100, 1}, .exclusive = true};
  EXPECT_EQ(Choose(devices, free, {ask}, kPack), "1:1000/16");
  free[1].milli = free[2].milli = 500;
  EXPECT_EQ(Choose(devices, free, {ask}, kPack), "no");
}

TEST(NodeDevices, OneZoneOrOneLinkForAllThatWantIt) {
  const std::vector<NodeDevice> devices = Machine();
  std::vector<DeviceAmount> free = Fresh(devices);
  const DeviceAsk gpus{
      .kind = kGpu, .count = 2, .each = {500, 0}, .together = DeviceTogether::kZone};
  const DeviceAsk nic{.kind = kNic, .each = {1000, 0}, .together = DeviceTogether::kZone};
  EXPECT_EQ(Choose(devices, free, {gpus}, kPack), "0:500/0 1:500/0");
  free[2] = {600, 16};  // the second zone has less free
  EXPECT_EQ(Choose(devices, free, {gpus}, kPack), "2:500/0 3:500/0");
  EXPECT_EQ(Choose(devices, free, {gpus}, kSpread), "0:500/0 1:500/0");
  // The NIC of that zone is taken: both go to the other one.
  free[5] = {0, 0};
  EXPECT_EQ(Choose(devices, free, {gpus, nic}, kPack), "0:500/0 1:500/0 4:1000/0");
  free[4] = {0, 0};
  EXPECT_EQ(Choose(devices, free, {gpus, nic}, kPack), "no");
  const DeviceAsk asks[] = {gpus, {.kind = kNic, .each = {1, 0}}};
  EXPECT_EQ(FirstShortAsk(devices, free, asks), 1u);

  DeviceAsk linked = gpus;
  linked.together = DeviceTogether::kLink;
  linked.each = {700, 0};
  // Link 21 has only one GPU with so much.
  EXPECT_EQ(Choose(devices, free, {linked}, kPack), "0:700/0 1:700/0");
  linked.count = 3;
  EXPECT_EQ(Choose(devices, free, {linked}, kPack), "no");
  EXPECT_EQ(FirstShortAsk(devices, free, {&linked, 1}), 1u);  // there are three, on no one link
}

TEST(NodeDevices, Scores) {
  const std::vector<NodeDevice> devices = Machine();
  std::vector<DeviceAmount> free = Fresh(devices);
  free[0].milli = 500;
  const std::vector<DeviceAsk> asks = {{.kind = kGpu, .each = {500, 4}}};
  const auto score = [&](DevicePick strategy) {
    std::vector<DevicePart> grants;
    EXPECT_TRUE(ChooseNodeDevices(devices, free, asks, strategy, &grants));
    return ScoreNodeDevices(devices, free, asks, grants, strategy);
  };
  EXPECT_EQ(score(kPack), 25);                   // 1000 of 4000 in use
  EXPECT_EQ(score(kSpread), 75);                 // 3000 of 4000 free
  EXPECT_EQ(score(kBestFit), 100 - 750 / 20.0);  // device 0: nothing of the share, 12 of 16 left
}

// Whether any devices would do, tried one by one.
bool AnyWouldDo(const std::vector<NodeDevice>& devices, const std::vector<DeviceAmount>& free,
                const DeviceAsk& ask) {
  std::vector<uint32_t> groups = {UINT32_MAX};
  if (ask.together == DeviceTogether::kZone) groups = {10, 11};
  if (ask.together == DeviceTogether::kLink) groups = {20, 21};
  for (uint32_t subset = 0; subset < 1u << devices.size(); ++subset) {
    for (uint32_t group : groups) {
      int64_t count = 0;
      bool good = true;
      for (size_t d = 0; d < devices.size(); ++d) {
        if (!(subset >> d & 1)) continue;
        ++count;
        const NodeDevice& device = devices[d];
        good = good && device.kind == ask.kind && device.healthy &&
               free[d].milli >= ask.each.milli && free[d].memory >= ask.each.memory;
        good = good && (!ask.exclusive || free[d] == device.total);
        const auto on = [&](uint32_t link) {
          return std::count(device.links.begin(), device.links.end(), link) > 0;
        };
        if (ask.together == DeviceTogether::kZone) good = good && device.zone == group;
        if (ask.together == DeviceTogether::kLink) good = good && on(group);
      }
      if (good && count == ask.count) return true;
    }
  }
  return false;
}

TEST(NodeDevices, FindsDevicesExactlyIfThereAreAny) {
  Rng rng(3);
  int found = 0, none = 0;
  for (int world = 0; world < 3000; ++world) {
    std::vector<NodeDevice> devices = Machine();
    std::vector<DeviceAmount> free = Fresh(devices);
    for (size_t d = 0; d < devices.size(); ++d) {
      if (rng.Chance(0.5)) free[d].milli = static_cast<int64_t>(rng.Below(4)) * 250;
      devices[d].healthy = !rng.Chance(0.1);
    }
    DeviceAsk ask{.kind = kGpu, .count = 1 + static_cast<int64_t>(rng.Below(3))};
    ask.each.milli = 250 * static_cast<int64_t>(1 + rng.Below(4));
    ask.exclusive = rng.Chance(0.2);
    ask.together = static_cast<DeviceTogether>(rng.Below(3));
    for (DevicePick strategy : {kPack, kSpread, kBestFit}) {
      const bool any = AnyWouldDo(devices, free, ask);
      EXPECT_EQ(Choose(devices, free, {ask}, strategy) != "no", any);
      ++(any ? found : none);
    }
  }
  EXPECT_GT(found, 1000);
  EXPECT_GT(none, 1000);
}

}  // namespace
}  // namespace muster
