// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/slot/slot_engines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include "rtl/verilated/block_pins.h"
#include "rtl/verilated/l2p_lookup_pins.h"
#include "rtl/verilated/parse_pins.h"
#include "rtl/verilated/victim_selector_pins.h"

namespace wordline::rtl {
namespace {

template <unsigned bits>
using Kept = std::conditional_t<(bits > 64), std::array<std::uint32_t, (bits + 31) / 32>,
                                std::remove_reference_t<PinOf<(bits > 64 ? 64 : bits)>>>;

std::string tag_problem(const std::deque<std::uint16_t>& tags, std::uint16_t tag, const char* noun) {
  if (tags.empty()) return fmt::format("answer_valid_o is high, and no {} is inside", noun);
  if (tag == tags.front()) return {};
  const bool known = std::find(tags.begin(), tags.end(), tag) != tags.end();
  return fmt::format(
      "answer_tag_o is {:x}h, expected {:x}h: {}", tag, tags.front(),
      known ? "answers come in the order of what they answer" : fmt::format("no {} of that tag is inside", noun));
}

std::string busy_problem(bool busy, bool inside, const char* noun) {
  return busy || !inside ? "" : fmt::format("busy_o is low with the {} inside: the drive would stop the clock", noun);
}

std::string open_problem(bool busy, const char* memory, unsigned open) {
  if (busy || open == 0) return {};
  return fmt::format("busy_o is low with {} answers of {} to come: the drive would stop the clock", open, memory);
}

#define WORDLINE_IS_IN_IN true
#define WORDLINE_IS_IN_OUT false

struct ParseStore {
#define WORDLINE_PORT(name, bits, direction) Kept<bits> name{};
#include "rtl/verilated/parse_ports.def"
#undef WORDLINE_PORT
  std::vector<SlotEngine::Place> places() {
    return {
#define WORDLINE_PORT(name, bits, direction) {&name, bits, WORDLINE_IS_IN_##direction},
#include "rtl/verilated/parse_ports.def"
#undef WORDLINE_PORT
    };
  }
};

struct L2pStore {
#define WORDLINE_PORT(name, bits, direction) Kept<bits> name{};
#include "rtl/verilated/l2p_lookup_ports.def"
#undef WORDLINE_PORT
  std::vector<SlotEngine::Place> places() {
    return {
#define WORDLINE_PORT(name, bits, direction) {&name, bits, WORDLINE_IS_IN_##direction},
#include "rtl/verilated/l2p_lookup_ports.def"
#undef WORDLINE_PORT
    };
  }
};

struct VictimStore {
#define WORDLINE_PORT(name, bits, direction) Kept<bits> name{};
#include "rtl/verilated/victim_selector_ports.def"
#undef WORDLINE_PORT
  std::vector<SlotEngine::Place> places() {
    return {
#define WORDLINE_PORT(name, bits, direction) {&name, bits, WORDLINE_IS_IN_##direction},
#include "rtl/verilated/victim_selector_ports.def"
#undef WORDLINE_PORT
    };
  }
};

#undef WORDLINE_IS_IN_IN
#undef WORDLINE_IS_IN_OUT

template <class Pins, class Store>
class PinsOf final : public EnginePins<typename Pins::Ports> {
 public:
  using Ports = typename Pins::Ports;
  std::vector<SlotEngine::Place> places() override { return store_.places(); }
  std::uint8_t& rst_ni() override { return store_.rst_ni; }
  void drive(const typename Ports::Inputs& inputs) override { Pins::drive(store_, inputs); }
  [[nodiscard]] typename Ports::Outputs seen() const override { return Pins::seen(store_); }

 private:
  Store store_;
};

}  // namespace

// ---- parser ---------------------------------------------------------------------------------------------------------

SlotParse::SlotParse(const std::string& path)
    : SlotEngineOf(path, SlotId::kEngineParse, "entry", std::make_unique<PinsOf<ParsePins, ParseStore>>()) {
  add_offer("mem");
  add_offer("answer");
  add_memory("mem", kEngineCredits);
  begin();
}

std::string SlotParse::problem() const {
  std::string found = out_.answer_valid ? tag_problem(tags_, out_.answer.tag, noun()) : "";
  if (found.empty()) found = busy_problem(out_.busy, inside() != 0, noun());
  return found.empty() ? open_problem(out_.busy, "mem", open(0)) : found;
}

SlotEngine::Happened SlotParse::happened() {
  Happened what;
  what.taken = in_.entry_valid && out_.entry_ready;
  what.ended = out_.answer_valid && in_.answer_ready;
  what.answered = {in_.mem_answer ? 1U : 0U};
  if (what.ended) tags_.pop_front();
  if (what.taken) tags_.push_back(in_.tag);
  return what;
}

// ---- L2P lookup -----------------------------------------------------------------------------------------------------

SlotL2p::SlotL2p(const std::string& path)
    : SlotEngineOf(path, SlotId::kEngineL2p, "request", std::make_unique<PinsOf<L2pPins, L2pStore>>()) {
  for (const char* name : {"mem", "dram", "value", "answer"}) add_offer(name);
  add_memory("mem", kEngineCredits);
  add_memory("dram", kEngineBeats, 4);
  begin();
}

std::string SlotL2p::problem() const {
  if (out_.value_valid && inside() == 0) return "value_valid_o is high, and no request is inside";
  std::string found = out_.answer_valid ? tag_problem(tags_, out_.answer.tag, noun()) : "";
  if (found.empty()) found = busy_problem(out_.busy, inside() != 0, noun());
  if (found.empty()) found = open_problem(out_.busy, "mem", open(0));
  if (found.empty()) found = open_problem(out_.busy, "dram", open(1));
  if (!found.empty() || out_.busy || out_.looked_up == looked_up_) return found;
  return fmt::format("looked_up_o is {}, expected {}: the map entries of all reads", out_.looked_up, looked_up_);
}

SlotEngine::Happened SlotL2p::happened() {
  Happened what;
  what.taken = in_.request_valid && out_.request_ready;
  what.ended = out_.answer_valid && in_.answer_ready;
  what.answered = {in_.mem_answer ? 1U : 0U, in_.beat_valid && out_.beat_ready ? 1U : 0U};
  if (what.ended) tags_.pop_front();
  if (!what.taken) return what;
  const L2pPorts::Request& request = in_.request;
  tags_.push_back(request.tag);
  const bool legal =
      request.lpages != 0 && std::uint64_t{request.lpn} + request.lpages <= std::uint64_t{in_.settings.map_lpages};
  if (legal && !request.write) looked_up_ += std::min(request.lpages, 32U);
  return what;
}

// ---- victim selector ------------------------------------------------------------------------------------------------

SlotVictim::SlotVictim(const std::string& path)
    : SlotEngineOf(path, SlotId::kEngineVictim, "search", std::make_unique<PinsOf<VictimPins, VictimStore>>()) {
  add_offer("mem");
  add_memory("mem", kEngineCredits);
  begin();
}

std::string SlotVictim::problem() const {
  if (ends() && inside() == 0) {
    return fmt::format("{} is high, and no search is inside", out_.irq       ? "irq_o"
                                                              : out_.refused ? "refused_o"
                                                                             : "failed_o");
  }
  std::string found = busy_problem(out_.busy || ends(), inside() != 0, noun());
  if (found.empty()) found = open_problem(out_.busy, "mem", open(0));
  if (!found.empty() || out_.busy || ends() || out_.searched == searched_) return found;
  return fmt::format("searched_o is {}, expected {}: all searches", out_.searched, searched_);
}

SlotEngine::Happened SlotVictim::happened() {
  Happened what;
  what.taken = in_.search;
  what.ended = ends();
  what.answered = {in_.memory.answer ? 1U : 0U};
  if (what.taken) ++searched_;
  if (out_.refused) --searched_;
  return what;
}

}  // namespace wordline::rtl
