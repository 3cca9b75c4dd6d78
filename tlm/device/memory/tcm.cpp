// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/memory/tcm.h"

#include <fmt/core.h>

namespace wordline::memory {

Tcm::Tcm(const sc_core::sc_module_name& name, std::uint32_t base, std::uint32_t bytes)
    : sc_module(name), base_(base), memory_(bytes, this->name()), target_(memory_, Picoseconds(0)) {
  socket.register_b_transport(this, &Tcm::b_transport);
  socket.register_transport_dbg(this, &Tcm::transport_dbg);
  socket.register_get_direct_mem_ptr(this, &Tcm::get_direct_mem_ptr);
}

std::byte* Tcm::at(std::uint32_t address, std::size_t bytes) {
  const std::uint64_t offset = static_cast<std::uint64_t>(address) - base_;  // wraps far out of range below the base
  if (address % 4 != 0 || offset >= memory_.size() || bytes > memory_.size() - offset) {
    SC_REPORT_ERROR("wordline/memory",
                    fmt::format("{}: a hardware block asks for {} bytes at {:x}h, which is not a 4-byte aligned range "
                                "inside {:x}h + {:x}h; check the ring and table registers the firmware set",
                                name(), bytes, address, base_, memory_.size())
                        .c_str());
    return nullptr;
  }
  return memory_.data() + offset;
}

}  // namespace wordline::memory
