// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/served/descriptor.h"

namespace wordline::served {

/// The interrupt vectors of a function, and the eventfd with which a client hears of each. A message of a vector that
/// is masked, stays pending until it is unmasked; one of a vector without an eventfd is counted and nothing else.
class MessageVectors {
 public:
  explicit MessageVectors(unsigned count) : vectors_(count) {}

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(vectors_.size()); }
  /// False: the file is no eventfd. A descriptor that is not open takes the vector's eventfd away.
  [[nodiscard]] bool hook(std::uint32_t vector, Descriptor event);
  void mask(std::uint32_t vector, bool masked);
  void trigger(std::uint32_t vector);
  /// The client has gone.
  void clear();

  /// Messages that came, and those of them that a client has heard of.
  [[nodiscard]] std::uint64_t messages() const { return messages_; }
  [[nodiscard]] std::uint64_t told() const { return told_; }

 private:
  struct Vector {
    Descriptor event;
    bool masked = false, pending = false;
  };
  void tell(Vector& vector);

  std::vector<Vector> vectors_;
  std::uint64_t messages_ = 0, told_ = 0;
};

}  // namespace wordline::served
