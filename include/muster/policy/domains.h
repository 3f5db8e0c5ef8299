// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Domains: in which part of the topology tree a job or a sub-group may be placed, and how good each part is.
//
//   class OneRack : public Policy, public DomainPolicy {
//     PointSet points() const override { return {Point::kDomainSearch}; }
//     DomainLists DomainsForJob(JobIndex job, DomainIndex within, DomainIndex allocated,
//                               bool evicting) override {
//       return {racks_};
//     }
//     ...
//
// The first policy that answers kDomainSearch decides; scores of domains are added.
#ifndef MUSTER_POLICY_DOMAINS_H_
#define MUSTER_POLICY_DOMAINS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "muster/policy/sub_group.h"
#include "muster/types.h"

namespace muster {

// Domains to try. All of the first list are tried before any of the second.
using DomainLists = std::vector<std::vector<DomainIndex>>;

class DomainPolicy {
 public:
  // Returns the domains within `within` that may take the job or the sub-group. `allocated` is the domain that already
  // holds it, or kNone. `evicting`: room may be made by evictions.
  virtual DomainLists DomainsForJob(JobIndex /*job*/, DomainIndex within, DomainIndex /*allocated*/,
                                    bool /*evicting*/) {
    return {{within}};
  }
  virtual DomainLists DomainsForGroup(const SubGroup& /*group*/, DomainIndex within,
                                      DomainIndex /*allocated*/, bool /*evicting*/) {
    return {{within}};
  }
  // Returns whether a sub-group without a domain may take `leaf`, a domain without children, within `leaf` itself.
  virtual bool OffersLeaf(const SubGroup& /*group*/, DomainIndex /*leaf*/) { return true; }
  // Adds to scores[i] for domains[i], all of which can take the sub-group.
  virtual void ScoreDomains(const SubGroup& /*group*/, std::span<const DomainIndex> /*domains*/,
                            std::span<double> /*scores*/) {}

 protected:
  ~DomainPolicy() = default;
};

}  // namespace muster

#endif  // MUSTER_POLICY_DOMAINS_H_
