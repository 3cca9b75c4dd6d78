// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "models/firmware/contract/contract.h"
#include "rtl/slot/waits.h"
#include "rtl/verilated/l2p_lookup.h"
#include "tlm/device/engines/map_reader.h"

namespace wordline::engines {

/// An L2P lookup in gates: a request from its offer to its answer, with map and states as they are then. Every memory
/// answers in the next clock, and a burst of DRAM comes in four clocks; what DRAM takes beyond that is its port's. With
/// `waits` ports wait at times and answers come later, which is for no time but to put handshakes to the test.
class LookupGates {
 public:
  using Door = rtl::EngineDoor<rtl::L2pPorts>;

  struct Tables {
    rtl::L2pPorts::Settings registers;
    const MapReader& map;
    wl_lpage_state* states;
    wl_lookup* answer;  // of the request's tag
  };
  struct Lookup {
    std::uint64_t clocks;    // from the offer to the answer
    std::uint64_t interval;  // until the next request is taken
    bool written;
    std::string place;  // of the answer, for messages
  };

  explicit LookupGates(std::unique_ptr<Door> gates = std::make_unique<rtl::L2pLookup>(),
                       rtl::Waits waits = rtl::Waits())
      : gates_(std::move(gates)), waits_(waits) {}

  /// Throws std::runtime_error where the gates refuse the request, or do what they may not do.
  Lookup run(const Tables& tables, const rtl::L2pPorts::Request& request);

 private:
  void offer_inputs(const Tables& tables);
  void follow(const Tables& tables, const rtl::L2pPorts::Outputs& out);
  void access(const Tables& tables, const rtl::WordMemoryOut& out);
  void write_answer(const Tables& tables, std::uint32_t address, std::uint32_t word) const;
  void burst(const Tables& tables, std::uint32_t address);
  [[noreturn]] void fail(const std::string& what) const;

  const std::unique_ptr<Door> gates_;
  rtl::Waits waits_;
  rtl::L2pPorts::Inputs in_;
  std::deque<rtl::L2pPorts::Words> answers_;  // of tightly coupled memory, that are to come
  std::deque<std::uint32_t> beats_;           // the first map entry of each that is to come
  std::uint64_t clock_ = 0;                   // of the request
};

}  // namespace wordline::engines
