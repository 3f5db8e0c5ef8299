// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Policies and actions of shared objects (muster/loadable.h): the flag --load.
//
//   LoadFlag load;
//   load.Declare(&flags);
//   ...
//   absl::StatusOr<std::shared_ptr<const Extensions>> extensions = load.Open();
#ifndef MUSTER_TOOLS_LOAD_H_
#define MUSTER_TOOLS_LOAD_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "muster/policy.h"
#include "tools/muster/flags.h"

namespace muster {

class LoadFlag {
 public:
  void Declare(FlagSet* flags);
  // Loads what is not loaded yet. Null: the flag is not given. Objects stay until the program ends.
  // Errors begin with the flag and the file.
  absl::StatusOr<std::shared_ptr<const Extensions>> Open();

 private:
  std::vector<std::string> files_;
  std::shared_ptr<const Extensions> opened_;
};

}  // namespace muster

#endif  // MUSTER_TOOLS_LOAD_H_
