// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/slot/stream_checker.h"

#include <fmt/format.h>

namespace wordline::rtl {

std::string StreamChecker::problem(const StreamPort& port) const {
  if (port.in_reset) {
    // Registers take the reset a clock later.
    return was_reset_ && port.valid ? "m_axis_tvalid_o is high in reset" : "";
  }
  if (held_ && !port.valid) return "m_axis_tvalid_o fell before m_axis_tready_i had taken the beat";
  if (held_ && port.data != before_.data) {
    return fmt::format("m_axis_tdata_o changed from {:016x} to {:016x} while the beat waited for m_axis_tready_i",
                       before_.data, port.data);
  }
  if (held_ && port.last != before_.last) return "m_axis_tlast_o changed while the beat waited for m_axis_tready_i";
  if (!port.valid) return {};
  if (port.last != (beat_ + 1 == beats_)) {
    return port.last ? fmt::format("m_axis_tlast_o is high, expected on beat {} only", beats_ - 1)
                     : "m_axis_tlast_o is low on the last beat of the codeword";
  }
  if ((beat_ > 0 || held_) && port.user != user_) {
    return fmt::format("m_axis_tuser_o is {:x} and was {:x}, expected the same on every beat of a codeword", port.user,
                       user_);
  }
  return {};
}

std::string StreamChecker::clock(const StreamPort& port) {
  std::string found = problem(port);
  if (!found.empty()) return found;
  was_reset_ = port.in_reset;
  if (port.in_reset) {
    held_ = false;
    beat_ = 0;
    return {};
  }
  if (port.valid && beat_ == 0) user_ = port.user;
  held_ = port.valid && !port.ready;
  before_ = port;
  if (port.valid && port.ready) {
    if (port.last) ++packets_;
    beat_ = port.last ? 0 : beat_ + 1;
  }
  return {};
}

}  // namespace wordline::rtl
