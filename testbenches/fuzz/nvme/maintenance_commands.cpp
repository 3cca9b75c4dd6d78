// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/fuzz/nvme/maintenance_commands.h"

#include <algorithm>
#include <array>

#include "testbenches/fuzz/nvme/checked_commands.h"

namespace wordline::fuzz {

namespace nvme = host::nvme;

// One that runs is still there when the next one comes, or is not: a short one reads 64 logical pages.
HostileCommand hostile_self_test(const HostileHost& host, Draws& draws) {
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
    command.fits = {host.refusal(e.nsid)};
  } else {
    command.fits = {nvme::kSuccess};
    if (code != nvme::kSelfTestAbort) command.fits.push_back(nvme::kSelfTestInProgress);
  }
  return command;
}

HostileCommand hostile_namespace(HostileHost& host, Draws& draws, std::uint64_t page) {
  HostileCommand command;
  nvme::SubmissionEntry& e = command.entry;
  std::array<std::uint64_t, 512> data{};
  for (std::size_t i = 0; i < 64; ++i) data[i] = draws.once_in(2) ? 0 : draws.extreme();
  if (draws.once_in(2)) data[0] = data[1] = draws.between(1, 4096);
  host.memory.write(page, data.data(), sizeof data);
  e.prp1 = draws.once_in(8) ? nowhere(draws) : page + (draws.once_in(4) ? draws.below(5) : 0);
  e.prp2 = draws.once_in(8) ? nowhere(draws) : page;
  e.cdw11 = draws.once_in(3) ? static_cast<std::uint32_t>(draws.extreme()) : 0;
  command.fits = {nvme::kInvalidField, nvme::kInvalidNamespace, nvme::kPrpOffsetInvalid, nvme::kDataTransferError};
  if (host.namespace_ids == 1) command.fits = {nvme::kInvalidOpcode};
  if (draws.once_in(2)) {
    command.input_class = "admin: namespace, refused";
    e.opcode = nvme::kNamespaceManagement;
    e.cdw10 = static_cast<std::uint32_t>(draws.below(16)) | (draws.once_in(2) ? 0xfffffff0U : 0);
    e.nsid = draws.one_of<std::uint32_t>({0, 2, 32, 33, 0xfffffffe});
    for (const nvme::Status status :
         {nvme::kNoNamespaceCapacity, nvme::kInvalidFormat, nvme::kThinProvisioning, nvme::kCommandSetNotSupported})
      command.fits.push_back(status);
    return command;
  }
  command.input_class = "admin: attachment, refused";
  e.opcode = nvme::kNamespaceAttachment;
  e.cdw10 = static_cast<std::uint32_t>(draws.below(16));
  e.nsid = draws.one_of<std::uint32_t>({0, 1, 2, 33, 0xffffffff});
  if (e.nsid == 1 && (data[0] & 0xffffU) == 1) e.cdw10 = nvme::kAttachControllers;  // it is not to be detached
  command.fits.push_back(nvme::kInvalidControllerList);
  command.fits.push_back(nvme::kAlreadyAttached);
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

HostileCommand hostile_host_memory(HostileHost& host, Draws& draws, std::uint64_t pages) {
  constexpr std::uint32_t kPage = 4096;
  for (std::uint64_t i = draws.below(4); i != 0; --i) {
    const auto byte = static_cast<std::uint8_t>(draws.below(256));
    host.memory.write(pages + draws.below(std::uint64_t{kLentPages} * kPage), &byte, sizeof byte);
  }
  HostileCommand command;
  command.entry.opcode = nvme::kSetFeatures;
  command.entry.cdw10 = nvme::kFeatureHostMemory;
  if (draws.once_in(3)) {
    command.input_class = "host memory taken back";
    command.fits = {nvme::kSuccess};
    return command;
  }
  // Stretches of one to three pages; some are lent twice.
  const std::uint64_t list = pages + (kLentPages + draws.below(kLentLists)) * kPage;
  std::uint32_t count = 0, lent = 0;
  for (std::uint64_t page = draws.below(4); page < kLentPages && count < 16; ++count) {
    const std::uint64_t length = draws.between(1, 3);
    const std::uint64_t entry[] = {pages + page * kPage, std::min<std::uint64_t>(length, kLentPages - page)};
    host.memory.write(list + count * sizeof entry, entry, sizeof entry);
    lent += static_cast<std::uint32_t>(entry[1]);
    page += length + draws.below(2) - (draws.once_in(8) ? 1 : 0);
  }
  command.entry.cdw11 = 1 | static_cast<std::uint32_t>(draws.below(2)) << 1;
  command.entry.cdw12 = lent;
  command.entry.cdw13 = static_cast<std::uint32_t>(list);
  command.entry.cdw14 = static_cast<std::uint32_t>(list >> 32);
  command.entry.cdw15 = count;
  command.input_class = "host memory lent";
  command.fits = {nvme::kSuccess, nvme::kCommandSequenceError, nvme::kInvalidField};
  if (draws.once_in(2)) return command;
  command.input_class = "host memory, a list that is no good";
  command.fits = {nvme::kInvalidField, nvme::kCommandSequenceError};
  switch (draws.below(4)) {
    case 0:
      command.entry.cdw12 += 1 + static_cast<std::uint32_t>(draws.below(1000));
      break;
    case 1:
      command.entry.cdw15 = draws.one_of<std::uint32_t>({0, 257, 0xffffffff});
      break;
    case 2: {
      const std::uint64_t odd[] = {pages + 512, 1};
      host.memory.write(list, odd, sizeof odd);
      break;
    }
    default: {
      const std::uint64_t away = nowhere(draws) & ~std::uint64_t{15};
      command.entry.cdw13 = static_cast<std::uint32_t>(away);
      command.entry.cdw14 = static_cast<std::uint32_t>(away >> 32);
      command.fits.push_back(nvme::kDataTransferError);
    }
  }
  return command;
}

}  // namespace wordline::fuzz
