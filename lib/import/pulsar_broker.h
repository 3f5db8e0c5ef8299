// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Settings of Pulsar's brokers, broker.conf as an object of keys and values, as options of profile
// pulsar.
//
//   scenario->profile = PulsarProfileOf(configuration, &excluded);
#ifndef MUSTER_IMPORT_PULSAR_BROKER_H_
#define MUSTER_IMPORT_PULSAR_BROKER_H_

#include <set>
#include <string>

#include "lib/import/field.h"

namespace muster {

// Returns the profile's spec. `excluded` gets the namespaces that no shedder looks at. Settings of
// the balancer that are not read are reported; others of the broker are not looked at.
std::string PulsarProfileOf(const Field& configuration, std::set<std::string>* excluded);

}  // namespace muster

#endif  // MUSTER_IMPORT_PULSAR_BROKER_H_
