// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/slot/slot_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

namespace wordline::rtl {
namespace {

constexpr unsigned kWords = 16;  // words of the widest port, a submission queue entry

std::vector<LoadedBlock::Handle> all_pins(const LoadedBlock& block, const Slot& slot) {
  std::vector<LoadedBlock::Handle> pins;
  for (const SlotPort& port : slot.ports) {
    if (std::string_view(port.name) != "clk_i") pins.push_back(block.pin(port.name));
  }
  return pins;
}

std::vector<LoadedBlock::Handle> shown_of(const LoadedBlock& block, const std::vector<LoadedBlock::Handle>& pins) {
  std::vector<LoadedBlock::Handle> shown;
  for (const LoadedBlock::Handle pin : pins) {
    if (block.description().pins[pin].bits <= 64) shown.push_back(pin);
  }
  for (std::uint32_t i = 0; i < block.description().status_count; ++i) {
    shown.push_back(block.description().status[i].pin);
  }
  return shown;
}

std::size_t bytes_of(unsigned bits) {
  if (bits > 64) return (bits + 31) / 32 * sizeof(std::uint32_t);
  return bits > 32 ? 8 : bits > 16 ? 4 : bits > 8 ? 2 : 1;
}

}  // namespace

SlotEngine::SlotEngine(const std::string& path, const Slot& slot, const char* noun)
    : block_(path, slot),
      noun_(noun),
      pins_(all_pins(block_, slot)),
      shown_(shown_of(block_, pins_)),
      window_(window_pins(block_, shown_)) {}

void SlotEngine::add_offer(const std::string& name) {
  Offer offer{name, block_.pin((name + "_valid_o").c_str()), block_.pin((name + "_ready_i").c_str()), {}};
  for (const LoadedBlock::Handle pin : pins_) {
    const wordline_rtl_pin& port = block_.description().pins[pin];
    const bool is_of_it = std::string_view(port.name).rfind(name + "_", 0) == 0;
    if (is_of_it && port.direction == WORDLINE_RTL_OUT && pin != offer.valid) offer.payload.push_back(pin);
  }
  offers_.push_back(std::move(offer));
}

void SlotEngine::evaluate() {
  std::array<std::uint32_t, kWords> words;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (!places_[i].is_input) continue;
    words.fill(0);
    std::memcpy(words.data(), places_[i].value, bytes_of(places_[i].bits));
    block_.set_words(pins_[i], words.data());
  }
  block_.evaluate();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (places_[i].is_input) continue;
    words.fill(0);
    block_.get_words(pins_[i], words.data());
    std::memcpy(places_[i].value, words.data(), bytes_of(places_[i].bits));
  }
}

/// What is written says something only with a write.
std::vector<std::uint32_t> SlotEngine::words_of(const Offer& offer) const {
  std::vector<std::uint32_t> all;
  bool reads = false;
  for (const LoadedBlock::Handle pin : offer.payload) {
    const std::string_view name = block_.description().pins[pin].name;
    std::array<std::uint32_t, kWords> words{};
    block_.get_words(pin, words.data());
    if (name == "mem_write_o") reads = words[0] == 0;
    if (name == "mem_wdata_o" && reads) words.fill(0);
    all.insert(all.end(), words.begin(), words.end());
  }
  return all;
}

/// What was offered before is offered still, and is the same.
std::string SlotEngine::offers_problem() const {
  for (const Offer& offer : offers_) {
    const bool valid = block_.get(offer.valid) != 0;
    if (in_reset()) {
      // Registers take the reset a clock later.
      if (was_reset_ && valid) return fmt::format("{}_valid_o is high in reset", offer.name);
      continue;
    }
    if (!offer.held) continue;
    if (!valid) return fmt::format("{0}_valid_o fell before {0}_ready_i had taken it", offer.name);
    const std::vector<std::uint32_t> now = words_of(offer);
    const auto differs = std::mismatch(now.begin(), now.end(), offer.before.begin());
    if (differs.first == now.end()) continue;
    const std::size_t pin = static_cast<std::size_t>(differs.first - now.begin()) / kWords;
    return fmt::format("{} changed before {}_ready_i had taken it", block_.description().pins[offer.payload[pin]].name,
                       offer.name);
  }
  return {};
}

const SlotEngine::Offer& SlotEngine::offer_of(const Memory& memory) const {
  return *std::find_if(offers_.begin(), offers_.end(), [&](const Offer& offer) { return offer.name == memory.name; });
}

std::string SlotEngine::memories_problem() const {
  for (const Memory& memory : memories_) {
    if (block_.get(offer_of(memory).valid) == 0) continue;
    if (inside_ == 0) return fmt::format("{}_valid_o is high, and no {} is inside", memory.name, noun_);
    if (memory.open + memory.of_a_request > memory.credits) {
      return fmt::format("{}_valid_o is high with {} answers to come: there is no credit for another request",
                         memory.name, memory.open);
    }
  }
  return {};
}

void SlotEngine::follow() {
  was_reset_ = in_reset();
  if (was_reset_) {
    for (Offer& offer : offers_) offer.held = false;
    return;
  }
  const Happened what = happened();
  bool moved = what.taken || what.ended || what.moved;
  for (std::size_t i = 0; i < memories_.size(); ++i) {
    const Offer& offer = offer_of(memories_[i]);
    if (block_.get(offer.valid) != 0 && block_.get(offer.ready) != 0) {
      memories_[i].open += memories_[i].of_a_request;
    }
    memories_[i].open -= what.answered.at(i);
    moved = moved || what.answered[i] != 0;
  }
  for (Offer& offer : offers_) {
    const bool valid = block_.get(offer.valid) != 0, ready = block_.get(offer.ready) != 0;
    moved = moved || (valid && ready);
    offer.held = valid && !ready;
    if (offer.held) offer.before = words_of(offer);
  }
  inside_ += what.taken ? 1 : 0;
  requests_ += what.taken ? 1 : 0;
  inside_ -= what.ended ? 1 : 0;
  still_ = moved || (inside_ == 0 && !offered()) ? 0 : still_ + 1;
}

void SlotEngine::tick() {
  at_ = block_.clocks();
  try {
    evaluate();
  } catch (const SlotError& error) {
    fail(error.what());
  }
  look();
  std::uint64_t* values = window_.next();
  for (const LoadedBlock::Handle pin : shown_) *values++ = block_.get(pin);
  std::string found = offers_problem();
  if (found.empty() && !in_reset()) found = memories_problem();
  if (found.empty() && !in_reset()) found = problem();
  if (!found.empty()) fail(found);
  follow();
  if (still_ >= kLimit) {
    fail(inside_ != 0 ? fmt::format("no answer, and nothing at a port for {} clocks", still_)
                      : fmt::format("the {} is not taken for {} clocks", noun_, still_));
  }
  try {
    block_.clock();
  } catch (const SlotError& error) {
    fail(error.what());
  }
}

std::string SlotEngine::where() const { return fmt::format("{} {}, clock {}", noun_, requests_, at_); }

void SlotEngine::fail(const std::string& what) const { throw SlotError(where() + ": " + what); }

}  // namespace wordline::rtl
