// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// What host and drive call the commands between them.
namespace wordline::host {

inline constexpr std::uint32_t kNone = UINT32_MAX;

/// wl_host_event.opcode; the contract has the numbers from NVMe. A command that the drive has not checked may hold any
/// other number.
enum class Operation : std::uint8_t {
  kFlush = 0,
  kWrite = 1,
  kRead = 2,
  kWriteZeroes = 8,
  kDeallocate = 9,
  kCopy = 25
};
[[nodiscard]] constexpr bool moves_data(Operation op) { return op == Operation::kRead || op == Operation::kWrite; }
/// It comes with a list of ranges in host memory.
[[nodiscard]] constexpr bool has_ranges(Operation op) { return op == Operation::kDeallocate || op == Operation::kCopy; }

/// wl_host_job.status: type << 8 | code, bit 14 do not retry; 0 = success.
using CommandStatus = std::uint16_t;
/// The host has no memory where the command's data are to come from or go to: data transfer error, do not retry.
inline constexpr CommandStatus kTransferFailed = 0x4004;
/// The host's own medium has not kept what the command has promised: write fault.
inline constexpr CommandStatus kNotKept = 0x280;
/// A block of the command was written by Write Uncorrectable, and not since.
inline constexpr CommandStatus kMarkedUncorrectable = 0x281;
inline constexpr CommandStatus kCompareFailed = 0x4285;
/// A block of the command is deallocated or was never written, and the host wants to hear of it.
inline constexpr CommandStatus kUnwritten = 0x4287;
/// What a block's protection information shows: guard, application tag, reference tag.
inline constexpr CommandStatus kGuardFailed = 0x282, kApplicationFailed = 0x283, kReferenceFailed = 0x284;
[[nodiscard]] constexpr bool is_protection_error(CommandStatus status) {
  return status >= kGuardFailed && status <= kReferenceFailed;
}
/// Of the type of media and data integrity errors, all but Compare Failure and what follows it.
[[nodiscard]] constexpr bool is_media_error(CommandStatus status) {
  return (status & 0x700U) == 0x200U && (status & 0xffU) < (kCompareFailed & 0xffU);
}

}  // namespace wordline::host
