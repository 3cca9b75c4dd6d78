// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/riscv/observation.h"

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "models/riscv/cycle_profile.h"
#include "models/units/hex.h"

namespace wordline::riscv {

void check(const ObservationCsrs& csrs) {
  const std::pair<const char*, std::uint32_t> given[] = {
      {"tag", csrs.tag}, {"context", csrs.context}, {"mark", csrs.mark}};
  for (const auto& [name, csr] : given) {
    if (csr == ObservationCsrs::kAbsent) continue;
    const bool custom = (csr >= 0x7c0 && csr <= 0x7ff) || (csr >= 0xbc0 && csr <= 0xbff);
    if (!custom) {
      throw std::invalid_argument(
          fmt::format("observation CSR {} is {}, expected a custom machine-mode CSR: 0x7c0 to 0x7ff or 0xbc0 to 0xbff",
                      name, hex(csr)));
    }
    for (const auto& [other_name, other] : given) {
      if (csr == other && name != other_name) {
        throw std::invalid_argument(fmt::format("observation CSRs {} and {} are both {}", name, other_name, hex(csr)));
      }
    }
  }
  if (csrs.first_context >= kContexts) {
    throw std::invalid_argument(
        fmt::format("observation CSR context begins with {}, expected less than {}", csrs.first_context, kContexts));
  }
}

void ProfileFeed::charge(const TagCount& tags, std::uint64_t cycles, std::uint64_t instructions) {
  const std::uint64_t busy = cycles - tags.idle_cycles();
  if (busy == busy_ && instructions == instructions_) return;
  profile_->charge(pc_, tags.tag(), tags.context(), busy - busy_, instructions - instructions_);
  busy_ = busy;
  instructions_ = instructions;
}

void ProfileFeed::follow(const Jump& jump, std::uint32_t return_address, std::uint32_t target) {
  if (jump.returns) profile_->leave(target);
  if (jump.calls) profile_->call(pc_, return_address);
  pc_ = target;
}

}  // namespace wordline::riscv
