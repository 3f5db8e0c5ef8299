/* Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0. */
/*
 * Versions, errors, texts and memory: what every other call of the C interface uses.
 *
 *   muster_error error = MUSTER_ERROR_INIT;
 *   muster_text* text = NULL;
 *
 *   if (MUSTER_C_VERSION / 100 != muster_version_number() / 100) warn("another minor version");
 *   if (muster_catalogue(&text, &error)) {
 *     fprintf(stderr, "%s: %s\n", muster_status_name(error.code), error.message);
 *   } else {
 *     puts(muster_text_data(text));
 *     muster_text_free(text);
 *   }
 *
 * Included by muster/c.h, which states the rules that hold for every call.
 */
#ifndef MUSTER_C_BASE_H_
#define MUSTER_C_BASE_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define MUSTER_API __attribute__((visibility("default")))
#else
#define MUSTER_API
#endif

/* ---- versions -------------------------------------------------------------------------------- */

/* The version of this header: major * 10000 + minor * 100 + patch. */
#define MUSTER_C_VERSION 200

/* Returns the version of the library, in the form of MUSTER_C_VERSION. */
MUSTER_API int32_t muster_version_number(void);

/* Returns the version of the library as text, such as "0.2.0". */
MUSTER_API const char* muster_version_string(void);

/* Returns the number in the name of the shared object. It changes when a symbol, a layout or a
 * meaning does. */
MUSTER_API int32_t muster_abi_version(void);

/* Returns 1 if the library has the feature, else 0. Features are "actions", "columns", "deltas",
 * "devices", "domains", "executor", "import", "policies", "recorder", "revisions", "scenario",
 * "state" and "what-if". NULL is no feature. */
MUSTER_API int32_t muster_has_feature(const char* name);

/* ---- errors ---------------------------------------------------------------------------------- */

/* The outcome of a call: 0, or a negative MUSTER_E_... number. The status of a task is another
 * thing: MUSTER_TASK_... in c_tables.h. */
typedef int32_t muster_status;

#define MUSTER_OK 0
/* The caller's muster_stop was set. */
#define MUSTER_E_CANCELLED (-1)
/* A failure that fits no other number. */
#define MUSTER_E_UNKNOWN (-2)
/* An argument, a row or a document breaks a rule; the message has the rule. */
#define MUSTER_E_INVALID_ARGUMENT (-3)
/* The caller's time_limit passed. */
#define MUSTER_E_DEADLINE_EXCEEDED (-4)
/* A name, a column or a policy does not exist. */
#define MUSTER_E_NOT_FOUND (-5)
/* A row or a policy of this name exists. */
#define MUSTER_E_ALREADY_EXISTS (-6)
/* Memory or a table is exhausted. */
#define MUSTER_E_RESOURCE_EXHAUSTED (-8)
/* Something else must happen first: a queue still has jobs, the cluster is in use. */
#define MUSTER_E_FAILED_PRECONDITION (-9)
/* An index or an amount is outside its range. */
#define MUSTER_E_OUT_OF_RANGE (-11)
/* The build of the library lacks the feature. */
#define MUSTER_E_UNIMPLEMENTED (-12)
/* A defect of the library. */
#define MUSTER_E_INTERNAL (-13)
/* The cluster was left in the middle of a change and can only be freed. */
#define MUSTER_E_DATA_LOSS (-15)
/* A callback of the caller failed; error->user_code is what it returned. */
#define MUSTER_E_USER (-100)
/* For callbacks to return: the callback has no opinion, as if it were NULL. */
#define MUSTER_PASSTHROUGH (-101)

/* What went wrong. It is filled on failure only. */
typedef struct muster_error {
  uint32_t struct_size;
  int32_t code;      /* MUSTER_E_... */
  int32_t user_code; /* of a callback, with MUSTER_E_USER */
  int32_t reserved;
  char message[496]; /* UTF-8 with a NUL at its end, cut between characters where it is too long */
} muster_error;
#define MUSTER_ERROR_INIT                          \
  {                                                \
    (uint32_t)sizeof(muster_error), 0, 0, 0, { 0 } \
  }

/* Returns "INVALID_ARGUMENT" for MUSTER_E_INVALID_ARGUMENT, and "UNKNOWN" for a number that is no
 * status. */
MUSTER_API const char* muster_status_name(muster_status status);

/* ---- texts that the library hands out -------------------------------------------------------- */

/* A text that belongs to the caller. */
typedef struct muster_text muster_text;

/* Returns the bytes, with a NUL at their end. They live as long as the text. Returns "" for
 * NULL. */
MUSTER_API const char* muster_text_data(const muster_text* text);

/* Returns the size in bytes, without the NUL; 0 for NULL. */
MUSTER_API int64_t muster_text_size(const muster_text* text);

/* Frees the text. NULL is permitted. */
MUSTER_API void muster_text_free(muster_text* text);

/* As the size of a text that is passed in: the text ends with a NUL. */
#define MUSTER_TO_NUL (-1)

/* ---- limits ---------------------------------------------------------------------------------- */

/* How much one text may make. A reader checks each sum before it takes the memory, and fails with
 * MUSTER_E_RESOURCE_EXHAUSTED, the place, the sum and the limit. docs/limits.md has what counts. */
typedef struct muster_limits {
  uint32_t struct_size;
  int32_t depth; /* of arrays and objects inside each other; a higher one is 256 */
  int64_t rows;  /* of all tables together; a row with a count counts that many times */
  int64_t bytes; /* of the text */
} muster_limits;
#define MUSTER_LIMITS_INIT \
  { (uint32_t)sizeof(muster_limits), 256, 4000000, (int64_t)4 << 30 }

/* ---- memory ---------------------------------------------------------------------------------- */

/* Serves what crosses this interface: the columns of tables and plans, texts, the lines of the
 * record. The engine's own books are on the C++ heap; muster_schedule_options.memory_limit bounds
 * the largest of them. `allocate` and `release` are both set or both NULL. They are called as long
 * as any object made with them is alive. */
typedef struct muster_allocator {
  uint32_t struct_size;
  uint32_t reserved;
  uintptr_t user;
  /* Returns memory aligned to 16 bytes, or NULL if there is none. NULL: malloc. */
  void* (*allocate)(uintptr_t user, size_t size);
  /* Takes back memory with the size that was requested. */
  void (*release)(uintptr_t user, void* memory, size_t size);
  int64_t budget; /* bytes in use at once; 0: no bound */
} muster_allocator;
#define MUSTER_ALLOCATOR_INIT \
  { (uint32_t)sizeof(muster_allocator), 0, 0, NULL, NULL, 0 }

#ifdef __cplusplus
}
#endif

#endif /* MUSTER_C_BASE_H_ */
