// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/riscv/cycle_profile.h"

#include <algorithm>

namespace wordline::riscv {

CycleProfile::CycleProfile(const ElfFile& image) : image_(image) {
  for (const Function& function : image.functions()) names_.push_back(function.name);
  names_.emplace_back("[no symbol]");
  nodes_.push_back({0, 0});
  counts_.resize(kTags);
  contexts_.resize(std::size_t{kContexts} * kTags);
}

std::uint32_t CycleProfile::child(std::uint32_t parent, std::uint32_t function) {
  const std::uint64_t key = std::uint64_t{parent} << 32 | function;
  const auto [at, added] = children_.emplace(key, static_cast<std::uint32_t>(nodes_.size()));
  if (added) {
    nodes_.push_back({parent, function});
    counts_.resize(nodes_.size() * kTags);
  }
  return at->second;
}

void CycleProfile::find(std::uint32_t pc) {
  const Function* function = image_.function_at(pc);
  if (function == nullptr) {
    current_ = child(caller_, static_cast<std::uint32_t>(names_.size() - 1));
    low_ = pc;
    size_ = 1;  // only this very address: the next one may have a name
    return;
  }
  current_ = child(caller_, static_cast<std::uint32_t>(function - image_.functions().data()));
  low_ = function->address;
  size_ = function->size;
}

void CycleProfile::call(std::uint32_t pc, std::uint32_t return_address) {
  if (pc - low_ >= size_) find(pc);
  frames_.push_back({caller_, return_address});
  if (frames_.size() < kMaxDepth) caller_ = current_;
  size_ = 0;
}

void CycleProfile::leave(std::uint32_t target) {
  const auto frame =
      std::find_if(frames_.rbegin(), frames_.rend(), [target](const Frame& f) { return f.return_address == target; });
  if (frame == frames_.rend()) return;  // a jump: the function at the target takes this one's place
  caller_ = frame->caller;
  frames_.erase(frame.base() - 1, frames_.end());
  size_ = 0;
}

std::vector<CycleProfile::Entry> CycleProfile::entries() const {
  std::vector<Counts> sums(names_.size() * kTags);
  for (std::size_t node = 1; node < nodes_.size(); ++node) {
    for (std::size_t tag = 0; tag < kTags; ++tag) {
      Counts& sum = sums[std::size_t{nodes_[node].function} * kTags + tag];
      sum.cycles += counts_[node * kTags + tag].cycles;
      sum.instructions += counts_[node * kTags + tag].instructions;
    }
  }
  std::vector<Entry> out;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].cycles == 0 && sums[i].instructions == 0) continue;
    out.push_back({static_cast<std::uint32_t>(i / kTags), static_cast<std::uint32_t>(i % kTags), sums[i].cycles,
                   sums[i].instructions});
  }
  std::stable_sort(out.begin(), out.end(), [](const Entry& a, const Entry& b) { return a.cycles > b.cycles; });
  return out;
}

std::vector<CycleProfile::Share> CycleProfile::contexts() const {
  std::vector<Share> out;
  for (std::size_t i = 0; i < contexts_.size(); ++i) {
    if (contexts_[i].cycles == 0 && contexts_[i].instructions == 0) continue;
    out.push_back({static_cast<std::uint32_t>(i / kTags), static_cast<std::uint32_t>(i % kTags), contexts_[i].cycles,
                   contexts_[i].instructions});
  }
  return out;
}

std::vector<CycleProfile::Stack> CycleProfile::stacks() const {
  std::vector<Stack> out;
  for (std::size_t i = kTags; i < counts_.size(); ++i) {
    if (counts_[i].cycles == 0 && counts_[i].instructions == 0) continue;
    Stack stack{{}, static_cast<std::uint32_t>(i % kTags), counts_[i].cycles, counts_[i].instructions};
    for (std::size_t node = i / kTags; node != 0; node = nodes_[node].parent)
      stack.functions.push_back(nodes_[node].function);
    std::reverse(stack.functions.begin(), stack.functions.end());
    out.push_back(std::move(stack));
  }
  return out;
}

}  // namespace wordline::riscv
