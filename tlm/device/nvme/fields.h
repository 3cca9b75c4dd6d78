// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>

namespace wordline::host::nvme {

/// A field of data that host and controller exchange, at any byte.
template <class T>
[[nodiscard]] T load_field(const std::byte* data, std::size_t offset) {
  T value{};
  std::memcpy(&value, data + offset, sizeof value);
  return value;
}
template <class T>
void store_field(std::byte* data, std::size_t offset, T value) {
  std::memcpy(data + offset, &value, sizeof value);
}

}  // namespace wordline::host::nvme
