// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/management_commands.h"

#include <algorithm>
#include <cstring>

namespace wordline::host::nvme {
namespace {

constexpr std::uint32_t kOperationMask = 0xff;  // MO, of CDW10
constexpr std::uint32_t kNoOperation = 0, kHandles = 1;
constexpr std::size_t kHead = 16, kDescriptor = 32;  // of Reclaim Unit Handle Status

std::uint32_t identifiers_of(const SubmissionEntry& sqe) { return (sqe.cdw10 >> 16) + 1; }

}  // namespace

bool ManagementCommands::takes(const SubmissionEntry& sqe) const {
  return placement_.on() && (sqe.opcode == kManagementReceive || sqe.opcode == kManagementSend);
}

void ManagementCommands::begin(std::uint32_t tag) {
  waiting_.push_back(tag);
  if (waiting_.size() == 1) next();
}

Status ManagementCommands::check(const SubmissionEntry& sqe) const {
  if ((sqe.flags & 0xc3U) != 0) return kInvalidField;  // fused, or SGL
  if (!namespaces_.has(sqe.nsid)) return namespaces_.refusal(sqe.nsid);
  const std::uint32_t operation = sqe.cdw10 & kOperationMask;
  if (operation == kNoOperation) return kSuccess;
  if (operation != kHandles) return kInvalidField;
  if (sqe.opcode == kManagementSend && identifiers_of(sqe) > kIdentifiers) return kInvalidField;
  if (sqe.prp1 % 4 != 0) return kPrpOffsetInvalid;
  const bool own = mover_.dma().has_own(sqe.prp1) || mover_.dma().has_own(sqe.prp2);
  return own ? kInvalidUseOfCmb : kSuccess;
}

void ManagementCommands::next() {
  HostCommand& command = mover_.commands()[waiting_.front()];
  command.op = Operation::kFlush;  // it moves no data of the drive
  command.fua = false;
  command.slba = 0;
  command.nlb = 0;
  command.ranges = 0;
  const Status status = check(sqe());
  if (status != kSuccess || (sqe().cdw10 & kOperationMask) == kNoOperation) {
    end(status == kSuccess ? kSuccess : status | kDnr, agenda_.now());
  } else if (sqe().opcode == kManagementSend) {
    read_list();
  } else {
    firmware_.carry_out(sqe(), *this);
  }
}

void ManagementCommands::read_list() {
  const std::size_t bytes = identifiers_of(sqe()) * sizeof list_[0];
  const std::size_t first = std::min<std::size_t>(bytes, kPageBytes - sqe().prp1 % kPageBytes);
  auto* to = reinterpret_cast<std::byte*>(list_.data());
  const HostDma::Piece pieces[] = {{sqe().prp1, to, first}, {sqe().prp2, to + first, bytes - first}};
  mover_.dma().read(agenda_.now(), pieces, first == bytes ? 1 : 2,
                    {this, static_cast<std::uint32_t>(Access::kList), 0});
}

void ManagementCommands::dma_ended(const DmaAccess& access, bool good, Picoseconds at) {
  if (static_cast<Access>(access.kind) == Access::kList) {
    agenda_.schedule(at, *this, Kind::kList, 0, good ? 1 : 0);
  } else if (!good) {
    completions_.data_lost(static_cast<std::uint16_t>(access.index >> 16), static_cast<std::uint16_t>(access.index));
  }
}

// The list is there.
void ManagementCommands::act(const Agenda::Action& action) {
  std::uint32_t handles = 0;
  Status status = action.value != 0 ? kSuccess : kDataTransferError;
  for (std::uint32_t i = 0; i < identifiers_of(sqe()) && status == kSuccess; ++i) {
    if (list_[i] < placement_.handles()) {
      handles |= 1U << list_[i];
    } else {
      status = kInvalidField;
    }
  }
  if (lost() || status != kSuccess) {
    end(status == kSuccess ? kSuccess : status | kDnr, agenda_.now());
    return;
  }
  SubmissionEntry to_firmware = sqe();
  to_firmware.cdw11 = handles;
  firmware_.carry_out(to_firmware, *this);
}

void ManagementCommands::answered(Status status, std::uint32_t /*dw0*/, const std::byte* data, std::size_t /*bytes*/) {
  const bool sends = status == kSuccess && sqe().opcode == kManagementReceive && !lost();
  end(status, sends ? send_status(data) : agenda_.now());
}

// Returns when the data have left.
Picoseconds ManagementCommands::send_status(const std::byte* data) {
  page_.fill(std::byte{0});
  const auto handles = static_cast<std::uint16_t>(placement_.handles());
  std::memcpy(page_.data() + kHead - sizeof handles, &handles, sizeof handles);
  for (std::uint16_t i = 0; i < handles; ++i) {
    std::byte* descriptor = page_.data() + kHead + i * kDescriptor;
    std::uint32_t writable = 0;
    std::memcpy(&writable, data + i * sizeof writable, sizeof writable);
    const std::uint64_t lbas = writable >> namespaces_.shift();
    std::memcpy(descriptor, &i, sizeof i);             // placement identifier
    std::memcpy(descriptor + sizeof i, &i, sizeof i);  // handle
    std::memcpy(descriptor + 8, &lbas, sizeof lbas);   // RUAMW
  }
  const std::uint64_t asked = (std::uint64_t{sqe().cdw11} + 1) * 4;
  const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(asked, kHead + handles * kDescriptor));
  const std::size_t first = std::min<std::size_t>(bytes, kPageBytes - sqe().prp1 % kPageBytes);
  const Picoseconds arrives = mover_.link->write(agenda_.now(), bytes);
  const HostCommand& command = mover_.commands()[waiting_.front()];
  const HostDma::Source pieces[] = {{sqe().prp1, page_.data(), first},
                                    {sqe().prp2, page_.data() + first, bytes - first}};
  mover_.dma().write(
      HostDma::name_of(command.queue, command.id), arrives, pieces, first == bytes ? 1 : 2,
      {this, static_cast<std::uint32_t>(Access::kPage), static_cast<std::uint32_t>(command.queue) << 16 | command.id});
  return arrives - mover_.link->latency();
}

void ManagementCommands::end(Status status, Picoseconds ready) {
  const std::uint32_t tag = waiting_.front();
  waiting_.pop_front();
  mover_.complete(tag, status, ready);
  if (!waiting_.empty()) next();
}

}  // namespace wordline::host::nvme
