// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// Engines of somebody else's at the places of the shipped ones: SlotEngine with the rules of each. One answer for each
/// request, in order, with its tag; nothing else asks for anything. So many answers are on their way at most, at the
/// ports `mem` and `dram`: their credits.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rtl/slot/slot_engine.h"
#include "rtl/verilated/l2p_lookup.h"
#include "rtl/verilated/parse.h"
#include "rtl/verilated/victim_selector.h"

namespace wordline::rtl {

inline constexpr unsigned kEngineCredits = 4;         ///< answers of tightly coupled memory
inline constexpr unsigned kEngineBeats = 4 * 3 * 16;  ///< beats of DRAM: 16 requests of three bursts

/// What the ports of such an engine hold, by name in a .cpp, and the structs that stand for them.
template <class Ports>
class EnginePins {
 public:
  EnginePins() = default;
  virtual ~EnginePins() = default;
  EnginePins(const EnginePins&) = delete;
  EnginePins& operator=(const EnginePins&) = delete;

  /// In the order of the slot's ports, the clock left out.
  virtual std::vector<SlotEngine::Place> places() = 0;
  virtual std::uint8_t& rst_ni() = 0;
  virtual void drive(const typename Ports::Inputs& inputs) = 0;
  [[nodiscard]] virtual typename Ports::Outputs seen() const = 0;
};

/// What all have in common: ports, reset, a clock.
template <class Ports>
class SlotEngineOf : public SlotEngine, public EngineDoor<Ports> {
 public:
  typename Ports::Outputs step(const typename Ports::Inputs& inputs) final {
    in_ = inputs;
    pins_->drive(in_);
    tick();
    return out_;
  }
  [[nodiscard]] std::string place(std::uint64_t /*clock*/) const final { return where(); }
  [[nodiscard]] bool settles() const final { return true; }

 protected:
  SlotEngineOf(const std::string& path, SlotId slot, const char* noun, std::unique_ptr<EnginePins<Ports>> pins)
      : SlotEngine(path, slot_of(slot), noun), pins_(std::move(pins)) {
    bind(pins_->places());
  }
  /// The end of a constructor: the offers and the memories are known.
  void begin() {
    reset([this] { step({}); });
    pins_->rst_ni() = 1;
  }

  typename Ports::Inputs in_;
  typename Ports::Outputs out_;

 private:
  [[nodiscard]] bool in_reset() const final { return pins_->rst_ni() == 0; }
  void look() final { out_ = pins_->seen(); }

  const std::unique_ptr<EnginePins<Ports>> pins_;
};

class SlotParse final : public SlotEngineOf<ParsePorts> {
 public:
  explicit SlotParse(const std::string& path);  ///< as SlotEngine; then reset

 private:
  [[nodiscard]] std::string problem() const override;
  Happened happened() override;
  [[nodiscard]] bool offered() const override { return in_.entry_valid; }

  std::deque<std::uint16_t> tags_;  // of the entries inside
};

class SlotL2p final : public SlotEngineOf<L2pPorts> {
 public:
  explicit SlotL2p(const std::string& path);  ///< as SlotEngine; then reset

 private:
  [[nodiscard]] std::string problem() const override;
  Happened happened() override;
  [[nodiscard]] bool offered() const override { return in_.request_valid; }

  std::deque<std::uint16_t> tags_;  // of the requests inside
  std::uint32_t looked_up_ = 0;     // map entries of all reads so far
};

class SlotVictim final : public SlotEngineOf<VictimPorts> {
 public:
  explicit SlotVictim(const std::string& path);  ///< as SlotEngine; then reset

 private:
  [[nodiscard]] std::string problem() const override;
  Happened happened() override;
  [[nodiscard]] bool offered() const override { return false; }  // a search is taken as it comes
  [[nodiscard]] bool ends() const { return out_.irq || out_.refused || out_.failed; }

  std::uint32_t searched_ = 0;  // searches so far
};

}  // namespace wordline::rtl
