// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// resourcequota: jobs are admitted within the quotas of their namespace.
//
// Promise. A job that names minimum resources is admitted only if they, what its namespace uses and
// what jobs admitted in this cycle asked for there stay within every quota of the namespace, in the
// dimensions that the job names and the quota limits. A job that names none is admitted.
// Peer. Volcano's resourcequota plugin. A job's namespace is what stands before the first "/" of
// its name ("default" without one). Quotas are compared exactly; their scopes are not looked at.
// What earlier cycles admitted counts only once the quota says it is used.
// Ties. None. Cost. O(quotas x dimensions) a question.
#include <string>
#include <string_view>
#include <vector>

#include "lib/extension/cycle.h"
#include "lib/peer/volcano/policies.h"
#include "muster/quantity.h"

namespace muster {
namespace {

// Per dimension; kAbsent where nothing is said. A dimension that nothing else in the cluster knows
// bears on no job.
std::vector<int64_t> AmountsOf(const Tables& tables, const Resources& resources) {
  std::vector<int64_t> amounts(tables.dimension_count(), kAbsent);
  for (const auto& [name, quantity] : resources) {
    const auto d = tables.dimensions.Find(name);
    if (!d) continue;
    const Unit unit = IsMilliDimension(name) ? Unit::kMilli : Unit::kWhole;
    amounts[*d] = ParseQuantity(quantity.text, unit).value_or(0);
  }
  return amounts;
}

std::string_view NamespaceOf(std::string_view job) {
  const size_t slash = job.find('/');
  return slash == job.npos ? "default" : job.substr(0, slash);
}

class ResourceQuota : public Policy, public GatePolicy {
 public:
  std::string_view name() const override { return "resourcequota"; }
  PointSet points() const override { return {Point::kAdmit}; }
  GatePolicy* gate() override { return this; }

  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    books_.clear();
    for (const NamespaceSpec& spec : tables_->namespaces) {
      if (spec.quotas.empty()) continue;
      Book& book = books_.emplace_back();
      book.name_space = spec.name;
      book.admitted.assign(tables_->dimension_count(), 0);
      for (const QuotaSpec& quota : spec.quotas) {
        book.quotas.push_back({AmountsOf(*tables_, quota.hard), AmountsOf(*tables_, quota.used)});
      }
    }
  }

  Verdict Admit(JobIndex job) override {
    const Book* book = BookOf(job);
    if (book == nullptr) return Verdict::Yes();
    const auto minimum = tables_->jobs.min_resources.row(job);
    for (const Quota& quota : book->quotas) {
      for (DimensionIndex d = 0; d < minimum.size(); ++d) {
        if (minimum[d] == kAbsent || quota.hard[d] == kAbsent) continue;
        if (OrZero(quota.used[d]) + book->admitted[d] + minimum[d] > quota.hard[d]) {
          return Verdict::No(Cause::kLimit, d);
        }
      }
    }
    return Verdict::Yes();
  }

  void Admitted(JobIndex job) override {
    Book* book = BookOf(job);
    if (book == nullptr) return;
    const auto minimum = tables_->jobs.min_resources.row(job);
    for (size_t d = 0; d < minimum.size(); ++d) book->admitted[d] += OrZero(minimum[d]);
  }

 private:
  struct Quota {
    std::vector<int64_t> hard, used;  // kAbsent where nothing is said
  };
  struct Book {
    std::string_view name_space;
    std::vector<Quota> quotas;
    std::vector<int64_t> admitted;  // in this cycle
  };

  Book* BookOf(JobIndex job) {
    if (!tables_->jobs.spec[job].min_resources.has_value()) return nullptr;
    const std::string_view name_space = NamespaceOf(tables_->jobs.spec[job].name);
    for (Book& book : books_) {
      if (book.name_space == name_space) return &book;
    }
    return nullptr;
  }

  const Tables* tables_ = nullptr;
  std::vector<Book> books_;
};

}  // namespace

PolicyDecl ResourceQuotaPolicy() {
  return {
      "resourcequota",
      "jobs are admitted within the quotas of their namespace",
      {},
      [](const Options&) -> std::unique_ptr<Policy> { return std::make_unique<ResourceQuota>(); }};
}

}  // namespace muster
