// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// Numbers of the NBD protocol (doc/proto.md of the NBD project), which sends the high byte first.
namespace wordline::served::nbd {

inline constexpr std::uint64_t kInitMagic = 0x4e42444d41474943;    // "NBDMAGIC"
inline constexpr std::uint64_t kOptionMagic = 0x49484156454f5054;  // "IHAVEOPT"
inline constexpr std::uint64_t kOptionReplyMagic = 0x3e889045565a9;
inline constexpr std::uint32_t kRequestMagic = 0x25609513;
inline constexpr std::uint32_t kSimpleReplyMagic = 0x67446698;
inline constexpr std::uint32_t kStructuredReplyMagic = 0x668e33ef;

inline constexpr std::uint16_t kFixedNewstyle = 1U << 0U, kNoZeroes = 1U << 1U;  // handshake, both sides

enum Option : std::uint32_t {
  kOptExportName = 1,
  kOptAbort = 2,
  kOptList = 3,
  kOptInfo = 6,
  kOptGo = 7,
  kOptStructuredReply = 8,
  kOptListMetaContext = 9,
  kOptSetMetaContext = 10,
};
enum OptionReply : std::uint32_t {
  kRepAck = 1,
  kRepServer = 2,
  kRepInfo = 3,
  kRepMetaContext = 4,
  kRepErrUnsupported = (1U << 31U) + 1,
  kRepErrInvalid = (1U << 31U) + 3,
  kRepErrUnknown = (1U << 31U) + 6,
  kRepErrTooBig = (1U << 31U) + 9,
};
enum Info : std::uint16_t { kInfoExport = 0, kInfoName = 1, kInfoDescription = 2, kInfoBlockSize = 3 };

enum TransmissionFlag : std::uint16_t {
  kHasFlags = 1U << 0U,
  kSendFlush = 1U << 2U,
  kSendFua = 1U << 3U,
  kSendTrim = 1U << 5U,
  kSendWriteZeroes = 1U << 6U,
  kSendDf = 1U << 7U,
  kCanMultiConn = 1U << 8U,
};

enum Command : std::uint16_t {
  kCmdRead = 0,
  kCmdWrite = 1,
  kCmdDisconnect = 2,
  kCmdFlush = 3,
  kCmdTrim = 4,
  kCmdWriteZeroes = 6,
  kCmdBlockStatus = 7,
};
enum CommandFlag : std::uint16_t {
  kFlagFua = 1U << 0U,
  kFlagNoHole = 1U << 1U,
  kFlagDf = 1U << 2U,
  kFlagReqOne = 1U << 3U
};

inline constexpr std::uint16_t kChunkDone = 1U << 0U;
enum Chunk : std::uint16_t {
  kChunkNone = 0,
  kChunkOffsetData = 1,
  kChunkOffsetHole = 2,
  kChunkBlockStatus = 5,
  kChunkError = (1U << 15U) + 1,
};

/// The one metadata context, and what a descriptor of it says.
inline constexpr std::string_view kAllocation = "base:allocation";
inline constexpr std::uint32_t kAllocationId = 1;
inline constexpr std::uint32_t kStateHole = 1U << 0U, kStateZero = 1U << 1U;

inline constexpr std::size_t kOptionHeaderBytes = 16, kRequestBytes = 28;

template <typename Number>
void put(std::string& to, Number value) {
  for (int shift = (static_cast<int>(sizeof(Number)) - 1) * 8; shift >= 0; shift -= 8)
    to.push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> static_cast<unsigned>(shift) & 0xffU));
}

/// `from` holds so many bytes from `at` on.
template <typename Number>
[[nodiscard]] Number get(std::string_view from, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i != sizeof(Number); ++i) value = value << 8U | static_cast<unsigned char>(from[at + i]);
  return static_cast<Number>(value);
}

}  // namespace wordline::served::nbd
