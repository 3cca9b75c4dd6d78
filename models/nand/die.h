// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "models/config/config.h"
#include "models/data/stamp.h"
#include "models/nand/plan.h"
#include "models/units/index.h"

namespace wordline::nand {

/// A sector in a page of one die.
struct SectorAddress {
  PlaneId plane;
  BlockId block;
  PageId page;
  std::uint32_t sector;
};

/// A sector as the page stores it: content and the owner that the controller wrote into the spare area.
struct StoredSector {
  data::SectorToken token;
  std::uint32_t lpn = 0xffffffff;
};

/// Content of sectors no operation has touched since the start of the run (a preconditioned drive); {} where erased.
using Fill = std::function<StoredSector(DieId die, const SectorAddress& at)>;

enum class OperationStatus : std::uint8_t { kOk, kFail };

/// What a NAND die is, without a clock: blocks and pages with their content, rules of use, the plan of each array
/// operation, the raw bit errors of each read. The SystemC die asks for a plan, lets its time pass, then commits.
///
/// Memory: a block materialises on its first program or erase; at most 64 bytes per written 16 KiB page.
class Die {
 public:
  Die(const config::Nand& nand, const config::Layout& layout, DieId id, std::uint64_t seed, Fill fill);
  ~Die();
  Die(const Die&) = delete;
  Die& operator=(const Die&) = delete;

  /// Read of one page (the same page of every selected plane senses together): precharge, senses by page type, discharge.
  [[nodiscard]] Plan plan_read(BlockId block, PageId page) const;
  /// Program of one unit (page, or word line in one shot) starting at `page`.
  [[nodiscard]] Plan plan_program(BlockId block, PageId page) const;
  [[nodiscard]] Plan plan_erase(BlockId block) const;

  /// Counts the read (read disturb) of page `page` in the planes of `plane_mask`.
  void commit_read(std::uint32_t plane_mask, BlockId block, PageId page);
  /// Stores a unit: `sectors` holds layout.sectors_per_page entries per page, planes of a page first, then pages.
  /// Fails (nothing stored) when a page was programmed since the last erase, or pages of a block are not in order.
  OperationStatus commit_program(std::uint32_t plane_mask, BlockId block, PageId page, const StoredSector* sectors);
  OperationStatus commit_erase(std::uint32_t plane_mask, BlockId block);

  [[nodiscard]] StoredSector sector(const SectorAddress& at) const;
  [[nodiscard]] bool programmed(PlaneId plane, BlockId block, PageId page) const;

  /// Raw bit error rate of the page at reference step `step` of the retry table (0 = default references).
  [[nodiscard]] double rber(PlaneId plane, BlockId block, PageId page, unsigned step) const;
  /// Bit errors of codeword `codeword` (0 .. sectors * 2 - 1) of `bits` bits in this read; keyed by place, P/E count,
  /// read count and step, so that repeating the run repeats the errors.
  [[nodiscard]] unsigned bit_errors(PlaneId plane, BlockId block, PageId page, unsigned codeword, unsigned bits,
                                    unsigned step) const;

  struct Counters {
    std::uint64_t page_reads = 0, programs = 0, erases = 0;  // operations, multi-plane counted once
    std::uint64_t sectors_programmed = 0;
    Picojoules energy{};
  };
  [[nodiscard]] const Counters& counters() const;
  [[nodiscard]] std::uint32_t erase_count(PlaneId plane, BlockId block) const;
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wordline::nand
