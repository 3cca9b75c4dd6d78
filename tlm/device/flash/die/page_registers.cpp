// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/die/page_registers.h"

#include <algorithm>

#include "models/ecc/code/codeword.h"

namespace wordline::flash {

unsigned PageRegisters::bit_errors(PlaneId plane, std::uint32_t lpage, unsigned codeword) const {
  const std::uint32_t index = lpage * shapes_.largest().codewords_per_lpage + codeword;
  const unsigned own =
      array_.bit_errors(plane, block(plane), page_of(plane), index, ecc::kCodewordBits, cache(plane).read);
  return std::min(own + copied_.at(plane, block(plane), page_of(plane).value() * shapes_.largest().codewords() + index),
                  ecc::kCodewordBits);
}

void PageRegisters::bit_errors(PlaneId plane, unsigned first, std::vector<unsigned>& errors) const {
  const auto count = static_cast<unsigned>(errors.size());
  array_.bit_errors(plane, block(plane), page_of(plane), {first, count, ecc::kCodewordBits}, cache(plane).read,
                    errors.data());
  if (copied_.empty()) return;
  const std::uint32_t of_page = page_of(plane).value() * shapes_.largest().codewords() + first;
  for (unsigned i = 0; i < count; ++i) {
    errors[i] = std::min(errors[i] + copied_.at(plane, block(plane), of_page + i), ecc::kCodewordBits);
  }
}

}  // namespace wordline::flash
