// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Domains: in which parts of the topology tree a job or a sub-group may be placed, and how good
// each part is.
//
//   class OneRack : public muster::Policy, public muster::DomainPolicy {
//    public:
//     explicit OneRack(std::vector<muster::DomainIndex> racks) : racks_(std::move(racks)) {}
//     std::string_view name() const override { return "one-rack"; }
//     muster::PointSet points() const override { return {muster::Point::kDomainSearch}; }
//     muster::DomainPolicy* domains() override { return this; }
//     muster::DomainLists DomainsForJob(muster::JobIndex, muster::DomainIndex, muster::DomainIndex,
//                                       bool) override {
//       return {racks_};
//     }
//
//    private:
//     const std::vector<muster::DomainIndex> racks_;
//   };
//
// A domain is a vertex of the topology tree above the nodes: a rack, a block, a hypernode. The tree
// is made of DomainSpec rows; policies number its domains as the cycle does.
// Promise. The first policy that answers at kDomainSearch decides which domains are tried, and in
// which order. At kDomainScore the scores of all policies are added.
// Failure. None. If no list has a domain, the gang waits with the reason kNoDomain.
// Ownership. Lists are values. Spans are valid during the call.
// Threads. One thread at a time calls an instance.
// Cost. A search is asked once for each job or sub-group with a topology wish, a score once for
// each list of candidates. Both should cost O(domains asked about).
#ifndef MUSTER_POLICY_DOMAINS_H_
#define MUSTER_POLICY_DOMAINS_H_

#include <span>
#include <vector>

#include "muster/policy/sub_group.h"
#include "muster/types.h"

namespace muster {

// Domains to try, in lists by preference: all of the first list are tried before any of the second.
using DomainLists = std::vector<std::vector<DomainIndex>>;

// Answers for the points kDomainSearch and kDomainScore. Each default is the answer of a policy
// that has no opinion: search the domain as a whole, and score all alike.
class DomainPolicy {
 public:
  // Returns the domains inside `within` that may take the whole job.
  //
  // `allocated` is the domain that already holds tasks of the job, or kNone: a policy that keeps
  // jobs together returns it, or domains around it. If `evicting` is true, the caller makes room by
  // evictions, so domains that are full now count, too.
  virtual DomainLists DomainsForJob(JobIndex /*job*/, DomainIndex within, DomainIndex /*allocated*/,
                                    bool /*evicting*/) {
    return {{within}};
  }
  // Returns the same for one sub-group of a job. `allocated` is the domain of that sub-group.
  virtual DomainLists DomainsForGroup(const SubGroup& /*group*/, DomainIndex within,
                                      DomainIndex /*allocated*/, bool /*evicting*/) {
    return {{within}};
  }
  // Returns whether a sub-group without a domain may take `leaf`, a domain without children, when
  // `leaf` itself is the domain that is searched.
  virtual bool OffersLeaf(const SubGroup& /*group*/, DomainIndex /*leaf*/) { return true; }
  // Adds to scores[i] the score of domains[i], higher being better. All of `domains` can take the
  // sub-group; both spans have the same length.
  virtual void ScoreDomains(const SubGroup& /*group*/, std::span<const DomainIndex> /*domains*/,
                            std::span<double> /*scores*/) {}

 protected:
  ~DomainPolicy() = default;
};

}  // namespace muster

#endif  // MUSTER_POLICY_DOMAINS_H_
