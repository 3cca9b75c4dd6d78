// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/firmware/contract/contract.h"
#include "models/units/quantity.h"
#include "tlm/host/nvme.h"

/// State of the NVMe controller: queues, commands in flight, transfers. Data only; nvme_controller.h acts on it.
namespace wordline::host {

inline constexpr std::uint32_t kNone = UINT32_MAX;
inline constexpr std::uint32_t kMaxIoQueues = 63;  // the admin queue and these: one bit of 64 each
inline constexpr std::uint32_t kMaxQueueEntries = 65536;

/// Submission queue. Positions are modulo the size.
struct SubmissionQueue {
  bool exists = false;
  bool deleting = false;
  std::uint16_t cq = 0;
  std::uint32_t size = 0;
  std::uint64_t base = 0;
  std::uint32_t tail = 0;       // last doorbell
  std::uint32_t fetch = 0;      // next entry to request
  std::uint64_t parsed = 0;     // entries taken so far, counted without wrapping
  std::uint64_t reported = 0;   // of these, the most that a completion entry has reported
  std::uint32_t in_flight = 0;  // commands requested and not completed
  std::vector<Picoseconds> arrived;  // doorbell of each entry

  [[nodiscard]] std::uint32_t pending() const { return tail >= fetch ? tail - fetch : size - fetch + tail; }
};

/// Completion queue. A slot is promised when a completion entry is given to the link, and filled when it arrives:
/// entries of one queue lie in the order of their arrival.
struct CompletionQueue {
  bool exists = false;
  bool interrupts = false;
  bool phase = true;
  std::uint16_t vector = 0;
  std::uint32_t size = 0;
  std::uint64_t base = 0;
  std::uint32_t head = 0;      // last doorbell of the host
  std::uint32_t tail = 0;      // next slot to fill
  std::uint32_t promised = 0;  // slots promised or filled, and not yet consumed by the host
  std::uint32_t users = 0;     // submission queues that complete here
  std::uint32_t waiting = kNone, waiting_last = kNone;  // completions without a slot, in order

  [[nodiscard]] bool full() const { return promised == size - 1; }
  /// Entries from the head to position `to`.
  [[nodiscard]] std::uint32_t posted(std::uint32_t to) const { return to >= head ? to - head : size - head + to; }
};

/// A command in flight; its index is the tag.
struct Command {
  enum class State : std::uint8_t { kFree, kFetched, kFirmware, kCompleting };
  State state = State::kFree;
  bool direct = false;
  std::uint32_t epoch = 0;  // of the controller when it was fetched: an older one was lost in a reset
  nvme::SubmissionEntry sqe{};
  std::uint16_t sq = 0;
  std::uint32_t entry = 0;           // position in the submission queue
  std::uint64_t slba = 0;
  std::uint32_t blocks = 0;
  std::uint32_t ranges = 0;          // Dataset Management
  std::vector<std::uint64_t> pages;  // host pages of the data; the first with its offset
  std::uint32_t pages_expected = 0;
  std::uint64_t list = 0;            // PRP list page being read
  Picoseconds data_end{};            // all data jobs so far have ended by then
  std::uint32_t jobs_running = 0;    // data jobs that end with an action
  bool complete_then = false;        // complete with `status` when none is left
  nvme::Status status = nvme::kSuccess;
};

/// A data job that ends with an action: content to commit, or an event for the firmware.
struct Transfer {
  wl_host_job job{};
  bool event_only = false;  // `event` is all that is left to do
  wl_host_event event{};
};

/// A completion entry on its way.
struct Completion {
  std::uint16_t sq = 0, cq = 0, cid = 0;
  nvme::Status status = nvme::kSuccess;
  std::uint32_t dw0 = 0;
  std::uint32_t epoch = 0;
  std::uint64_t parsed = 0;      // submission queue entries that it reports as taken
  std::uint32_t tag = kNone;     // kNone: an admin command
  Picoseconds ready{};           // may leave from then on
  std::uint32_t next = kNone;    // in the queue of those without a slot
  bool quiet = false;            // `event` is pushed on arrival, before the host sees the entry
  wl_host_event event{};
};

}  // namespace wordline::host
