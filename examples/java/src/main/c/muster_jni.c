/* Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0. */
/*
 * The native methods of example.muster.Native: each is one call of muster/c.h. Pointers are longs,
 * texts are arrays of bytes in UTF-8. A failed call throws example.muster.MusterException.
 * tools/release/java.sh builds it and puts it into the jar.
 */
#include <jni.h>
#include <muster/c.h>
#include <stdlib.h>
#include <string.h>

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_example_muster_Native_##name
#define AT(type, address) ((type*)(intptr_t)(address))

/* Throws what `error` has. Where Java is out of memory, its own error is thrown already. */
static void Throw(JNIEnv* env, const muster_error* error) {
  const jsize size = (jsize)strlen(error->message);
  jclass type = (*env)->FindClass(env, "example/muster/MusterException");
  jmethodID make = type ? (*env)->GetMethodID(env, type, "<init>", "(I[B)V") : NULL;
  jbyteArray words = make ? (*env)->NewByteArray(env, size) : NULL;
  jobject thrown;
  if (!words) return;
  (*env)->SetByteArrayRegion(env, words, 0, size, (const jbyte*)error->message);
  thrown = (*env)->NewObject(env, type, make, (jint)error->code, words);
  if (thrown) (*env)->Throw(env, (jthrowable)thrown);
}

/* Returns whether a Java array may have that many elements, and otherwise throws. */
static int Fits(JNIEnv* env, int64_t size) {
  muster_error error = MUSTER_ERROR_INIT;
  if (size <= INT32_MAX) return 1;
  error.code = MUSTER_E_RESOURCE_EXHAUSTED;
  strcpy(error.message, "the result is longer than an array of Java may be");
  Throw(env, &error);
  return 0;
}

/* Returns a Java array of `size` bytes. */
static jbyteArray Bytes(JNIEnv* env, const char* first, int64_t size) {
  jbyteArray made = Fits(env, size) ? (*env)->NewByteArray(env, (jsize)size) : NULL;
  if (made && size > 0) (*env)->SetByteArrayRegion(env, made, 0, (jsize)size, (const jbyte*)first);
  return made;
}

/* Returns the text of a call that returned `status`, and frees it. */
static jbyteArray Written(JNIEnv* env, muster_status status, muster_text* text,
                          const muster_error* error) {
  jbyteArray made;
  if (status) {
    Throw(env, error);
    return NULL;
  }
  made = Bytes(env, muster_text_data(text), muster_text_size(text));
  muster_text_free(text);
  return made;
}

/* A copy of a Java array as a C text with a NUL. */
typedef struct text {
  char* data;
  int64_t size;
} text;

/* Returns 0, with an exception thrown, where memory runs out. An array that is null has no data. */
static int Take(JNIEnv* env, jbyteArray array, text* out) {
  out->data = NULL;
  out->size = 0;
  if (!array) return 1;
  out->size = (*env)->GetArrayLength(env, array);
  out->data = (char*)malloc((size_t)out->size + 1);
  if (!out->data) {
    (*env)->ThrowNew(env, (*env)->FindClass(env, "java/lang/OutOfMemoryError"), "muster");
    return 0;
  }
  (*env)->GetByteArrayRegion(env, array, 0, (jsize)out->size, (jbyte*)out->data);
  out->data[out->size] = 0;
  return 1;
}

NATIVE(jbyteArray, version)(JNIEnv* env, jclass type) {
  const char* words = muster_version_string();
  (void)type;
  return Bytes(env, words, (int64_t)strlen(words));
}

/* ---- tables ---------------------------------------------------------------------------------- */

NATIVE(jlong, newTable)(JNIEnv* env, jclass type, jint kind, jlong rows) {
  muster_error error = MUSTER_ERROR_INIT;
  muster_table* made = NULL;
  (void)type;
  if (muster_table_new(kind, rows, NULL, &made, &error)) Throw(env, &error);
  return (jlong)(intptr_t)made;
}

NATIVE(void, freeTable)(JNIEnv* env, jclass type, jlong table) {
  (void)env, (void)type;
  muster_table_free(AT(muster_table, table));
}

NATIVE(void, setNumbers)
(JNIEnv* env, jclass type, jlong table, jbyteArray column, jlongArray values) {
  muster_error error = MUSTER_ERROR_INIT;
  const jsize count = (*env)->GetArrayLength(env, values);
  jlong* first;
  text name;
  (void)type;
  if (!Take(env, column, &name)) return;
  first = (*env)->GetLongArrayElements(env, values, NULL);
  if (first) {
    const muster_status status = muster_table_set_numbers(AT(muster_table, table), name.data,
                                                          (const int64_t*)first, count, &error);
    (*env)->ReleaseLongArrayElements(env, values, first, JNI_ABORT);
    if (status) Throw(env, &error);
  }
  free(name.data);
}

NATIVE(void, setTexts)
(JNIEnv* env, jclass type, jlong table, jbyteArray column, jlongArray offsets, jbyteArray bytes) {
  muster_error error = MUSTER_ERROR_INIT;
  const jsize count = (*env)->GetArrayLength(env, offsets) - 1;
  jlong* first;
  text name, all;
  (void)type;
  if (!Take(env, column, &name)) return;
  if (Take(env, bytes, &all)) {
    first = (*env)->GetLongArrayElements(env, offsets, NULL);
    if (first) {
      const muster_status status =
          muster_table_set_texts(AT(muster_table, table), name.data, (const int64_t*)first, count,
                                 all.data, all.size, &error);
      (*env)->ReleaseLongArrayElements(env, offsets, first, JNI_ABORT);
      if (status) Throw(env, &error);
    }
    free(all.data);
  }
  free(name.data);
}

/* ---- clusters -------------------------------------------------------------------------------- */

NATIVE(jlong, newCluster)(JNIEnv* env, jclass type) {
  muster_error error = MUSTER_ERROR_INIT;
  muster_cluster* made = NULL;
  (void)type;
  if (muster_cluster_new(NULL, &made, &error)) Throw(env, &error);
  return (jlong)(intptr_t)made;
}

NATIVE(void, freeCluster)(JNIEnv* env, jclass type, jlong cluster) {
  (void)env, (void)type;
  muster_cluster_free(AT(muster_cluster, cluster));
}

NATIVE(void, put)(JNIEnv* env, jclass type, jlong cluster, jint mode, jlong table) {
  muster_error error = MUSTER_ERROR_INIT;
  (void)type;
  if (muster_cluster_put(AT(muster_cluster, cluster), mode, AT(const muster_table, table),
                         &error)) {
    Throw(env, &error);
  }
}

NATIVE(jbyteArray, readScenario)(JNIEnv* env, jclass type, jlong cluster, jbyteArray json) {
  muster_error error = MUSTER_ERROR_INIT;
  muster_text* profile = NULL;
  muster_status status;
  text words;
  (void)type;
  if (!Take(env, json, &words)) return NULL;
  status = muster_cluster_read_scenario(AT(muster_cluster, cluster), words.data, words.size,
                                        &profile, &error);
  free(words.data);
  return Written(env, status, profile, &error);
}

NATIVE(jbyteArray, writeScenario)(JNIEnv* env, jclass type, jlong cluster) {
  muster_error error = MUSTER_ERROR_INIT;
  muster_text* out = NULL;
  const muster_status status =
      muster_cluster_write_scenario(AT(const muster_cluster, cluster), NULL, &out, &error);
  (void)type;
  return Written(env, status, out, &error);
}

NATIVE(void, remove)(JNIEnv* env, jclass type, jlong cluster, jint kind, jbyteArray array) {
  muster_error error = MUSTER_ERROR_INIT;
  text name;
  (void)type;
  if (!Take(env, array, &name)) return;
  if (muster_cluster_remove(AT(muster_cluster, cluster), kind, name.data, name.size, &error)) {
    Throw(env, &error);
  }
  free(name.data);
}

NATIVE(void, setTask)
(JNIEnv* env, jclass type, jlong cluster, jbyteArray task, jint status, jbyteArray node) {
  muster_error error = MUSTER_ERROR_INIT;
  text name, place;
  (void)type;
  if (!Take(env, task, &name)) return;
  if (Take(env, node, &place)) {
    if (muster_cluster_set_task(AT(muster_cluster, cluster), name.data, name.size, status,
                                place.data, place.size, &error)) {
      Throw(env, &error);
    }
    free(place.data);
  }
  free(name.data);
}

NATIVE(void, bindFailed)(JNIEnv* env, jclass type, jlong cluster, jbyteArray task) {
  muster_error error = MUSTER_ERROR_INIT;
  text name;
  (void)type;
  if (!Take(env, task, &name)) return;
  if (muster_cluster_report_bind_failed(AT(muster_cluster, cluster), name.data, name.size,
                                        &error)) {
    Throw(env, &error);
  }
  free(name.data);
}

NATIVE(jlong, schedule)(JNIEnv* env, jclass type, jlong cluster, jbyteArray profile, jlong now) {
  muster_error error = MUSTER_ERROR_INIT;
  muster_schedule_options options = MUSTER_SCHEDULE_OPTIONS_INIT;
  muster_plan* made = NULL;
  text name;
  (void)type;
  if (!Take(env, profile, &name)) return 0;
  options.now = now;
  if (muster_cluster_schedule(AT(muster_cluster, cluster), name.data, &options, &made, &error)) {
    Throw(env, &error);
  }
  free(name.data);
  return (jlong)(intptr_t)made;
}

NATIVE(jbyteArray, apply)
(JNIEnv* env, jclass type, jlong cluster, jlong plan, jlongArray count) {
  muster_error error = MUSTER_ERROR_INIT;
  muster_text* refused = NULL;
  int64_t applied = 0;
  muster_status status;
  jlong number;
  (void)type;
  status = muster_cluster_apply(AT(muster_cluster, cluster), AT(const muster_plan, plan), &applied,
                                &refused, &error);
  number = applied;
  if (!status) (*env)->SetLongArrayRegion(env, count, 0, 1, &number);
  return Written(env, status, refused, &error);
}

/* ---- plans ----------------------------------------------------------------------------------- */

NATIVE(void, freePlan)(JNIEnv* env, jclass type, jlong plan) {
  (void)env, (void)type;
  muster_plan_free(AT(muster_plan, plan));
}

NATIVE(jintArray, decisions)(JNIEnv* env, jclass type, jlong plan) {
  muster_error error = MUSTER_ERROR_INIT;
  muster_plan_view view = MUSTER_PLAN_VIEW_INIT;
  jintArray made;
  int64_t i;
  (void)type;
  if (muster_plan_get_view(AT(const muster_plan, plan), &view, &error)) {
    Throw(env, &error);
    return NULL;
  }
  if (!Fits(env, 3 * view.decision_count)) return NULL;
  made = (*env)->NewIntArray(env, (jsize)(3 * view.decision_count));
  for (i = 0; made && i < view.decision_count; ++i) {
    const jint row[3] = {view.decision_kind[i], view.decision_task[i], view.decision_node[i]};
    (*env)->SetIntArrayRegion(env, made, (jsize)(3 * i), 3, row);
  }
  return made;
}

NATIVE(jbyteArray, name)(JNIEnv* env, jclass type, jlong plan, jint kind, jint index) {
  int64_t size = 0;
  const char* first = muster_plan_name(AT(const muster_plan, plan), kind, index, &size);
  (void)type;
  return Bytes(env, first, size);
}

NATIVE(jbyteArray, explain)(JNIEnv* env, jclass type, jlong plan, jbyteArray array) {
  muster_error error = MUSTER_ERROR_INIT;
  muster_text* out = NULL;
  muster_status status;
  text name;
  (void)type;
  if (!Take(env, array, &name)) return NULL;
  status = muster_plan_explain(AT(const muster_plan, plan), name.data, name.size, &out, &error);
  free(name.data);
  return Written(env, status, out, &error);
}

NATIVE(jbyteArray, digest)(JNIEnv* env, jclass type, jlong plan) {
  muster_error error = MUSTER_ERROR_INIT;
  char digits[33];
  (void)type;
  if (muster_plan_digest(AT(const muster_plan, plan), digits, &error)) {
    Throw(env, &error);
    return NULL;
  }
  return Bytes(env, digits, 32);
}

NATIVE(jbyteArray, planText)(JNIEnv* env, jclass type, jlong plan) {
  muster_error error = MUSTER_ERROR_INIT;
  muster_text* out = NULL;
  const muster_status status = muster_plan_to_text(AT(const muster_plan, plan), &out, &error);
  (void)type;
  return Written(env, status, out, &error);
}

NATIVE(jbyteArray, planJson)(JNIEnv* env, jclass type, jlong plan) {
  muster_error error = MUSTER_ERROR_INIT;
  muster_text* out = NULL;
  const muster_status status = muster_plan_to_json(AT(const muster_plan, plan), &out, &error);
  (void)type;
  return Written(env, status, out, &error);
}
