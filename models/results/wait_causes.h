// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "models/units/quantity.h"

namespace wordline::results {

/// What a request waited behind. The waiting stages of a request say where it stood; these say why it did not go on.
enum class WaitCause : std::uint8_t {
  kReads,        // its die read for other requests of the host
  kGcReads,      // its die read for GC
  kProgram,      // its die programmed data of the host
  kGcProgram,    // its die programmed what GC moves
  kErase,        // its die erased
  kChannel,      // its die was free or had its data, and the bus of the channel was not
  kReadBuffer,   // no slot of the read buffer
  kWriteBuffer,  // no slot of the write buffer
  kFreeSpace,    // no erased superblock, or GC's pace
  kFlashJobs,    // no flash job id
  kOrder,        // commands that write the same logical pages
  kMap,          // a map page that comes from flash
  kCore,         // no core
  kDecoder,      // the ECC decoder
  kDram,         // the DRAM port, on the way into the buffer
  kTransfer,     // the DMA engine, the DRAM port or the link, on the way to the host or from it
  kCount
};
inline constexpr std::size_t kWaitCauses = static_cast<std::size_t>(WaitCause::kCount);

/// Time behind each; the sum is that of the request's waiting stages, exactly.
using WaitTimes = std::array<Picoseconds, kWaitCauses>;

/// As results name it: "gc_program".
[[nodiscard]] std::string_view wait_cause_name(std::size_t cause);
/// The same in words, behind "behind": "a program of GC".
[[nodiscard]] std::string_view wait_cause_text(std::size_t cause);
/// By its name; of a name that is unknown, the name itself.
[[nodiscard]] std::string_view wait_cause_text(std::string_view name);

/// The cause of the longest wait, the first of those that are equally long; kWaitCauses: there was none.
[[nodiscard]] std::size_t longest_wait(const Picoseconds* waits);

}  // namespace wordline::results
