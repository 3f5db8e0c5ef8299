// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A policy of another language: the six interfaces of muster/policy.h over callbacks in columns.
//
//   return std::make_unique<ColumnPolicy>(
//       ColumnDecl{.name = "mine", .points = {Point::kReady}}, std::make_unique<Mine>());
//
// How often a point is asked about, and with which books:
//  job_order, queue_order, sub_group_order  when the cycle opens; `live_orders`: again whenever the
//                                           books changed
//  task_order, valid                        when the cycle opens
//  admit                                    when the cycle opens; `live_orders`: again after each
//                                           admission
//  the other gates, victim_queue_order      whenever the books changed
//  fit, score                               once for a class, with the books as the cycle found
//                                           them; `live_scores`: scores of the states that changed
//  victims, domains                         every time
#ifndef MUSTER_BINDING_COLUMN_POLICY_H_
#define MUSTER_BINDING_COLUMN_POLICY_H_

#include <memory>
#include <string>
#include <string_view>

#include "lib/binding/column_interfaces.h"

namespace muster::binding {

struct ColumnDecl {
  std::string_view name;  // must outlive the policy
  std::string refusal;    // what reasons state of nodes that `fit` refuses, after the name
  PointSet points;        // at which the callbacks answer
  bool live_orders = false;
  bool live_scores = false;
};

class ColumnPolicy : public Policy {
 public:
  ColumnPolicy(const ColumnDecl& decl, std::unique_ptr<Callbacks> callbacks)
      : decl_(decl), inquiry_(decl.points, std::move(callbacks)) {}

  std::string_view name() const override { return decl_.name; }
  PointSet points() const override { return decl_.points; }
  Traits traits() const override {
    Traits traits;
    traits.tells_nodes_apart = inquiry_.Has(Point::kFit) || inquiry_.Has(Point::kScore);
    return traits;
  }
  OrderPolicy* order() override { return &order_; }
  GatePolicy* gate() override { return &gate_; }
  FitPolicy* fit() override { return &fit_; }
  ScorePolicy* score() override { return &score_; }
  VictimPolicy* victims() override { return &victims_; }
  DomainPolicy* domains() override { return &domains_; }

  void Open(const Cycle& cycle) override {
    order_.Forget();
    gate_.Forget();
    fit_.Forget();
    score_.Forget();
    if (decl_.live_orders) {
      inquiry_.Open(cycle, {Point::kTaskOrder, Point::kValid, Point::kAdmit});
    } else {
      inquiry_.Open(cycle, {Point::kTaskOrder, Point::kValid, Point::kAdmit, Point::kJobOrder,
                            Point::kQueueOrder, Point::kSubGroupOrder});
    }
  }

 private:
  const ColumnDecl decl_;
  Inquiry inquiry_;
  OrderColumns order_{&inquiry_, decl_.live_orders};
  GateColumns gate_{&inquiry_, decl_.live_orders};
  FitColumns fit_{&inquiry_, decl_.refusal.empty()
                                 ? std::string(decl_.name)
                                 : std::string(decl_.name) + ": " + decl_.refusal};
  ScoreColumns score_{&inquiry_, decl_.live_scores};
  VictimColumns victims_{&inquiry_};
  DomainColumns domains_{&inquiry_};
};

}  // namespace muster::binding

#endif  // MUSTER_BINDING_COLUMN_POLICY_H_
