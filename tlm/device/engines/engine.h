// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "models/config/config.h"
#include "models/engines/gate_times.h"
#include "models/engines/table/engine_table.h"
#include "tlm/device/engines/block_context.h"
#include "tlm/device/engines/pipeline.h"

namespace wordline::engines {

inline constexpr Picoseconds kNever{std::numeric_limits<std::int64_t>::max()};

/// A part of an EngineBlock. The block has one process. When it wakes, it asks all parts what has ended, raises one
/// interrupt for that, lets all parts go on, and sleeps until the first instant at which one of them has to be woken.
class EnginePart {
 public:
  explicit EnginePart(BlockContext& block) : block_(block) {}
  virtual ~EnginePart() = default;
  EnginePart(const EnginePart&) = delete;
  EnginePart& operator=(const EnginePart&) = delete;

  /// Firmware enables the engines `set` (wl_engine): tables are where the registers say from now on. False: an error
  /// was reported, and nothing is enabled.
  virtual bool enable(std::uint32_t /*set*/) { return true; }
  /// What was to end by now ends. True: the firmware is to be interrupted.
  virtual bool end(Picoseconds /*now*/) { return false; }
  /// Begins what can begin now.
  virtual void go_on(Picoseconds /*now*/) {}
  /// The first instant after now at which end() or go_on() has something to do.
  [[nodiscard]] virtual Picoseconds next(Picoseconds /*now*/) const { return kNever; }
  /// The host reads `lpages` logical pages from `lpn` on; called on added engines, before the read is looked up.
  virtual void read_begins(std::uint32_t /*lpn*/, std::uint32_t /*logical pages*/, Picoseconds /*now*/) {}

 protected:
  BlockContext& block_;
};

/// A hardware engine: a row of the table of engines, and its Pipeline.
class Engine : public EnginePart {
 public:
  Engine(EngineId id, const config::Engines& config, BlockContext& block)
      : EnginePart(block), pipeline_(timed(config, id), is_in_gates(config, id)), id_(id) {
    pipeline_.record(block.recorder, row_of(id).name);
  }

  [[nodiscard]] EngineId id() const { return id_; }
  [[nodiscard]] const Pipeline& pipeline() const { return pipeline_; }

 protected:
  [[nodiscard]] bool enabled() const { return block_.has(row_of(id_).bit); }
  [[nodiscard]] bool is_in(std::uint32_t set) const { return (set & row_of(id_).bit) != 0; }

  Pipeline pipeline_;

 private:
  const EngineId id_;
};

}  // namespace wordline::engines
