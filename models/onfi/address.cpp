// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/onfi/address.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

namespace wordline::onfi {

namespace {

constexpr std::uint64_t kUsualColumns = 1U << (8 * kUsualColumnCycles);
constexpr std::uint64_t kMaxColumns = kUsualColumns << 8;
constexpr unsigned kUsualRowCycles = 3;

Cycles in_mode(Cycles cycles, const Address& at) {
  if (at.slc_mode) cycles.prefix = kSlcMode;
  return cycles;
}

/// Bits of a field that tells `count` things apart.
unsigned width(std::uint32_t count) {
  unsigned bits = 0;
  while ((std::uint64_t{1} << bits) < count) ++bits;
  return bits;
}

}  // namespace

AddressCodec::AddressCodec(const config::Config& config, const config::Layout& layout)
    : page_bits_(width(layout.pages_per_block)),
      plane_bits_(width(config.nand.geometry.planes)),
      block_bits_(width(config.nand.blocks_per_plane())),
      lun_bits_(width(config.channels.dies_per_package)),
      row_cycles_(0),
      column_cycles_(kUsualColumnCycles),
      luns_(config.channels.dies_per_package),
      lpage_bytes_(ecc::lpage_bytes_on_bus(layout.lpage, layout.codeword_extra)),
      sdr_(config.channels.mode.interface == config::BusInterface::kSdr) {
  const std::uint64_t page_bytes = config.nand.geometry.page.count() + config.nand.geometry.spare.count();
  const std::uint64_t used = std::uint64_t{layout.lpages_per_page} * lpage_bytes();
  if (used == 0 || used > page_bytes || used > kMaxColumns) {
    throw std::invalid_argument(fmt::format(
        "nand.page, nand.spare: {} logical pages of {} bytes in a page of {}; they must fit the page and the "
        "16777216 columns of three column cycles",
        layout.lpages_per_page, lpage_bytes(), page_bytes));
  }
  if (page_bytes > kUsualColumns) ++column_cycles_;
  const unsigned bits = page_bits_ + plane_bits_ + block_bits_ + lun_bits_;
  if (bits > 32) {
    throw std::invalid_argument(
        fmt::format("nand.geometry: pages, planes, blocks and LUNs need {} row address bits, four cycles hold 32; make "
                    "blocks_per_plane smaller",
                    bits));
  }
  row_cycles_ = std::max(kUsualRowCycles, (bits + 7) / 8);
}

std::uint32_t AddressCodec::row(const Address& at) const {
  // 64 bits: a field may be wider than what is left of 32.
  std::uint64_t row = at.lun;
  row = row << block_bits_ | at.block.value();
  row = row << plane_bits_ | at.plane.value();
  row = row << page_bits_ | at.page.value();
  return static_cast<std::uint32_t>(row);
}

Address AddressCodec::decode(const Cycles& cycles, AddressKind kind) const {
  Address at;
  unsigned next = 0;
  if (kind == AddressKind::kColumn || kind == AddressKind::kColumnRow) {
    for (; next < column_cycles_; ++next) {
      at.column |= static_cast<std::uint32_t>(cycles.address[next]) << (8 * next);
    }
  }
  if (kind == AddressKind::kRow || kind == AddressKind::kColumnRow) {
    std::uint64_t row = 0;
    for (unsigned i = 0; i < row_cycles_; ++i) row |= static_cast<std::uint64_t>(cycles.address[next + i]) << (8 * i);
    const auto take = [&row](unsigned bits) {
      const auto field = static_cast<std::uint32_t>(row & ((std::uint64_t{1} << bits) - 1));
      row >>= bits;
      return field;
    };
    at.page = PageId(take(page_bits_));
    at.plane = PlaneId(static_cast<std::uint8_t>(take(plane_bits_)));
    at.block = BlockId(take(block_bits_));
    at.lun = static_cast<std::uint32_t>(row);
  }
  if (kind == AddressKind::kLunFeature) at.lun = cycles.address[0];
  at.slc_mode = cycles.prefix == kSlcMode;
  return at;
}

Cycles AddressCodec::encode(std::uint8_t opcode, AddressKind kind, const Address& at, std::uint8_t confirm) const {
  Cycles cycles{opcode, confirm, 0, {}};
  const auto put = [&cycles](std::uint32_t bits, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      cycles.address[cycles.address_count++] = static_cast<std::uint8_t>(bits >> (8 * i));
    }
  };
  if (kind == AddressKind::kColumn || kind == AddressKind::kColumnRow) put(at.column, column_cycles_);
  if (kind == AddressKind::kRow || kind == AddressKind::kColumnRow) put(row(at), row_cycles_);
  return cycles;
}

Cycles AddressCodec::read(const Address& at, std::uint8_t confirm) const {
  return in_mode(encode(kRead, AddressKind::kColumnRow, at, confirm), at);
}

Cycles AddressCodec::change_read_column(const Address& at) const {
  return encode(kChangeReadColumnEnhanced, AddressKind::kColumnRow, at, kChangeColumnConfirm);
}

Cycles AddressCodec::program(const Address& at) const {
  return in_mode(encode(kProgram, AddressKind::kColumnRow, at), at);
}

Cycles AddressCodec::copyback_program(const Address& at) const {
  return encode(kCopybackProgram, AddressKind::kColumnRow, at);
}

Cycles AddressCodec::change_write_column(std::uint32_t column) const {
  Address at;
  at.column = column;
  return encode(kChangeWriteColumn, AddressKind::kColumn, at);
}

Cycles AddressCodec::erase(const Address& at, std::uint8_t confirm) const {
  return encode(kErase, AddressKind::kRow, at, confirm);
}

Cycles AddressCodec::suspend_program(const Address& at) const {
  return encode(kSuspendProgram, AddressKind::kColumnRow, at);
}

Cycles AddressCodec::resume_program(const Address& at) const {
  return encode(kResumeProgram, AddressKind::kColumnRow, at);
}

Cycles AddressCodec::suspend_erase(const Address& at) const { return encode(kSuspendErase, AddressKind::kRow, at); }

Cycles AddressCodec::resume_erase(const Address& at) const {
  return luns_ == 1 ? command(kResumeErase) : encode(kResumeErase, AddressKind::kRow, at);
}

Cycles AddressCodec::read_status(const Address& at) const {
  return luns_ == 1 ? command(kReadStatus) : encode(kReadStatusEnhanced, AddressKind::kRow, at);
}

Cycles AddressCodec::read_plane_status(const Address& at) const {
  return encode(kReadStatusEnhanced, AddressKind::kRow, at);
}

Cycles AddressCodec::set_features(std::uint32_t lun, std::uint8_t feature) const {
  if (luns_ == 1) return Cycles{kSetFeatures, kNoConfirm, 1, {feature}};
  return Cycles{kLunSetFeatures, kNoConfirm, 2, {static_cast<std::uint8_t>(lun), feature}};
}

Cycles AddressCodec::get_features(std::uint32_t lun, std::uint8_t feature) const {
  if (luns_ == 1) return Cycles{kGetFeatures, kNoConfirm, 1, {feature}};
  return Cycles{kLunGetFeatures, kNoConfirm, 2, {static_cast<std::uint8_t>(lun), feature}};
}

Cycles AddressCodec::reset(const Address& at) const {
  return luns_ > 1 ? encode(kResetLun, AddressKind::kRow, at) : command(sdr_ ? kReset : kResetSync);
}

}  // namespace wordline::onfi
