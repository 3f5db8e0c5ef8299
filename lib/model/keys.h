// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The name of a row with its kind before it, for tables that hold rows of all kinds by name.
//
//   waiting_for_[KeyOf(RowKind::kJob, "train")]
#ifndef MUSTER_MODEL_KEYS_H_
#define MUSTER_MODEL_KEYS_H_

#include <string>
#include <string_view>

#include "lib/model/editor.h"

namespace muster {

// One name space for the names of all kinds of rows.
inline std::string KeyOf(RowKind kind, std::string_view name) {
  std::string key(1, static_cast<char>('a' + static_cast<int>(kind)));
  key.append(name);
  return key;
}

}  // namespace muster

#endif  // MUSTER_MODEL_KEYS_H_
