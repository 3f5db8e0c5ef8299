// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Byte strings that are equal exactly when valid specs mean the same: quantities read, resources
// and labels in the order of their names.
//
//   if (MeaningKey(known) != MeaningKey(listed)) ...   // the listing differs
#ifndef MUSTER_MODEL_SPEC_KEY_H_
#define MUSTER_MODEL_SPEC_KEY_H_

#include <string>

#include "muster/spec.h"

namespace muster {

std::string MeaningKey(const TaskShape& shape);
std::string MeaningKey(const NodeSpec& node);
std::string MeaningKey(const QueueSpec& queue);
std::string MeaningKey(const JobSpec& job);  // without the counts of its groups
std::string MeaningKey(const DomainSpec& domain);
std::string MeaningKey(const DisruptionBudgetSpec& budget);
std::string MeaningKey(const NamespaceSpec& name_space);
std::string MeaningKey(const FlavorSpec& flavor);
std::string MeaningKey(const PartitionSpec& partition);
std::string MeaningKey(const ReservationSpec& reservation);
// What few tasks have.
std::string MeaningKey(const Boxed<TaskUsage>& usage, const Boxed<Lifetime>& lifetime);

}  // namespace muster

#endif  // MUSTER_MODEL_SPEC_KEY_H_
