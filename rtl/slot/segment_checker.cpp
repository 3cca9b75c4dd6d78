// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/slot/segment_checker.h"

#include <fmt/format.h>

namespace wordline::rtl {
namespace {

constexpr std::uint8_t kNoChip = 0xff;
constexpr std::uint8_t kDataOut = 2;  // onfi::SegmentKind

}  // namespace

std::string SegmentChecker::in_reset(const FlashInterfacePins& pins) {
  if (pins.ce_no != kNoChip) return fmt::format("ce_no is {:02x}h in reset, expected ffh", pins.ce_no);
  if (pins.m_axis_tvalid_o != 0) return "m_axis_tvalid_o is high in reset";
  if (pins.done_o != 0) return "done_o is high in reset";
  return {};
}

std::string SegmentChecker::idle(const FlashInterfacePins& pins) const {
  if (pins.ce_no != kNoChip) return fmt::format("ce_no is {:02x}h, expected ffh: no segment was taken", pins.ce_no);
  if (pins.m_axis_tvalid_o != 0) return "m_axis_tvalid_o is high, and no segment was taken";
  if (pins.done_o != 0) return "done_o is high, and no segment was taken";
  return {};
}

std::string SegmentChecker::under_way(const FlashInterfacePins& pins) {
  if (pins.ce_no != kNoChip) {
    if (pins.ce_no != chip_) return fmt::format("ce_no is {:02x}h, expected {:02x}h", pins.ce_no, chip_);
    if (over_) return "ce_no falls again within one segment: chip enable stays low to its end";
    selected_ = true;
  } else if (selected_) {
    over_ = true;
  }
  if (pins.m_axis_tvalid_o != 0) {
    if (came_out_ == bytes_) {
      return bytes_ == 0 ? "m_axis_tvalid_o is high in a segment that is no data out"
                         : fmt::format("m_axis_tvalid_o is high, and all {} bytes came out", bytes_);
    }
    ++came_out_;
    if ((pins.m_axis_tlast_o != 0) != (came_out_ == bytes_)) {
      return fmt::format("m_axis_tlast_o is {} with byte {} of {}", pins.m_axis_tlast_o, came_out_ - 1, bytes_);
    }
  }
  if (pins.done_o != 0) {
    if (!over_) {
      return selected_ ? "done_o is high before chip enable has risen" : "done_o is high before chip enable was low";
    }
    if (came_out_ < bytes_ && pins.done_short_o == 0) {
      return fmt::format("done_o is high after {} of {} bytes came out, and done_short_o is low", came_out_, bytes_);
    }
    under_way_ = false;
  } else if (pins.quiet_o != 0) {
    return "quiet_o is high within a segment: the drive would stop the clock";
  }
  return {};
}

std::string SegmentChecker::clock(const FlashInterfacePins& pins) {
  if (pins.rst_ni == 0) {
    // Registers take the reset a clock later.
    std::string found = was_reset_ ? in_reset(pins) : std::string();
    was_reset_ = true;
    under_way_ = false;
    return found;
  }
  was_reset_ = false;
  std::string found = under_way_ ? under_way(pins) : idle(pins);
  if (!found.empty()) return found;
  if (pins.segment_valid_i == 0 || pins.segment_ready_o == 0) return {};
  if (under_way_) return "segment_ready_o is high, and the segment before has had no done_o";
  under_way_ = true;
  selected_ = over_ = false;
  chip_ = static_cast<std::uint8_t>(~(1U << pins.segment_chip_i));
  bytes_ = pins.segment_kind_i == kDataOut ? pins.segment_bytes_i : 0;
  came_out_ = 0;
  ++segments_;
  return {};
}

}  // namespace wordline::rtl
