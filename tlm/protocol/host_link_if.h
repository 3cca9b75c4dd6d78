// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "models/units/quantity.h"
#include "tlm/protocol/calendar.h"

namespace wordline::host {

/// The link to the host as the drive uses it: reservations of time, no content (HostMemoryIf has that). No transfer
/// starts before the present.
class HostLinkIf : virtual public sc_core::sc_interface {
 public:
  /// The drive reads `bytes` of host memory, not before `earliest`. Returns when the last byte is there.
  virtual Picoseconds read(Picoseconds earliest, std::uint64_t bytes) = 0;
  /// The two halves of a read where host memory takes time between them: the request, which arrives there at the time
  /// that is returned, and the data, which are ready there at `ready`. Returns when the last byte is there.
  virtual Picoseconds read_request(Picoseconds earliest) = 0;
  virtual Picoseconds read_data(Picoseconds ready, std::uint64_t bytes) = 0;
  /// The drive writes `bytes` into host memory, not before `earliest`. Returns when the last byte is there; it has left
  /// the drive one latency() before.
  virtual Picoseconds write(Picoseconds earliest, std::uint64_t bytes) = 0;
  /// As many calls of read() or write(), in the order of the list.
  virtual void read_each(std::vector<tlm_if::Transfer>& transfers) = 0;
  virtual void write_each(std::vector<tlm_if::Transfer>& transfers) = 0;
  [[nodiscard]] virtual Picoseconds latency() const = 0;
  /// One direction is taken so long by a packet with `bytes` of data, or by those that they are divided into.
  [[nodiscard]] virtual Picoseconds occupancy(std::uint64_t bytes) = 0;
};

}  // namespace wordline::host
