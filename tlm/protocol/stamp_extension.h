// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <tlm>

#include "models/data/stamp.h"

namespace wordline::host {

/// Stamps of the user data that a transaction stands for: one for each 512 bytes, in order, at most eight (a page). The
/// bytes of the payload have the right length and are zeros.
///
/// Mandatory for user data. The drive sends it with `served` false; the target moves the stamps and sets it. A
/// transaction that comes back not served has met a memory of bytes, which cannot hold user data of this model.
class StampExtension final : public tlm::tlm_extension<StampExtension> {
 public:
  std::array<data::LbaStamp, kLbasPerHostPage> stamps{};
  std::uint32_t nlb = 0;
  bool served = false;

  [[nodiscard]] tlm::tlm_extension_base* clone() const override {
    auto* copy = new StampExtension;
    copy->copy_from(*this);
    return copy;
  }
  void copy_from(const tlm::tlm_extension_base& other) override {
    const auto& from = static_cast<const StampExtension&>(other);
    stamps = from.stamps;
    nlb = from.nlb;
    served = from.served;
  }
};

}  // namespace wordline::host
