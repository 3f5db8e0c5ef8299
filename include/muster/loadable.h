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

#include "absl/status/status.h"
#include "muster/action.h"
#include "muster/policy.h"
#include "muster/version.h"

// The text of what a macro stands for. Macros with a line at their end are parts of MUSTER_BUILD
// and of no use elsewhere.
#define MUSTER_TEXT_OF_(x) #x
#define MUSTER_TEXT_(x) MUSTER_TEXT_OF_(x)

// The compiler with its main version: classes of two compilers, or of two versions of one, are laid
// out alike only mostly.
#if defined(__clang__)
#define MUSTER_BUILD_COMPILER_ "clang " MUSTER_TEXT_(__clang_major__)
#elif defined(__GNUC__)
#define MUSTER_BUILD_COMPILER_ "gcc " MUSTER_TEXT_(__GNUC__)
#else
#define MUSTER_BUILD_COMPILER_ "another compiler"
#endif

// The standard library, with what changes the layout of its containers: debug checks, and the
// strings of before C++11.
#if defined(_GLIBCXX_DEBUG)
#define MUSTER_BUILD_LIBRARY_ "libstdc++ with debug containers"
#elif defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
#define MUSTER_BUILD_LIBRARY_ "libstdc++ with old strings"
#elif defined(__GLIBCXX__)
#define MUSTER_BUILD_LIBRARY_ "libstdc++"
#else
#define MUSTER_BUILD_LIBRARY_ "another standard library"
#endif

// What two builds must have in common to exchange objects of C++, as one text: the version of
// Muster, the compiler, the standard library, and the name of Abseil's version. Programs compare it
// byte by byte, and print both texts where they differ. Optimization levels and warnings are no
// part of it: they change no layout.
#define MUSTER_BUILD                                                                     \
  "muster " MUSTER_VERSION_STRING ", " MUSTER_BUILD_COMPILER_ ", " MUSTER_BUILD_LIBRARY_ \
  ", abseil " MUSTER_TEXT_(ABSL_OPTION_INLINE_NAMESPACE_NAME)

// What the entry returns. A program of any compiler may read it up to `build`. Fields may be added
// at the end: a program reads no more than `struct_size` bytes.
extern "C" struct muster_loadable {
  // sizeof(muster_loadable) of the object. Required.
  uint32_t struct_size;
  // 0.
  uint32_t reserved;
  // MUSTER_BUILD of the object, a text that ends with a NUL. Required.
  const char* build;
  // Adds the policies and actions of the object to a list, behind those that are there. Required.
  void (*add)(muster::Extensions* extensions);
};

// The name of the entry, which the program looks up, and its type. The entry takes nothing, returns
// a constant that is never null, and does nothing else. An object without this function is refused,
// as is one that returns null, or a constant that is too short.
#define MUSTER_LOADABLE_ENTRY "muster_loadable_entry"
using muster_loadable_entry_type = const muster_loadable*();

// Defines the entry of an object, once in all of its sources. `add_function` is the name of a
// function of the type of muster_loadable::add, which may be static. It adds at least one policy or
// action; their names must not be those of built-in ones, nor of other objects that are loaded.
#define MUSTER_LOADABLE(add_function)                                                      \
  extern "C" MUSTER_EXPORT const muster_loadable* muster_loadable_entry();                 \
  extern "C" const muster_loadable* muster_loadable_entry() {                              \
    static constexpr muster_loadable kOwn = {sizeof(kOwn), 0, MUSTER_BUILD, add_function}; \
    return &kOwn;                                                                          \
  }

#endif  // MUSTER_LOADABLE_H_
