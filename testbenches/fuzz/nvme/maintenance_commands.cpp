// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/fuzz/nvme/maintenance_commands.h"

#include "testbenches/fuzz/nvme/checked_commands.h"

namespace wordline::fuzz {

namespace nvme = host::nvme;

// One that runs is still there when the next one comes, or is not: a short one reads 64 logical pages.
HostileCommand hostile_self_test(Draws& draws) {
  HostileCommand command;
  command.input_class = "admin: self-test";
  nvme::SubmissionEntry& e = command.entry;
  e.opcode = nvme::kDeviceSelfTest;
  e.nsid = draws.one_of<std::uint32_t>({0, 1, 2, 0xfffffffe, 0xffffffff});
  e.cdw10 = draws.once_in(4) ? static_cast<std::uint32_t>(draws.extreme())
                             : draws.one_of<std::uint32_t>({nvme::kSelfTestShort, nvme::kSelfTestExtended,
                                                            nvme::kSelfTestAbort, nvme::kSelfTestAbort | 0x100});
  for (std::uint32_t* word : {&e.cdw11, &e.cdw12, &e.cdw13, &e.cdw14, &e.cdw15}) {
    *word = static_cast<std::uint32_t>(draws.extreme());
  }
  const std::uint32_t code = e.cdw10 & 15U;
  const bool none = e.nsid == 2 || e.nsid == 0xfffffffe;
  if (code != nvme::kSelfTestShort && code != nvme::kSelfTestExtended && code != nvme::kSelfTestAbort) {
    command.fits = {nvme::kInvalidField};
  } else if (none) {
    command.fits = {e.nsid == 2 ? nvme::kInvalidField : nvme::kInvalidNamespace};  // not active, or none
  } else {
    command.fits = {nvme::kSuccess};
    if (code != nvme::kSelfTestAbort) command.fits.push_back(nvme::kSelfTestInProgress);
  }
  return command;
}

HostileCommand hostile_firmware_image(Draws& draws, std::uint64_t page) {
  HostileCommand command;
  nvme::SubmissionEntry& e = command.entry;
  e.nsid = static_cast<std::uint32_t>(draws.extreme());
  if (draws.once_in(3)) {
    command.input_class = "admin: firmware commit";
    e.opcode = nvme::kFirmwareCommit;
    e.cdw10 =
        draws.once_in(4) ? static_cast<std::uint32_t>(draws.extreme()) : static_cast<std::uint32_t>(draws.below(64));
    command.fits = {nvme::kInvalidField, nvme::kInvalidFirmwareSlot, nvme::kInvalidFirmwareImage};
    if ((e.cdw10 & 7U) == 1 && (e.cdw10 >> 3 & 6U) == 2)
      command.fits.push_back(nvme::kSuccess);  // the one that is there
    return command;
  }
  command.input_class = "admin: firmware download";
  e.opcode = nvme::kFirmwareImageDownload;
  e.prp1 = draws.once_in(8) ? nowhere(draws) : page + draws.below(5);
  e.prp2 = draws.once_in(8) ? nowhere(draws) : page + draws.one_of<std::uint64_t>({0, 0, 0, 1, 2048});
  e.cdw10 =
      draws.once_in(3) ? static_cast<std::uint32_t>(draws.extreme()) : static_cast<std::uint32_t>(draws.below(1025));
  e.cdw11 =
      draws.once_in(3) ? static_cast<std::uint32_t>(draws.extreme()) : static_cast<std::uint32_t>(draws.below(1 << 18));
  command.fits = {nvme::kSuccess, nvme::kInvalidField, nvme::kOverlappingRange, nvme::kPrpOffsetInvalid,
                  nvme::kDataTransferError};
  return command;
}

}  // namespace wordline::fuzz
