// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace wordline::served {

/// What a function says it is.
struct PciIdentity {
  std::uint16_t vendor = 0, device = 0;  // of the subsystem, too
  std::uint8_t link_speed = 1;           // of four lanes, as PCI Express encodes it
};

/// Configuration space of an NVMe controller (class code 01:08:02): a 64-bit BAR0 with registers and doorbells, a
/// 32-bit BAR4 with table and pending bits of MSI-X, and the capabilities that a driver looks for: power management,
/// MSI-X, PCI Express with Function Level Reset. Pins (INTx) and MSI are not offered.
///
/// Accuracy: registers alone. Memory Space Enable, Bus Master Enable and the power state are kept and have no effect.
/// Source: PCI Express Base 5.0, 7.5 and 7.7.2; NVMe over PCIe Transport 1.0, 2.1.
class PciFunction {
 public:
  static constexpr std::uint32_t kBytes = 4096;
  static constexpr std::uint32_t kTableBar = 4, kPendingBits = 0x1000, kBar4Bytes = 0x2000;

  /// `bar0_bytes`: a power of two. `vectors`: of MSI-X, at most 256.
  PciFunction(std::uint64_t bar0_bytes, unsigned vectors, const PciIdentity& identity);

  /// The lowest speed at which four lanes carry so much, after line coding: 1 is 2.5 GT/s, 4 is 16 GT/s.
  [[nodiscard]] static std::uint8_t link_speed_of(std::uint64_t bytes_per_second);

  /// `offset` and `count` lie within the space.
  void read(std::uint32_t offset, std::uint32_t count, std::byte* to) const;
  /// True: a function level reset has been asked for, and the registers are as at power on.
  [[nodiscard]] bool write(std::uint32_t offset, std::uint32_t count, const std::byte* from);
  void reset();

 private:
  [[nodiscard]] std::uint64_t link_speeds() const;
  void set(std::uint32_t offset, std::uint64_t value, unsigned bytes, std::uint64_t writable = 0);

  const std::uint64_t bar0_bytes_;
  const unsigned vectors_;
  const PciIdentity identity_;
  std::array<std::uint8_t, kBytes> value_{}, writable_{};
};

}  // namespace wordline::served
