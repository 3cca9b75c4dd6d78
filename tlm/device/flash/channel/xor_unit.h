// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/config/config.h"
#include "models/nand/stored_lpage.h"
#include "models/results/registry.h"
#include "models/units/quantity.h"
#include "rtl/verilated/parity_xor.h"

namespace wordline::flash {

/// The XOR unit of a channel (ftl.parity): logical pages that are added to those of a sum, content and spare records.
///
/// With engines.model = rtl the gates (rtl/parity) add too, beat by beat, and must make what the model makes; how long
/// an addition takes is theirs. A logical page stands as eight bytes in this model: each beat of it is these, rotated
/// by as many bits as its number, so that XOR of beats is XOR of contents; a last beat has the spare record.
///
/// Accuracy: 128 bits a clock at 500 MHz, one addition after the other, and two clocks until the last beat has passed.
/// What lies in the data buffer comes and goes by the DRAM port, whose time is the caller's. Source: rtl/parity.
class XorUnit {
 public:
  using Lpages = std::vector<nand::StoredLpage>;

  /// `name`: of the channel, for messages.
  XorUnit(const config::Config& config, const config::Layout& layout, std::string name);
  XorUnit(const XorUnit&) = delete;
  XorUnit& operator=(const XorUnit&) = delete;

  /// Adds each of `unit` to the one of `sum` with its number.
  void add(Lpages& sum, const Lpages& unit);
  /// The addition before, of that many logical pages, may begin at `from`. Returns when its last beat has passed.
  Picoseconds time(Picoseconds from, std::uint64_t lpages);

  void register_statistics(results::Registry& registry) const;

 private:
  using Beat = rtl::ParityXor::Beat;
  [[nodiscard]] Beat beat_of(const Lpages& lpages, std::uint64_t beat) const;
  void add_in_gates(const Lpages& sum, const Lpages& unit, const Lpages& right);
  [[nodiscard]] std::string stream(const Lpages& sum, const Lpages& unit, const Lpages& right);

  const std::string name_;
  const std::uint64_t beats_;                    // of a logical page
  const std::unique_ptr<rtl::ParityXor> gates_;  // null: the model alone
  bool failed_ = false;
  std::uint64_t additions_ = 0, clocks_ = 0;  // of the gates
  std::uint64_t last_clocks_ = 0;             // of the addition before
  Picoseconds free_{};
};

}  // namespace wordline::flash
