// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/served/pci_function.h"

namespace wordline::served {
namespace {

constexpr std::uint32_t kPowerManagement = 0x40, kMsixCapability = 0x50, kExpress = 0x60;
constexpr std::uint32_t kDeviceControl = kExpress + 8;
constexpr std::uint8_t kInitiateResetHigh = 0x80;  // bit 15 of Device Control
constexpr std::uint32_t kLanes = 4;

}  // namespace

PciFunction::PciFunction(std::uint64_t bar0_bytes, unsigned vectors, const PciIdentity& identity)
    : bar0_bytes_(bar0_bytes), vectors_(vectors), identity_(identity) {
  reset();
}

void PciFunction::set(std::uint32_t offset, std::uint64_t value, unsigned bytes, std::uint64_t writable) {
  for (unsigned i = 0; i != bytes; ++i) {
    value_[offset + i] = static_cast<std::uint8_t>(value >> 8 * i);
    writable_[offset + i] = static_cast<std::uint8_t>(writable >> 8 * i);
  }
}

/// Supported Link Speeds Vector, bit 1 for the first: all up to this link's.
std::uint64_t PciFunction::link_speeds() const { return (std::uint64_t{2} << identity_.link_speed) - 2; }

std::uint8_t PciFunction::link_speed_of(std::uint64_t bytes_per_second) {
  constexpr std::uint64_t kLane[] = {250'000'000, 500'000'000, 984'700'000, 1'969'300'000, 3'938'500'000};
  std::uint8_t code = 1;
  for (const std::uint64_t lane : kLane) code += bytes_per_second > lane * kLanes ? 1 : 0;
  return code;
}

void PciFunction::reset() {
  value_ = {};
  writable_ = {};
  const std::uint64_t names = std::uint64_t{identity_.device} << 16U | identity_.vendor;
  const std::uint64_t link = kLanes << 4U | identity_.link_speed;
  set(0x00, names, 4);
  set(0x04, 0, 2, 0x0546);      // Command: memory space, bus master, parity, SERR, INTx disable
  set(0x06, 0x0010, 2);         // Status: there is a list of capabilities
  set(0x08, 0x01080200ULL, 4);  // NVM Express controller with I/O queues, revision 0
  set(0x0c, 0, 1, 0xff);        // Cache Line Size
  set(0x10, 0x4, 8, ~(bar0_bytes_ - 1));
  set(0x20, 0, 4, ~(std::uint64_t{kBar4Bytes} - 1));
  set(0x2c, names, 4);
  set(0x34, kPowerManagement, 1);
  set(0x3c, 0, 1, 0xff);  // Interrupt Line

  set(kPowerManagement, 0x01 | kMsixCapability << 8U | 0x0003U << 16U, 4);  // version 3, no state but D0 and D3hot
  set(kPowerManagement + 4, 0x0008, 2, 0x0003);                             // No_Soft_Reset

  set(kMsixCapability, 0x11 | kExpress << 8U, 2);
  set(kMsixCapability + 2, vectors_ - 1, 2, 0xc000);  // enable, function mask
  set(kMsixCapability + 4, kTableBar, 4);
  set(kMsixCapability + 8, kPendingBits | kTableBar, 4);

  set(kExpress, 0x0002'0010ULL, 4);                       // version 2, endpoint, end of the list
  set(kExpress + 4, 1U << 28U | 1U << 15U, 4);            // FLR; role-based error reporting
  set(kDeviceControl, 0x2810, 2, 0x7fff);                 // relaxed ordering, no snoop, reads of 512 bytes
  set(kExpress + 12, link, 4);                            // Link Capabilities
  set(kExpress + 16, 0, 2, 0x0fff);                       // Link Control
  set(kExpress + 18, link, 2);                            // Link Status
  set(kExpress + 0x28, 0, 2, 0x001f);                     // Device Control 2
  set(kExpress + 0x2c, link_speeds(), 4);                 // Link Capabilities 2
  set(kExpress + 0x30, identity_.link_speed, 2, 0x000f);  // Link Control 2
}

void PciFunction::read(std::uint32_t offset, std::uint32_t count, std::byte* to) const {
  for (std::uint32_t i = 0; i != count; ++i) to[i] = static_cast<std::byte>(value_[offset + i]);
}

bool PciFunction::write(std::uint32_t offset, std::uint32_t count, const std::byte* from) {
  bool resets = false;
  for (std::uint32_t i = 0; i != count; ++i) {
    const auto byte = static_cast<std::uint8_t>(from[i]);
    std::uint8_t& value = value_[offset + i];
    const std::uint8_t mask = writable_[offset + i];
    value = static_cast<std::uint8_t>((value & ~mask) | (byte & mask));
    resets = resets || (offset + i == kDeviceControl + 1 && (byte & kInitiateResetHigh) != 0);
  }
  if (resets) reset();
  return resets;
}

}  // namespace wordline::served
