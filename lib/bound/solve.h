// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Prices for the rows of a program, by a first-order method.
//
//   PriceSearch search(program);
//   BoundProof proof = search.Find(objective, work);
//   spent += search.work();
//
// Idea. The program is max v.x, A x <= b, 0 <= x <= u, with nonnegative v, A, b. Its Lagrangian
// v.x - y.(A x - b) has a saddle point; the primal-dual hybrid gradient method (Chambolle, Pock)
// walks to it by one product with A and one with its transpose a step. Columns are scaled to [0, 1]
// and rows to a largest entry of 1; step sizes are one over sums of rows and columns (Pock,
// Chambolle 2011), times a weight between both sides that follows the distances walked. From time
// to time the average since the last restart is compared with the last point, and the better one
// becomes the start of the next round (as in PDLP, Applegate et al. 2021).
//
// Every y >= 0 proves a bound, so each candidate is rounded to integers and proven exactly
// (Proven); the best stays. A scaled primal point gives a floor: the search ends once the proof is
// within 1e-6 of it, or both have one integer.
//
// Cost. O(entries) an iteration. The first candidate, a price of 1 on rows of kinds alone, bounds
// by what is requested, so even without iterations there is a proof.
#ifndef MUSTER_BOUND_SOLVE_H_
#define MUSTER_BOUND_SOLVE_H_

#include <cstdint>
#include <vector>

#include "muster/bound.h"

namespace muster {

class PriceSearch {
 public:
  explicit PriceSearch(const BoundProgram& program);

  // Returns the best proof that `work` entries find.
  BoundProof Find(size_t objective, int64_t work);
  int64_t work() const { return work_; }

 private:
  struct Point {
    std::vector<double> x, y;
  };

  void Scale(size_t objective);
  void Step(const Point& from, Point* to);
  // Keeps the prices if they prove more.
  void Try(size_t objective, const std::vector<double>& y, BoundProof* best);
  // The objective of the point, scaled until it keeps all rows.
  double Floor(const std::vector<double>& x) const;
  // How far the point is from optimal, by the scaled program: what y proves less what x has.
  double Gap(const Point& point) const;

  const BoundProgram& program_;
  // By entry; by column; by row.
  std::vector<double> entry_;
  std::vector<double> value_, column_step_;
  std::vector<double> capacity_, row_step_, row_scale_;
  double value_scale_ = 1, weight_ = 1;
  int64_t work_ = 0;
};

}  // namespace muster

#endif  // MUSTER_BOUND_SOLVE_H_
