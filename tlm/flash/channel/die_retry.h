// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/firmware/contract/contract.h"
#include "models/nand/die.h"
#include "models/onfi/features.h"
#include "tlm/ecc/ecc_if.h"
#include "tlm/ecc/retry_if.h"

namespace wordline::flash {

/// Read retry of one die: its controller, and what the channel controller keeps of the page meanwhile. Codeword 2 s + c is
/// codeword c of sector s; sectors count through all planes.
struct DieRetry {
  static constexpr unsigned kAll = (1U << ecc::kCodewordsPerSector) - 1U;

  struct Sector {
    unsigned wanted = kAll;     // codewords without data
    nand::StoredSector stored;  // as it came off the bus
    std::uint64_t key = 0;      // of the centre read, when soft
    std::array<unsigned, ecc::kCodewordsPerSector> centre_errors{};
    std::array<ecc::CodewordOutcome, ecc::kCodewordsPerSector> outcomes{};  // of the last decoding
  };

  explicit DieRetry(std::size_t count) : sectors(count) {}

  [[nodiscard]] bool idle() const { return machine->idle(); }
  /// Whether the page on its way is one of several soft reads: it is not decoded by itself.
  [[nodiscard]] bool soft() const { return !idle() && command.op == ecc::FlashOp::kSoftRead; }
  [[nodiscard]] bool centre() const { return soft() && command.soft_offset == 0; }

  std::unique_ptr<ecc::RetryIf> machine;
  ecc::FlashCommand command;  // under way
  std::vector<Sector> sectors;
  bool crc_corrupted = false;  // an injected error has been made in this read
  bool injected = false;       // one at least
  unsigned taken = 0;          // reference steps of this read
  nand::ReadParameters set;    // in the die
  bool left = false;           // by an attempt that failed: to be set back before a read that is none
  std::vector<onfi::FeatureWrite> writes;  // that it still needs, last first
};

/// Fields of an attempt that firmware asks for.
[[nodiscard]] constexpr unsigned step_of(const wl_flash_job& job) { return job.retry >> WL_RETRY_STEP_SHIFT & 0xfU; }
[[nodiscard]] constexpr unsigned level_of(const wl_flash_job& job) { return job.retry >> WL_RETRY_LEVEL_SHIFT & 0x3U; }
[[nodiscard]] constexpr unsigned taken_of(const wl_flash_job& job) { return job.retry >> WL_RETRY_TAKEN_SHIFT & 0x1fU; }

}  // namespace wordline::flash
