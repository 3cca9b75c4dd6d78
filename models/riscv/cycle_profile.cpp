// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/riscv/cycle_profile.h"

#include <algorithm>

namespace wordline::riscv {

CycleProfile::CycleProfile(const ElfFile& image) : image_(image) {
  for (const Function& function : image.functions()) names_.push_back(function.name);
  names_.emplace_back("[no symbol]");
  counts_.resize(names_.size() * kTags);
}

void CycleProfile::find(std::uint32_t pc) {
  const Function* function = image_.function_at(pc);
  if (function == nullptr) {
    current_ = static_cast<std::uint32_t>(names_.size() - 1);
    low_ = pc;
    size_ = 1;  // only this very address: the next one may have a name
    return;
  }
  current_ = static_cast<std::uint32_t>(function - image_.functions().data());
  low_ = function->address;
  size_ = function->size;
}

std::vector<CycleProfile::Entry> CycleProfile::entries() const {
  std::vector<Entry> out;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i].cycles == 0 && counts_[i].instructions == 0) continue;
    out.push_back({static_cast<std::uint32_t>(i / kTags), static_cast<std::uint32_t>(i % kTags), counts_[i].cycles,
                   counts_[i].instructions});
  }
  std::stable_sort(out.begin(), out.end(), [](const Entry& a, const Entry& b) { return a.cycles > b.cycles; });
  return out;
}

}  // namespace wordline::riscv
