// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "rtl/slot/block_recording.h"
#include "rtl/slot/slot_engines.h"
#include "tlm/device/engines/engine.h"
#include "tlm/device/engines/engine_gates.h"
#include "tlm/device/engines/victim_gates.h"

namespace wordline::engines {

/// engines.victim: searches the table of superblocks for the one to collect: closed, with the fewest valid pages; of
/// equal ones the first from ENGINES.SEARCH on, round the table. An operation is a superblock. It has this one rule
/// (greedy); firmware checks the superblock again, and a policy that decides by another rule cannot use it.
///
/// With engines.model = rtl the gates search; the answer and its time are theirs, and the answer must be the model's.
/// With engines.rtl.victim they are a block of the user's own (EngineGates).
///
/// Accuracy: the table is read when the search begins, within the latency. Source: our design.
class VictimSelector final : public Engine {
 public:
  VictimSelector(const config::Config& config, BlockContext& block);

  bool enable(std::uint32_t set) override;
  bool end(Picoseconds now) override;
  [[nodiscard]] Picoseconds next(Picoseconds /*now*/) const override { return end_; }
  /// From now on each search is kept with what is right of it; null: no more.
  void record(rtl::BlockRecording* to) { recording_ = to; }
  /// A block of the user's own; null: none.
  [[nodiscard]] const OwnEngine* own() const { return own_of(gates_); }

 private:
  void begin(std::uint32_t from, Picoseconds at);
  void keep(std::uint32_t from) const;
  void search_in_gates(std::uint32_t from, Picoseconds at);
  [[nodiscard]] std::string search_in(VictimGates& gates, std::uint32_t from, VictimGates::Search& search) const;

  const std::byte* table_ = nullptr;
  wl_victim* answer_ = nullptr;
  Picoseconds end_ = kNever;  // end of the search that runs
  std::uint32_t found_ = 0;
  std::uint64_t searches_ = 0;
  using Gates = EngineGates<VictimGates, rtl::SlotVictim>;
  std::unique_ptr<Gates> gates_;  // null: engines.model = model
  rtl::BlockRecording* recording_ = nullptr;
};

}  // namespace wordline::engines
