// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Admin commands, well-formed and not.
#include <array>
#include <iterator>
#include <vector>

#include "testbenches/fuzz/nvme/hostile_commands.h"
#include "testbenches/fuzz/nvme/maintenance_commands.h"
#include "tlm/device/nvme/namespaces.h"

namespace wordline::fuzz {

namespace nvme = host::nvme;
namespace {

constexpr std::uint32_t kPage = 4096;

}  // namespace

HostileCommand HostileCommands::admin() {
  HostileCommand command;
  Entry& e = command.entry;
  const auto word = [this] { return static_cast<std::uint32_t>(draws_.extreme()); };
  e.nsid = draws_.one_of<std::uint32_t>({0, 1, 2, 0xfffffffe, 0xffffffff});
  e.prp1 = pages_of_information_;
  e.prp2 = pages_of_information_ + kPage;
  e.cdw12 = draws_.once_in(2) ? 0 : word();
  e.cdw13 = draws_.once_in(2) ? 0 : word();
  switch (draws_.below(lends_memory_ ? 15 : 12)) {
    case 0:
      command.input_class = "admin: unknown opcode";
      e.opcode = draws_.one_of<std::uint8_t>({0x03, 0x07, 0x0b, 0x1d, 0x7f, 0x82, 0x86, 0xc0, 0xff});
      command.fits = {nvme::kInvalidOpcode};
      break;
    case 1:
      command.input_class = "admin: fused or SGL";
      e.opcode = draws_.one_of<std::uint8_t>({0x00, 0x01, 0x02, 0x05, 0x06, 0x0a});
      e.flags = draws_.one_of<std::uint8_t>({1, 2, 0x40, 0x80, 0xc3});
      command.fits = {nvme::kInvalidField};
      break;
    case 2:
      command.input_class = "admin: identify";
      e.opcode = nvme::kIdentify;
      e.cdw10 = draws_.once_in(3) ? word() : static_cast<std::uint32_t>(draws_.below(6));
      command.fits = {nvme::kSuccess, nvme::kInvalidField, nvme::kInvalidNamespace};
      break;
    case 3:
      command.input_class = "admin: identify, hostile PRP";
      e.opcode = nvme::kIdentify;
      e.cdw10 = nvme::kCnsController;
      if (draws_.once_in(2)) {
        e.prp1 = draws_.once_in(2) ? nowhere(draws_) : pages_of_information_ + 4;
        if (e.prp1 % 4096 != 0) e.prp2 = nowhere(draws_);
        command.fits = {nvme::kDataTransferError};
      } else {
        e.prp1 += draws_.between(1, 3);
        command.fits = {nvme::kPrpOffsetInvalid};
      }
      break;
    case 4:
      command.input_class = "admin: get log page";
      e.opcode = nvme::kGetLogPage;
      e.cdw10 = draws_.once_in(2)
                    ? word()
                    : draws_.one_of<std::uint32_t>({0, 1, 2, 3, 4, 5, 6, 7, 8, 0x0d, 0x0d, 0x0d, 0xc0, 0xc3}) |
                          static_cast<std::uint32_t>(draws_.below(3) << 8 | draws_.below(1024) << 16);
      e.cdw11 = draws_.once_in(2) ? 0 : word();
      command.fits = {nvme::kSuccess, nvme::kInvalidField, nvme::kInvalidLogPage, nvme::kCommandSequenceError};
      break;
    case 5:
      command.input_class = "admin: features";
      e.opcode = draws_.once_in(2) ? nvme::kSetFeatures : nvme::kGetFeatures;
      e.cdw10 = draws_.once_in(2)   ? word()
                : draws_.once_in(8) ? std::uint32_t{nvme::kFeatureLatencyMonitor}
                                    : static_cast<std::uint32_t>(draws_.below(16));
      e.cdw11 = word();
      command.fits = {nvme::kSuccess,
                      nvme::kInvalidField,
                      nvme::kFeatureNotSaveable,
                      nvme::kFeatureNotChangeable,
                      nvme::kCommandSequenceError,
                      nvme::kInvalidNamespace};
      // Not DULBE, which refuses reads that are checked.
      if (static_cast<std::uint8_t>(e.cdw10) == nvme::kFeatureErrorRecovery) e.cdw11 &= ~nvme::kUnwrittenErrors;
      break;
    case 6:
      return abort();
    case 7:
      return refused_format();
    case 8:
      return hostile_self_test(host_, draws_);
    case 9:
      return hostile_firmware_image(draws_, hostile_page());
    case 10:
      return hostile_namespace(host_, draws_, namespace_page_);
    case 11:
      return refused_queue();
    default:
      return hostile_host_memory(host_, draws_, lent_);
  }
  return command;
}

// Of a command that is outstanding, or of any identifier.
HostileCommand HostileCommands::abort() {
  HostileCommand command;
  command.input_class = "admin: abort";
  command.entry.opcode = nvme::kAbort;
  command.entry.cdw10 = static_cast<std::uint32_t>(draws_.extreme());
  command.fits = {nvme::kSuccess};
  const auto qid = static_cast<std::uint32_t>(draws_.between(1, 4));
  auto& outstanding = host_.sq(qid).outstanding;
  if (outstanding.empty() || draws_.once_in(4)) return command;
  const auto named = std::next(outstanding.begin(), static_cast<std::ptrdiff_t>(draws_.below(outstanding.size())));
  command.entry.cdw10 = static_cast<std::uint32_t>(named->first) << 16 | qid;
  if (!named->second.fits.empty()) named->second.fits.push_back(nvme::kAbortRequested);
  return command;
}

HostileCommand HostileCommands::refused_format() {
  HostileCommand command;
  command.input_class = "admin: format, refused";
  command.entry.opcode = nvme::kFormat;
  command.entry.nsid = nvme::kNamespace;
  switch (draws_.below(3)) {
    case 0:
      command.entry.nsid = draws_.one_of<std::uint32_t>({0, 2, 33, 0xfffffffe});
      command.fits = {host_.refusal(command.entry.nsid)};
      break;
    case 1:
      command.entry.cdw10 = static_cast<std::uint32_t>(draws_.between(protection_.formats(), 15));
      command.fits = {nvme::kInvalidFormat};
      break;
    default:
      command.entry.cdw10 = static_cast<std::uint32_t>(draws_.between(1, 31)) << 4 |
                            static_cast<std::uint32_t>(draws_.below(8)) << nvme::kFormatEraseShift;
      command.fits = {nvme::kInvalidField};
  }
  return command;
}

std::vector<HostileCommand> HostileCommands::namespaces() {
  may_end_with(nvme::kInvalidField);
  HostileCommand leaves, created, attached;
  std::array<std::uint16_t, kPage / 2> list{1, nvme::kControllerId};
  host_.memory.write(namespace_page_, list.data(), sizeof list);
  attached.input_class = "namespace attachment";
  attached.entry.opcode = nvme::kNamespaceAttachment;
  attached.entry.nsid = nvme::kNamespace;
  attached.entry.prp1 = namespace_page_;
  attached.fits = {nvme::kSuccess};
  if (draws_.once_in(2)) {
    leaves = attached;
    leaves.entry.cdw10 = nvme::kDetachControllers;
    return {leaves, attached};
  }
  std::array<std::uint64_t, kPage / 8> data{host_.user_lbas, host_.user_lbas};
  host_.memory.write(namespace_page_ + kPage, data.data(), sizeof data);
  created.input_class = "namespace creation";
  created.entry.opcode = nvme::kNamespaceManagement;
  created.entry.prp1 = namespace_page_ + kPage;
  created.fits = {nvme::kSuccess};
  return {checked_.deletion(), created, attached};
}

HostileCommand HostileCommands::refused_queue() {
  HostileCommand command;
  command.input_class = "admin: queue, refused";
  Entry& e = command.entry;
  // Identifiers that do not exist, of queues that never do in these tests.
  const auto free = static_cast<std::uint32_t>(draws_.between(40, 63));
  const std::uint32_t none = draws_.one_of<std::uint32_t>({0, 64, 255, 0x8000, 0xffff});
  const std::uint64_t base = hostile_pages_;
  e.prp1 = base;
  switch (draws_.below(10)) {
    case 0:
      e.opcode = draws_.once_in(2) ? nvme::kCreateIoCq : nvme::kCreateIoSq;
      e.cdw10 = 7U << 16 | none;
      e.cdw11 = 1U << 16 | 1U;
      command.fits = {nvme::kInvalidQueueIdentifier};
      break;
    case 1:  // exists
      e.opcode = draws_.once_in(2) ? nvme::kCreateIoCq : nvme::kCreateIoSq;
      e.cdw10 = 7U << 16 | 1U;
      e.cdw11 = 1U << 16 | 1U;
      command.fits = {nvme::kInvalidQueueIdentifier};
      break;
    case 2:
      e.opcode = nvme::kCreateIoCq;
      e.cdw10 = free;  // one entry
      e.cdw11 = 1;
      command.fits = {nvme::kInvalidQueueSize};
      break;
    case 3:
      e.opcode = nvme::kCreateIoCq;
      e.cdw10 = 7U << 16 | free;
      e.cdw11 = 0;  // not contiguous
      command.fits = {nvme::kInvalidField};
      break;
    case 4:
      e.opcode = nvme::kCreateIoCq;
      e.cdw10 = 7U << 16 | free;
      e.cdw11 = 64U << 16 | 3U;
      command.fits = {nvme::kInvalidInterruptVector};
      break;
    case 5:
      e.opcode = nvme::kCreateIoCq;
      e.prp1 = base + draws_.one_of<std::uint64_t>({1, 8, 512, 4095});
      e.cdw10 = 7U << 16 | free;
      e.cdw11 = 1;
      command.fits = {nvme::kPrpOffsetInvalid};
      break;
    case 6: {
      const bool out_of_range = draws_.once_in(2);
      e.opcode = nvme::kCreateIoSq;
      e.cdw10 = 7U << 16 | free;
      e.cdw11 = (out_of_range ? none : free) << 16 | 1U;
      command.fits = {out_of_range ? nvme::kInvalidQueueIdentifier : nvme::kCompletionQueueInvalid};
      break;
    }
    case 7:
      e.opcode = draws_.once_in(2) ? nvme::kDeleteIoSq : nvme::kDeleteIoCq;
      e.cdw10 = draws_.once_in(2) ? none : free;
      command.fits = {nvme::kInvalidQueueIdentifier};
      break;
    case 8:  // in use
      e.opcode = nvme::kDeleteIoCq;
      e.cdw10 = 1;
      command.fits = {nvme::kInvalidQueueDeletion};
      break;
    default:
      e.opcode = nvme::kCreateIoSq;
      e.prp1 = base + draws_.one_of<std::uint64_t>({1, 8, 512, 4095});
      e.cdw10 = 7U << 16 | free;
      e.cdw11 = 1U << 16 | 1U;
      command.fits = {nvme::kPrpOffsetInvalid};
  }
  return command;
}

}  // namespace wordline::fuzz
