// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/steady/batches.h"

#include <algorithm>

namespace wordline::results {

std::uint64_t OpBatch::above(std::uint32_t bucket) const {
  std::uint64_t sum = 0;
  for (auto entry = buckets.rbegin(); entry != buckets.rend() && entry->first > bucket; ++entry) sum += entry->second;
  return sum;
}

void OpBatch::merge(const OpBatch& later) {
  count += later.count;
  latency += later.latency;
  std::vector<std::pair<std::uint16_t, std::uint32_t>> both;
  both.reserve(std::max(buckets.size(), later.buckets.size()));
  auto a = buckets.begin();
  auto b = later.buckets.begin();
  while (a != buckets.end() || b != later.buckets.end()) {
    if (b == later.buckets.end() || (a != buckets.end() && a->first < b->first)) {
      both.push_back(*a++);
    } else if (a == buckets.end() || b->first < a->first) {
      both.push_back(*b++);
    } else {
      both.emplace_back(a->first, a->second + b->second);
      ++a;
      ++b;
    }
  }
  buckets = std::move(both);
}

void Batches::Filling::prepare() {
  if (buckets.empty()) buckets.resize(Histogram::kBuckets);
  least = Histogram::kBuckets;
  greatest = 0;
  latency = 0;
}

OpBatch Batches::Filling::take() {
  OpBatch batch;
  if (count == 0) return batch;
  batch.count = count;
  batch.latency = latency;
  for (std::uint32_t i = least; i <= greatest; ++i) {
    if (buckets[i] == 0) continue;
    batch.buckets.emplace_back(static_cast<std::uint16_t>(i), buckets[i]);
    buckets[i] = 0;
  }
  batch.buckets.shrink_to_fit();
  count = 0;
  return batch;
}

void Batches::begin(Picoseconds at) {
  batches_.clear();
  for (Filling& filling : filling_) static_cast<void>(filling.take());
  length_ = kFirstLength;
  in_batch_ = 0;
  begin_ = last_ = at;
  pause_ = Picoseconds(0);
}

void Batches::end_batch(const DriveCounts& counts) {
  Batch batch;
  batch.begin = begin_;
  batch.end = begin_ = last_;
  for (std::size_t op = 0; op < kOpCount; ++op) batch.ops[op] = filling_[op].take();
  batch.at_end = counts;
  batches_.push_back(std::move(batch));
  in_batch_ = 0;
  if (batches_.size() == kMost) merge_pairs();
}

void Batches::merge_pairs() {
  for (std::size_t i = 0; i < kMost / 2; ++i) {
    Batch merged = std::move(batches_[2 * i]);
    const Batch& later = batches_[2 * i + 1];
    merged.end = later.end;
    merged.at_end = later.at_end;
    for (std::size_t op = 0; op < kOpCount; ++op) merged.ops[op].merge(later.ops[op]);
    batches_[i] = std::move(merged);
  }
  batches_.resize(kMost / 2);
  length_ *= 2;
}

}  // namespace wordline::results
