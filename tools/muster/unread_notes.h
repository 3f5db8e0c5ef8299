// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Notes on the standard error output about fields of a scenario that profiles do not read.
//
//   NoteUnreadFields(tables, {"volcano", "kai"}, extensions);
//   // muster: history of queues (1 row): not read by volcano
#ifndef MUSTER_TOOLS_UNREAD_NOTES_H_
#define MUSTER_TOOLS_UNREAD_NOTES_H_

#include <string>
#include <vector>

#include "lib/model/tables.h"
#include "muster/policy.h"

namespace muster {

// Writes one line for each kind of field. Nothing with `extensions`, which may read any field.
void NoteUnreadFields(const Tables& tables, const std::vector<std::string>& profiles,
                      const Extensions* extensions);

}  // namespace muster

#endif  // MUSTER_TOOLS_UNREAD_NOTES_H_
