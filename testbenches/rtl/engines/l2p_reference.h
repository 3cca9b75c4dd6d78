// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// What the L2P lookup does in each clock, written from the contract with the firmware and from the order of its
/// accesses: a request is a list of accesses that is made when it is taken, and its map entries are a list of words to
/// write that is made as beats come.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

#include "models/firmware/contract/contract.h"
#include "rtl/verilated/l2p_lookup.h"

namespace wordline::testing::engines {

class L2pReference {
 public:
  using Inputs = rtl::L2pLookup::Inputs;
  using Outputs = rtl::L2pLookup::Outputs;

  [[nodiscard]] Outputs outputs() const {
    Outputs out;
    out.request_ready = steps_.empty();
    if (!steps_.empty()) {
      const Step& step = steps_.front();
      out.mem.valid = step.kind == Kind::kRead || step.kind == Kind::kWrite;
      out.mem.write = step.kind == Kind::kWrite;
      out.mem.address = step.address;
      out.mem.wdata = word_;
      out.dram_valid = step.kind == Kind::kBurst && held_.size() < rtl::L2pLookup::kDepth;
      out.dram_address = step.address;
    }
    out.beat_ready = back_ == Back::kBeat && !held_.empty() && held_.front().entries != 0;
    out.value_valid = back_ == Back::kValues;
    if (out.value_valid) {
      out.value_address = values_.front().address;
      out.value = values_.front().value;
    }
    out.answer_valid = back_ == Back::kAnswer;
    if (out.answer_valid) out.answer = held_.front().answer;
    out.busy = !steps_.empty() || !held_.empty();
    out.looked_up = looked_up_;
    return out;
  }

  void clock(const Inputs& in) {
    const Outputs out = outputs();
    const std::size_t held = held_.size();  // what is put there in this clock is seen in the next one
    back(in, out, held);
    front(in, out, held);
  }

 private:
  enum class Kind : std::uint8_t { kRead, kState, kWrite, kSettle, kBurst, kPut };
  struct Step {
    Kind kind;
    std::uint32_t address = 0;
    bool last = false;  // burst of the request
  };
  struct Held {
    rtl::L2pLookup::Answer answer;
    std::uint32_t lpn = 0;
    unsigned entries = 0;  // of the map, that are to come
  };
  enum class Back : std::uint8_t { kBeat, kValues, kAnswer };
  struct Value {
    std::uint32_t address, value;
  };

  void take(const Inputs& in) {
    const rtl::L2pLookup::Request& request = in.request;
    const rtl::L2pLookup::Settings& settings = in.settings;
    now_ = {};
    now_.answer.tag = request.tag;
    now_.lpn = request.lpn;
    write_ = request.write;
    now_.answer.refused =
        request.lpages == 0 || std::uint64_t{request.lpn} + request.lpages > std::uint64_t{settings.map_lpages};
    if (now_.answer.refused) {
      steps_.push_back({Kind::kPut});
      return;
    }
    const std::uint32_t pages = request.write ? request.lpages : std::min(request.lpages, WL_LOOKUP_LPAGES);
    for (std::uint32_t i = 0; i < pages; ++i) {
      const std::uint32_t state = settings.lpage_states + (request.lpn + i) % WL_LPAGE_STATES *
                                                              static_cast<std::uint32_t>(sizeof(wl_lpage_state));
      const std::uint32_t changes = settings.lookups + request.tag * static_cast<std::uint32_t>(sizeof(wl_lookup)) +
                                    static_cast<std::uint32_t>(offsetof(wl_lookup, changes)) + i * 4;
      steps_.push_back({Kind::kRead, state});
      steps_.push_back({Kind::kState});
      steps_.push_back({Kind::kWrite, request.write ? state : changes});
    }
    steps_.push_back({Kind::kSettle});
    if (request.write) {
      steps_.push_back({Kind::kPut});
      return;
    }
    now_.entries = pages;
    const std::uint32_t begin = request.lpn / 16, end = (request.lpn + pages - 1) / 16;
    for (std::uint32_t burst = begin; burst <= end; ++burst)
      steps_.push_back({Kind::kBurst, settings.map_base + burst * 64, burst == end});
  }

  void put() {
    held_.push_back(now_);
    looked_up_ += now_.entries;
  }

  /// Nothing more of the request but its answer.
  void give_up() {
    now_.entries = 0;
    steps_.assign({{Kind::kSettle}, {Kind::kPut}});
  }

  void front(const Inputs& in, const Outputs& out, std::size_t held) {
    const bool of_write = write_open_ && in.mem_answer;
    const bool already_failed = now_.answer.failed;
    if (in.mem_answer && in.mem_error) now_.answer.failed = true;
    if (of_write) write_open_ = false;
    if (steps_.empty()) {
      if (in.request_valid) take(in);
      return;
    }
    const Step step = steps_.front();
    switch (step.kind) {
      case Kind::kRead:
        if (in.mem_ready) steps_.pop_front();
        break;
      case Kind::kState:
        if (!in.mem_answer || of_write) break;
        if (!write_ && in.mem_rdata[0] != in.mem_rdata[1]) now_.answer.written = true;
        word_ = write_ ? in.mem_rdata[0] + 1 : in.mem_rdata[2];
        steps_.pop_front();
        if (in.mem_error) give_up();
        break;
      case Kind::kWrite:
        if (!in.mem_ready) break;
        write_open_ = true;
        steps_.pop_front();
        if (already_failed) give_up();
        break;
      case Kind::kSettle:
        if (write_open_) break;
        if (now_.answer.failed) give_up();
        steps_.pop_front();
        break;
      case Kind::kBurst:
        if (!out.dram_valid || !in.dram_ready) break;
        steps_.pop_front();
        if (step.last) put();
        break;
      case Kind::kPut:
        if (held == rtl::L2pLookup::kDepth) break;
        steps_.pop_front();
        put();
        break;
    }
  }

  void back(const Inputs& in, const Outputs& out, std::size_t held) {
    if (back_ == Back::kValues) {
      if (!in.value_ready) return;
      values_.pop_front();
      if (values_.empty()) beat_done();
    } else if (back_ == Back::kAnswer) {
      if (!in.answer_ready) return;
      held_.pop_front();
      back_ = Back::kBeat;
      beats_ = 0;
    } else if (held != 0 && held_.front().entries == 0) {
      back_ = Back::kAnswer;
    } else if (out.beat_ready && in.beat_valid) {
      Held& head = held_.front();
      head.answer.failed = head.answer.failed || in.beat_error;
      for (std::uint32_t i = 0; i < 4 && !in.beat_error; ++i) {
        const std::uint32_t lpn = head.lpn / 16 * 16 + beats_ * 4 + i;
        if (lpn < head.lpn || lpn >= head.lpn + head.entries) continue;
        const std::uint32_t address = in.settings.lookups +
                                      head.answer.tag * static_cast<std::uint32_t>(sizeof(wl_lookup)) +
                                      (lpn - head.lpn) * 4;
        values_.push_back({address, wl_map_resolve(in.beat[i], lpn, in.settings.map_initial ? 1 : 0)});
      }
      back_ = Back::kValues;
      if (values_.empty()) beat_done();
    }
  }

  void beat_done() {
    const Held& head = held_.front();
    const std::uint32_t bursts = (head.lpn + head.entries - 1) / 16 - head.lpn / 16 + 1;
    back_ = ++beats_ == 4 * bursts ? Back::kAnswer : Back::kBeat;
  }

  std::deque<Step> steps_;  // of the request that was taken, from the one under way on
  Held now_;
  bool write_ = false, write_open_ = false;
  std::uint32_t word_ = 0;  // to be written next
  std::deque<Held> held_;
  Back back_ = Back::kBeat;
  std::uint32_t beats_ = 0;
  std::deque<Value> values_;
  std::uint32_t looked_up_ = 0;
};

}  // namespace wordline::testing::engines
