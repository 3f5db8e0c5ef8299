// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The slow twin of bundle placement: every node looked at for every bundle.
#ifndef MUSTER_REFERENCE_PEER_RAY_BUNDLES_H_
#define MUSTER_REFERENCE_PEER_RAY_BUNDLES_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace muster::reference {

struct BundleWorld {
  // One number for each resource in every vector.
  std::vector<std::vector<int64_t>> total, available;  // of nodes
  std::vector<std::vector<int64_t>> bundles;
  // What is free of each device of each node, of the first resource, where that is kept by device:
  // `unit` is the amount of one, 0 where it is not.
  std::vector<std::vector<int64_t>> devices;
  int64_t unit = 0;
  std::vector<std::set<size_t>> allowed;  // nodes of each bundle
  std::set<size_t> used_already;
  int wished = -1;
  // The domain of each node, empty: in none. An empty list: none is required. `domain`: the one
  // that the group has already.
  std::vector<std::string> domains;
  std::string domain;

  // "pack", "spread", "strict pack" or "strict spread". Empty: "infeasible" or "failed" says why.
  std::vector<size_t> Place(const std::string& strategy, std::string* why) const;

 private:
  // The strategy on the nodes of one domain after the other.
  std::vector<size_t> PlaceInDomains(const std::string& strategy, std::string* why) const;
  // What "strict pack" means: all bundles on one node.
  std::vector<size_t> PlaceOnOne(std::string* why) const;
  // Whether these devices hold all bundles together.
  bool HoldAll(std::vector<int64_t> free) const;
};

// Whether devices, each with so much free, hold a request of a part of one or of whole ones.
bool DevicesHold(const std::vector<int64_t>& free, int64_t unit, int64_t request);
// Takes the request, a part from the device with the least room that is enough.
void TakeDevices(int64_t unit, int64_t request, std::vector<int64_t>* free);

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_PEER_RAY_BUNDLES_H_
