// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbenches/fuzz/draws.h"
#include "testbenches/fuzz/nvme/hostile_host.h"

namespace wordline::fuzz {

/// Admin commands beyond queues, Identify, Format and Abort, with fields of any value; each fits whatever a drive
/// without faults may say.
[[nodiscard]] HostileCommand hostile_self_test(const HostileHost& host, Draws& draws);
/// A Namespace Management or Attachment that is refused, in a drive all of whose blocks namespace 1 has. Its data, if
/// any, go to `page`.
HostileCommand hostile_namespace(HostileHost& host, Draws& draws, std::uint64_t page);
/// A piece of bytes that are no image, and its commit. `page`: of host memory.
[[nodiscard]] HostileCommand hostile_firmware_image(Draws& draws, std::uint64_t page);

/// Set Features 0Dh: a host that lends memory, takes it back, and lies about it; and it writes into what it may have
/// lent. `pages`: kLentPages and kLentLists of host memory, for that and for lists of it.
inline constexpr std::uint32_t kLentPages = 32, kLentLists = 8;
HostileCommand hostile_host_memory(HostileHost& host, Draws& draws, std::uint64_t pages);

}  // namespace wordline::fuzz
