// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/config/config.h"
#include "models/ecc/code/codeword.h"
#include "models/onfi/commands.h"
#include "models/units/index.h"

namespace wordline::onfi {

/// Where a segment points to. `column` counts bytes in the page register.
struct Address {
  std::uint32_t lun = 0;  // lun within the package
  PlaneId plane{};
  BlockId block{};
  PageId page{};
  std::uint32_t column = 0;
  bool slc_mode = false;  // of a read or a page load: its block is in SLC mode
};

/// Address cycles (ONFI 5.0 clause 3.1): two column cycles, then the row, low byte first. A page of more than 65,536
/// bytes with its spare has a third column cycle (assumed: ONFI has two). Row bits from the least
/// significant: page, plane, block within the plane, LUN; each field as wide as its count needs. Devices whose row
/// needs more than 24 bits have a fourth row cycle.
///
/// Logical pages lie in a page one after the other, each with its parity: logical page s begins at column s *
/// lpage_bytes().
class AddressCodec {
 public:
  /// Throws std::invalid_argument naming the keys when the page or the die does not fit the address cycles.
  AddressCodec(const config::Config& config, const config::Layout& layout);

  [[nodiscard]] unsigned row_cycles() const { return row_cycles_; }
  [[nodiscard]] unsigned column_cycles() const { return column_cycles_; }
  [[nodiscard]] unsigned cycles() const { return column_cycles_ + row_cycles_; }
  /// Bytes on the bus of one logical page: its codewords.
  [[nodiscard]] std::uint32_t lpage_bytes() const { return lpage_bytes_; }
  [[nodiscard]] std::uint32_t column_of(std::uint32_t lpage) const { return lpage * lpage_bytes_; }
  [[nodiscard]] unsigned luns() const { return luns_; }

  [[nodiscard]] std::uint32_t row(const Address& at) const;
  /// Address out of the cycles of `kind`; fields the cycles do not carry stay 0. Fields may exceed the geometry.
  [[nodiscard]] Address decode(const Cycles& cycles, AddressKind kind) const;
  /// Cycles of a sequence whose address is `kind`, column or row or both.
  [[nodiscard]] Cycles encode(std::uint8_t opcode, AddressKind kind, const Address& at,
                              std::uint8_t confirm = kNoConfirm) const;

  // What a controller sends, by name.
  /// 00h ADDR 30h; 32h when another plane follows (busy tDBSY), 35h to copy back, 31h READ CACHE RANDOM.
  [[nodiscard]] Cycles read(const Address& at, std::uint8_t confirm = kReadConfirm) const;
  /// 06h ADDR E0h: choose LUN, plane and column of the next data output; tCCS before the data.
  [[nodiscard]] Cycles change_read_column(const Address& at) const;
  /// C0h N: the next data out is bit plane `plane` of a soft read, 0 the page itself; tCCS before it. After 05h or 06h,
  /// which go back to the page.
  [[nodiscard]] static constexpr Cycles select_soft_plane(unsigned plane) {
    return Cycles{kSelectSoftPlane, kNoConfirm, 1, {static_cast<std::uint8_t>(plane)}};
  }
  /// 80h ADDR; tADL before the data.
  [[nodiscard]] Cycles program(const Address& at) const;
  /// 85h ADDR: load a page of a copyback program with the page that is in the register; tADL before data that change
  /// it.
  [[nodiscard]] Cycles copyback_program(const Address& at) const;
  /// 85h C1 C2: column of the data that follow; tCCS before them.
  [[nodiscard]] Cycles change_write_column(std::uint32_t column) const;
  /// 60h ROW D0h, or D1h when another plane follows (busy tDBSY).
  [[nodiscard]] Cycles erase(const Address& at, std::uint8_t confirm = kEraseConfirm) const;
  /// 84h ADDR and 13h ADDR: suspend and resume the program of `at`'s LUN.
  [[nodiscard]] Cycles suspend_program(const Address& at) const;
  [[nodiscard]] Cycles resume_program(const Address& at) const;
  /// 61h ROW; D2h, or D2h ROW where a target has several LUNs.
  [[nodiscard]] Cycles suspend_erase(const Address& at) const;
  [[nodiscard]] Cycles resume_erase(const Address& at) const;
  /// 70h, or 78h ROW where a target has several LUNs.
  [[nodiscard]] Cycles read_status(const Address& at) const;
  /// 78h ROW.
  [[nodiscard]] Cycles read_plane_status(const Address& at) const;
  /// EFh FA, or D5h LUN FA where a target has several LUNs.
  [[nodiscard]] Cycles set_features(std::uint32_t lun, std::uint8_t feature) const;
  /// EEh FA, or D4h LUN FA.
  [[nodiscard]] Cycles get_features(std::uint32_t lun, std::uint8_t feature) const;
  /// FCh (FFh on SDR), or FAh ROW where a target has several LUNs: the timing mode stays.
  [[nodiscard]] Cycles reset(const Address& at) const;
  /// A command cycle alone: 10h, 11h, 1Ah, 15h after data, 31h, 3Fh, 00h after a status read.
  [[nodiscard]] static constexpr Cycles command(std::uint8_t opcode) { return Cycles{opcode, kNoConfirm, 0, {}}; }

 private:
  unsigned page_bits_, plane_bits_, block_bits_, lun_bits_;
  unsigned row_cycles_, column_cycles_;
  unsigned luns_;
  std::uint32_t lpage_bytes_;
  bool sdr_;
};

}  // namespace wordline::onfi
