// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/riscv/translate/code_memory.h"

#include <asmjit/core.h>

#include <algorithm>

namespace wordline::riscv::translate {

bool CodeMemory::reserve() {
  void* memory = nullptr;
  if (asmjit::VirtMem::alloc(&memory, kBytes, asmjit::VirtMem::MemoryFlags::kAccessRWX) != asmjit::kErrorOk)
    return false;
  base_ = static_cast<std::byte*>(memory);
  forget();
  return true;
}

CodeMemory::~CodeMemory() {
  if (base_ != nullptr) asmjit::VirtMem::release(base_, kBytes);
}

void CodeMemory::forget() {
  std::fill_n(targets(), kTargets, Target{kNone, 0, nullptr});
  counters_ = 0;
  often_ = kept_;
  seldom_ = kSeldomAt;
}

std::uint64_t* CodeMemory::counter() {
  if (counters_ == kCounters) return nullptr;
  auto* counter = reinterpret_cast<std::uint64_t*>(base_ + kCountersAt) + counters_++;
  *counter = 0;
  return counter;
}

}  // namespace wordline::riscv::translate
