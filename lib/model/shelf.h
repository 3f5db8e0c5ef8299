// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What higher rooms keep with tables. lib/model never reads it.
#ifndef MUSTER_MODEL_SHELF_H_
#define MUSTER_MODEL_SHELF_H_

#include <atomic>
#include <memory>

namespace muster {

class Attachment {
 public:
  virtual ~Attachment() = default;
};

// Holds one object that is done with, so that the next of its kind can be written into its memory:
// megabytes that are freed after each cycle come back page by page. Any thread may put and take. No
// decision may depend on what is there.
class Shelf {
 public:
  Shelf() = default;
  ~Shelf() { Put(nullptr); }
  Shelf(const Shelf&) = delete;
  Shelf& operator=(const Shelf&) = delete;

  std::unique_ptr<Attachment> Take() {
    return std::unique_ptr<Attachment>(thing_.exchange(nullptr, std::memory_order_acq_rel));
  }
  // Deletes the object that was there.
  void Put(std::unique_ptr<Attachment> thing) {
    delete thing_.exchange(thing.release(), std::memory_order_acq_rel);
  }

 private:
  std::atomic<Attachment*> thing_{nullptr};
};

}  // namespace muster

#endif  // MUSTER_MODEL_SHELF_H_
