// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/nand/block_faults.h"

#include <cmath>

#include "models/units/keyed_random.h"

namespace wordline::nand {

namespace {

constexpr std::uint64_t kPurposeFactoryBad = 0x626164;
constexpr std::uint64_t kPurposeProgramFails = 0x7066;
constexpr std::uint64_t kPurposeEraseFails = 0x6566;
constexpr std::uint64_t kPurposeProgramDisturb = 0x7064;
constexpr std::uint64_t kPurposeUnreadable = 0x756e;
constexpr std::uint64_t kPurposeMovedReferences = 0x6d72;
constexpr std::uint64_t kPurposeMovedStep = 0x6d73;

}  // namespace

bool factory_bad(const ArrayGeometry& geometry, const config::NandFaults& faults, std::uint64_t seed,
                 std::uint32_t plane, std::uint32_t block) {
  return faults.bad_blocks > 0 &&
         unit_interval(keyed_hash(seed, kPurposeFactoryBad, geometry.key(plane, block))) < faults.bad_blocks;
}

bool BlockFaults::factory_bad(std::uint32_t plane, std::uint32_t block) const {
  return nand::factory_bad(geometry_, faults_, seed_, plane, block);
}

double BlockFaults::probability(double rated, std::uint32_t erases) const {
  if (!(rated > 0) || faults_.rated_cycles == 0) return 0;
  const double wear = pe_before_ + erases;
  return rated * std::pow(wear / faults_.rated_cycles, 4);
}

bool BlockFaults::program_fails(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const {
  if (all_failed_ || factory_bad(plane, block)) return true;
  const std::uint32_t erases = blocks_.at(plane, block).erases;
  const double p = probability(faults_.program_failures, erases);
  const std::uint64_t key = geometry_.key(plane, block);
  return p > 0 && unit_interval(keyed_hash(seed_, kPurposeProgramFails, key, page, erases)) < p;
}

bool BlockFaults::page_unreadable(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const {
  if (all_failed_) return true;
  if (!(faults_.unreadable_pages > 0)) return false;
  const std::uint64_t key =
      keyed_hash(seed_, kPurposeUnreadable, geometry_.key(plane, block), page, blocks_.at(plane, block).erases);
  return unit_interval(key) < faults_.unreadable_pages;
}

bool BlockFaults::program_disturbed(std::uint32_t plane, std::uint32_t block, std::uint32_t word_line) const {
  if (!(faults_.program_disturb > 0)) return false;
  const std::uint64_t key =
      keyed_hash(seed_, kPurposeProgramDisturb, geometry_.key(0, block), word_line, blocks_.at(plane, block).erases);
  return unit_interval(key) < faults_.program_disturb;
}

unsigned BlockFaults::moved_step(std::uint32_t plane, std::uint32_t block, std::uint32_t layer) const {
  if (!(faults_.moved_references > 0)) return 0;
  const std::uint64_t key =
      keyed_hash(seed_, kPurposeMovedReferences, geometry_.key(0, block), layer, blocks_.at(plane, block).erases);
  if (!(unit_interval(key) < faults_.moved_references)) return 0;
  return 1 + static_cast<unsigned>(keyed_hash(key, kPurposeMovedStep) % faults_.moved_steps);
}

bool BlockFaults::erase_fails(std::uint32_t plane, std::uint32_t block) const {
  const Block& b = blocks_.at(plane, block);
  if (all_failed_ || blocks_.extra(b).failed || factory_bad(plane, block)) return true;
  const std::uint32_t erases = b.erases;
  const double p = probability(faults_.erase_failures, erases);
  return p > 0 && unit_interval(keyed_hash(seed_, kPurposeEraseFails, geometry_.key(plane, block), erases)) < p;
}

}  // namespace wordline::nand
