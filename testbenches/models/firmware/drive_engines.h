// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "models/engines/grace.h"
#include "models/engines/slot_rows.h"
#include "models/firmware/contract/contract.h"
#include "models/firmware/core/hal.h"

namespace wordline::testing {

/// The hardware engines of a Drive: lookups, chained reads, posted jobs, ends of reads, grace periods and the
/// GC's scan as contract.h allows them, without time and in random order: what an engine has begun happens at
/// some later step. It serves less than it could, at random, and cuts runs at random, since firmware must not count on
/// either.
class DriveEngines {
 public:
  struct Around {
    const wl_hal* hal;
    std::function<std::uint64_t()> random;
    std::function<void(std::uint16_t tag, std::uint8_t flags)> hand_over;
    std::function<void(const wl_flash_job&)> flash;
    std::function<void(const wl_host_job&)> host;
    std::function<void()> interrupt;
  };
  DriveEngines(const wl_boot_info& boot, Around around);

  void write32(std::uint32_t offset, std::uint32_t value);  // ENGINES
  [[nodiscard]] std::uint32_t read32(std::uint32_t offset) const;
  /// As HostEngineIf and FlashSinkIf.
  bool take_read(std::uint16_t tag, std::uint32_t lpn, std::uint32_t lpages);
  void write_begins(std::uint32_t lpn, std::uint32_t lpages);
  bool completed(const wl_flash_job& job, std::uint8_t status);
  /// The data of a job that host() was given have been moved.
  void sent(const wl_host_job& job);
  /// Something that was begun happens. False: nothing is left.
  bool step();
  [[nodiscard]] bool busy() const { return !later_.empty(); }

  std::uint64_t chained = 0, runs = 0, handed_over = 0, failed = 0, scans = 0;

 private:
  // In wl_host_job.flags, of this model only.
  static constexpr std::uint8_t kFromBuffer = 0x40, kFromFlash = 0x80;

  struct Chain {
    std::uint32_t waiting = 0;
    bool failed = false;
    engines::Grace::Group ppas = 0, slots = 0;
  };

  [[nodiscard]] bool has(std::uint32_t set) const { return (boot_.engines & set) == set; }
  [[nodiscard]] std::uint32_t word(std::uint32_t offset) const { return words_[offset / 4]; }
  template <class T>
  [[nodiscard]] T* tcm(std::uint32_t address) const {
    return reinterpret_cast<T*>(around_.hal->tcm + (address - WL_TCM_BASE));
  }
  [[nodiscard]] std::uint32_t dram(std::uint32_t address) const;
  [[nodiscard]] std::uint32_t map(std::uint32_t lpn) const;
  [[nodiscard]] wl_lpage_state& state(std::uint32_t lpn) const;
  [[nodiscard]] bool chain(std::uint16_t tag, std::uint32_t lpn, std::uint32_t lpages, const wl_lookup& answer);
  [[nodiscard]] wl_flash_job job_at(std::uint32_t ppa) const;
  void grace_ended(wl_grace kind);
  void take_jobs(std::uint32_t produced);
  void scan(std::uint32_t from);

  wl_boot_info boot_;
  Around around_;
  std::array<std::uint32_t, 64> words_{};
  engines::SlotRows rows_;
  engines::Grace ppas_, slots_;
  std::uint32_t buffer_runs_ = 0;  // under way
  std::vector<Chain> chains_;
  std::vector<std::uint32_t> lpage_of_;  // flash run that begins in each slot
  std::vector<std::function<void()>> later_;
};

}  // namespace wordline::testing
