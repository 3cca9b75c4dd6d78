// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// What a pin of a block is, for the lists of ports *_ports.def: a reference to where the block keeps it, or, of more
/// than 64 bits, a pointer to its words, the lowest first.
#pragma once

#include <cstdint>
#include <type_traits>

namespace wordline::rtl {

template <unsigned bits>
using PinOf = std::conditional_t<
    (bits > 64), std::uint32_t*,
    std::conditional_t<(bits > 32), std::uint64_t&,
                       std::conditional_t<(bits > 16), std::uint32_t&,
                                          std::conditional_t<(bits > 8), std::uint16_t&, std::uint8_t&>>>>;

}  // namespace wordline::rtl
