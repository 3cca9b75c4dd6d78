// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tlm/protocol/interfaces.h"

namespace wordline::memory {

/// The drive's data buffer: content only, one token per 4 KiB slot (models/data/stamp.h). Whoever moves data charges
/// the time through DramIf.
class DataBuffer final : public tlm_if::DataBufferIf {
 public:
  explicit DataBuffer(std::uint32_t slots) : slots_(slots) {}

  data::SectorToken& slot(std::uint32_t index) override {
    if (index < slots_.size()) return slots_[index];
    const std::string text = "slot " + std::to_string(index) + " of a data buffer of " + std::to_string(slots_.size()) +
                             " slots: the firmware's job names a slot that does not exist";
    SC_REPORT_ERROR("wordline/memory", text.c_str());
    return outside_;
  }
  data::TokenPool& pool() override { return pool_; }

  [[nodiscard]] std::uint32_t slots() const { return static_cast<std::uint32_t>(slots_.size()); }

 private:
  std::vector<data::SectorToken> slots_;
  data::SectorToken outside_;  // what an access past the end gets, after its error
  data::TokenPool pool_;
};

}  // namespace wordline::memory
