// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/completion_gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace wordline::host::nvme {
namespace {

using Op = rtl::Completion::Op;

constexpr std::uint64_t kScanClocks = 3 * rtl::Completion::kQueues;  // clocks of a tick, if each vector has a message
constexpr std::uint64_t kMostClocks = 16 + kScanClocks;              // of anything else
constexpr std::int64_t kAllTicks = 257;                              // after as many ticks no vector waits

}  // namespace

CompletionGates::CompletionGates(const Agenda& agenda, const Reports& reports, engines::Pipeline& engine)
    : agenda_(agenda), reports_(reports), engine_(engine), gates_(std::make_unique<rtl::Completion>()) {}

void CompletionGates::reset() {
  guarded("reset", [this] { gates_ = std::make_unique<rtl::Completion>(); });
  messages_.clear();
  fatal_ = false;
}

void CompletionGates::fail(const std::string& what) const { throw std::runtime_error(what); }

/// A step of the gates, and the error that it makes. `asked`: for the message.
template <class Step>
void CompletionGates::guarded(std::string asked, Step step) {
  if (failed_) return;
  asked_ = fmt::format("request {} ({})", ++requests_, std::move(asked));
  at_ = agenda_.now();
  try {
    expect_no_other_message();
    step();
  } catch (const std::runtime_error& error) {  // also an assertion of the gates
    failed_ = true;
    reports_.error("engines.model = rtl: completion engine: {}, clock {}: {}", asked_, clock_, error.what());
  }
}

void CompletionGates::expect_no_other_message() const {
  for (const Message& message : messages_) {
    if (message.at < at_) fail(fmt::format("a message of vector {} was sent, expected none", message.vector));
  }
}

CompletionGates::Outputs CompletionGates::clock(const Inputs& inputs) {
  Inputs in = inputs;
  in.message_ready = true;
  in.host_ready = true;
  const Outputs out = gates_->outputs();
  if (out.message_valid) messages_.push_back({out.message_vector, at_});
  gates_->clock(in);
  ++clock_;
  return out;
}

/// Until it has nothing to do.
void CompletionGates::settle(std::uint64_t most) {
  for (std::uint64_t i = 0; gates_->outputs().busy; ++i) {
    if (i == most) fail(fmt::format("busy_o is high for {} clocks", most));
    clock({});
  }
}

void CompletionGates::command(std::string asked, const rtl::Completion::Command& command, bool refused) {
  guarded(std::move(asked), [&] {
    Inputs in;
    in.command_valid = true;
    in.command = command;
    for (std::uint64_t i = 0; !clock(in).command_ready; ++i) {
      if (i == kMostClocks) fail(fmt::format("command_ready_o is low for {} clocks", kMostClocks));
    }
    if (gates_->outputs().refused != refused) {
      fail(fmt::format("refused_o is {}, expected {}", refused ? 0 : 1, refused ? 1 : 0));
    }
    settle(kMostClocks);
  });
}

void CompletionGates::created(std::uint32_t qid, std::uint64_t base, std::uint32_t size, bool interrupts,
                              std::uint16_t vector) {
  command(fmt::format("create of queue {}", qid),
          {Op::kCreate, static_cast<std::uint8_t>(qid), static_cast<std::uint8_t>(vector), base,
           (size - 1) | (interrupts ? 1U << 16 : 0U)});
}

void CompletionGates::deleted(std::uint32_t qid) {
  command(fmt::format("delete of queue {}", qid), {Op::kDelete, static_cast<std::uint8_t>(qid), 0, 0, 0});
}

/// A value of more than 16 bits reaches no queue.
void CompletionGates::head(std::uint32_t qid, std::uint32_t value, bool taken) {
  if (value > 0xffffU || qid >= rtl::Completion::kQueues) return;
  command(fmt::format("head {} of queue {}", value, qid), {Op::kHead, static_cast<std::uint8_t>(qid), 0, 0, value},
          !taken);
}

void CompletionGates::coalesce(std::uint32_t value) {
  run_ticks();
  command(fmt::format("coalescing {:x}h", value), {Op::kCoalesce, 0, 0, 0, value});
}

void CompletionGates::coalesce_vector(unsigned vector, bool disabled) {
  command(fmt::format("coalescing of vector {} {}", vector, disabled ? "off" : "on"),
          {Op::kVector, 0, static_cast<std::uint8_t>(vector), 0, disabled ? 0U : 1U});
}

void CompletionGates::mask(std::uint32_t vectors, bool masked) {
  command(fmt::format("{} {:x}h", masked ? "mask" : "unmask", vectors),
          {masked ? Op::kMask : Op::kUnmask, 0, 0, 0, vectors});
}

void CompletionGates::run_ticks() {
  const std::int64_t now = agenda_.now().count() / kTick.count();
  const std::int64_t first = std::max(ticks_ + 1, now - kAllTicks);
  ticks_ = now;
  if (first > now) return;
  for (std::int64_t tick = first; tick <= now; ++tick) {
    guarded(fmt::format("tick {}", tick), [&] {
      at_ = kTick * tick;
      Inputs in;
      in.tick = true;
      clock(in);
      settle(kScanClocks);
    });
  }
}

void CompletionGates::check_entry(const Outputs& out, const Bytes& bytes, std::uint64_t address) const {
  if (out.host_address != address)
    fail(fmt::format("host_address_o is {:x}h, expected {:x}h", out.host_address, address));
  if (std::memcmp(out.host_data.data(), bytes.data(), bytes.size()) == 0) return;
  std::array<std::uint32_t, 4> right;
  std::memcpy(right.data(), bytes.data(), bytes.size());
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (out.host_data[i] == right[i]) continue;
    fail(fmt::format("dword {} of host_data_o is {:x}h, expected {:x}h", i, out.host_data[i], right[i]));
  }
}

void CompletionGates::entry(std::uint32_t qid, const CompletionEntry& entry, std::uint64_t address) {
  run_ticks();
  entry_ = fmt::format("entry {} of queue {}, command {:x}h of submission queue {}", ++entries_, qid, entry.cid,
                       entry.sq_id);
  guarded(entry_, [&] {
    post_ = {};
    post_.post_valid = true;
    post_.post = {static_cast<std::uint8_t>(qid),
                  entry.sq_id,
                  entry.sq_head,
                  entry.cid,
                  static_cast<std::uint16_t>(entry.status >> 1),
                  entry.dw0};
    Bytes bytes;
    std::memcpy(bytes.data(), &entry, bytes.size());
    const std::uint64_t begin = clock_;
    bool there = false;
    while (!gates_->outputs().post_ready) {
      if (clock_ - begin == kMostClocks) fail(fmt::format("post_ready_o is low for {} clocks", kMostClocks));
      const Outputs out = clock(post_);
      if (out.host_valid) check_entry(out, bytes, address);
      there = there || out.host_valid;
    }
    if (gates_->outputs().dropped || !there) fail("the entry is dropped");
    engine_.add_clocks(clock_ - begin);
  });
}

void CompletionGates::written(bool good) {
  guarded(entry_ + (good ? ", in host memory" : ", not taken by host memory"), [&] {
    post_.host_written = true;
    post_.host_error = !good;
    const std::uint64_t begin = clock_;
    clock(post_);
    settle(kMostClocks);
    engine_.add_clocks(clock_ - begin);
    fatal_ = fatal_ || !good;
    if (gates_->outputs().fatal != fatal_)
      fail(fmt::format("fatal_o is {}, expected {}", fatal_ ? 0 : 1, fatal_ ? 1 : 0));
  });
}

void CompletionGates::message(unsigned vector) {
  if (failed_) return;
  const auto sent = std::find_if(messages_.begin(), messages_.end(),
                                 [&](const Message& message) { return message.vector == vector; });
  if (sent != messages_.end()) {
    messages_.erase(sent);
    return;
  }
  failed_ = true;
  reports_.error("engines.model = rtl: completion engine: {}, clock {}: no message of vector {} is sent, expected one",
                 asked_, clock_, vector);
}

}  // namespace wordline::host::nvme
