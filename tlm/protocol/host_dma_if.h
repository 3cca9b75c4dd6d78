// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/data/stamp.h"
#include "models/units/quantity.h"

namespace wordline::host {

/// What belongs to an access: who asked for it, and what that part calls it.
struct DmaAccess {
  class Client;

  Client* client = nullptr;
  std::uint32_t kind = 0;   // the client's own enum
  std::uint32_t index = 0;  // the client's own
};

/// A part of the drive that accesses host memory.
class DmaAccess::Client {
 public:
  /// The access has ended, and host memory has answered at `at`, the present or later. `good`: it has what was asked
  /// for, or has taken what it was given. Called within the call that began the access, or later.
  virtual void dma_ended(const DmaAccess& access, bool good, Picoseconds at) = 0;

 protected:
  ~Client() = default;
};

/// Host memory that takes time: accesses that are begun, and end later. Several may be in flight; they end in any
/// order. Whoever needs an order begins the later one when the earlier has ended (PostedWrites).
///
/// `at`: when the access reaches host memory, the present or later. What is pointed to stays until the access ends.
class HostDmaIf {
 public:
  virtual void begin_read(Picoseconds at, std::uint64_t address, void* to, std::size_t bytes,
                          const DmaAccess& access) = 0;
  virtual void begin_write(Picoseconds at, std::uint64_t address, const void* from, std::size_t bytes,
                           const DmaAccess& access) = 0;
  /// As HostMemoryIf::read_stamps() and write_stamps().
  virtual void begin_read_stamps(Picoseconds at, std::uint64_t address, data::LbaStamp* to, std::uint32_t nlb,
                                 const DmaAccess& access) = 0;
  virtual void begin_write_stamps(Picoseconds at, std::uint64_t address, const data::LbaStamp* from, std::uint32_t nlb,
                                  const DmaAccess& access) = 0;

 protected:
  ~HostDmaIf() = default;
};

}  // namespace wordline::host
