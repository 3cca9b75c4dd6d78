// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/slot/slot_read_retry.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

namespace wordline::rtl {
namespace {

constexpr unsigned kWords = 4;  // words of the widest port

template <unsigned bits>
using Kept = std::conditional_t<(bits > 64), std::array<std::uint32_t, (bits + 31) / 32>,
                                std::remove_reference_t<PinOf<(bits > 64 ? 64 : bits)>>>;

template <class Pin>
Pin& place_of(Pin& pin) {
  return pin;
}
template <std::size_t words>
std::uint32_t* place_of(std::array<std::uint32_t, words>& pin) {
  return pin.data();
}

template <class Pin>
void put(LoadedBlock& block, LoadedBlock::Handle pin, const Pin& value) {
  block.set(pin, std::uint64_t{value});
}
template <std::size_t words>
void put(LoadedBlock& block, LoadedBlock::Handle pin, const std::array<std::uint32_t, words>& value) {
  block.set_words(pin, value.data());
}
template <class Pin>
void take(const LoadedBlock& block, LoadedBlock::Handle pin, Pin& value) {
  value = static_cast<Pin>(block.get(pin));
}
template <std::size_t words>
void take(const LoadedBlock& block, LoadedBlock::Handle pin, std::array<std::uint32_t, words>& value) {
  block.get_words(pin, value.data());
}

std::vector<LoadedBlock::Handle> all_pins(const LoadedBlock& block) {
  std::vector<LoadedBlock::Handle> pins;
  for (const SlotPort& port : slot_of(SlotId::kReadRetry).ports) {
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

}  // namespace

struct SlotReadRetry::Store {
#define WORDLINE_PORT(name, bits, direction) Kept<bits> name{};
#include "rtl/verilated/read_retry_ports.def"
#undef WORDLINE_PORT
  [[nodiscard]] ReadRetryPins pins() {
    return {
#define WORDLINE_PORT(name, bits, direction) place_of(name),
#include "rtl/verilated/read_retry_ports.def"
#undef WORDLINE_PORT
    };
  }
};

SlotReadRetry::SlotReadRetry(const std::string& path) : SlotReadRetry(path, std::make_unique<Store>()) {}

SlotReadRetry::SlotReadRetry(const std::string& path, std::unique_ptr<Store> store)
    : ReadRetryDoor(store->pins()),
      store_(std::move(store)),
      block_(path, slot_of(SlotId::kReadRetry)),
      pins_(all_pins(block_)),
      shown_(shown_of(block_, pins_)),
      window_(window_pins(block_, shown_)),
      offers_{offer("flash", store_->flash_valid_o, store_->flash_ready_i),
              offer("decode", store_->decode_valid_o, store_->decode_ready_i),
              offer("result", store_->result_valid_o, store_->result_ready_i)} {}

SlotReadRetry::~SlotReadRetry() = default;

/// The outputs NAME_..._o are the payload of NAME_valid_o.
SlotReadRetry::Offer SlotReadRetry::offer(const char* name, const std::uint8_t& valid,
                                          const std::uint8_t& ready) const {
  const std::string prefix = std::string(name) + "_";
  Offer made{nullptr, nullptr, &valid, &ready, {}};
  for (const SlotPort& port : slot_of(SlotId::kReadRetry).ports) {
    if (std::string_view(port.name) == prefix + "valid_o") {
      made.valid_name = port.name;
    } else if (std::string_view(port.name) == prefix + "ready_i") {
      made.ready_name = port.name;
    } else if (std::string_view(port.name).substr(0, prefix.size()) == prefix && port.direction == WORDLINE_RTL_OUT) {
      made.payload.push_back(block_.pin(port.name));
    }
  }
  return made;
}

void SlotReadRetry::evaluate() {
  std::size_t i = 0;
#define WORDLINE_PUT_IN(name) put(block_, pins_[i], store_->name);
#define WORDLINE_PUT_OUT(name)
#define WORDLINE_PORT(name, bits, direction) \
  WORDLINE_PUT_##direction(name);            \
  ++i;
#include "rtl/verilated/read_retry_ports.def"
#undef WORDLINE_PORT
  try {
    block_.evaluate();
  } catch (const SlotError& error) {
    fail(error.what());
  }
  outputs();
}

void SlotReadRetry::outputs() {
  std::size_t i = 0;
#define WORDLINE_TAKE_IN(name)
#define WORDLINE_TAKE_OUT(name) take(block_, pins_[i], store_->name);
#define WORDLINE_PORT(name, bits, direction) \
  WORDLINE_TAKE_##direction(name);           \
  ++i;
#include "rtl/verilated/read_retry_ports.def"
#undef WORDLINE_PORT
}

std::vector<std::uint32_t> SlotReadRetry::words_of(const Offer& offer) const {
  std::vector<std::uint32_t> all;
  for (const LoadedBlock::Handle pin : offer.payload) {
    std::array<std::uint32_t, kWords> words{};
    block_.get_words(pin, words.data());
    all.insert(all.end(), words.begin(), words.end());
  }
  return all;
}

void SlotReadRetry::check() {
  const bool reset = store_->rst_ni == 0;
  if (store_->pslverr_o != 0 && (store_->psel_i == 0 || store_->penable_i == 0 || store_->pready_o == 0)) {
    fail("pslverr_o is high, and no transfer ends");
  }
  for (const Offer& offer : offers_) {
    if (reset && was_reset_ && *offer.valid != 0) fail(fmt::format("{} is high in reset", offer.valid_name));
    if (!reset) stays(offer);
  }
  if (!reset && store_->request_valid_i != 0 && store_->request_ready_o != 0) ++reads_;
  was_reset_ = reset;
}

/// What was offered before is offered still, and is the same.
void SlotReadRetry::stays(const Offer& offer) const {
  if (!offer.held) return;
  if (*offer.valid == 0) fail(fmt::format("{} fell before {} had taken it", offer.valid_name, offer.ready_name));
  const std::vector<std::uint32_t> now = words_of(offer);
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i] == offer.before[i]) continue;
    fail(fmt::format("{} changed before {} had taken it", block_.description().pins[offer.payload[i / kWords]].name,
                     offer.ready_name));
  }
}

void SlotReadRetry::clock() {
  evaluate();
  std::uint64_t* values = window_.next();
  for (const LoadedBlock::Handle pin : shown_) *values++ = block_.get(pin);
  check();
  for (Offer& offer : offers_) offer.held = offer.held && *offer.ready == 0;
  try {
    block_.clock();
  } catch (const SlotError& error) {
    fail(error.what());
  }
  outputs();
  for (Offer& offer : offers_) {
    if (store_->rst_ni != 0) stays(offer);
    offer.held = store_->rst_ni != 0 && *offer.valid != 0;
    if (offer.held) offer.before = words_of(offer);
  }
}

std::string SlotReadRetry::place() const {
  return fmt::format("read {}, clock {}", reads_ == 0 ? 0 : reads_ - 1, block_.clocks());
}

void SlotReadRetry::fail(const std::string& what) const { throw SlotError(place() + ": " + what); }

void SlotReadRetry::add_status(std::vector<StatusSignal>& signals) const { block_.add_status(signals); }

}  // namespace wordline::rtl
