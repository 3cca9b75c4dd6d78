// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/precondition/parity_places.h"

#include <utility>

#include "models/checks/boot_info.h"
#include "models/firmware/contract/closing.h"
#include "models/firmware/contract/flash_ring.h"

namespace wordline::precondition {
namespace {

std::uint32_t rows_of(const config::Config& config, const config::Layout& layout) {
  if (config.ftl.parity == config::Parity::kNone) return 0;
  const wl_boot_info info = config::boot_info_of(config, layout);
  const std::uint32_t units = layout.dies * layout.programs_per_block;
  return (units - wl_closing_room(&info, units, layout.lpages_per_program)) / layout.dies;
}

}  // namespace

ParityPlaces::ParityPlaces(const config::Config& config, const config::Layout& layout, bool last_die_failed,
                           std::function<Place(std::uint64_t ppa)> place)
    : geometry_(geometry_of(config, layout)),
      last_die_failed_(last_die_failed),
      rows_(rows_of(config, layout)),
      place_(std::move(place)),
      known_(std::size_t{geometry_.blocks} * rows_, Row::kUnknown) {}

ParityPlaces::Row ParityPlaces::row_at(std::uint64_t first) const {
  const std::uint32_t lpages = geometry_.superblock_lpages() / geometry_.programs_per_superblock();
  bool used = false;
  for (std::uint32_t i = 0; i < lpages; ++i) {
    nand::StoredLpage sum{{}, 0, 0};
    for (std::uint32_t die = 0; die + 1 < geometry_.dies; ++die) {
      const Place one = place_(first + std::uint64_t{die} * lpages + i);
      if (one.cells == Place::Cells::kBlank) continue;
      used = true;
      sum = {sum.token ^ one.stored.token, sum.lpn ^ one.stored.lpn, sum.record ^ one.stored.record};
    }
    if (!(sum == nand::StoredLpage{{}, 0, 0})) return Row::kLastDie;
  }
  return used ? Row::kLastButOne : Row::kLastDie;
}

bool ParityPlaces::is_metadata(std::uint64_t ppa) const {
  const Place first = place_(ppa - ppa % geometry_.lpages_per_page);
  const wl_slot_info record{first.stored.lpn, first.stored.record};
  return record.lpn == WL_LPN_TABLE && wl_spare_kind(&record) == WL_SPARE_METADATA;
}

bool ParityPlaces::at(std::uint64_t ppa) {
  if (rows_ == 0) return false;
  const std::uint32_t lpages = geometry_.superblock_lpages() / geometry_.programs_per_superblock();
  const std::uint64_t in_superblock = ppa % geometry_.superblock_lpages(), unit = in_superblock / lpages;
  const std::uint64_t row = unit / geometry_.dies, die = unit % geometry_.dies;
  if (row >= rows_ || die + 2 < geometry_.dies) return false;
  if (is_metadata(ppa)) return false;
  if (die + 1 == geometry_.dies || !last_die_failed_) return die + 1 == geometry_.dies;
  Row& known = known_[ppa / geometry_.superblock_lpages() * rows_ + row];
  if (known == Row::kUnknown) known = row_at(ppa - in_superblock + row * geometry_.dies * lpages);
  return known == Row::kLastButOne;
}

}  // namespace wordline::precondition
