// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tools/muster/load.h"

#ifndef MUSTER_STATIC
#include <dlfcn.h>
#endif

#include <cstring>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "muster/loadable.h"

namespace muster {
namespace {

absl::Status RefuseLoad(const std::string& file, std::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("--load ", file, ": ", ToAbsl(why)));
}

#ifdef MUSTER_STATIC
absl::StatusOr<const muster_loadable*> EntryOf(const std::string& file) {
  return RefuseLoad(file,
                    "this program is linked statically and loads no objects; must be the "
                    "program of a package or of a build");
}
#else
// What an object states of itself, once it is known to be of this build.
absl::StatusOr<const muster_loadable*> EntryOf(const std::string& file) {
  // A name without a slash would be looked for in the system's folders.
  const std::string path = file.find('/') == std::string::npos ? absl::StrCat("./", file) : file;
  void* object = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) {
    const char* why = dlerror();
    std::string_view words = why == nullptr ? "cannot be loaded" : why;
    const std::string head = path + ": ";
    if (words.starts_with(head)) words.remove_prefix(head.size());
    return RefuseLoad(file, words);
  }
  auto* entry = reinterpret_cast<muster_loadable_entry_type*>(dlsym(object, MUSTER_LOADABLE_ENTRY));
  if (entry == nullptr) {
    return RefuseLoad(file, "has no function " MUSTER_LOADABLE_ENTRY
                            "; must have MUSTER_LOADABLE of muster/loadable.h");
  }
  const muster_loadable* loadable = entry();
  constexpr size_t kHead = offsetof(muster_loadable, add);
  if (loadable == nullptr || loadable->struct_size < kHead || loadable->build == nullptr) {
    return RefuseLoad(file, "its entry returns nothing of use");
  }
  if (std::strcmp(loadable->build, MUSTER_BUILD) != 0) {
    return RefuseLoad(file, absl::StrCat("is built for ", loadable->build,
                                         "; must be " MUSTER_BUILD ", as this program"));
  }
  if (loadable->struct_size < sizeof(muster_loadable) || loadable->add == nullptr) {
    return RefuseLoad(file, "its entry returns nothing of use");
  }
  return loadable;
}
#endif

}  // namespace

void LoadFlag::Declare(FlagSet* flags) {
  flags->Values("--load", "FILE", &files_,
                "policies and actions of a shared object; may be given several times");
}

absl::StatusOr<std::shared_ptr<const Extensions>> LoadFlag::Open() {
  if (opened_ != nullptr || files_.empty()) return opened_;
  auto extensions = std::make_shared<Extensions>();
  for (const std::string& file : files_) {
    const absl::StatusOr<const muster_loadable*> loadable = EntryOf(file);
    if (!loadable.ok()) return loadable.status();
    const size_t before = extensions->policies.size() + extensions->actions.size();
    try {
      (*loadable)->add(extensions.get());
    } catch (...) {
      return RefuseLoad(file, "threw an exception where it should add policies");
    }
    if (extensions->policies.size() + extensions->actions.size() == before) {
      return RefuseLoad(file, "adds no policy and no action");
    }
  }
  opened_ = std::move(extensions);
  return opened_;
}

}  // namespace muster
