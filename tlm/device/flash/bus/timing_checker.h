// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <systemc>
#include <vector>

#include "models/config/config.h"
#include "tlm/device/flash/bus/onfi_transaction.h"

namespace wordline::flash {

/// Watches one channel and has the ONFI timing rules of its own: lengths and waits are worked out here from
/// [channels] and the mode of each package, with none of models/onfi's code. Every violation is an SC_ERROR naming the
/// rule and both times, to the picosecond:
///
///   overlap   two segments at once                       length   a segment of the wrong length
///   tWB       confirm to the next use of the LUN, and to R/B_n low (a maximum)
///   tRR       R/B_n high to data output                  tR, tPROG, tBERS, tRST, tSUSP   a command before R/B_n high
///   tADL      address to data input                      tCCS     change column to data, out and in
///   tWHR      command to data output                     tRHW     data output to the next command of the package
///   tDBSY     dummy busy of a multi-plane sequence       tFEAT    busy of SET and GET FEATURES
///   tRCBSY    busy of READ CACHE, at least               tPCBSY   busy of CACHE PROGRAM, at least
///
/// A busy LUN takes status, RESET and suspend (84h, 61h) only. How long a LUN is busy is its own affair: tR and its
/// like are taken from R/B_n, and the rule is that no command comes before.
/// Known gaps: nothing is checked across packages but overlap.
class TimingChecker final : public sc_core::sc_module, public BusSnoopIf {
 public:
  struct Violation {
    std::string rule;
    Picoseconds measured{}, required{};
  };

  /// kAtLeast: of wires whose segments may take longer than they need.
  enum class Lengths : std::uint8_t { kExact, kAtLeast };
  TimingChecker(const sc_core::sc_module_name& name, const config::Channels& channels,
                Lengths lengths = Lengths::kExact);

  void segment(const OnfiTransaction& transaction) override;
  void ready_busy(unsigned die, bool ready, Picoseconds at) override;

  [[nodiscard]] std::uint64_t violations() const { return count_; }
  [[nodiscard]] const Violation& last_violation() const { return last_; }
  [[nodiscard]] std::uint64_t segments() const { return segments_; }

 private:
  static constexpr Picoseconds kNever{-1};
  struct Lun {
    Picoseconds confirm_end = kNever;  // last command that made the LUN busy
    const char* dummy_rule = nullptr;  // tDBSY or tFEAT when that busy has a time of its own
    Picoseconds dummy_busy{};
    const char* array_rule = "tR";     // what the array is busy with
    Picoseconds least_busy{};          // R/B_n low at least for this, from tWB on
    Picoseconds suspend_end = kNever;  // suspend of an array that works behind a ready LUN
    bool array_busy = false;           // array operation, suspend or reset asked for, R/B_n has not risen
    Picoseconds ready_at = kNever;     // last rise of R/B_n; in the future when it was announced
    Picoseconds address_end = kNever;  // 80h ADDR, 85h ADDR
    Picoseconds column_end = kNever;   // change read column
    Picoseconds write_column_end = kNever;
    Picoseconds command_end = kNever;  // 00h: back to data output
  };

  void violate(unsigned die, Picoseconds at, const char* rule, Picoseconds measured, Picoseconds required);
  void at_least(const OnfiTransaction& t, const char* rule, Picoseconds since, Picoseconds required);
  [[nodiscard]] Picoseconds length(const OnfiTransaction& t) const;
  [[nodiscard]] Picoseconds length_sdr(const OnfiTransaction& t) const;
  void switch_mode(const OnfiTransaction& t);
  [[nodiscard]] const config::Channels& rules_of(config::BusMode mode);
  [[nodiscard]] Picoseconds burst(std::uint64_t bytes) const;

  const config::Channels channels_;
  const Lengths lengths_;
  const std::uint32_t packages_;
  std::list<config::Channels> switched_;          // what follows from other modes, as far as they were asked for
  std::vector<const config::Channels*> targets_;  // targets by package: what follows from its mode
  const config::Channels* rules_;                 // rules of the package that is checked
  std::vector<Lun> luns_;
  std::vector<Picoseconds> output_end_;  // output end by package
  Picoseconds bus_end_{};
  std::uint64_t count_ = 0;
  std::uint64_t segments_ = 0;
  Violation last_;
};

}  // namespace wordline::flash
