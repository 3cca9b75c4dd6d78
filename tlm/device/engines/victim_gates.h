// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "models/firmware/contract/contract.h"
#include "rtl/slot/waits.h"
#include "rtl/verilated/victim_selector.h"

namespace wordline::engines {

/// A victim selector in gates: a search from its command to its interrupt, with the table as it is then. Memory
/// answers in the next clock. With `waits` it is not always ready and answers later, as LookupGates.
class VictimGates {
 public:
  using Door = rtl::EngineDoor<rtl::VictimPorts>;

  struct Tables {
    rtl::VictimPorts::Settings registers;
    const std::byte* superblocks;
    std::uint32_t done;  // of wl_victim
  };
  struct Search {
    std::uint64_t clocks;
    wl_victim answer;   // as the gates write it
    std::string place;  // of the interrupt, for messages
  };

  explicit VictimGates(std::unique_ptr<Door> gates = std::make_unique<rtl::VictimSelector>(),
                       rtl::Waits waits = rtl::Waits())
      : gates_(std::move(gates)), waits_(waits) {}

  /// Throws std::runtime_error where the gates refuse the search, or do what they may not do.
  Search search(const Tables& tables, std::uint32_t from);

 private:
  [[nodiscard]] std::uint32_t access(const Tables& tables, const rtl::WordMemoryOut& out, wl_victim& answer) const;
  [[noreturn]] void fail(const std::string& what) const;

  const std::unique_ptr<Door> gates_;
  rtl::Waits waits_;
  std::uint64_t clock_ = 0;  // of the search
};

}  // namespace wordline::engines
