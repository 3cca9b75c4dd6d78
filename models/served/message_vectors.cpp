// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/served/message_vectors.h"

#include <fmt/format.h>
#include <poll.h>

#include <array>
#include <cstring>
#include <string>
#include <utility>

namespace wordline::served {
namespace {

/// Of other files a write could wait, or fail with a signal.
bool is_event(int file) {
  std::array<char, 64> name{};
  const std::string link = fmt::format("/proc/self/fd/{}", file);
  return readlink(link.c_str(), name.data(), name.size() - 1) > 0 &&
         std::strcmp(name.data(), "anon_inode:[eventfd]") == 0;
}

}  // namespace

bool MessageVectors::hook(std::uint32_t vector, Descriptor event) {
  if (event.is_open() && !is_event(event.get())) return false;
  vectors_[vector].event = std::move(event);
  return true;
}

void MessageVectors::tell(Vector& vector) {
  if (!vector.event.is_open()) return;
  // A counter that is full says what there is to say; a write would wait.
  pollfd room{vector.event.get(), POLLOUT, 0};
  if (poll(&room, 1, 0) != 1) return;
  const std::uint64_t one = 1;
  if (write(vector.event.get(), &one, sizeof one) == static_cast<ssize_t>(sizeof one)) ++told_;
}

void MessageVectors::mask(std::uint32_t vector, bool masked) {
  Vector& of = vectors_[vector];
  of.masked = masked;
  if (!masked && std::exchange(of.pending, false)) tell(of);
}

void MessageVectors::trigger(std::uint32_t vector) {
  ++messages_;
  if (vector >= vectors_.size()) return;
  Vector& of = vectors_[vector];
  if (of.masked) {
    of.pending = true;
  } else {
    tell(of);
  }
}

void MessageVectors::clear() {
  for (Vector& vector : vectors_) vector = {};
}

}  // namespace wordline::served
