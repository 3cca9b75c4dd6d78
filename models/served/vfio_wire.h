// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// Numbers of the vfio-user protocol, version 0.1, and what lies on the socket. Both ends are on one machine: integers
/// are in its byte order.
namespace wordline::served::vfio {

enum Command : std::uint16_t {
  kVersion = 1,
  kDmaMap = 2,
  kDmaUnmap = 3,
  kDeviceInfo = 4,
  kRegionInfo = 5,
  kIrqInfo = 7,
  kSetIrqs = 8,
  kRegionRead = 9,
  kRegionWrite = 10,
  kDmaRead = 11,  // from the device to the client, as the next one
  kDmaWrite = 12,
  kDeviceReset = 13,
};

struct Header {
  std::uint16_t id = 0, command = 0;
  std::uint32_t size = 0;  // of the message, with the header
  std::uint32_t flags = 0;
  std::uint32_t error = 0;  // errno of a reply
};
static_assert(sizeof(Header) == 16);
inline constexpr std::uint32_t kTypeMask = 0xf, kTypeCommand = 0, kTypeReply = 1;
inline constexpr std::uint32_t kNoReply = 1U << 4U, kError = 1U << 5U;

/// Of a region access, and of what a DMA_READ or DMA_WRITE moves.
inline constexpr std::uint32_t kMostData = 1U << 20U;
/// The longest message that makes sense: a write of so much to a region.
inline constexpr std::uint32_t kMostMessage = kMostData + 4096;
inline constexpr unsigned kMostFiles = 8;  // with one message

struct DmaMap {
  std::uint32_t argsz, flags;
  std::uint64_t offset, address, size;
};
inline constexpr std::uint32_t kMapRead = 1, kMapWrite = 2;

struct DmaUnmap {
  std::uint32_t argsz, flags;
  std::uint64_t address, size;
};
inline constexpr std::uint32_t kUnmapAll = 2;

struct DeviceInfo {
  std::uint32_t argsz, flags, regions, irqs;
};
inline constexpr std::uint32_t kDeviceResets = 1, kDeviceIsPci = 2;

struct RegionInfo {
  std::uint32_t argsz, flags, index, capabilities;
  std::uint64_t size, offset;
};
inline constexpr std::uint32_t kRegionReads = 1, kRegionWrites = 2, kRegionMaps = 4, kRegionHasCapabilities = 8;
inline constexpr std::uint32_t kBar0 = 0, kBar4 = 4, kConfiguration = 7, kRegions = 9;

/// Capability of a region of which a part can be mapped, with one area.
struct SparseMap {
  std::uint16_t id, version;
  std::uint32_t next, areas, reserved;
  std::uint64_t offset, size;
};
inline constexpr std::uint16_t kSparseMap = 1;

struct IrqInfo {
  std::uint32_t argsz, flags, index, count;
};
inline constexpr std::uint32_t kIrqByEvent = 1, kIrqMasks = 2, kIrqNoResize = 8;
inline constexpr std::uint32_t kMsix = 2, kIrqs = 5;

struct SetIrqs {
  std::uint32_t argsz, flags, index, start, count;
};
inline constexpr std::uint32_t kDataNone = 1, kDataBool = 2, kDataEvents = 4, kDataMask = 7;
inline constexpr std::uint32_t kActionMask = 8, kActionUnmask = 16, kActionTrigger = 32;

struct RegionAccess {
  std::uint64_t offset;
  std::uint32_t region, count;
};
struct DmaAccess {
  std::uint64_t address, count;
};

}  // namespace wordline::served::vfio
