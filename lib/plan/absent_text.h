// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The words about tasks that no plan decides about: a task that waits, has no job, and is left out
// by the profile; and what is no row yet, because its event waits for another object.
//
//   text += LeftOutText("ns/pod", profile);
//   text += WaitingText(cluster.WaitingEvents(), "ns/pod");
#ifndef MUSTER_PLAN_ABSENT_TEXT_H_
#define MUSTER_PLAN_ABSENT_TEXT_H_

#include <span>
#include <string>
#include <string_view>

#include "muster/cluster.h"

namespace muster {

// Returns a line.
std::string LeftOutText(std::string_view task, std::string_view profile);

// Returns a line for each event of a job or task of that name that waits, and one with the number
// of the events that wait for such a job. Empty: none does.
std::string WaitingText(std::span<const WaitingEvent> waiting, std::string_view job_or_task);

}  // namespace muster

#endif  // MUSTER_PLAN_ABSENT_TEXT_H_
