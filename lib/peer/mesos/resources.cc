// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/mesos/resources.h"

#include <algorithm>
#include <cstddef>

namespace muster::mesos {
namespace {

// Makes one range of the new one and those that it touches; those do not touch each other.
void AddRange(Bundle& bundle, Item item) {
  int64_t end = item.end();
  uint32_t begin = item.begin;
  std::erase_if(bundle, [&](const Item& other) {
    if (other.kind != item.kind || other.begin > item.end() || other.end() < item.begin) {
      return false;
    }
    begin = std::min(begin, other.begin);
    end = std::max(end, other.end());
    return true;
  });
  item.begin = begin;
  item.amount = (end - begin) * 1000;
  bundle.push_back(item);
}

void SubtractRange(Bundle& bundle, const Item& less) {
  Bundle tails;
  std::erase_if(bundle, [&](Item& item) {
    if (item.kind != less.kind || item.begin >= less.end() || item.end() <= less.begin) {
      return false;
    }
    if (item.end() > less.end()) {
      Item tail = item;
      tail.begin = static_cast<uint32_t>(less.end());
      tail.amount = (item.end() - less.end()) * 1000;
      tails.push_back(tail);
    }
    item.amount = (std::max(less.begin, item.begin) - item.begin) * int64_t{1000};
    return item.amount == 0;
  });
  bundle.insert(bundle.end(), tails.begin(), tails.end());
}

bool HasItem(const Bundle& bundle, const Item& part) {
  return std::ranges::any_of(bundle, [&](const Item& item) {
    if (item.kind != part.kind) return false;
    switch (part.form) {
      case Form::kScalar:
        return item.amount >= part.amount;
      case Form::kSolid:
        return item.amount == part.amount;
      case Form::kRange:
        return item.begin <= part.begin && item.end() >= part.end();
    }
    return false;
  });
}

void SubtractItem(Bundle& bundle, const Item& less) {
  if (less.form == Form::kRange) return SubtractRange(bundle, less);
  const auto found = std::ranges::find_if(bundle, [&](const Item& item) {
    return item.kind == less.kind && (item.form == Form::kScalar || item.amount == less.amount);
  });
  if (found == bundle.end()) return;
  found->amount -= less.amount;
  if (found->amount <= 0) bundle.erase(found);
}

// Gives `take` each item in the order in which the peer looks at them.
template <class Take>
void InOrder(const Bundle& bundle, Rng* random, const Take& take) {
  if (random == nullptr) {
    for (const Item& item : bundle) take(item);
    return;
  }
  Bundle shuffled = bundle;
  random->Shuffle(shuffled);
  for (const Item& item : shuffled) take(item);
}

// Adds what fits of the item in `left`.
void TakePart(Item item, int64_t& left, Bundle& result) {
  if (item.amount > left) {
    if (item.form == Form::kSolid) return;
    item.amount = left;
  }
  left -= item.amount;
  if (item.amount > 0) Add(result, item);
}

}  // namespace

void Add(Bundle& bundle, const Item& item) {
  if (item.form == Form::kRange) return AddRange(bundle, item);
  if (item.form == Form::kScalar) {
    for (Item& other : bundle) {
      if (other.kind != item.kind) continue;
      other.amount += item.amount;
      return;
    }
  }
  bundle.push_back(item);
}

void Add(Bundle& bundle, const Bundle& more) {
  for (const Item& item : more) Add(bundle, item);
}

void Subtract(Bundle& bundle, const Bundle& less) {
  if (bundle == less) return bundle.clear();  // the whole rest, as is usual
  for (const Item& item : less) SubtractItem(bundle, item);
}

// Scalars of one kind are one item, and ranges do not overlap: no item of `part` takes from `whole`
// what another one needs. Solid items may be there several times, so each needs one of its own.
bool Contains(const Bundle& whole, const Bundle& part) {
  if (whole == part) return true;
  return std::ranges::all_of(part, [&](const Item& item) {
    if (item.form != Form::kSolid) return HasItem(whole, item);
    const auto same = [&](const Item& other) {
      return other.kind == item.kind && other.amount == item.amount;
    };
    return std::ranges::count_if(part, same) <= std::ranges::count_if(whole, same);
  });
}

Amounts ScalarSum(const Bundle& bundle) {
  Amounts sum;
  for (const Item& item : bundle) {
    if (item.scalar()) sum[item.column] += item.amount;
  }
  return sum;
}

Bundle ShrinkTo(const Bundle& bundle, Amounts target, Rng* random) {
  Bundle result;
  if (target.empty()) return result;
  InOrder(bundle, random, [&](const Item& item) {
    if (target[item.column] > 0) TakePart(item, target[item.column], result);
  });
  return result;
}

Bundle ShrinkTo(const Bundle& bundle, Limits target, Rng* random) {
  if (target.empty()) return bundle;
  Bundle result;
  InOrder(bundle, random, [&](const Item& item) {
    if (!target.Names(item.column)) return Add(result, item);
    TakePart(item, target.most[item.column], result);
  });
  return result;
}

bool HasAtLeast(const Bundle& bundle, const Amounts& amounts) {
  for (size_t column = 0; column < kMostNames; ++column) {
    if (amounts[column] == 0) continue;
    double missing = ValueOf(amounts[column]);
    for (const Item& item : bundle) {
      if (item.column != column) continue;
      missing -= ValueOf(item.amount);
      if (missing <= 0) break;
    }
    if (missing > 0) return false;
  }
  return true;
}

}  // namespace muster::mesos
