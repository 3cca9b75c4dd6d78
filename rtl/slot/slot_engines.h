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

#include "rtl/slot/slot_engine.h"
#include "rtl/verilated/l2p_lookup.h"
#include "rtl/verilated/parse.h"
#include "rtl/verilated/victim_selector.h"

namespace wordline::rtl {

inline constexpr unsigned kEngineCredits = 4;         ///< answers of tightly coupled memory
inline constexpr unsigned kEngineBeats = 4 * 3 * 16;  ///< beats of DRAM: 16 requests of three bursts

class SlotParse final : public SlotEngine, public EngineDoor<ParsePorts> {
 public:
  explicit SlotParse(const std::string& path);  ///< as SlotEngine; then reset
  ~SlotParse() override;

  ParsePorts::Outputs step(const ParsePorts::Inputs& inputs) override;
  [[nodiscard]] std::string place(std::uint64_t /*clock*/) const override { return where(); }
  [[nodiscard]] bool settles() const override { return true; }

 private:
  struct Store;
  [[nodiscard]] std::string problem() const override;
  Happened happened() override;
  [[nodiscard]] bool in_reset() const override;
  [[nodiscard]] bool offered() const override { return in_.entry_valid; }
  void look() override;

  std::unique_ptr<Store> store_;
  ParsePorts::Inputs in_;
  ParsePorts::Outputs out_;
  std::deque<std::uint16_t> tags_;  // of the entries inside
};

class SlotL2p final : public SlotEngine, public EngineDoor<L2pPorts> {
 public:
  explicit SlotL2p(const std::string& path);  ///< as SlotEngine; then reset
  ~SlotL2p() override;

  L2pPorts::Outputs step(const L2pPorts::Inputs& inputs) override;
  [[nodiscard]] std::string place(std::uint64_t /*clock*/) const override { return where(); }
  [[nodiscard]] bool settles() const override { return true; }

 private:
  struct Store;
  [[nodiscard]] std::string problem() const override;
  Happened happened() override;
  [[nodiscard]] bool in_reset() const override;
  [[nodiscard]] bool offered() const override { return in_.request_valid; }
  void look() override;

  std::unique_ptr<Store> store_;
  L2pPorts::Inputs in_;
  L2pPorts::Outputs out_;
  std::deque<std::uint16_t> tags_;  // of the requests inside
  std::uint32_t looked_up_ = 0;     // map entries of all reads so far
};

class SlotVictim final : public SlotEngine, public EngineDoor<VictimPorts> {
 public:
  explicit SlotVictim(const std::string& path);  ///< as SlotEngine; then reset
  ~SlotVictim() override;

  VictimPorts::Outputs step(const VictimPorts::Inputs& inputs) override;
  [[nodiscard]] std::string place(std::uint64_t /*clock*/) const override { return where(); }
  [[nodiscard]] bool settles() const override { return true; }

 private:
  struct Store;
  [[nodiscard]] std::string problem() const override;
  Happened happened() override;
  [[nodiscard]] bool in_reset() const override;
  [[nodiscard]] bool offered() const override { return false; }  // a search is taken as it comes
  void look() override;
  [[nodiscard]] bool ends() const { return out_.irq || out_.refused || out_.failed; }

  std::unique_ptr<Store> store_;
  VictimPorts::Inputs in_;
  VictimPorts::Outputs out_;
  std::uint32_t searched_ = 0;  // searches so far
};

}  // namespace wordline::rtl
