// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/onfi/address.h"
#include "tlm/device/flash/bus/onfi_transaction.h"
#include "tlm/device/flash/die/page_registers.h"

namespace wordline::flash {

/// What the next output of a die is: data of the cache register from a column on, status, or feature parameters. Data
/// carry their raw bit errors when the initiator wants them (ReadErrors).
///
/// Functions that can fail return what is wrong, "" if nothing, and then have changed nothing.
class DataOutput {
 public:
  explicit DataOutput(PageRegisters& registers) : registers_(registers) {}

  // ---- what the array does to the registers ------------------------------------------------------------------------
  /// A read has ended; `through`: into both registers, so that its data can go out.
  void page_arrives(const HeldPage& page, bool through);
  /// The page of the page register goes out next, from its first column on.
  void next_page();
  /// The planes are sensed: their registers are empty until the page arrives.
  void sensing(std::uint32_t planes);
  /// Registers are taken for something else.
  void clear();

  // ---- commands -----------------------------------------------------------------------------------------------------
  /// 00h ADDR: where the data of this read will begin.
  void point_to(const onfi::Address& at);
  /// 05h, or with the row address 06h.
  [[nodiscard]] std::string change_column(const onfi::Address& at, bool with_row);
  /// C0h N.
  [[nodiscard]] std::string select_soft_plane(unsigned plane);
  /// 00h after a status or feature read.
  void back_to_data() { source_ = registers_.empty() ? Source::kNone : Source::kData; }
  /// 70h, 78h; EEh, D4h.
  void show_status() { source_ = Source::kStatus; }
  void show_feature() { source_ = Source::kFeature; }

  // ---- output -------------------------------------------------------------------------------------------------------
  [[nodiscard]] std::string data_out(OnfiTransaction& t);
  [[nodiscard]] bool shows_feature() const { return source_ == Source::kFeature; }

 private:
  enum class Source : std::uint8_t { kNone, kData, kStatus, kFeature };

  void count_errors(std::uint32_t first, std::uint32_t count, ReadErrors& errors);

  PageRegisters& registers_;
  Source source_ = Source::kNone;
  PlaneId plane_{};
  std::uint32_t column_ = 0;
  unsigned soft_plane_ = 0;          // 0: the page
  std::vector<unsigned> codewords_;  // errors of those on their way out
};

}  // namespace wordline::flash
