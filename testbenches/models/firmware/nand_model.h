// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

#include "models/firmware/contract/contract.h"
#include "models/firmware/contract/geometry.h"
#include "models/precondition/drive_state.h"

namespace wordline::testing {

/// Eight blocks of a sector: LBA << 32 | version, 0 = zeros, version 1 = the sequential fill.
using Sector = std::array<std::uint64_t, 8>;

inline Sector fill_sector(std::uint32_t lpn) {
  Sector s;
  for (std::uint64_t i = 0; i < 8; ++i) s[i] = (std::uint64_t{lpn} * 8 + i) << 32 | 1;
  return s;
}

/// What is out of date before the test begins: no read may return it.
inline constexpr std::uint64_t kStale = 0x57a1e57a1e57a1e;

/// Flash without time: keeps what was programmed and refuses what flash cannot do (programming twice or out of order,
/// reading what was never written).
class NandModel {
 public:
  explicit NandModel(const wl_boot_info& boot, const precondition::DriveState* state = nullptr)
      : boot_(boot),
        page_sectors_(boot.planes * boot.sectors_per_page),
        geometry_(wl_geometry_of(boot.dies, page_sectors_, boot.pages_per_program,
                                 boot.dies * (boot.pages / boot.pages_per_program))),
        content_(std::size_t{boot.dies} * boot.blocks * boot.pages * page_sectors_),
        blocks_(std::size_t{boot.dies} * boot.blocks) {
    for (std::uint32_t lpn = 0; boot.preconditioned != 0 && lpn < boot.user_sectors; ++lpn) {
      const wl_location at = wl_locate(&geometry_, lpn);
      content_[index(at.die, at.block, at.page) + at.sector] = {true, lpn, fill_sector(lpn)};
      block(at.die, at.block).next_page = boot.pages;
    }
    for (std::uint32_t place = 0; state != nullptr && place < state->places.size(); ++place) {
      const precondition::Content content = state->places[place];
      if (content.empty()) continue;
      const wl_location at = wl_locate(&geometry_, place);
      Sector data = fill_sector(content.lpn());
      if (!content.valid()) data.fill(kStale);
      content_[index(at.die, at.block, at.page) + at.sector] = {true, content.lpn(), data};
      block(at.die, at.block).next_page = boot.pages;
    }
  }

  struct Faults {
    std::function<bool(const wl_flash_job&, std::uint32_t erases)> uncorrectable, program_fail, erase_fail;
  };
  Faults faults;
  std::uint64_t programmed_sectors = 0, erased_blocks = 0, read_sectors = 0, failures = 0;

  wl_flash_status run(const wl_flash_job& job, std::vector<Sector>& slots, wl_slot_info* table) {
    expect(job.die < boot_.dies && job.block < boot_.blocks && job.page < boot_.pages, "job outside the geometry");
    switch (job.op) {
      case WL_FLASH_READ: return read(job, slots, table);
      case WL_FLASH_PROGRAM: return program(job, slots, table);
      case WL_FLASH_ERASE: return erase(job);
      default: throw std::runtime_error("unknown flash operation");
    }
  }

 private:
  struct Cell {
    bool written = false;
    std::uint32_t owner = WL_LPN_NONE;
    Sector data{};
  };
  struct Block {
    std::uint32_t next_page = 0;
    std::uint32_t erases = 0;
  };

  static void expect(bool condition, const char* message) {
    if (!condition) throw std::runtime_error(message);
  }
  std::size_t index(std::uint32_t die, std::uint32_t block, std::uint32_t page) const {
    return ((std::size_t{die} * boot_.blocks + block) * boot_.pages + page) * page_sectors_;
  }
  Block& block(std::uint32_t die, std::uint32_t b) { return blocks_[std::size_t{die} * boot_.blocks + b]; }

  wl_flash_status read(const wl_flash_job& job, std::vector<Sector>& slots, wl_slot_info* table) {
    expect(job.count >= 1 && job.sector + job.count <= page_sectors_, "read crosses a page");
    read_sectors += job.count;
    if (faults.uncorrectable && faults.uncorrectable(job, block(job.die, job.block).erases)) {
      ++failures;
      for (std::uint32_t i = 0; i < job.count; ++i) slots.at(job.slot + i).fill(0xbadbadbadbadbadb);
      return WL_FLASH_UNCORRECTABLE;
    }
    for (std::uint32_t i = 0; i < job.count; ++i) {
      const Cell& cell = content_[index(job.die, job.block, job.page) + job.sector + i];
      expect(cell.written, "read of a sector that was never written");
      slots.at(job.slot + i) = cell.data;
      table[job.slot + i].lpn = cell.owner;
    }
    return WL_FLASH_OK;
  }

  wl_flash_status program(const wl_flash_job& job, const std::vector<Sector>& slots, const wl_slot_info* table) {
    Block& b = block(job.die, job.block);
    expect(job.page == b.next_page && job.page % boot_.pages_per_program == 0, "program out of order");
    expect(job.count == page_sectors_ * boot_.pages_per_program && job.sector == 0, "program of a part of a unit");
    b.next_page += boot_.pages_per_program;
    programmed_sectors += job.count;
    const bool fails = faults.program_fail && faults.program_fail(job, b.erases);
    failures += fails ? 1 : 0;
    for (std::uint32_t i = 0; i < job.count && !fails; ++i)
      content_[index(job.die, job.block, job.page) + i] = {true, table[job.slot + i].lpn, slots.at(job.slot + i)};
    return fails ? WL_FLASH_PROGRAM_FAIL : WL_FLASH_OK;
  }

  wl_flash_status erase(const wl_flash_job& job) {
    Block& b = block(job.die, job.block);
    ++erased_blocks;
    ++b.erases;
    b.next_page = 0;
    for (std::uint32_t i = 0; i < boot_.pages * page_sectors_; ++i) content_[index(job.die, job.block, 0) + i] = {};
    const bool fails = faults.erase_fail && faults.erase_fail(job, b.erases);
    failures += fails ? 1 : 0;
    return fails ? WL_FLASH_ERASE_FAIL : WL_FLASH_OK;
  }

  wl_boot_info boot_;
  std::uint32_t page_sectors_;
  wl_geometry geometry_;
  std::vector<Cell> content_;
  std::vector<Block> blocks_;
};

}  // namespace wordline::testing
