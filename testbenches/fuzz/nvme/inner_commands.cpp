// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/fuzz/nvme/inner_commands.h"

#include <algorithm>

#include "testbenches/fuzz/nvme/checked_commands.h"

namespace wordline::fuzz {

namespace nvme = host::nvme;
namespace {

constexpr std::uint64_t kPage = 4096, kGuarded = CheckedCommands::kBlocks;
constexpr std::uint32_t kMostBlocks = 256, kDataPages = 33, kLists = 16, kListPages = 3;
constexpr std::uint32_t kSourceBlocks = 2048, kAllBlocks = 8192, kRanges = 128;  // MSSRL, MCL, MSRC

}  // namespace

InnerCommands::InnerCommands(HostileHost& host, Draws& draws)
    : host_(host),
      draws_(draws),
      pages_(host.memory.allocate(kDataPages + 1)),
      lists_(host.memory.allocate(kLists * kListPages)) {
  // The list of the data's pages, for all; they are compared with, and nobody writes there.
  for (std::uint64_t i = 1; i < kDataPages; ++i) {
    const std::uint64_t page = pages_ + i * kPage;
    host.memory.write(pages_ + kDataPages * kPage + (i - 1) * sizeof page, &page, sizeof page);
  }
}

HostileCommand InnerCommands::any() {
  switch (draws_.below(6)) {
    case 0:
      return verify();
    case 1:
      return compare();
    case 2:
      return mark();
    case 3:
    case 4:
      return copy();
    default:
      return hostile_copy();
  }
}

HostileCommand InnerCommands::verify() {
  HostileCommand command;
  const auto blocks = static_cast<std::uint32_t>(draws_.between(1, kMostBlocks));
  const bool guarded = draws_.once_in(2);
  command.input_class = guarded ? "verify, guarded" : "verify";
  command.entry =
      entry(nvme::kVerify, guarded ? draws_.below(kGuarded - blocks) : draws_.below(host_.user_lbas - blocks), blocks);
  command.entry.prp1 = draws_.bits();
  command.entry.prp2 = draws_.bits();
  command.fits = {nvme::kSuccess};
  if (!guarded) command.fits.push_back(nvme::kUnrecoveredRead);
  ignored_fields(command.entry, draws_);
  return command;
}

HostileCommand InnerCommands::compare() {
  HostileCommand command;
  const auto blocks = static_cast<std::uint32_t>(draws_.between(1, kMostBlocks));
  command.input_class = "compare";
  command.entry = entry(nvme::kCompare, draws_.below(host_.user_lbas - blocks), blocks);
  command.entry.prp1 = pages_ + draws_.below(8) * 512;
  const std::uint64_t pages = (command.entry.prp1 % kPage + blocks * 512ULL + kPage - 1) / kPage;
  command.entry.prp2 = pages == 2 ? pages_ + kPage : pages_ + kDataPages * kPage;
  command.fits = {nvme::kSuccess, nvme::kCompareFailure, nvme::kUnrecoveredRead};
  if (draws_.once_in(6)) {
    command.input_class = "compare, outside of memory";
    command.entry.prp1 = nowhere(draws_);
    command.fits = {nvme::kDataTransferError, nvme::kUnrecoveredRead, nvme::kCompareFailure};  // by another block
  }
  ignored_fields(command.entry, draws_);
  return command;
}

HostileCommand InnerCommands::mark() {
  HostileCommand command;
  command.input_class = "write uncorrectable";
  const auto blocks = static_cast<std::uint32_t>(draws_.between(1, draws_.once_in(4) ? kMostBlocks : 12));
  command.entry =
      entry(nvme::kWriteUncorrectable, kGuarded + draws_.below(host_.user_lbas - kGuarded - blocks), blocks);
  command.entry.prp1 = draws_.bits();
  command.fits = {nvme::kSuccess};
  ignored_fields(command.entry, draws_);
  return command;
}

std::uint32_t InnerCommands::put_ranges(HostileCommand& command, std::uint32_t ranges, std::uint32_t most) {
  // Another Copy may put its ranges here before these are read: all of them lie inside the drive, and so does what any
  // of them copy, as far as they are of copy().
  const std::uint64_t list = lists_ + draws_.below(kLists) * kListPages * kPage + draws_.below(64) * 4;
  std::uint32_t blocks = 0;
  for (std::uint32_t i = 0; i < ranges; ++i) {
    nvme::CopyRange range{};
    const auto nlb = static_cast<std::uint32_t>(draws_.between(1, most));
    range.slba = draws_.below(host_.user_lbas - nlb);
    range.nlb = static_cast<std::uint16_t>(nlb - 1);
    range.reference_tag = static_cast<std::uint32_t>(draws_.bits());
    host_.memory.write(list + i * sizeof range, &range, sizeof range);
    blocks += nlb;
  }
  const std::uint64_t room = host_.user_lbas - kGuarded - kAllBlocks;
  command.entry = entry(nvme::kCopy, kGuarded + draws_.below(room), ranges);
  command.entry.prp1 = list;
  command.entry.prp2 = (list & ~(kPage - 1)) + kPage;
  if (draws_.once_in(4)) command.entry.cdw12 |= nvme::kFua;
  return blocks;
}

HostileCommand InnerCommands::copy() {
  HostileCommand command;
  put_ranges(command, static_cast<std::uint32_t>(draws_.between(1, draws_.once_in(8) ? kRanges : 6)),
             draws_.once_in(4) ? 64 : 12);
  command.input_class = "copy";
  // Sources may be marked; and another Copy, a hostile one, may have put its ranges into the same list.
  command.fits = {nvme::kSuccess, nvme::kUnrecoveredRead, nvme::kLbaOutOfRange, nvme::kCommandSizeLimitExceeded};
  return command;
}

HostileCommand InnerCommands::hostile_copy() {
  HostileCommand command;
  const auto ranges = static_cast<std::uint32_t>(draws_.between(1, 6));
  const std::uint32_t blocks = put_ranges(command, ranges, 12);
  command.fits = {nvme::kSuccess, nvme::kUnrecoveredRead, nvme::kLbaOutOfRange, nvme::kCommandSizeLimitExceeded};
  switch (draws_.below(6)) {
    case 0:
      command.input_class = "copy, another format";
      command.entry.cdw12 |= static_cast<std::uint32_t>(draws_.between(1, 15)) << 8;
      command.fits = {nvme::kInvalidField};
      break;
    case 1:
      command.input_class = "copy, too many ranges";
      command.entry.cdw12 |= 0x80;
      command.fits = {nvme::kCommandSizeLimitExceeded};
      break;
    case 2:
      command.input_class = "copy, misaligned list";
      command.entry.prp1 += draws_.between(1, 3);
      command.fits = {nvme::kPrpOffsetInvalid};
      break;
    case 3:
      command.input_class = "copy, ranges outside of memory";
      command.entry.prp1 = nowhere(draws_);
      command.fits = {nvme::kDataTransferError};
      break;
    case 4:
      command.input_class = "copy, hostile destination";
      command.entry.cdw10 = static_cast<std::uint32_t>(host_.user_lbas - draws_.below(blocks));
      if (draws_.once_in(2)) command.entry.cdw11 = static_cast<std::uint32_t>(draws_.between(1, UINT32_MAX));
      command.fits = {nvme::kLbaOutOfRange, nvme::kCommandSizeLimitExceeded, nvme::kSuccess, nvme::kUnrecoveredRead};
      break;
    default: {
      command.input_class = "copy, hostile range";
      nvme::CopyRange range{};
      range.slba = draws_.once_in(2) ? draws_.bits() | 1ULL << 40 : host_.user_lbas - draws_.below(8);
      range.nlb = static_cast<std::uint16_t>(draws_.once_in(2) ? kSourceBlocks + draws_.below(60000) : 8);
      host_.memory.write(command.entry.prp1 + draws_.below(ranges) * sizeof range, &range, sizeof range);
    }
  }
  return command;
}

}  // namespace wordline::fuzz
