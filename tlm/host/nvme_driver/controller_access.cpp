// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/host/nvme_driver/controller_access.h"

#include <fmt/format.h>

#include "tlm/protocol/interfaces.h"

namespace wordline::host {

void ControllerAccess::transport(tlm::tlm_command command, std::uint32_t offset, void* data, std::uint32_t bytes,
                                 Picoseconds delay) {
  payload_.set_command(command);
  payload_.set_address(offset);
  payload_.set_data_ptr(static_cast<unsigned char*>(data));
  payload_.set_data_length(bytes);
  payload_.set_streaming_width(bytes);
  payload_.set_byte_enable_ptr(nullptr);
  payload_.set_dmi_allowed(false);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time annotated = tlm_if::to_sc_time(delay);
  socket->b_transport(payload_, annotated);
  if (payload_.is_response_ok()) return;
  SC_REPORT_ERROR("wordline/host", fmt::format("{} of controller register {:x}h was answered with {}",
                                               command == tlm::TLM_READ_COMMAND ? "read" : "write", offset,
                                               payload_.get_response_string())
                                       .c_str());
}

void ControllerAccess::write(std::uint32_t offset, std::uint32_t value) {
  const Picoseconds now = context_.now();
  transport(tlm::TLM_WRITE_COMMAND, offset, &value, sizeof value,
            link_.posted_write(Direction::kDownstream, now, sizeof value) - now);
}

void ControllerAccess::write(std::uint32_t offset, const void* from, std::uint32_t bytes) {
  const Picoseconds now = context_.now();
  transport(tlm::TLM_WRITE_COMMAND, offset, const_cast<void*>(from), bytes,  // a payload has no constant data
            link_.posted_write(Direction::kDownstream, now, bytes) - now);
}

std::uint32_t ControllerAccess::value(std::uint32_t offset) {
  std::uint32_t value = 0;
  transport(tlm::TLM_READ_COMMAND, offset, &value, sizeof value, {});
  return value;
}

}  // namespace wordline::host
