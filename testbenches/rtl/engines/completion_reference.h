// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// What the completion engine does in each clock, written from the NVMe specification's queues: positions are counted
/// without wrapping, a vector's entries and ticks are a map, and a thing to do is a list of clocks.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include "rtl/verilated/completion.h"
#include "tlm/device/nvme/nvme.h"

namespace wordline::testing::engines {

class CompletionReference {
 public:
  using Inputs = rtl::Completion::Inputs;
  using Outputs = rtl::Completion::Outputs;

  /// `in`: what is offered in this clock.
  [[nodiscard]] Outputs outputs(const Inputs& in) const {
    Outputs out;
    out.command_ready = at_ == At::kCommand;
    out.refused = refused_;
    out.post_ready = at_ == At::kTaken;
    out.dropped = dropped_;
    out.host_valid = at_ == At::kEntry;
    if (out.host_valid) {
      const Queue& queue = queues_.at(in.post.queue);
      out.host_address = queue.base + queue.posted % queue.size * sizeof(host::nvme::CompletionEntry);
      host::nvme::CompletionEntry entry{};
      entry.dw0 = in.post.result;
      entry.sq_head = in.post.sq_head;
      entry.sq_id = in.post.sq;
      entry.cid = in.post.cid;
      entry.status = host::nvme::status_word(in.post.status, queue.posted / queue.size % 2 == 0);
      std::memcpy(out.host_data.data(), &entry, sizeof entry);
    }
    out.fatal = fatal_;
    out.message_valid = at_ == At::kMessage && !is_masked(message_);
    out.message_vector = message_;
    out.busy = at_ != At::kIdle || !under_way_.empty() || tick_ || sendable().has_value();
    return out;
  }

  void clock(const Inputs& in) {
    const At before = at_;
    const bool tick = tick_;
    refused_ = dropped_ = false;
    fatal_ = fatal_ || (in.host_written && in.host_error);
    switch (before) {
      case At::kIdle:
        next(in);
        break;
      case At::kCommand:
        at_ = At::kIdle;
        full_ = false;
        command(in.command);
        break;
      case At::kWritten:
        at_ = At::kIdle;
        told(under_way_.front());
        under_way_.pop_front();
        --written_;
        break;
      case At::kScan:
        if (waiting_.count(scan_) != 0) {
          at_ = At::kScanned;
        } else if (++scan_ == rtl::Completion::kQueues) {
          at_ = At::kIdle;
        }
        break;
      case At::kScanned:
        scanned();
        break;
      case At::kPending:
        pending_.erase(message_);
        at_ = At::kMessage;
        break;
      case At::kPost:
        post(in.post);
        break;
      case At::kEntry:
        if (!in.host_ready) break;
        {
          Queue& queue = queues_.at(in.post.queue);
          ++queue.posted;
          under_way_.push_back({queue.interrupts, !coalesces(queue.vector), queue.vector});
        }
        at_ = At::kTaken;
        break;
      case At::kTaken:
        at_ = At::kIdle;
        break;
      case At::kMessage:
        if (is_masked(message_)) {
          pending_.insert(message_);
        } else if (!in.message_ready) {
          break;
        }
        at_ = scan_ < rtl::Completion::kQueues ? At::kScan : At::kIdle;
        break;
    }
    if (at_ == At::kIdle) scan_ = rtl::Completion::kQueues;
    if (in.host_written) ++written_;
    tick_ = (tick_ && !(before == At::kIdle && tick && at_ == At::kScan)) || in.tick;
  }

 private:
  enum class At : std::uint8_t {
    kIdle,
    kCommand,
    kWritten,
    kScan,
    kScanned,
    kPending,
    kPost,
    kEntry,
    kTaken,
    kMessage
  };
  struct Queue {
    std::uint64_t base = 0, posted = 0, consumed = 0;
    std::uint32_t size = 0;
    bool interrupts = false;
    std::uint8_t vector = 0;
  };
  struct Entry {
    bool interrupts, message;
    std::uint8_t vector;
  };
  struct Waiting {
    unsigned entries, ticks;
  };

  [[nodiscard]] bool is_masked(std::uint8_t vector) const { return vector < 32 && masked_.count(vector) != 0; }
  [[nodiscard]] std::optional<std::uint8_t> sendable() const {
    for (const std::uint8_t vector : pending_) {
      if (!is_masked(vector)) return vector;
    }
    return std::nullopt;
  }
  [[nodiscard]] bool coalesces(std::uint8_t vector) const {
    return threshold_ != 0 && time_ != 0 && vector != 0 && alone_.count(vector) == 0;
  }

  void next(const Inputs& in) {
    if (in.command_valid) {
      at_ = At::kCommand;
    } else if (written_ != 0) {
      at_ = At::kWritten;
    } else if (tick_) {
      begin_scan(false);
    } else if (sendable().has_value()) {
      message_ = *sendable();
      at_ = At::kPending;
    } else if (in.post_valid && !full_ && under_way_.size() < rtl::Completion::kUnderWay) {
      at_ = At::kPost;
    }
  }

  void begin_scan(bool flush) {
    at_ = At::kScan;
    scan_ = 0;
    flush_ = flush;
  }

  void command(const rtl::Completion::Command& command) {
    using Op = rtl::Completion::Op;
    switch (command.op) {
      case Op::kCreate:
        queues_[command.queue] = {command.base,  0, 0, (command.value & 0xffffU) + 1, (command.value >> 16 & 1U) != 0,
                                  command.vector};
        break;
      case Op::kDelete:
        queues_.erase(command.queue);
        break;
      case Op::kHead: {
        const auto found = queues_.find(command.queue);
        refused_ = found == queues_.end() || !ring(found->second, command.value & 0xffffU);
        break;
      }
      case Op::kCoalesce:
        threshold_ = command.value & 0xffU;
        time_ = command.value >> 8 & 0xffU;
        begin_scan(true);
        break;
      case Op::kVector:
        if (command.value != 0) {
          alone_.erase(command.vector);
          break;
        }
        alone_.insert(command.vector);
        if (waiting_.erase(command.vector) != 0) send(command.vector);
        break;
      case Op::kMask:
      case Op::kUnmask:
        for (std::uint8_t vector = 0; vector < 32; ++vector) {
          if ((command.value >> vector & 1U) == 0) continue;
          if (command.op == Op::kMask) {
            masked_.insert(vector);
          } else {
            masked_.erase(vector);
          }
        }
        break;
    }
  }

  static bool ring(Queue& queue, std::uint32_t head) {
    if (head >= queue.size) return false;
    const std::uint64_t consumed = (head + queue.size - queue.consumed % queue.size) % queue.size;
    if (consumed > queue.posted - queue.consumed) return false;
    queue.consumed += consumed;
    return true;
  }

  void send(std::uint8_t vector) {
    message_ = vector;
    at_ = At::kMessage;
  }

  void told(const Entry& entry) {
    message_ = entry.vector;
    if (!entry.interrupts) return;
    if (entry.message) {
      at_ = At::kMessage;
      return;
    }
    Waiting& of = waiting_.insert({entry.vector, {0, time_ + 1}}).first->second;
    if (++of.entries > threshold_) {
      waiting_.erase(entry.vector);
      at_ = At::kMessage;
    }
  }

  void scanned() {
    Waiting& of = waiting_.at(static_cast<std::uint8_t>(scan_));
    const auto vector = static_cast<std::uint8_t>(scan_++);
    at_ = scan_ < rtl::Completion::kQueues ? At::kScan : At::kIdle;
    if (flush_ || --of.ticks == 0) {
      waiting_.erase(vector);
      send(vector);
    }
  }

  void post(const rtl::Completion::Post& post) {
    const auto found = queues_.find(post.queue);
    if (found == queues_.end()) {
      dropped_ = true;
      at_ = At::kTaken;
    } else if (found->second.posted - found->second.consumed == found->second.size - 1) {
      full_ = true;
      at_ = At::kIdle;
    } else {
      at_ = At::kEntry;
    }
  }

  At at_ = At::kIdle;
  std::map<std::uint8_t, Queue> queues_;
  std::map<std::uint8_t, Waiting> waiting_;  // vectors with entries that no message has told of
  std::set<std::uint8_t> alone_, masked_, pending_;
  unsigned threshold_ = 0, time_ = 0;
  std::deque<Entry> under_way_;
  std::size_t written_ = 0;
  unsigned scan_ = rtl::Completion::kQueues;  // vector that is looked at
  std::uint8_t message_ = 0;
  bool flush_ = false, full_ = false, refused_ = false, dropped_ = false, fatal_ = false, tick_ = false;
};

}  // namespace wordline::testing::engines
