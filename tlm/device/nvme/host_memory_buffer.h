// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/config/config.h"
#include "models/firmware/contract/contract.h"
#include "models/units/pool.h"
#include "tlm/device/mover/agenda.h"
#include "tlm/device/mover/host_data_mover.h"
#include "tlm/device/nvme/nvme.h"

namespace wordline::host::nvme {

/// Host Memory Buffer (Base 8.9; Features 0Dh, 5.27.1.10): memory that the host lends to the drive, in up to 256
/// stretches, and the copies of map pages that firmware has there (models/firmware/contract/host_ring.h). The
/// controller keeps a checksum of each page that it stores, CRC-32C, and compares what it fetches with it: the host may
/// write there, or take the memory away, at any time.
///
/// Time: a copy is read from DRAM and passes the link, or comes over the link and is written to DRAM; checksums take
/// none, the engine that moves the data computes them. Firmware hears that a copy is stored when host memory has it.
/// Known gap: what the controller keeps of the buffer is not encrypted, and memory that comes back unchanged (MR) is
/// taken for new.
class HostMemoryBuffer final : private Agenda::Client, private DmaAccess::Client {
 public:
  static constexpr std::uint32_t kMostStretches = 256;  // HMMAXD: a list of 4 KiB
  static constexpr std::size_t kListEntryBytes = 16;
  static constexpr std::size_t kAttributeBytes = 4096;  // of Get Features

  HostMemoryBuffer(const config::Config& config, HostDataMover& mover, Agenda& agenda);

  [[nodiscard]] bool asked_for() const { return asked_for_; }
  /// Set Features 0Dh, before its list is read. kSuccess with EHM: the list is to be read, `bytes` bytes from
  /// list_of() on.
  [[nodiscard]] Status check(const SubmissionEntry& sqe, std::size_t& bytes) const;
  [[nodiscard]] static std::uint64_t list_of(const SubmissionEntry& sqe) {
    return std::uint64_t{sqe.cdw14} << 32 | sqe.cdw13;
  }
  /// The list has come: firmware may use the memory when it hears of it.
  [[nodiscard]] Status lend(const SubmissionEntry& sqe, const std::byte* list);
  /// Firmware has answered: if the host wanted the memory back, it is not used any more.
  void answered(const SubmissionEntry& sqe);
  /// As after a reset of the controller.
  void give_back() { stretches_.clear(); }
  [[nodiscard]] bool enabled() const { return !stretches_.empty(); }
  /// Get Features: dword 0 of the completion, and the attributes into `page`.
  [[nodiscard]] std::uint32_t attributes(std::byte* page) const;
  /// False: the job is none of a copy.
  bool take_job(const wl_host_job& job);

 private:
  enum class Kind : std::uint32_t { kMoved };  // index: move, value: wl_event_flags
  enum class Access : std::uint32_t { kStored, kFetched };
  struct Stretch {
    std::uint64_t first = 0;    // page of the buffer
    std::uint64_t address = 0;  // in host memory
  };
  struct Move {
    wl_host_job job{};
  };

  void act(const Agenda::Action& action) override;
  void dma_ended(const DmaAccess& access, bool good, Picoseconds at) override;
  void answer(std::uint32_t move, std::uint32_t flags, Picoseconds at);
  /// Address of a page of the buffer in host memory; 0: there is none.
  [[nodiscard]] std::uint64_t address_of(std::uint32_t page) const;
  [[nodiscard]] std::byte* dram_at(std::uint32_t bus_address);
  void store(std::uint32_t move, std::uint64_t address);
  void fetched(std::uint32_t move, bool good, Picoseconds at);

  HostDataMover& mover_;
  Agenda& agenda_;
  const bool asked_for_;
  const std::size_t page_bytes_;  // of a page of the buffer: a logical page
  SubmissionEntry lent_{};        // the command that lent the memory
  std::vector<Stretch> stretches_;
  std::uint64_t pages_ = 0;               // of the buffer, with the last stretch
  std::vector<std::uint32_t> checksums_;  // by page
  Pool<Move> moves_;
  std::vector<std::vector<std::byte>> data_;  // by move: what comes from host memory
};

}  // namespace wordline::host::nvme
