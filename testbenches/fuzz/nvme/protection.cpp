// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/fuzz/nvme/protection.h"

#include <array>

#include "models/data/protection.h"
#include "testbenches/fuzz/nvme/checked_commands.h"
#include "tlm/device/nvme/nvme.h"

namespace wordline::fuzz {

namespace nvme = host::nvme;
namespace {

constexpr std::uint32_t kPrinfoMask = nvme::kPract | nvme::kPrchkMask, kGuardCheck = 4;
constexpr std::uint32_t kSmallWithMetadata = 3;  // LBA format
constexpr nvme::Status kFaults[] = {nvme::kGuardCheckError, nvme::kApplicationTagCheckError,
                                    nvme::kReferenceTagCheckError};

std::uint64_t lba_of(const nvme::SubmissionEntry& entry) { return std::uint64_t{entry.cdw11} << 32 | entry.cdw10; }

unsigned formats_of(const config::Config& config) {
  if (config.nvme.metadata == config::BlockMetadata::kNone) return 2;
  return config::has_room_for_small_blocks(config.nand.geometry) ? 4 : 3;
}

}  // namespace

Protection::Protection(HostileHost& host, Draws& draws, const config::Config& config)
    : host_(host),
      draws_(draws),
      formats_(formats_of(config)),
      now_{offered(), config.nvme.metadata == config::BlockMetadata::kInterleaved,
           static_cast<std::uint32_t>(config.nvme.protection)},
      next_(now_),
      given_(host.memory.allocate(4)),
      taken_(host.memory.allocate(4)) {
  std::array<std::byte, 4096> nobody_checks{};
  nobody_checks.fill(std::byte{0xff});
  for (std::uint64_t i = 0; i < 4; ++i) {
    host.memory.write(given_ + i * nobody_checks.size(), nobody_checks.data(), nobody_checks.size());
  }
}

void Protection::set_fields(nvme::SubmissionEntry& entry, std::uint32_t prinfo) const {
  entry.cdw12 = (entry.cdw12 & ~(kPrinfoMask << nvme::kPrinfoShift)) | prinfo << nvme::kPrinfoShift;
  entry.cdw14 = now_.type == 3 ? 0 : entry.cdw10;
  entry.cdw15 = 0xffff0000U | data::TupleRule::kApplication;
}

std::uint32_t Protection::draw_checks() {
  const auto checks = static_cast<std::uint32_t>(draws_.below(8));
  return now_.type == 3 ? checks & ~1U : checks;
}

void Protection::dress(HostileCommand& command) {
  if (!now_.metadata) return;
  nvme::SubmissionEntry& entry = command.entry;
  const bool reads = entry.opcode == nvme::kRead || entry.opcode == nvme::kVerify || entry.opcode == nvme::kCompare;
  const bool zeroes = entry.opcode == nvme::kWriteZeroes, writes = entry.opcode == nvme::kWrite;
  const bool copies = entry.opcode == nvme::kCopy;
  if (!reads && !writes && !zeroes && !copies) return;
  if (command.fits.empty()) return;
  if (now_.type == 0 || (!now_.interleaved && !zeroes && !copies && draws_.once_in(3))) {
    if ((entry.flags & nvme::kPsdtMask) == nvme::kPsdtSglMptr) entry.flags ^= nvme::kPsdtMask;  // MPTR is an address
    set_fields(entry, draw_checks());
    entry.mptr = entry.opcode == nvme::kRead ? taken_ : given_;
  } else {
    set_fields(entry, nvme::kPract | (reads ? draw_checks() : 0U));
  }
  if (zeroes && draws_.once_in(2)) entry.cdw12 |= nvme::kDeallocateZeroes;
  if (copies) {
    entry.cdw12 &= ~(kPrinfoMask << nvme::kPrinfoOfCopyShift);
    entry.cdw12 |= (nvme::kPract | (draws_.once_in(2) ? kGuardCheck : 0U)) << nvme::kPrinfoOfCopyShift;
  }
  // Blocks that are not guarded have information of any kind.
  const std::uint64_t blocks = (entry.cdw12 & 0xffffU) + 1;
  if (copies || (reads && lba_of(entry) + blocks > CheckedCommands::kBlocks)) {
    command.fits.insert(command.fits.end(), std::begin(kFaults), std::end(kFaults));
  }
}

HostileCommand Protection::hostile(std::uint64_t page) {
  HostileCommand command;
  command.input_class = "hostile protection";
  const auto opcode = draws_.one_of<std::uint8_t>(
      {nvme::kRead, nvme::kWrite, nvme::kCompare, nvme::kVerify, nvme::kWriteZeroes, nvme::kWriteUncorrectable});
  const auto blocks = static_cast<std::uint32_t>(draws_.between(1, 7));  // they end in the page with their metadata
  const std::uint64_t first = CheckedCommands::kBlocks;
  command.entry = entry(opcode, first + draws_.below(host_.user_lbas - first - blocks), blocks);
  command.entry.prp1 = page;
  command.entry.prp2 = page;
  command.entry.mptr = draws_.once_in(4) ? nowhere(draws_) : taken_ + draws_.below(4096) * (draws_.once_in(4) ? 1 : 4);
  command.entry.cdw12 |= static_cast<std::uint32_t>(draws_.below(16)) << nvme::kPrinfoShift;
  command.entry.cdw14 = draws_.once_in(2) ? command.entry.cdw10 : static_cast<std::uint32_t>(draws_.bits());
  command.entry.cdw15 = draws_.once_in(2) ? data::TupleRule::kApplication : static_cast<std::uint32_t>(draws_.bits());
  command.fits = {nvme::kSuccess,
                  nvme::kInvalidField,
                  nvme::kDataTransferError,
                  nvme::kInvalidProtection,
                  nvme::kUnrecoveredRead,
                  nvme::kCompareFailure,
                  nvme::kGuardCheckError,
                  nvme::kApplicationTagCheckError,
                  nvme::kReferenceTagCheckError};
  return command;
}

std::uint32_t Protection::draw_format() {
  next_ = {};
  if (formats_ <= kSmallWithMetadata || draws_.once_in(4)) return 0;
  next_.metadata = true;
  next_.type = static_cast<std::uint32_t>(draws_.below(4));
  next_.interleaved = next_.type != 0 && draws_.once_in(2);
  const bool first = next_.type != 0 && draws_.once_in(2);
  return kSmallWithMetadata | (next_.interleaved ? nvme::kFormatInterleaved : 0U) |
         next_.type << nvme::kFormatTypeShift | (first ? nvme::kFormatFirst : 0U);
}

}  // namespace wordline::fuzz
