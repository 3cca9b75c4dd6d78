// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "models/units/quantity.h"

namespace wordline::host {

/// The controller memory buffer (NVMe Base 2.0, 8.5): memory of the drive that the host writes over the link, and that
/// holds what the controller would otherwise read from host memory: submission entries, PRP lists, SGL segments. The
/// controller finds it at addresses that the host chooses (CMBMSC.CBA).
///
/// Accuracy: a read of the controller takes `latency`, whatever its length, and any number run side by side. What the
/// host writes is there at once; a doorbell behind it comes no earlier than it would be.
class ControllerMemory {
 public:
  /// `bytes`: 0, there is none.
  ControllerMemory(std::uint64_t bytes, Picoseconds latency) : bytes_(bytes), latency_(latency) {}

  [[nodiscard]] std::uint64_t size() const { return bytes_.size(); }
  [[nodiscard]] Picoseconds latency() const { return latency_; }
  [[nodiscard]] std::byte* at(std::uint64_t offset) { return &bytes_[offset]; }

  /// False: it would not end before the last address.
  [[nodiscard]] bool map(std::uint64_t base) {
    mapped_ = base <= UINT64_MAX - (size() - 1);
    base_ = base;
    return mapped_;
  }
  void unmap() { mapped_ = false; }
  [[nodiscard]] bool is_mapped() const { return mapped_; }
  [[nodiscard]] std::uint64_t base() const { return base_; }
  /// The controller finds `address` here.
  [[nodiscard]] bool has(std::uint64_t address) const { return mapped_ && address - base_ < size(); }
  /// Of the first byte; false: some bytes lie behind the end.
  [[nodiscard]] bool read(std::uint64_t address, void* to, std::size_t bytes) const {
    const std::uint64_t offset = address - base_;
    if (bytes > size() - offset) return false;
    if (bytes != 0) std::memcpy(to, &bytes_[offset], bytes);
    return true;
  }

 private:
  std::vector<std::byte> bytes_;
  Picoseconds latency_;
  bool mapped_ = false;
  std::uint64_t base_ = 0;
};

}  // namespace wordline::host
