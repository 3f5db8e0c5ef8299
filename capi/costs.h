// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a cycle cost, as columns.
#ifndef MUSTER_CAPI_COSTS_H_
#define MUSTER_CAPI_COSTS_H_

#include <memory>

#include "capi/memory.h"
#include "muster/c.h"
#include "muster/cycle_metrics.h"

namespace muster::capi {

class CostColumns {
 public:
  CostColumns(const CycleMetrics& metrics, const std::shared_ptr<Memory>& memory);
  CostColumns(const CostColumns&) = delete;
  CostColumns& operator=(const CostColumns&) = delete;

  // Valid as long as the columns are.
  const muster_costs_view& view() const { return view_; }

 private:
  template <class List, class F>
  const int64_t* Numbers(const List& list, const F& get);
  template <class List, class F>
  const int32_t* Indices(const List& list, const F& get);
  template <class List>
  const double* Parts(const List& choices, double ScorePart::*value);
  // The names of rows, one behind the other; returns where each ends. The bytes are at `*begin` of
  // texts_.
  template <class List, class F>
  const int64_t* Names(const List& list, const F& get, size_t* begin);

  Column<int32_t> indices_;
  Column<int64_t> numbers_;
  Column<double> reals_;
  Bytes texts_;
  muster_costs_view view_ = MUSTER_COSTS_VIEW_INIT;
};

}  // namespace muster::capi

#endif  // MUSTER_CAPI_COSTS_H_
