// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Policies and actions in a shared object, for programs that load it while they run. The command
// line does: `muster run FILE --load ./mine.so --profile volcano:+spread`. The source of such an
// object has:
//   #include "muster/loadable.h"
//   static void Add(muster::Extensions* extensions) {
//     extensions->policies.push_back({.name = "spread", .make = ...});
//   }
//   MUSTER_LOADABLE(Add)
// It is compiled with these headers, `-shared -fPIC -std=c++20`, and links nothing of Muster: the
// program that loads it has the library. examples/loadable is a whole one.
//
// Promise. An object has one entry, a C function that returns a constant. The program compares the
// constant's `build` with its own MUSTER_BUILD before it reads anything else, so an object of
// another version, compiler or standard library is refused and runs no code but the entry's.
// Nothing is registered when the object is loaded.
// Failure. `add` must not throw: the program treats an exception as a refusal.
// Ownership. The constant, and what the names of policies and actions refer to, must last as long
// as the object is loaded. The command line unloads none.
// Threads. `add` is called once, before any cycle.
// Cost. None beyond the look-up of one symbol.
#ifndef MUSTER_LOADABLE_H_
#define MUSTER_LOADABLE_H_

#include <cstddef>
#include <cstdint>

#include "absl/base/options.h"
#include "muster/action.h"
#include "muster/policy.h"
#include "muster/version.h"

#define MUSTER_TEXT_OF_(x) #x
#define MUSTER_TEXT_(x) MUSTER_TEXT_OF_(x)

// The compiler with its main version. Objects of two compilers lay out classes alike only mostly.
#if defined(__clang__)
#define MUSTER_BUILD_COMPILER_ "clang " MUSTER_TEXT_(__clang_major__)
#elif defined(__GNUC__)
#define MUSTER_BUILD_COMPILER_ "gcc " MUSTER_TEXT_(__GNUC__)
#else
#define MUSTER_BUILD_COMPILER_ "another compiler"
#endif

#if defined(_LIBCPP_VERSION)
#define MUSTER_BUILD_LIBRARY_ "libc++ " MUSTER_TEXT_(_LIBCPP_ABI_VERSION)
#elif defined(_GLIBCXX_DEBUG)
#define MUSTER_BUILD_LIBRARY_ "libstdc++ with debug containers"
#elif defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
#define MUSTER_BUILD_LIBRARY_ "libstdc++ with old strings"
#elif defined(__GLIBCXX__)
#define MUSTER_BUILD_LIBRARY_ "libstdc++"
#else
#define MUSTER_BUILD_LIBRARY_ "another standard library"
#endif

#if ABSL_OPTION_USE_INLINE_NAMESPACE
#define MUSTER_BUILD_ABSEIL_ "abseil " MUSTER_TEXT_(ABSL_OPTION_INLINE_NAMESPACE_NAME)
#else
#define MUSTER_BUILD_ABSEIL_ "abseil"
#endif

// What two builds must have in common to exchange objects of C++.
#define MUSTER_BUILD                                                                     \
  "muster " MUSTER_VERSION_STRING ", " MUSTER_BUILD_COMPILER_ ", " MUSTER_BUILD_LIBRARY_ \
  ", " MUSTER_BUILD_ABSEIL_

extern "C" {

// What the entry returns. C++ is not needed to read the first two fields.
struct muster_loadable {
  // sizeof(muster_loadable) of the object: fields beyond it are not there.
  uint32_t struct_size;
  uint32_t reserved;
  // MUSTER_BUILD of the object.
  const char* build;
  // Adds the policies and actions of the object to a list.
  void (*add)(muster::Extensions* extensions);
};

}  // extern "C"

// The name of the entry, and its type.
#define MUSTER_LOADABLE_ENTRY "muster_loadable_entry"
using muster_loadable_entry_type = const muster_loadable*();

// Defines the entry of an object. `add` is a function of the type of muster_loadable::add.
#define MUSTER_LOADABLE(add_function)                                                       \
  extern "C" MUSTER_EXPORT const muster_loadable* muster_loadable_entry();                  \
  extern "C" const muster_loadable* muster_loadable_entry() {                               \
    static constexpr muster_loadable kLoadable = {sizeof(muster_loadable), 0, MUSTER_BUILD, \
                                                  add_function};                            \
    return &kLoadable;                                                                      \
  }

#endif  // MUSTER_LOADABLE_H_
