// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/mover/command_waves.h"

#include <fmt/format.h>

namespace wordline::host {
namespace {

const char* name_of(const HostCommand& command) {
  switch (command.way) {
    case DataWay::kHost:
      break;
    case DataWay::kVerify:
      return "VERIFY";
    case DataWay::kCompare:
      return "COMPARE";
    case DataWay::kCopyOut:
      return "COPY from";
    case DataWay::kCopyIn:
      return "COPY to";
    case DataWay::kZeroes:
      return "ZERO";
    case DataWay::kUncorrectable:
      return "UNCORRECTABLE";
  }
  switch (command.op) {
    case Operation::kFlush:
      return "FLUSH";
    case Operation::kWrite:
      return "WRITE";
    case Operation::kRead:
      return "READ";
    case Operation::kWriteZeroes:
      return "ZERO";
    case Operation::kDeallocate:
      return "DSM";
    case Operation::kCopy:
      return "COPY";
  }
  return "?";
}

std::string text_of(const HostCommand& command) {
  if (command.op == Operation::kDeallocate) {
    return fmt::format("DSM {} ranges q{} cid {}", command.ranges, command.queue, command.id);
  }
  return fmt::format("{} lba 0x{:x} +{} q{} cid {}", name_of(command), command.slba, command.nlb, command.queue,
                     command.id);
}

}  // namespace

void CommandWaves::came(std::uint32_t tag, const HostCommand& command) const {
  name(tag, {command.queue, command.id, command.slba});
  if (records()) record(text_of(command));
}

}  // namespace wordline::host
