// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/observe/stage_clock.h"

namespace wordline::observe {

/// The stage clock as one core sees it when somebody observes: says which core has worked.
class CoreStages final : public tlm_if::StageClockIf {
 public:
  CoreStages(StageClock& clock, unsigned core) : clock_(clock), core_(core) {}

  void submitted(std::uint16_t qid, std::uint16_t cid, Picoseconds at) override { clock_.submitted(qid, cid, at); }
  void begin(std::uint16_t tag, std::uint16_t qid, std::uint16_t cid, Picoseconds arrived) override {
    clock_.begin(tag, qid, cid, arrived);
  }
  void mark(std::uint16_t tag, tlm_if::Stage stage, Picoseconds at) override { clock_.mark(tag, stage, at); }
  void flash_read(std::uint16_t tag, std::uint16_t die, const tlm_if::ReadMarks& marks, bool attempt) override {
    clock_.flash_read(tag, die, marks, attempt);
  }
  void work(std::uint16_t tag, Picoseconds from, Picoseconds to) override {
    clock_.works_on(core_);
    clock_.work(tag, from, to);
  }
  void held(std::uint16_t tag, tlm_if::Stage stage, Picoseconds at) override { clock_.held(tag, stage, at); }
  void programs(std::uint16_t tag, Picoseconds at) override { clock_.programs(tag, at); }
  void pool(unsigned waiter, unsigned pool, Picoseconds at) override { clock_.pool(waiter, pool, at); }
  void release(std::uint16_t tag, Picoseconds at) override { clock_.release(tag, at); }
  tlm_if::Finished finish(std::uint16_t qid, std::uint16_t cid, Picoseconds at, unsigned waiter) override {
    return clock_.finish(qid, cid, at, waiter);
  }

 private:
  StageClock& clock_;
  const unsigned core_;
};

}  // namespace wordline::observe
