// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tlm/protocol/interfaces.h"

namespace wordline::memory {

/// The drive's data buffer: content only, one token per slot (models/data/stamp.h). A module that moves data
/// charges the time through DramIf.
class DataBuffer final : public tlm_if::DataBufferIf {
 public:
  explicit DataBuffer(std::uint32_t slots, LpageSize size = {}) : slots_(slots), pool_(size) {}

  data::LpageToken& slot(std::uint32_t index) override {
    return index < slots_.size() ? slots_[index] : no_slot(index);
  }
  data::TokenPool& pool() override { return pool_; }

  [[nodiscard]] std::uint32_t slots() const { return static_cast<std::uint32_t>(slots_.size()); }

 private:
  /// Reports the error.
  data::LpageToken& no_slot(std::uint32_t index);

  std::vector<data::LpageToken> slots_;
  data::LpageToken outside_;  // what an access past the end gets, after its error
  data::TokenPool pool_;
};

}  // namespace wordline::memory
