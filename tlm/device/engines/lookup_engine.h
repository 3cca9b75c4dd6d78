// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "rtl/slot/block_recording.h"
#include "rtl/slot/slot_engines.h"
#include "tlm/device/engines/engine.h"
#include "tlm/device/engines/engine_gates.h"
#include "tlm/device/engines/lookup_gates.h"
#include "tlm/device/engines/map_reader.h"

namespace wordline::engines {

/// engines.l2p: looks up the map in DRAM for a read command, one burst of 64 bytes per 16 map entries, over the DRAM
/// port. The answer lies in tightly coupled memory, since the command may still become the firmware's. It decides
/// nothing: whether a read is served by hardware is up to HardwareReads.
///
/// It has the counters of writes under way too, by which an answer is known to be as new as the host expects
/// (contract/engines.h).
///
/// With engines.model = rtl the gates look up and count; what they answer and the clocks that they take are theirs, and
/// the answer must be the model's. Each request runs alone in the gates: how requests follow each other is the
/// Pipeline's. With engines.rtl.l2p the gates are a block of the user's own (EngineGates).
///
/// Accuracy: a map entry is taken when its lookup is given to the engine, an instant within the access. A lookup takes
/// the gates' clocks for its logical pages and bursts (lookup_clocks()).
/// Known gaps: the gates count writes too, which takes no time here.
class LookupEngine final : public Engine {
 public:
  LookupEngine(const config::Config& config, BlockContext& block, const MapReader& map,
               sc_core::sc_port<tlm_if::DramIf>& dram);

  bool enable(std::uint32_t set) override;

  /// Looks up the first WL_LOOKUP_SECTORS of `pages` logical pages for the command `tag`. Returns when the answer is
  /// known.
  Picoseconds look_up(std::uint16_t tag, std::uint32_t lpn, std::uint32_t pages);
  [[nodiscard]] const wl_lookup& answer(std::uint16_t tag) const { return answers_[tag]; }

  /// A write is given to the firmware.
  void write_begins(std::uint32_t lpn, std::uint32_t pages);
  /// The firmware has yet to change the map for a write of that logical page.
  [[nodiscard]] bool is_written(std::uint32_t lpn) const {
    const wl_lpage_state& state = states_[lpn % WL_LPAGE_STATES];
    return state.opened != state.closed;
  }

  /// From now on each request is kept with what is right of it; null: no more.
  void record(rtl::BlockRecording* to) { recording_ = to; }
  /// A block of the user's own; null: none.
  [[nodiscard]] const OwnEngine* own() const { return own_of(gates_); }

 private:
  /// What is right: the answer, and whether a write of one of the pages is under way.
  struct Right {
    wl_lookup answer;
    bool written;
  };
  [[nodiscard]] Right right(std::uint32_t lpn, std::uint32_t count) const;
  /// Of a lookup.
  struct Times {
    Picoseconds latency, interval;
  };
  [[nodiscard]] Times modelled(std::uint64_t lpages, std::uint64_t bursts) const;
  [[nodiscard]] static Times of_gates(const LookupGates::Lookup& lookup);
  [[nodiscard]] LookupGates::Tables tables(wl_lpage_state* states, wl_lookup* answer) const;
  /// Also says what is wrong.
  [[nodiscard]] LookupGates::Lookup in_gates(const rtl::L2pPorts::Request& request);
  [[nodiscard]] std::string read_in(LookupGates& gates, const rtl::L2pPorts::Request& request, wl_lookup& answer,
                                    LookupGates::Lookup& lookup) const;
  [[nodiscard]] std::string write_in(LookupGates& gates, const rtl::L2pPorts::Request& request, wl_lpage_state* states,
                                     LookupGates::Lookup& lookup) const;
  void keep(const rtl::L2pPorts::Request& request) const;
  static void count_opened(wl_lpage_state* states, std::uint32_t lpn, std::uint32_t pages);

  const std::uint32_t tags_;
  const MapReader& map_;
  sc_core::sc_port<tlm_if::DramIf>& dram_;
  wl_lookup* answers_ = nullptr;      // answers by tag
  wl_lpage_state* states_ = nullptr;  // states by hashed logical page
  std::uint64_t looked_up_ = 0;       // map entries
  using Gates = EngineGates<LookupGates, rtl::SlotL2p>;
  std::unique_ptr<Gates> gates_;  // null: engines.model = model
  rtl::BlockRecording* recording_ = nullptr;
};

}  // namespace wordline::engines
