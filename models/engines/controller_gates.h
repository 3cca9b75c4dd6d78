// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "models/engines/table/engine_table.h"

/// What the features of the NVMe controller (tlm/device/nvme) take in hardware. Nothing here was synthesised: state is
/// counted register by register, logic by the gates below. docs/nvme.md shows the table, and a test holds it to this.
namespace wordline::engines {

/// Ours: a bit of an adder, a subtractor or a comparison of two numbers; of a priority encoder among requests.
inline constexpr double kGatesPerAdderBit = 6;
inline constexpr double kGatesPerRequest = 6;
/// Ours: a bit of a memory with one port beside a flip-flop: for what is read and written one entry at a time.
inline constexpr double kGatesPerMemoryBit = 1.5;

struct ControllerFeature {
  std::string_view name;
  double memory_bits;  // read and written one entry at a time
  double bits;         // in flip-flops: all are looked at in one clock
  double logic;        // gates

  [[nodiscard]] constexpr double gates() const {
    return memory_bits * kGatesPerMemoryBit + bits * kGatesPerBit + logic;
  }
};

namespace detail {
inline constexpr double kQueues = 64;  // the admin queue and 63 others
inline constexpr double kVectors = 64;
inline constexpr double kNamespaces = 32;
inline constexpr double kHandles = 16;
inline constexpr double kTags = 1024;  // nvme.tags as it is by default
inline constexpr double kTimeBits = 48;
inline constexpr double kLbaBits = 48;
}  // namespace detail

inline constexpr std::array kControllerFeatures{
    // Base address, size, tail, next entry to fetch, commands in flight, completion queue; an address adder, two
    // counters that wrap.
    ControllerFeature{"submission queues", detail::kQueues*(64 + 4 * 16 + 6), detail::kQueues * 2,
                      (64 + 2 * 16) * kGatesPerAdderBit},
    // Base address, size, head, tail, promised slots, vector, phase, interrupts enabled.
    ControllerFeature{"completion queues", detail::kQueues*(64 + 4 * 16 + 6 + 2), detail::kQueues * 1,
                      (64 + 3 * 16) * kGatesPerAdderBit},
    // A bit for each queue with entries, where the last turn ended, the burst and how much of it is left.
    ControllerFeature{"arbitration, round robin", 0, detail::kQueues + 6 + 3 + 7,
                      detail::kQueues* kGatesPerRequest + 7 * kGatesPerAdderBit},
    // ... with weights: the class of each queue, where each class goes on, three weights and what is left of them.
    ControllerFeature{"... weights and the urgent class, more", 0, detail::kQueues * 2 + 4 * 6 + 3 * (8 + 8) + 2,
                      3 * detail::kQueues* kGatesPerRequest + 3 * 8 * kGatesPerAdderBit},
    // For each vector entries that no message has told of and when the first one is due; threshold and time.
    ControllerFeature{"interrupt coalescing", detail::kVectors*(8 + 16), detail::kVectors * 2 + 16 + 24,
                      (8 + 16) * kGatesPerAdderBit + detail::kVectors* kGatesPerRequest},
    // Where each one begins and how long it is; begin + LBA, LBA + length against the size.
    ControllerFeature{"namespaces", detail::kNamespaces * 2 * detail::kLbaBits, 2,
                      3 * detail::kLbaBits* kGatesPerAdderBit},
    // ... that come and go: for each its serial number, whether it is attached, leaves, has changed; the search for an
    // unused one, and the comparison of two gaps.
    ControllerFeature{"... that come and go, more", detail::kNamespaces * 32, detail::kNamespaces * 3,
                      detail::kNamespaces* kGatesPerRequest + 2 * detail::kLbaBits* kGatesPerAdderBit},
    // When each tag was taken; counters, stamps and latencies of 12 buckets, active and static; settings; a subtractor,
    // four comparators, the timer.
    ControllerFeature{"latency monitor", detail::kTags* detail::kTimeBits + 2 * 12 * (32 + 64 + 16), 13 * 8,
                      6 * detail::kTimeBits* kGatesPerAdderBit},
    // Ends of the log, which lies in DRAM, length of the context, generation.
    ControllerFeature{"persistent events", 0, 3 * 16 + 32, 2 * 16 * kGatesPerAdderBit},
    // A handle for each placement identifier, events enabled by handle and type.
    ControllerFeature{"placement handles (FDP)", detail::kHandles*(4 + 3), 5, 100},
    // For each command MPTR, PRINFO and three tags, two of them of 16 bits. For each direction a CRC over 64 bits a
    // clock, 16 sums of some 40 bits, two of which are an adder's bit; a tuple under way, its place in the block; three
    // fields compared, the reference tag counted.
    ControllerFeature{"protection information", detail::kTags*(64 + 4 + 16 + 16 + 32), 2 * (16 + 64 + 12),
                      2 * (16 * 40 / 2.0 + 64 + 32) * kGatesPerAdderBit},
};

}  // namespace wordline::engines
