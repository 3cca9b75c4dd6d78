// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/firmware/contract/contract.h"

namespace wordline::testing {

/// Jobs that take data out of each slot, and that bring some, from when the hardware has the job to its end: data may
/// pass at any time between. Throws where a slot would be read while it changes: the reader would get a mixture.
class SlotUse {
 public:
  explicit SlotUse(std::size_t slots) : slots_(slots) {}

  void begin(const wl_host_job& job) {
    for (std::uint32_t i = 0; i < job.count; ++i) {
      if (reads(job)) ++slots_.at(source(job) + i).out;
      if (writes(job)) ++slots_.at(job.slot + i).in;
    }
    for (std::uint32_t i = 0; i < job.count; ++i) {
      if (reads(job)) expect_one_kind(source(job) + i);
      if (writes(job)) expect_one_kind(job.slot + i);
    }
  }
  void end(const wl_host_job& job) {
    for (std::uint32_t i = 0; i < job.count; ++i) {
      if (reads(job)) --slots_.at(source(job) + i).out;
      if (writes(job)) --slots_.at(job.slot + i).in;
    }
  }
  /// Flash reads slots, or writes them, now.
  void flash(const wl_flash_job& job) const {
    if (job.op != WL_FLASH_PROGRAM && job.op != WL_FLASH_READ) return;
    for (std::uint32_t i = job.slot; i < job.slot + job.count && i < slots_.size(); ++i) {
      if (slots_[i].in != 0 || (job.op == WL_FLASH_READ && slots_[i].out != 0)) fail(i);
    }
  }

 private:
  struct Slot {
    std::uint32_t out = 0, in = 0;
  };

  static bool reads(const wl_host_job& job) { return job.op == WL_JOB_DMA_OUT || job.op == WL_JOB_COPY; }
  static bool writes(const wl_host_job& job) { return job.op == WL_JOB_DMA_IN || job.op == WL_JOB_COPY; }
  static std::uint32_t source(const wl_host_job& job) { return job.op == WL_JOB_COPY ? job.lpage : job.slot; }
  void expect_one_kind(std::uint32_t slot) const {
    if (slots_.at(slot).out != 0 && slots_.at(slot).in != 0) fail(slot);
  }
  [[noreturn]] static void fail(std::uint32_t slot) {
    throw std::runtime_error("slot " + std::to_string(slot) + " is read while new data come into it");
  }

  std::vector<Slot> slots_;
};

}  // namespace wordline::testing
