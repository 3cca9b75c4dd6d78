// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/config/config.h"
#include "tlm/device/memory/anonymous_pages.h"
#include "tlm/protocol/register_socket.h"

namespace wordline::memory {

/// The MAP register block: DRAM that the cores do not address, for a map that is larger than their window
/// (models/firmware/contract/map_port.h). WORD takes the number of a word of four bytes, BANK what it has beyond 32
/// bits, DATA is that word, NEXT the one behind it.
///
/// A read of DATA waits for DRAM: its latency, and a burst at its bandwidth. NEXT is in the same burst, or, if DATA was
/// not read, waits itself. Writes are posted: they take the bus alone. A word that is not there answers with an error.
///
/// Accuracy: as a core's accesses of its window, those of the port do not compete for the DRAM port. No prefetch and no
/// cache of words. Source: our design (models/registers/wordline.rdl).
class MapPort final : public sc_core::sc_module {
 public:
  MapPort(const sc_core::sc_module_name& name, std::uint64_t words, const config::Dram& config);

  tlm_if::RegisterSocket socket;

  [[nodiscard]] std::uint64_t words() const { return words_; }
  [[nodiscard]] std::uint32_t word(std::uint64_t number) const;
  /// The first word from `number` on that may differ from 0; words(): there is none.
  [[nodiscard]] std::uint64_t next_written(std::uint64_t number) const;

 private:
  static constexpr std::uint64_t kBurstBytes = 64;
  static constexpr std::uint64_t kStretch = 1024;  // words: a page of the machine

  bool read(std::uint32_t offset, std::uint32_t& value, Picoseconds& delay);
  bool write(std::uint32_t offset, std::uint32_t value);
  /// What DATA or NEXT is; words(): nothing that is there.
  [[nodiscard]] std::uint64_t number_of(std::uint32_t offset) const;

  std::uint64_t words_;
  AnonymousPages memory_;
  std::vector<bool> written_;  // by stretch: a word of it was
  Picoseconds access_;
  std::uint32_t number_ = 0;  // number of DATA in its bank
  std::uint32_t bank_ = 0;
  bool in_burst_ = false;  // NEXT is at hand
};

}  // namespace wordline::memory
