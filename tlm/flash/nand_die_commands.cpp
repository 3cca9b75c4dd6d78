// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What each command does to a die.
#include <algorithm>

#include "models/ecc/codeword.h"
#include "tlm/flash/nand_die.h"

namespace wordline::flash {

void NandDie::command(OnfiTransaction& t) {
  const onfi::SequenceRule* rule = onfi::find_rule(t.cycles, codec_.row_cycles());
  if (rule == nullptr) {
    error(t, "unknown command " + std::to_string(t.cycles.opcode) + "/" + std::to_string(t.cycles.confirm) + " with " +
                 std::to_string(t.cycles.address_count) + " address cycles");
    return;
  }
  const onfi::Address at = codec_.decode(t.cycles, rule->address);
  const bool row = rule->address == onfi::AddressKind::kRow || rule->address == onfi::AddressKind::kColumnRow;
  if (row && !check_address(t, at)) return;
  switch (t.cycles.opcode) {
    case onfi::kRead:
      if (rule->address == onfi::AddressKind::kNone) {
        output_ = read_planes_ != 0 ? Output::kData : Output::kNone;
        return;
      }
      return read_command(t, at, t.cycles.confirm == onfi::kReadConfirm);
    case onfi::kChangeReadColumn:
    case onfi::kChangeReadColumnEnhanced:
      return change_read_column(t, at, row);
    case onfi::kProgram:
      return program_command(t, at);
    case onfi::kProgramConfirm:
    case onfi::kProgramNextPlane:
    case onfi::kProgramNextPage:
      return program_confirm(t, t.cycles.opcode);
    case onfi::kErase:
      return erase_command(t, at, t.cycles.confirm == onfi::kEraseConfirm);
    default:
      error(t, std::string(rule->name) + " is not a segment of kind command");
  }
}

// Adds the plane of `at` to the multi-plane operation that is being gathered.
bool NandDie::join_planes(OnfiTransaction& t, const onfi::Address& at, Operation operation) {
  if (gathering_ == Operation::kNone) {
    gathering_ = operation;
    plane_mask_ = 0;
    block_ = at.block;
    page_ = at.page;
  } else if (gathering_ != operation) {
    gathering_ = Operation::kNone;
    return error(t, "another operation inside a multi-plane sequence");
  }
  if (block_ != at.block || (operation == Operation::kRead && page_ != at.page)) {
    gathering_ = Operation::kNone;
    return error(t, "planes of one operation address different blocks or pages");
  }
  plane_mask_ |= 1U << at.plane.value();
  return true;
}

void NandDie::read_command(OnfiTransaction& t, const onfi::Address& at, bool last) {
  if (loading_) {
    error(t, "read between the loads of a program");
    return;
  }
  if (!join_planes(t, at, Operation::kRead)) return;
  if (!last) return busy_for(t, t_dbsy_, State::kIdle);
  out_plane_ = at.plane;
  out_column_ = at.column;
  read_step_ = reference_step();
  start(t, Operation::kRead, array_.plan_read(block_, page_));
}

void NandDie::erase_command(OnfiTransaction& t, const onfi::Address& at, bool last) {
  if (loading_) {
    error(t, "erase between the loads of a program");
    return;
  }
  if (!join_planes(t, at, Operation::kErase)) return;
  if (!last) return busy_for(t, t_dbsy_, State::kIdle);
  start(t, Operation::kErase, array_.plan_erase(block_));
}

void NandDie::program_command(OnfiTransaction& t, const onfi::Address& at) {
  if (loading_) {
    error(t, "a page load that was not ended by 10h, 11h or 1Ah");
    return;
  }
  if (gathering_ == Operation::kNone) {
    std::fill(loaded_planes_.begin(), loaded_planes_.end(), 0);
    load_unit_ = at.page.value() / pages_per_program_ * pages_per_program_;
    load_page_ = 0;
  }
  if (!join_planes(t, at, Operation::kProgram)) return;
  if (at.page.value() != load_unit_ + load_page_ || at.column != 0) {
    gathering_ = Operation::kNone;
    error(t, "load of page " + std::to_string(at.page.value()) + " column " + std::to_string(at.column) +
                 ", expected page " + std::to_string(load_unit_ + load_page_) + " column 0");
    return;
  }
  forget_registers();
  output_ = Output::kNone;
  loading_ = true;
  load_plane_ = at.plane;
  load_sector_ = 0;
}

void NandDie::data_in(OnfiTransaction& t) {
  const std::uint32_t count = t.sector_count;
  if (!loading_) {
    error(t, "data in without PROGRAM (80h)");
    return;
  }
  if (t.bytes != count * codec_.sector_bytes() || t.sectors == nullptr || count > sectors_per_page_ - load_sector_) {
    error(t, "data in of " + std::to_string(t.bytes) + " bytes for " + std::to_string(count) + " sectors of " +
                 std::to_string(codec_.sector_bytes()) + " bytes at sector " + std::to_string(load_sector_));
    return;
  }
  const std::size_t row = static_cast<std::size_t>(load_page_) * planes_ + load_plane_.value();
  std::copy_n(t.sectors, count, load_.begin() + static_cast<std::ptrdiff_t>(row * sectors_per_page_ + load_sector_));
  load_sector_ += count;
}

void NandDie::program_confirm(OnfiTransaction& t, std::uint8_t opcode) {
  if (!loading_) {
    error(t, "program confirm without PROGRAM (80h)");
    return;
  }
  loading_ = false;
  loaded_planes_[load_page_] |= 1U << load_plane_.value();
  const bool page_complete = std::all_of(loaded_planes_.begin(), loaded_planes_.begin() + load_page_ + 1,
                                         [this](std::uint32_t planes) { return planes == plane_mask_; });
  std::string wrong;
  if (load_sector_ != sectors_per_page_) {
    wrong =
        "page load of " + std::to_string(load_sector_) + " sectors, a page has " + std::to_string(sectors_per_page_);
  } else if (opcode != onfi::kProgramNextPlane && !page_complete) {
    wrong = "page " + std::to_string(load_unit_ + load_page_) + " is not loaded in all planes of the unit";
  } else if (opcode == onfi::kProgramNextPage && load_page_ + 1 == pages_per_program_) {
    wrong = "1Ah after the last page of the unit";
  } else if (opcode == onfi::kProgramConfirm && load_page_ + 1 != pages_per_program_) {
    wrong = "10h after page " + std::to_string(load_page_ + 1) + " of " + std::to_string(pages_per_program_) +
            " of the unit";
  }
  if (!wrong.empty()) {
    gathering_ = Operation::kNone;
    failed_ = true;
    error(t, wrong);
    return;
  }
  if (opcode == onfi::kProgramConfirm) {
    page_ = PageId(load_unit_);
    start(t, Operation::kProgram, array_.plan_program(block_, page_));
    return;
  }
  if (opcode == onfi::kProgramNextPage) ++load_page_;
  busy_for(t, t_dbsy_, State::kIdle);
}

// ---- page register, status, features -------------------------------------------------------------------------------

void NandDie::change_read_column(OnfiTransaction& t, const onfi::Address& at, bool whole_address) {
  if (read_planes_ == 0) {
    error(t, "CHANGE READ COLUMN without data in the page register");
    return;
  }
  if (whole_address) {
    if (at.block != read_block_ || at.page != read_page_ || (read_planes_ >> at.plane.value() & 1U) == 0) {
      error(t, "CHANGE READ COLUMN ENHANCED to plane " + std::to_string(at.plane.value()) + " block " +
                   std::to_string(at.block.value()) + " page " + std::to_string(at.page.value()) +
                   ", which the page register does not hold");
      return;
    }
    out_plane_ = at.plane;
  }
  out_column_ = at.column;
  output_ = Output::kData;
}

void NandDie::data_out(OnfiTransaction& t) {
  if (output_ != Output::kData) {
    error(t, read_planes_ == 0 ? "data out without a read"
                               : "data out after a status or feature read; 00h, 05h or 06h first");
    return;
  }
  const std::uint32_t first = out_column_ / codec_.sector_bytes();
  if (out_column_ % codec_.sector_bytes() != 0 || t.bytes != t.sector_count * codec_.sector_bytes() ||
      t.sectors == nullptr || first > sectors_per_page_ || t.sector_count > sectors_per_page_ - first) {
    error(t, "data out of " + std::to_string(t.bytes) + " bytes for " + std::to_string(t.sector_count) +
                 " sectors from column " + std::to_string(out_column_) + "; sectors have " +
                 std::to_string(codec_.sector_bytes()) + " bytes, the page " + std::to_string(sectors_per_page_) +
                 " sectors");
    return;
  }
  for (std::uint32_t i = 0; i < t.sector_count; ++i) {
    t.sectors[i] = array_.sector({out_plane_, read_block_, read_page_, first + i});
  }
  out_column_ += t.bytes;
}

unsigned NandDie::bit_errors(PlaneId plane, std::uint32_t sector, unsigned codeword) const {
  if ((read_planes_ >> plane.value() & 1U) == 0 || sector >= sectors_per_page_ ||
      codeword >= ecc::kCodewordsPerSector) {
    const std::string text = std::string(name()) + ": bit errors of plane " + std::to_string(plane.value()) +
                             " sector " + std::to_string(sector) + " codeword " + std::to_string(codeword) +
                             ", which the page register does not hold";
    SC_REPORT_ERROR(kReportId, text.c_str());
    return ecc::kCodewordBits;
  }
  return array_.bit_errors(plane, read_block_, read_page_, sector * ecc::kCodewordsPerSector + codeword,
                           ecc::kCodewordBits, read_step_);
}

void NandDie::status(OnfiTransaction& t) {
  const onfi::SequenceRule* rule = onfi::find_rule(t.cycles, codec_.row_cycles());
  if (rule == nullptr || (t.cycles.opcode != onfi::kReadStatus && t.cycles.opcode != onfi::kReadStatusEnhanced)) {
    error(t, "a status segment is 70h, or 78h with a row address");
    return;
  }
  if (t.cycles.opcode == onfi::kReadStatusEnhanced) {
    const onfi::Address at = codec_.decode(t.cycles, rule->address);
    if (!check_address(t, at)) return;
  }
  const Picoseconds sample = t.start + timing_.status_sample(t.cycles.count());
  commit_due(sample);
  t.status = onfi::kNotProtected;
  if (sample >= busy_until_) {
    t.status = static_cast<std::uint8_t>(t.status | onfi::kReady | onfi::kArrayReady);
    if (failed_) t.status = static_cast<std::uint8_t>(t.status | onfi::kFail);
  }
  output_ = Output::kStatus;
}

void NandDie::set_features(OnfiTransaction& t) {
  const onfi::SequenceRule* rule = onfi::find_rule(t.cycles, codec_.row_cycles());
  if (rule == nullptr || (t.cycles.opcode != onfi::kSetFeatures && t.cycles.opcode != onfi::kLunSetFeatures)) {
    error(t, "SET FEATURES is EFh with a feature address, or D5h with LUN and feature address");
    return;
  }
  if (!check_lun(t)) return;
  features_[t.cycles.address[t.cycles.address_count - 1U]] = t.parameters;
  busy_for(t, t_feat_, State::kFeatures);
}

void NandDie::get_features(OnfiTransaction& t) {
  const onfi::SequenceRule* rule = onfi::find_rule(t.cycles, codec_.row_cycles());
  if (rule == nullptr || (t.cycles.opcode != onfi::kGetFeatures && t.cycles.opcode != onfi::kLunGetFeatures)) {
    error(t, "GET FEATURES is EEh with a feature address, or D4h with LUN and feature address");
    return;
  }
  if (!check_lun(t)) return;
  asked_feature_ = t.cycles.address[t.cycles.address_count - 1U];
  output_ = Output::kFeature;
  busy_for(t, t_feat_, State::kFeatures);
}

bool NandDie::check_lun(OnfiTransaction& t) {
  if (t.cycles.address_count == 1) {
    // EFh and EEh reach every LUN of the target at once.
    if (codec_.luns() == 1) return true;
    return error(t, "EFh or EEh to a target of several LUNs; use D5h or D4h");
  }
  if (t.cycles.address[0] == lun_) return true;
  return error(
      t, "feature command for LUN " + std::to_string(t.cycles.address[0]) + " sent to LUN " + std::to_string(lun_));
}

void NandDie::feature_out(OnfiTransaction& t) {
  if (output_ != Output::kFeature) {
    error(t, "feature parameters without GET FEATURES");
    return;
  }
  t.parameters = features_[asked_feature_];
}

void NandDie::reset(OnfiTransaction& t) {
  const onfi::SequenceRule* rule = onfi::find_rule(t.cycles, codec_.row_cycles());
  if (rule == nullptr || (t.cycles.opcode != onfi::kReset && t.cycles.opcode != onfi::kResetLun)) {
    error(t, "RESET is FFh, or FAh with a row address");
    return;
  }
  if (t.cycles.opcode == onfi::kReset && codec_.luns() > 1) {
    error(t, "FFh to a target of several LUNs; use FAh");
    return;
  }
  if (t.cycles.opcode == onfi::kResetLun && !check_address(t, codec_.decode(t.cycles, rule->address))) return;
  if (operation_ == Operation::kProgram || operation_ == Operation::kErase) {
    error(t, "RESET during a program or an erase, which would leave the cells half way, is not modelled");
    return;
  }
  const bool reading = operation_ == Operation::kRead;
  if (reading) {
    end_.cancel();
    signal_pending_ = false;
    operation_ = Operation::kNone;
    // The array stops here; it was counted as busy to the end.
    busy_.busy -= std::max(Picoseconds{}, busy_until_ - std::max(t.end, array_begin_));
  }
  gathering_ = Operation::kNone;
  loading_ = false;
  failed_ = false;
  forget_registers();
  output_ = Output::kNone;
  busy_for(t, reading ? t_rst_.read : t_rst_.idle, State::kIdle);
}

}  // namespace wordline::flash
