// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

/// A drive that other programs use as a block device: what they ask for, and what they are told.
namespace wordline::served {

inline constexpr std::uint32_t kBlockBytes = 512;

enum class ClientOp : std::uint8_t { kRead, kWrite, kFlush, kTrim, kWriteZeroes, kBlockStatus };

/// Why a request failed. The values are those of the NBD protocol, which are those of Linux.
enum class ClientError : std::uint32_t { kNone = 0, kIo = 5, kInvalid = 22, kNoSpace = 28, kShutdown = 108 };

/// A request of a client, found good: its bytes lie in the device, at multiples of kBlockBytes.
struct ClientRequest {
  ClientOp op = ClientOp::kRead;
  bool fua = false;      // done means on the medium
  bool no_hole = false;  // zeros are to be written, not deallocated
  std::uint64_t offset = 0;
  std::uint32_t length = 0;
  std::string data;          // of a write
  std::uint64_t client = 0;  // connection
  std::uint64_t cookie = 0;  // the client's name for it
  bool whole = false;        // a read that wants its answer in one piece, a block status that wants one extent
  std::chrono::steady_clock::time_point arrived{};
};

/// Bytes that are of one kind: data, or nothing but a hole.
struct Extent {
  std::uint64_t offset = 0;  // in the device
  std::uint32_t length = 0;
  bool hole = false;
  bool zeros = false;  // of a block status: they read as zeros; a read says so by a hole
};

struct Answer {
  std::uint64_t client = 0;
  std::uint64_t cookie = 0;
  ClientOp op = ClientOp::kRead;
  ClientError error = ClientError::kNone;
  bool whole = false;
  std::uint64_t offset = 0;
  std::uint64_t cost = 0;       // bytes that the request held of its client's allowance
  std::string data;             // of a read
  std::vector<Extent> extents;  // of a read: what it consists of, in order; of a block status: from its offset on
};

/// What a request holds of the memory that a client may occupy: its data, on the way in or out.
[[nodiscard]] inline std::uint64_t cost_of(ClientOp op, std::uint32_t length) {
  return 256 + (op == ClientOp::kRead || op == ClientOp::kWrite ? length : 0);
}

}  // namespace wordline::served
