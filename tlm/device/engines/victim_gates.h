// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/firmware/contract/contract.h"
#include "rtl/verilated/victim_selector.h"

namespace wordline::engines {

/// The victim selector in gates: a search from its command to its interrupt, with the table as it is then. Memory
/// answers in the next clock.
class VictimGates {
 public:
  struct Tables {
    rtl::VictimSelector::Settings registers;
    const std::byte* superblocks;
    std::uint32_t done;  // of wl_victim
  };
  struct Search {
    std::uint64_t clocks;
    wl_victim answer;  // as the gates write it
  };

  /// Throws std::runtime_error where the gates refuse the search, or do what they may not do.
  Search search(const Tables& tables, std::uint32_t from);

 private:
  rtl::VictimSelector gates_;
};

}  // namespace wordline::engines
