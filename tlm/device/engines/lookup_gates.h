// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/firmware/contract/contract.h"
#include "rtl/verilated/l2p_lookup.h"
#include "tlm/device/engines/map_reader.h"

namespace wordline::engines {

/// The L2P lookup in gates: a request from its offer to its answer, with map and states as they are then. Every memory
/// answers in the next clock, and a burst of DRAM comes in four clocks; what DRAM takes beyond that is its port's.
class LookupGates {
 public:
  struct Tables {
    rtl::L2pLookup::Settings registers;
    const MapReader& map;
    wl_lpage_state* states;
    wl_lookup* answers;
  };
  struct Lookup {
    std::uint64_t clocks;    // from the offer to the answer
    std::uint64_t interval;  // until the next request is taken
    bool written;
  };

  /// Throws std::runtime_error where the gates refuse the request, or do what they may not do.
  Lookup run(const Tables& tables, const rtl::L2pLookup::Request& request);

 private:
  void access(const Tables& tables, const rtl::WordMemoryOut& out);
  void write_answer(const Tables& tables, std::uint32_t address, std::uint32_t word) const;

  rtl::L2pLookup gates_;
  rtl::L2pLookup::Inputs in_;
  std::uint64_t clock_ = 0;  // of the request
};

}  // namespace wordline::engines
