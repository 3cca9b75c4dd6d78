// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/memory/data_buffer.h"

#include <fmt/core.h>

namespace wordline::memory {

data::LpageToken& DataBuffer::no_slot(std::uint32_t index) {
  SC_REPORT_ERROR(
      "wordline/memory",
      fmt::format("slot {} of a data buffer of {} slots: the firmware's job names a slot that does not exist", index,
                  slots_.size())
          .c_str());
  return outside_;
}

}  // namespace wordline::memory
