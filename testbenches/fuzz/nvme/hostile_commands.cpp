// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/fuzz/nvme/hostile_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "testbenches/fuzz/nvme/maintenance_commands.h"
#include "testbenches/fuzz/nvme/sgl.h"

namespace wordline::fuzz {

namespace nvme = host::nvme;
namespace {

constexpr std::uint32_t kPage = 4096;
constexpr std::uint64_t kGuarded = CheckedCommands::kBlocks;
constexpr std::uint32_t kMaxBlocks = 256;  // every drive of these tests takes 128 KiB at once
constexpr std::uint8_t kKnown[] = {
    nvme::kFlush,   nvme::kWrite,  nvme::kRead, nvme::kWriteZeroes, nvme::kDatasetManagement, nvme::kWriteUncorrectable,
    nvme::kCompare, nvme::kVerify, nvme::kCopy};

/// To some drive: those with placement handles know two more.
bool is_known(std::uint8_t opcode) {
  return opcode == nvme::kManagementReceive || opcode == nvme::kManagementSend ||
         std::find(std::begin(kKnown), std::end(kKnown), opcode) != std::end(kKnown);
}

}  // namespace

HostileCommands::HostileCommands(HostileHost& host, std::uint64_t seed, const config::Config& config)
    : host_(host),
      draws_(seed),
      checked_(host, draws_, config::lpage_size_of(config)),
      inner_(host, draws_),
      protection_(host, draws_, config),
      hostile_pages_(host.memory.allocate(kHostilePages)),
      lists_(host.memory.allocate(kLists)),
      ranges_(host.memory.allocate(4)),
      pages_of_information_(host.memory.allocate(2)),
      namespace_page_(host.memory.allocate(2)),
      lends_memory_(config.nvme.hmb.count() != 0),
      lent_(host.memory.allocate(kLentPages + kLentLists)) {}

std::uint64_t HostileCommands::list_page() {
  const std::uint64_t index = draws_.below(kLists);
  const std::uint64_t page = kFirstControllerList + index;
  if (page < host_.controller_pages() && draws_.once_in(2)) return HostileHost::controller_page(page);
  return lists_ + index * kPage;
}

/// Data in the controller's memory are refused before anything is done: the blocks may be guarded ones.
HostileCommand HostileCommands::own_memory() {
  HostileCommand command;
  command.input_class = "data in the controller's memory";
  command.fits = {nvme::kInvalidUseOfCmb};
  const std::uint64_t own = HostileHost::controller_page(draws_.below(host_.controller_pages()));
  const auto opcode = draws_.one_of<std::uint8_t>({nvme::kRead, nvme::kWrite, nvme::kCompare});
  const std::uint64_t lba = draws_.below(kGuarded - kMaxBlocks);
  switch (draws_.below(5)) {
    case 0:
      command.entry = entry(opcode, lba, 1 + static_cast<std::uint32_t>(draws_.below(8)));
      command.entry.prp1 = own;
      break;
    case 1:
      command.entry = entry(opcode, lba, 16);
      command.entry.prp1 = hostile_page();
      command.entry.prp2 = own;
      break;
    case 2:
      command.entry = entry(opcode, lba, 32);
      command.entry.prp1 = own;
      command.entry.prp2 = list_page();
      break;
    case 3:
      command.entry = entry(nvme::kDatasetManagement, 0, 1);
      command.entry.cdw10 = static_cast<std::uint32_t>(draws_.below(256));
      command.entry.cdw11 = nvme::kDsmDeallocate;
      command.entry.prp1 = own;
      break;
    default: {
      command.entry = entry(opcode, lba, 8);
      nvme::SglDescriptor block{own, 4096, {}, nvme::kSglDataBlock};
      command.entry.flags = nvme::kPsdtSgl;
      std::memcpy(&command.entry.prp1, &block, sizeof block);
    }
  }
  return command;
}

HostileCommands::Entry HostileCommands::data_entry(std::uint32_t blocks) {
  const bool write = draws_.once_in(2);
  const std::uint64_t first = write ? kGuarded : 0;
  return entry(write ? nvme::kWrite : nvme::kRead, first + draws_.below(host_.user_lbas - first - blocks), blocks);
}

HostileCommand HostileCommands::well_formed() {
  switch (draws_.below(16)) {
    case 0: {
      HostileCommand command;
      command.input_class = "flush";
      command.entry = entry(nvme::kFlush, draws_.bits(), 1);
      command.entry.nsid = draws_.one_of<std::uint32_t>({nvme::kNamespace, nvme::kAllNamespaces});
      ignored_fields(command.entry, draws_);
      command.fits = {nvme::kSuccess};
      return command;
    }
    case 1:
      return checked_.deallocation();
    case 2:
      return checked_.zeroes();
    case 3:
    case 4:
    case 5:
    case 6:
      return checked_.write();
    case 7:
      return checked_.write_without_memory();
    case 8:
    case 9:
    case 10:
      return inner_.any();
    default:
      return checked_.read();
  }
}

// One field of a good command is wrong; the blocks may be guarded ones.
HostileCommand HostileCommands::refused_fields() {
  HostileCommand command;
  const std::uint8_t opcode = kKnown[draws_.below(std::size(kKnown))];
  command.entry = entry(opcode, draws_.below(kGuarded - 8), 8);
  command.entry.prp1 = hostile_page();
  switch (draws_.below(3)) {
    case 0:
      command.input_class = "unknown opcode";
      do {
        command.entry.opcode = static_cast<std::uint8_t>(draws_.bits());
      } while (is_known(command.entry.opcode));
      command.entry.nsid = draws_.once_in(2) ? nvme::kNamespace : static_cast<std::uint32_t>(draws_.bits());
      command.fits = {nvme::kInvalidOpcode};
      break;
    case 1:
      command.input_class = "fused or reserved PSDT";
      command.entry.flags = draws_.one_of<std::uint8_t>({1, 2, 3, 0xc0, 0x41, 0x82, 0xff});
      command.fits = {nvme::kInvalidField};
      break;
    default:
      command.input_class = "wrong namespace";
      command.entry.nsid = draws_.one_of<std::uint32_t>({0, 2, 32, 33, 0x100, 0xfffffffe, 0x80000001});
      command.fits = {host_.refusal(command.entry.nsid)};
  }
  return command;
}

HostileCommand HostileCommands::refused_range() {
  HostileCommand command;
  const auto opcode = draws_.one_of<std::uint8_t>(
      {nvme::kRead, nvme::kWrite, nvme::kWriteZeroes, nvme::kCompare, nvme::kVerify, nvme::kWriteUncorrectable});
  const auto blocks = static_cast<std::uint32_t>(draws_.between(1, 8));
  const std::uint64_t end = host_.user_lbas;
  if (opcode != nvme::kWriteZeroes && draws_.once_in(3)) {
    command.input_class = "longer than MDTS";
    command.entry = entry(opcode, draws_.below(kGuarded), draws_.one_of<std::uint32_t>({60000, 65536, 32769}));
    command.fits = {nvme::kInvalidField};
  } else {
    command.input_class = "beyond the last block";
    const std::uint64_t lba =
        draws_.one_of<std::uint64_t>({end, end - blocks + 1, end + draws_.below(1000), UINT64_MAX,
                                      UINT64_MAX - blocks + 1, 1ULL << 63, 1ULL << 32 | 5, draws_.bits() | 1ULL << 60});
    command.entry = entry(opcode, lba, blocks);
    command.fits = {nvme::kLbaOutOfRange};
  }
  command.entry.prp1 = hostile_page();
  command.entry.prp2 = hostile_page();
  return command;
}

HostileCommand HostileCommands::refused_pointer() {
  HostileCommand command;
  command.input_class = "misaligned PRP";
  command.fits = {nvme::kPrpOffsetInvalid};
  const auto opcode = draws_.one_of<std::uint8_t>({nvme::kRead, nvme::kWrite, nvme::kCompare});
  const std::uint64_t lba = draws_.below(kGuarded - kMaxBlocks);
  const std::uint64_t list = list_page();
  const std::uint64_t odd = draws_.one_of<std::uint64_t>({1, 2, 4, 8, 256, 4095});
  switch (draws_.below(4)) {
    case 0:
      command.entry = entry(opcode, lba, 1 + static_cast<std::uint32_t>(draws_.below(kMaxBlocks)));
      command.entry.prp1 = hostile_page() + draws_.one_of<std::uint64_t>({1, 2, 4, 8, 256, 511, 513, 4095});
      command.entry.prp2 = list;
      break;
    case 1:
      command.entry = entry(opcode, lba, 16);
      command.entry.prp1 = hostile_page();
      command.entry.prp2 = hostile_page() + odd;
      break;
    case 2:
      command.entry = entry(opcode, lba, 32);
      command.entry.prp1 = hostile_page();
      command.entry.prp2 = list + draws_.between(1, 7);
      break;
    default: {
      command.entry = entry(opcode, lba, 40);
      std::array<std::uint64_t, 4> pages{};
      for (auto& page : pages) page = hostile_page();
      pages[draws_.below(pages.size())] += odd;
      const std::uint64_t own = hostile_page() & ~std::uint64_t{0xfff};
      command.entry.prp1 = own;
      command.entry.prp2 = list + 8 * draws_.below(kPage / 8 - pages.size());
      host_.store(command.entry.prp2, pages.data(), sizeof pages);
      // Another command may write other entries there before this one is read: any of the two is refused, or harmless.
      command.entry.opcode = nvme::kRead;
      command.fits = {nvme::kPrpOffsetInvalid, nvme::kSuccess, nvme::kDataTransferError, nvme::kInvalidUseOfCmb};
    }
  }
  return command;
}

HostileCommand HostileCommands::outside_of_memory() {
  HostileCommand command;
  command.input_class = "PRP outside of memory";
  command.fits = {nvme::kDataTransferError, nvme::kUnrecoveredRead};  // some blocks are marked
  const std::uint64_t list = list_page();
  switch (draws_.below(4)) {
    case 0:
      command.entry = data_entry(1 + static_cast<std::uint32_t>(draws_.below(8)));
      command.entry.prp1 = nowhere(draws_);
      break;
    case 1:
      command.entry = data_entry(16);
      command.entry.prp1 = hostile_page();
      command.entry.prp2 = nowhere(draws_);
      break;
    case 2:
      command.entry = data_entry(64);
      command.entry.prp1 = hostile_page();
      command.entry.prp2 = nowhere(draws_);  // the list; an address of 0 is no list
      command.fits.push_back(nvme::kInvalidField);
      break;
    default: {
      // The entry at the end of the page continues the list where there is nothing.
      command.entry = data_entry(80);
      const std::uint64_t next = nowhere(draws_);
      command.entry.prp1 = hostile_page();
      command.entry.prp2 = list + kPage - 8;
      host_.store(command.entry.prp2, &next, sizeof next);
      for (const nvme::Status status :
           {nvme::kInvalidField, nvme::kSuccess, nvme::kPrpOffsetInvalid, nvme::kInvalidUseOfCmb})
        command.fits.push_back(status);
    }
  }
  return command;
}

/// A list of one entry, which is its own page again and again.
HostileCommand HostileCommands::list_that_loops() {
  HostileCommand command;
  command.input_class = "PRP list that loops";
  command.entry = data_entry(kMaxBlocks);
  const std::uint64_t list = list_page();
  std::array<std::uint64_t, kPage / 8> entries{};
  for (auto& e : entries) e = draws_.once_in(2) ? list : hostile_page();
  entries.back() = list;
  host_.store(list, entries.data(), sizeof entries);
  command.entry.prp1 = hostile_page();
  command.entry.prp2 = list + kPage - 8 * draws_.between(1, 4);
  // A write takes its data from pages of bytes, then; and another command may have made other entries.
  // In the controller's memory the list is no data.
  command.fits = {nvme::kSuccess,      nvme::kDataTransferError, nvme::kPrpOffsetInvalid,
                  nvme::kInvalidField, nvme::kUnrecoveredRead,   nvme::kInvalidUseOfCmb};
  return command;
}

HostileCommand HostileCommands::hostile_sgl() {
  HostileCommand command;
  command.input_class = "hostile SGL";
  command.entry = data_entry(1 + static_cast<std::uint32_t>(draws_.below(40)));
  set_hostile_sgl(command.entry, hostile_page(), list_page(), host_, draws_);
  command.fits = {
      nvme::kSuccess,          nvme::kDataTransferError, nvme::kInvalidSglSegment,     nvme::kInvalidSglCount,
      nvme::kSglLengthInvalid, nvme::kSglTypeInvalid,    nvme::kSglGranularityInvalid, nvme::kUnrecoveredRead,
      nvme::kInvalidUseOfCmb};
  return command;
}

HostileCommand HostileCommands::hostile_deallocation() {
  HostileCommand command;
  command.entry = entry(nvme::kDatasetManagement, 0, 1);
  command.entry.cdw11 = nvme::kDsmDeallocate;
  const std::uint64_t list = ranges_ + draws_.below(4) * kPage;
  command.entry.prp1 = list;
  switch (draws_.below(4)) {
    case 0:
      command.input_class = "deallocate outside of memory";
      command.entry.cdw10 = static_cast<std::uint32_t>(draws_.below(256));
      command.entry.prp1 = nowhere(draws_);
      command.entry.prp2 = nowhere(draws_);
      command.fits = {nvme::kDataTransferError};
      break;
    case 1:
      command.input_class = "deallocate, misaligned";
      command.entry.cdw10 = 255;
      if (draws_.once_in(2)) {
        command.entry.prp1 = list + draws_.between(1, 3);
      } else {
        command.entry.prp1 = list + 4;
        command.entry.prp2 = list + draws_.one_of<std::uint64_t>({1, 4, 16, 4095});
      }
      command.fits = {nvme::kPrpOffsetInvalid};
      break;
    default: {
      // Ranges of this place are all hostile: whichever of them is read, none is guarded.
      command.input_class = "deallocate, hostile ranges";
      const auto count = static_cast<std::uint32_t>(draws_.between(1, 256));
      command.entry.cdw10 = (count - 1) | (draws_.once_in(2) ? 0U : 0xffffff00U);
      const bool inside = draws_.once_in(2);
      for (std::uint32_t i = 0; i < count; ++i) {
        nvme::DsmRange range{static_cast<std::uint32_t>(draws_.bits()), 0, 0};
        range.slba = kGuarded + draws_.below(host_.user_lbas - kGuarded - 300);
        range.nlb = static_cast<std::uint32_t>(draws_.below(300));
        if (!inside && draws_.once_in(40)) range.nlb = UINT32_MAX;
        if (!inside && draws_.once_in(40)) range.slba = draws_.bits() | 1ULL << 40;
        host_.memory.write(list + i * sizeof range, &range, sizeof range);
      }
      command.fits = {nvme::kSuccess, nvme::kLbaOutOfRange};
    }
  }
  return command;
}

HostileCommand HostileCommands::random_fields() {
  HostileCommand command;
  command.input_class = "random fields";
  command.entry = any_bits();
  return command;
}

nvme::SubmissionEntry HostileCommands::any_bits() {
  Entry e{};
  const auto word = [this] { return static_cast<std::uint32_t>(draws_.extreme()); };
  e.opcode = draws_.once_in(4)
                 ? static_cast<std::uint8_t>(draws_.bits())
                 : draws_.one_of<std::uint8_t>({0, 1, 2, 8, 9, 4, 5, 12, 13, 14, 17, 18, 21, 25, 29, 128});
  e.flags = draws_.once_in(3) ? static_cast<std::uint8_t>(draws_.bits()) : 0;
  e.cid = static_cast<std::uint16_t>(draws_.below(6));
  e.nsid = draws_.once_in(3) ? word() : nvme::kNamespace;
  e.cdw2 = word();
  e.cdw3 = word();
  e.mptr = draws_.extreme();
  const bool ranges = e.opcode == nvme::kDatasetManagement;
  const auto pointer = [&]() -> std::uint64_t {
    // Not where lists of checked commands lie: they are good ones, and may be of ranges that are guarded.
    const std::uint64_t own = kFirstControllerList + draws_.below(kLists);
    if (own < host_.controller_pages() && draws_.once_in(6)) return HostileHost::controller_page(own);
    switch (draws_.below(5)) {
      case 0:
        return nowhere(draws_);
      case 1:
        return draws_.extreme() | 1ULL << 62;
      case 2:
        return (ranges ? ranges_ : lists_) + draws_.below(4 * kPage);
      default:
        return ranges ? ranges_ + draws_.below(4) * kPage
                      : hostile_page() + (draws_.once_in(3) ? draws_.below(kPage) : 0);
    }
  };
  e.prp1 = pointer();
  e.prp2 = pointer();
  if (ranges) {  // where bytes are read as ranges, these are hostile ones, whole
    e.prp1 &= ~std::uint64_t{0xf};
    e.prp2 &= ~std::uint64_t{0xf};
  }
  std::uint64_t lba = draws_.once_in(2) ? draws_.below(host_.user_lbas) : draws_.extreme();
  const bool changes = e.opcode == nvme::kWrite || e.opcode == nvme::kWriteZeroes ||
                       e.opcode == nvme::kWriteUncorrectable || e.opcode == nvme::kCopy;
  if (lba < kGuarded && changes) lba += kGuarded;
  e.cdw10 = static_cast<std::uint32_t>(lba);
  e.cdw11 = static_cast<std::uint32_t>(lba >> 32);
  e.cdw12 = draws_.once_in(3) ? word() : static_cast<std::uint32_t>(draws_.below(kMaxBlocks));
  e.cdw13 = word();
  e.cdw14 = word();
  e.cdw15 = word();
  return e;
}

HostileCommand HostileCommands::io() {
  HostileCommand command = any_io();
  protection_.dress(command);
  const std::uint8_t opcode = command.entry.opcode;
  const bool reads =
      opcode == nvme::kRead || opcode == nvme::kCompare || opcode == nvme::kVerify || opcode == nvme::kCopy;
  if (unwritten_errors_ && reads && !command.fits.empty()) command.fits.push_back(nvme::kUnwrittenBlock);
  return command;
}

HostileCommand HostileCommands::any_io() {
  switch (draws_.below(20)) {
    case 0:
    case 1:
      return refused_fields();
    case 2:
    case 3:
      return refused_range();
    case 4:
    case 5:
      return refused_pointer();
    case 6:
    case 7:
      return outside_of_memory();
    case 8:
      return list_that_loops();
    case 9:
      return hostile_deallocation();
    case 10:
    case 11:
      return random_fields();
    case 12:
      if (protection_.offered() && draws_.once_in(2)) return protection_.hostile(hostile_page());
      return hostile_sgl();
    case 13:
      return host_.controller_pages() != 0 ? own_memory() : well_formed();
    default:
      return well_formed();
  }
}

void HostileCommands::may_end_with(nvme::Status status) {
  for (std::uint32_t qid = 1; qid < HostileHost::kQueues; ++qid) {
    for (auto& [id, command] : host_.sq(qid).outstanding) {
      if (!command.fits.empty()) command.fits.push_back(status);
    }
  }
}

HostileCommand HostileCommands::format() {
  may_end_with(nvme::kFormatInProgress);
  HostileCommand command = checked_.format();
  if (!protection_.offered()) return command;
  command.entry.cdw10 |= protection_.draw_format();
  command.ended = [this, ended = command.ended](HostileCommand::End how) {
    if (how == HostileCommand::End::kSuccess) protection_.formatted();
    ended(how);
  };
  return command;
}

HostileCommand HostileCommands::checked_read() {
  HostileCommand command = checked_.read();
  protection_.dress(command);
  return command;
}

}  // namespace wordline::fuzz
