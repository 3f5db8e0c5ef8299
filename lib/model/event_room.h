// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How many events a cluster keeps for slots of its memory that have not seen them (event_log.h).
//
//   log.Add(event, MostEvents(editor.living()));
//
// A slot that has not seen more events than there are rows gets `everything` instead: to look at
// each row then costs no more than to look at each event.
#ifndef MUSTER_MODEL_EVENT_ROOM_H_
#define MUSTER_MODEL_EVENT_ROOM_H_

#include <algorithm>
#include <cstddef>

namespace muster {

// `living`: rows over all tables.
inline size_t MostEvents(size_t living) { return std::max<size_t>(1024, living); }

}  // namespace muster

#endif  // MUSTER_MODEL_EVENT_ROOM_H_
