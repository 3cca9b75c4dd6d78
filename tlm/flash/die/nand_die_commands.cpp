// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What each command does to a die.
#include <algorithm>

#include "models/ecc/code/codeword.h"
#include "tlm/flash/die/nand_die.h"

namespace wordline::flash {

void NandDie::command(OnfiTransaction& t) {
  const onfi::Sequence* rule = onfi::find_sequence(t.cycles, codec_.row_cycles());
  if (rule == nullptr) {
    error(t, "unknown command " + std::to_string(t.cycles.opcode) + "/" + std::to_string(t.cycles.confirm) + " with " +
                 std::to_string(t.cycles.address_count) + " address cycles");
    return;
  }
  const onfi::Address at = codec_.decode(t.cycles, rule->address);
  const bool row = rule->address == onfi::AddressKind::kRow || rule->address == onfi::AddressKind::kColumnRow;
  if (row && !check_address(t, at)) return;
  if (!check_background(t, t.cycles.opcode, t.cycles.confirm)) return;
  switch (t.cycles.opcode) {
    case onfi::kRead:
      if (rule->address == onfi::AddressKind::kNone) {
        output_ = cache_register_.planes != 0 ? Output::kData : Output::kNone;
        return;
      }
      return read_command(t, at);
    case onfi::kReadCache:
      return read_next(t);
    case onfi::kReadCacheEnd:
      return read_cache(t, nullptr);
    case onfi::kChangeReadColumn:
    case onfi::kChangeReadColumnEnhanced:
      return change_read_column(t, at, row);
    case onfi::kSelectSoftPlane:
      return select_soft_plane(t);
    case onfi::kProgram:
      return program_command(t, at, false);
    case onfi::kCopybackProgram:  // or kChangeWriteColumn
      return row ? program_command(t, at, true) : change_write_column(t, at);
    case onfi::kProgramConfirm:
    case onfi::kProgramNextPlane:
    case onfi::kProgramNextPage:
    case onfi::kProgramCache:
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

// While the array works behind a ready die, only what continues the sequence is taken.
bool NandDie::check_background(OnfiTransaction& t, std::uint8_t opcode, std::uint8_t confirm) {
  if (work_.operation == Operation::kNone || t.start < busy_until_) return true;
  bool follows = false;
  switch (opcode) {
    case onfi::kSuspendProgram:
    case onfi::kSuspendErase:
      return true;
    case onfi::kRead:
      follows = work_.operation == Operation::kRead && confirm != onfi::kReadConfirm && confirm != onfi::kReadCopyback;
      break;
    case onfi::kReadCache:
    case onfi::kReadCacheEnd:
    case onfi::kChangeReadColumn:
    case onfi::kChangeReadColumnEnhanced:
    case onfi::kSelectSoftPlane:
      follows = work_.operation == Operation::kRead;
      break;
    case onfi::kProgram:
    case onfi::kCopybackProgram:
    case onfi::kProgramConfirm:
    case onfi::kProgramNextPlane:
    case onfi::kProgramNextPage:
    case onfi::kProgramCache:
      follows = work_.operation == Operation::kProgram;
      break;
    default:
      break;
  }
  if (follows) return true;
  return error(t, std::string("the array ") +
                      (work_.operation == Operation::kRead ? "reads ahead until " : "programs until ") +
                      std::to_string(work_.end().count()) + " ps (SR[5] is 0) and this does not continue the sequence");
}

// Adds the plane of `at` to the operation that is being put together.
bool NandDie::join_planes(OnfiTransaction& t, Selection& selection, const onfi::Address& at, Operation operation) {
  if (selection.operation == Operation::kNone) {
    selection = {operation, 0, at.block, at.page};
  } else if (selection.operation != operation) {
    selection.operation = Operation::kNone;
    return error(t, "another operation inside a multi-plane sequence");
  }
  if (selection.block != at.block || (operation == Operation::kRead && selection.page != at.page)) {
    selection.operation = Operation::kNone;
    return error(t, "planes of one operation address different blocks or pages");
  }
  selection.planes |= 1U << at.plane.value();
  return true;
}

void NandDie::read_command(OnfiTransaction& t, const onfi::Address& at) {
  const std::uint8_t confirm = t.cycles.confirm;
  const bool copyback = confirm == onfi::kReadCopyback || confirm == onfi::kReadNextPlane;
  if (loading_ || (unit_.operation != Operation::kNone && !copyback)) {
    gathered_.operation = Operation::kNone;
    error(t, "read between the loads of a program (only 00h ADDR 35h may come there)");
    return;
  }
  if (!join_planes(t, gathered_, at, Operation::kRead) || !check_suspended(t, gathered_)) return;
  if (confirm == onfi::kReadNextPlane) return busy_for(t, t_dbsy_, State::kIdle);
  const Selection what = gathered_;
  gathered_.operation = Operation::kNone;
  if (confirm == onfi::kReadCache) return read_cache(t, &what);
  out_plane_ = at.plane;
  out_column_ = at.column;
  work_.read = features_.read();
  soft_plane_ = 0;
  start(t, what, array_.plan_read(what.block, what.page, work_.read),
        confirm == onfi::kReadCopyback ? State::kCopybackRead : State::kRead);
}

void NandDie::erase_command(OnfiTransaction& t, const onfi::Address& at, bool last) {
  if (loading_ || unit_.operation != Operation::kNone) {
    error(t, "erase between the loads of a program");
    return;
  }
  if (!join_planes(t, gathered_, at, Operation::kErase) || !check_suspended(t, gathered_)) return;
  if (!last) return busy_for(t, t_dbsy_, State::kIdle);
  const Selection what = gathered_;
  gathered_.operation = Operation::kNone;
  start(t, what, array_.plan_erase(what.block), State::kErase);
}

// 80h ADDR, or 85h ADDR with the page that was read.
void NandDie::program_command(OnfiTransaction& t, const onfi::Address& at, bool copyback) {
  if (loading_) {
    error(t, "a page load that was not ended by 10h, 11h, 1Ah or 15h");
    return;
  }
  if (gathered_.operation != Operation::kNone) {
    gathered_.operation = Operation::kNone;
    error(t, "another operation inside a multi-plane sequence");
    return;
  }
  if (unit_.operation == Operation::kNone) {
    std::fill(loaded_planes_.begin(), loaded_planes_.end(), 0);
    load_.errors.clear();
    load_page_ = 0;
  }
  if (!join_planes(t, unit_, at, Operation::kProgram) || !check_suspended(t, unit_)) return;
  unit_.page = PageId(unit_.page.value() / pages_per_program_ * pages_per_program_);
  const std::uint32_t expected = unit_.page.value() + load_page_;
  const bool in_register = (cache_register_.planes >> at.plane.value() & 1U) != 0;
  std::string wrong;
  if (at.page.value() != expected || (at.column != 0 && !copyback)) {
    wrong = "load of page " + std::to_string(at.page.value()) + " column " + std::to_string(at.column) +
            ", expected page " + std::to_string(expected) + " column 0";
  } else if (copyback && !in_register) {
    wrong = "85h of plane " + std::to_string(at.plane.value()) +
            ", whose page register holds no page; 00h ADDR 35h first";
  }
  if (!wrong.empty()) {
    unit_.operation = Operation::kNone;
    error(t, wrong);
    return;
  }
  loading_ = true;
  load_plane_ = at.plane;
  if (copyback) {
    load_copy(at);
    return change_write_column(t, at);
  }
  forget_registers();
  output_ = Output::kNone;
  loaded_sectors_ = 0;
  load_sector_ = 0;
}

void NandDie::change_write_column(OnfiTransaction& t, const onfi::Address& at) {
  const std::uint32_t sector = at.column / codec_.sector_bytes();
  if (!loading_ || at.column % codec_.sector_bytes() != 0 || sector >= sectors_per_page_) {
    error(t, "85h to column " + std::to_string(at.column) +
                 (loading_ ? ", which is not the start of a sector" : " without a page load (80h, 85h ADDR)"));
    return;
  }
  load_sector_ = sector;
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
  const std::size_t first = row * sectors_per_page_ + load_sector_;
  std::copy_n(t.sectors, count, load_.sectors.begin() + static_cast<std::ptrdiff_t>(first));
  if (!load_.errors.empty()) {
    std::fill_n(load_.errors.begin() + static_cast<std::ptrdiff_t>(first * ecc::kCodewordsPerSector),
                count * ecc::kCodewordsPerSector, std::uint16_t{0});
  }
  for (std::uint32_t i = 0; i < count; ++i) loaded_sectors_ |= 1U << (load_sector_ + i);
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
                                         [this](std::uint32_t planes) { return planes == unit_.planes; });
  const bool last = opcode == onfi::kProgramConfirm || opcode == onfi::kProgramCache;
  std::string wrong;
  if (loaded_sectors_ != (1U << sectors_per_page_) - 1U) {
    std::uint32_t sectors = 0;
    for (std::uint32_t s = 0; s < sectors_per_page_; ++s) sectors += loaded_sectors_ >> s & 1U;
    wrong = "page load of " + std::to_string(sectors) + " sectors, a page has " + std::to_string(sectors_per_page_);
  } else if (opcode != onfi::kProgramNextPlane && !page_complete) {
    wrong = "page " + std::to_string(unit_.page.value() + load_page_) + " is not loaded in all planes of the unit";
  } else if (opcode == onfi::kProgramNextPage && load_page_ + 1 == pages_per_program_) {
    wrong = "1Ah after the last page of the unit";
  } else if (last && load_page_ + 1 != pages_per_program_) {
    wrong = "10h or 15h after page " + std::to_string(load_page_ + 1) + " of " + std::to_string(pages_per_program_) +
            " of the unit";
  }
  if (!wrong.empty()) {
    unit_.operation = Operation::kNone;
    failed_ = true;
    error(t, wrong);
    return;
  }
  if (last) {
    const Selection what = unit_;
    unit_.operation = Operation::kNone;
    return program_unit(t, what, opcode == onfi::kProgramCache);
  }
  if (opcode == onfi::kProgramNextPage) ++load_page_;
  busy_for(t, t_dbsy_, State::kIdle);
}

}  // namespace wordline::flash
