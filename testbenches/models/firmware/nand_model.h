// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "models/firmware/contract/contract.h"
#include "models/firmware/contract/geometry.h"
#include "models/precondition/drive_state.h"

namespace wordline::testing {

/// Eight blocks of a sector: LBA << 32 | version, 0 = zeros, version 1 = the sequential fill.
using Sector = std::array<std::uint64_t, 8>;

inline Sector fill_lpage(std::uint32_t lpn) {
  Sector s;
  for (std::uint64_t i = 0; i < 8; ++i) s[i] = (std::uint64_t{lpn} * 8 + i) << 32 | 1;
  return s;
}

/// What is out of date before the test begins: no read may return it.
inline constexpr std::uint64_t kStale = 0x57a1e57a1e57a1e;

/// Flash without time: keeps what was programmed and refuses what flash cannot do (programming twice or out of order,
/// reading what was never written). Jobs name virtual blocks; here are the physical ones, plane by plane.
class NandModel {
 public:
  /// `spares`: the table of spare blocks, which outlives this object (null: none); an earlier boot has left it so.
  explicit NandModel(const wl_boot_info& boot, const std::uint16_t* spares = nullptr,
                     const precondition::DriveState* state = nullptr)
      : boot_(boot),
        spares_(spares),
        page_lpages_(boot.planes * boot.lpages_per_page),
        geometry_(wl_geometry_of(boot.dies, page_lpages_, boot.pages_per_program,
                                 boot.dies * (boot.pages / boot.pages_per_program))),
        blocks_(std::size_t{boot.dies} * boot.planes * (boot.blocks + boot.replacement.spares)),
        content_(blocks_.size() * boot.pages * boot.lpages_per_page) {
    for (std::uint32_t lpn = 0; boot.preconditioned != 0 && state == nullptr && lpn < wl_boot_stored_lpages(&boot);
         ++lpn) {
      const wl_location at = wl_locate(&geometry_, lpn);
      cell(at.die, at.block, at.page, at.lpage) = {true, {lpn, WL_SEQUENCE_FILL}, fill_lpage(lpn), false, nullptr};
      fill(at);
    }
    for (std::uint32_t ppa = 0; state != nullptr && ppa < state->ppas.size(); ++ppa) {
      const precondition::Content content = state->ppas[ppa];
      if (content.empty()) continue;
      const wl_location at = wl_locate(&geometry_, ppa);
      Sector data = fill_lpage(content.lpn());
      if (!content.valid()) data.fill(kStale);
      const std::uint32_t record = content.valid() ? WL_SEQUENCE_FILL : WL_SEQUENCE_STALE;
      cell(at.die, at.block, at.page, at.lpage) = {true, {content.lpn(), record}, data, false, nullptr};
      for (std::uint32_t k = 0; k < page_lpages_; ++k) cell(at.die, at.block, at.page, k).written = true;  // padding
      fill(at);
    }
  }

  /// Logical pages that are not blank.
  [[nodiscard]] std::uint64_t lpages_written() const {
    return static_cast<std::uint64_t>(
        std::count_if(content_.begin(), content_.end(), [](const Cell& cell) { return cell.written; }));
  }

  struct Faults {
    std::function<bool(const wl_flash_job&, std::uint32_t erases)> uncorrectable, program_fail, erase_fail;
    /// The byte of each logical page of metadata that a read brings wrong, and nobody says so; nothing: none.
    std::function<std::optional<std::uint32_t>(const wl_flash_job&)> corrupt;
    /// By physical block: programs and erases of it fail.
    std::function<bool(std::uint32_t die, std::uint32_t plane, std::uint32_t block, std::uint32_t erases)> bad;
    /// ... and it left the factory with a mark.
    std::function<bool(std::uint32_t die, std::uint32_t plane, std::uint32_t block)> marked;
  };
  Faults faults;
  std::function<std::uint32_t(const wl_flash_job&)> errors;  // corrected in the worst codeword of a read; none: 0
  bool may_be_blank = false;                                 // what is read: a mount looks everywhere
  bool mixed = false;  // word lines in any order that v-layers permit: (l, v) after (l - 1, v), once
  std::uint64_t programmed_lpages = 0, erased_blocks = 0, read_lpages = 0, failures = 0;
  std::uint32_t failed_planes = 0;  // of the program or erase that ran last; of marks: planes that have one
  std::uint64_t marks_read = 0;
  std::uint64_t led_reads = 0;     // whose job says where they begin
  std::uint64_t set_programs = 0;  // with a parameter set of their own
  std::uint64_t modified = 0;      // programs of a page that began as a copy
  std::uint64_t reads = 0, small_programs = 0, large_programs = 0;

  /// Where the bytes of metadata in a slot are, and the bits of their address; null: the slot holds none.
  struct Metadata {
    std::uint32_t bits = 0;
    std::uint8_t* bytes = nullptr;
  };
  std::function<Metadata(std::uint32_t slot)> metadata;

  wl_flash_status run(const wl_flash_job& job, std::vector<Sector>& slots, wl_slot_info* table) {
    const std::uint32_t blocks = boot_.blocks + (job.op == WL_FLASH_MARKS ? boot_.replacement.spares : 0);
    expect(job.die < boot_.dies && job.block < blocks && job.page < pages(job.block), "job outside the geometry");
    failed_planes = 0;
    switch (job.op) {
      case WL_FLASH_READ:
        return read(job, slots, table);
      case WL_FLASH_PROGRAM:
        return program(job, slots, table);
      case WL_FLASH_ERASE:
        return erase(job);
      case WL_FLASH_MARKS:
        return marks(job);
      default:
        throw std::runtime_error("unknown flash operation");
    }
  }
  /// Power fails in the midst of it.
  void tear(const wl_flash_job& job) {
    const bool erases = job.op == WL_FLASH_ERASE;
    for (std::uint32_t plane = 0; plane < boot_.planes; ++plane) {
      Block& b = blocks_[block(job.die, plane, job.block)];
      b.programmed.resize(boot_.pages / boot_.pages_per_program);
      b.half_erased |= erases;
      if (!erases) expect(may_follow(job, b), "program out of order");
      if (!erases) b.programmed[job.page / boot_.pages_per_program] = true;
      b.next_page = erases ? boot_.pages : job.page + boot_.pages_per_program;
    }
    const std::uint32_t first = erases ? 0 : word_line_of(job.page);
    tear(job, first, erases ? boot_.pages : first + word_line_pages());
  }
  struct Copy {
    wl_slot_info spare;
    Sector data;
  };
  /// What is programmed at a PPA; nothing where it is blank.
  [[nodiscard]] std::optional<Copy> at(std::uint32_t ppa) {
    const wl_location at = wl_locate(&geometry_, ppa);
    const Cell& from = cell(at.die, at.block, at.page, at.lpage);
    if (!from.written || from.torn) return std::nullopt;
    return Copy{from.spare, from.data};
  }
  [[nodiscard]] std::uint32_t ppas() const { return boot_.blocks * geometry_.superblock_lpages; }
  [[nodiscard]] std::uint32_t physical(std::uint32_t die, std::uint32_t plane, std::uint32_t block) const {
    if (spares_ == nullptr) return block;
    const std::size_t of_plane = (std::size_t{die} * boot_.planes + plane) * boot_.replacement.spares;
    return wl_physical_block(spares_ + of_plane, boot_.replacement.spares, boot_.blocks, block);
  }
  /// Of a physical block.
  [[nodiscard]] std::uint32_t erases(std::uint32_t die, std::uint32_t plane, std::uint32_t physical_block) const {
    return blocks_[number(die, plane, physical_block)].erases;
  }

 private:
  struct Cell {
    bool written = false;
    wl_slot_info spare = {WL_LPN_NONE, 0xffffffff};
    Sector data{};
    bool torn = false;
    std::shared_ptr<const std::vector<std::uint8_t>> bytes;  // of metadata
  };
  struct Block {
    std::uint32_t next_page = 0;
    std::uint32_t erases = 0;
    std::vector<bool> programmed;  // units; empty: none
    bool half_erased = false;
  };

  // Small blocks: jobs name their sectors as if their pages were as wide as the others, and programs are shorter.
  [[nodiscard]] bool is_small(std::uint32_t block) const {
    return boot_.ftl.small.blocks != 0 && block >= boot_.blocks - boot_.ftl.small.blocks;
  }
  [[nodiscard]] std::uint32_t width(std::uint32_t block) const {
    return is_small(block) ? boot_.ftl.small.lpages_per_page : boot_.lpages_per_page;
  }
  [[nodiscard]] std::uint32_t pages(std::uint32_t block) const {
    return is_small(block) ? boot_.ftl.small.pages : boot_.pages;
  }

  void fill(const wl_location& at) {
    Block& filled = blocks_[block(at.die, at.lpage / boot_.lpages_per_page, at.block)];
    filled.next_page = boot_.pages;
    filled.programmed.assign(boot_.pages / boot_.pages_per_program, true);
  }
  static void expect(bool condition, const char* message) {
    if (!condition) throw std::runtime_error(message);
  }
  std::size_t number(std::uint32_t die, std::uint32_t plane, std::uint32_t physical_block) const {
    return (std::size_t{die} * boot_.planes + plane) * (boot_.blocks + boot_.replacement.spares) + physical_block;
  }
  std::size_t block(std::uint32_t die, std::uint32_t plane, std::uint32_t virtual_block) const {
    return number(die, plane, physical(die, plane, virtual_block));
  }
  /// `sector`: in the page of all planes.
  Cell& cell(std::uint32_t die, std::uint32_t virtual_block, std::uint32_t page, std::uint32_t lpage) {
    const std::size_t b = block(die, lpage / boot_.lpages_per_page, virtual_block);
    return content_[(b * boot_.pages + page) * boot_.lpages_per_page + lpage % boot_.lpages_per_page];
  }
  /// What a program that is cut or fails destroys: also what others have written on its word line.
  std::uint32_t word_line_pages() const {
    return boot_.pages_per_program * std::max<std::uint32_t>(1U, boot_.ftl.word_line_programs);
  }
  std::uint32_t word_line_of(std::uint32_t page) const { return page - page % word_line_pages(); }
  void tear(const wl_flash_job& job, std::uint32_t first, std::uint32_t end) {
    for (std::uint32_t page = first; page < end; ++page)
      for (std::uint32_t i = 0; i < page_lpages_; ++i) {
        Cell& torn = cell(job.die, job.block, page, i);
        torn = {};
        torn.written = torn.torn = true;
      }
  }
  /// What is left of a word line that is torn may be left out.
  bool in_order(const wl_flash_job& job, const Block& b) {
    if (job.page == b.next_page) return true;
    const std::uint32_t first = word_line_of(b.next_page);
    return b.next_page != first && cell(job.die, job.block, first, 0).torn && job.page == first + word_line_pages();
  }
  bool may_follow(const wl_flash_job& job, const Block& b) {
    if (!mixed) return in_order(job, b);
    const std::uint32_t unit = job.page / boot_.pages_per_program;
    const std::uint32_t wide = boot_.layers.pages / boot_.pages_per_program;
    return unit < wide || b.programmed[unit - wide];
  }
  std::uint32_t erases_of(const wl_flash_job& job) const { return blocks_[block(job.die, 0, job.block)].erases; }
  bool is_bad(const wl_flash_job& job, std::uint32_t plane) const {
    const std::uint32_t b = physical(job.die, plane, job.block);
    return faults.bad && faults.bad(job.die, plane, b, erases(job.die, plane, b));
  }

  wl_flash_status read(const wl_flash_job& job, std::vector<Sector>& slots, wl_slot_info* table) {
    expect(job.count >= 1 && job.lpage + job.count <= page_lpages_, "read crosses a page");
    expect(!is_small(job.block) || job.lpage % boot_.lpages_per_page + job.count <= width(job.block),
           "read beyond a small page");
    read_lpages += job.count;
    ++reads;
    if (job.control != 0) ++led_reads;
    if (faults.uncorrectable && faults.uncorrectable(job, erases_of(job))) {
      ++failures;
      for (std::uint32_t i = 0; i < job.count; ++i) slots.at(job.slot + i).fill(0xbadbadbadbadbadb);
      return WL_FLASH_UNCORRECTABLE;
    }
    bool torn = false;
    for (std::uint32_t i = 0; i < job.count; ++i) {
      const Cell& from = cell(job.die, job.block, job.page, job.lpage + i);
      expect(from.written || may_be_blank, "read of a sector that was never written");
      slots.at(job.slot + i) = from.data;
      table[job.slot + i] = from.spare;
      torn |= from.torn;
      const Metadata to = from.bytes != nullptr && metadata ? metadata(job.slot + i) : Metadata{};
      const bool is_map_page = from.spare.lpn != WL_LPN_TABLE;
      std::uint8_t* const bytes = to.bits == (is_map_page ? WL_METADATA_READ : 0U) ? to.bytes : nullptr;
      if (bytes == nullptr) continue;
      std::copy(from.bytes->begin(), from.bytes->end(), bytes);
      const auto wrong = faults.corrupt ? faults.corrupt(job) : std::nullopt;
      if (wrong) bytes[*wrong % from.bytes->size()] ^= 1U << (*wrong & 7U);
    }
    return torn ? WL_FLASH_UNCORRECTABLE : WL_FLASH_OK;
  }

  wl_flash_status program(const wl_flash_job& job, const std::vector<Sector>& slots, const wl_slot_info* table) {
    expect(job.page % boot_.pages_per_program == 0, "program out of order");
    const std::uint32_t unit = job.page / boot_.pages_per_program;
    const bool modifies = (job.control & WL_PROGRAM_MODIFY) != 0;
    const std::uint32_t unit_lpages = boot_.planes * width(job.block) * boot_.pages_per_program;
    expect(modifies ? job.count != 0 && job.lpage + job.count <= page_lpages_ && job.count != page_lpages_
                    : job.count == unit_lpages && job.lpage == 0,
           "program of a part of a unit");
    programmed_lpages += unit_lpages;
    (is_small(job.block) ? small_programs : large_programs) += 1;
    if ((job.control & WL_PROGRAM_SET) != 0) ++set_programs;
    if (faults.program_fail && faults.program_fail(job, erases_of(job))) failed_planes = (1U << boot_.planes) - 1;
    for (std::uint32_t plane = 0; plane < boot_.planes; ++plane) {
      Block& b = blocks_[block(job.die, plane, job.block)];
      b.programmed.resize(boot_.pages / boot_.pages_per_program);
      expect(!b.programmed[unit], "program of a unit that is programmed");
      expect(!b.half_erased, "program of a block that is half erased");
      expect(may_follow(job, b), "program out of order");
      b.programmed[unit] = true;
      b.next_page = mixed ? b.next_page + boot_.pages_per_program : job.page + boot_.pages_per_program;
      if (is_bad(job, plane)) failed_planes |= 1U << plane;
    }
    failures += failed_planes != 0 ? 1 : 0;
    if (failed_planes != 0 && boot_.ftl.recovery != 0)
      tear(job, word_line_of(job.page), word_line_of(job.page) + word_line_pages());
    if (modifies) copy_page(job);
    const bool lost = !is_small(job.block) && cell(job.die, job.block, word_line_of(job.page), 0).torn;
    for (std::uint32_t i = 0; i < job.count && failed_planes == 0 && !lost; ++i) {
      const std::uint32_t in_page = i % width(job.block);
      const std::uint32_t lpage =
          is_small(job.block) ? i / width(job.block) * boot_.lpages_per_page + in_page : job.lpage + i;
      Cell& to = cell(job.die, job.block, job.page + lpage / page_lpages_, lpage % page_lpages_);
      to = {true, table[job.slot + i], slots.at(job.slot + i), false, nullptr};
      const Metadata from = metadata ? metadata(job.slot + i) : Metadata{};
      const bool is_map_page = from.bits == WL_METADATA_WRITTEN;
      if (to.spare.lpn != WL_LPN_TABLE && !is_map_page) continue;
      const std::uint8_t* const bytes = to.spare.lpn != WL_LPN_TABLE || from.bits == 0 ? from.bytes : nullptr;
      expect(bytes != nullptr, "metadata from nowhere");
      to.bytes = std::make_shared<std::vector<std::uint8_t>>(bytes, bytes + (512U << boot_.ftl.lpage_shift));
    }
    return failed_planes != 0 ? WL_FLASH_PROGRAM_FAIL : WL_FLASH_OK;
  }

  void copy_page(const wl_flash_job& job) {
    expect(page_lpages_ == boot_.lpages_per_page && boot_.pages_per_program == 1, "copy of several pages");
    ++modified;
    const std::uint32_t from = job.source / boot_.pages, page = job.source % boot_.pages;
    const Block& b = blocks_[block(job.die, 0, from)];
    expect(page < b.programmed.size() && b.programmed[page], "copy of a page that was never programmed");
    for (std::uint32_t i = 0; i < page_lpages_ && failed_planes == 0; ++i) {
      Cell& to = cell(job.die, job.block, job.page, i);
      to = cell(job.die, from, page, i);
      to.written = true;
    }
  }

  wl_flash_status erase(const wl_flash_job& job) {
    ++erased_blocks;
    for (std::uint32_t plane = 0; plane < boot_.planes; ++plane) {
      const std::size_t number = block(job.die, plane, job.block);
      ++blocks_[number].erases;
      blocks_[number].next_page = 0;
      blocks_[number].half_erased = false;
      blocks_[number].programmed.clear();
      const std::size_t cells = std::size_t{boot_.pages} * boot_.lpages_per_page;
      for (std::size_t i = 0; i < cells; ++i) content_[number * cells + i] = {};
      if (is_bad(job, plane)) failed_planes |= 1U << plane;
    }
    if (faults.erase_fail && faults.erase_fail(job, erases_of(job))) failed_planes = (1U << boot_.planes) - 1;
    failures += failed_planes != 0 ? 1 : 0;
    return failed_planes != 0 ? WL_FLASH_ERASE_FAIL : WL_FLASH_OK;
  }

  wl_flash_status marks(const wl_flash_job& job) {
    ++marks_read;
    for (std::uint32_t plane = 0; plane < boot_.planes; ++plane) {
      expect(blocks_[number(job.die, plane, job.block)].next_page == 0, "mark of a block that was written");
      if (faults.marked && faults.marked(job.die, plane, job.block)) failed_planes |= 1U << plane;
    }
    return WL_FLASH_OK;
  }

  wl_boot_info boot_;
  const std::uint16_t* spares_;
  std::uint32_t page_lpages_;
  wl_geometry geometry_;
  std::vector<Block> blocks_;
  std::vector<Cell> content_;
};

}  // namespace wordline::testing
