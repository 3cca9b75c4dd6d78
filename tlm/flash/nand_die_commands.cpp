// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What each command does to a die.
#include <algorithm>

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
    case onfi::kSuspendProgram:
      return suspend(t, Operation::kProgram);
    case onfi::kSuspendErase:
      return suspend(t, Operation::kErase);
    case onfi::kResumeProgram:
      return resume(t, Operation::kProgram);
    case onfi::kResumeErase:
      return resume(t, Operation::kErase);
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
  if (!check_suspended(t, Operation::kRead)) return;
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
  if (!check_suspended(t, Operation::kErase)) return;
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
  if (!join_planes(t, at, Operation::kProgram) || !check_suspended(t, Operation::kProgram)) return;
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

}  // namespace wordline::flash
