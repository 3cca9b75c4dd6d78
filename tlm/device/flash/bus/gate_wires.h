// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/config/channel_clocks.h"
#include "models/config/config.h"
#include "models/onfi/interface_clocks.h"
#include "models/onfi/pin_reader.h"
#include "models/results/registry.h"
#include "rtl/slot/block_recording.h"
#include "tlm/device/flash/bus/onfi_transaction.h"
#include "tlm/protocol/recorder_if.h"

namespace wordline::flash {

/// The wires of one channel in gates: every segment that the sequences of the channel ask for is carried by the flash
/// interface in SystemVerilog (rtl/flash_interface), which keeps the waits itself, and is read back from its pins. The
/// dies and the timing checker get what the pins have shown.
///
/// A segment is compared with what was asked for, with the reference clock by clock (onfi::InterfaceClocks), and with
/// the sequence: it starts no earlier than the sequence has calculated, and at most kLatest clocks later. A difference
/// is an SC_ERROR that names segment and clock. Bytes of a page are made from its logical pages, the token first.
///
/// With channels.rtl.flash_sequencer the gates are a block of the user's own: then segments start and end as its pins
/// show, and are compared as rtl::FlashInterfaceEngine has it for kAtLeast; with channels.rtl.flash_sequencer_exact,
/// with the shipped gates clock by clock. After its first difference it is not clocked on.
///
/// Accuracy: the times of the channel in whole clocks of the gates (config::in_whole_clocks); R/B_n is seen two clocks
/// late. Known gaps: no suspend; times do not follow SET FEATURES 01h; reports in the past are not possible, so that
/// R/B_n has to be known ahead (BusSnoopIf::rise_expected).
class GateWires final : public BusSnoopIf {
 public:
  static constexpr std::int64_t kLatest = 4;

  /// `channels`: as configured; `checker` gets the pins' segments, and every edge of R/B_n. `recorder` may be null.
  /// `scope`: of the channel, "ssd.channel0". Throws config::ConfigError when the block of the user's own does not fit.
  /// `programmed`: what the registers of the gates are given when it is not what follows from `channels`; a fault, for
  /// tests.
  GateWires(std::string name, const config::Channels& channels, std::uint32_t lpage_bytes, BusSnoopIf& checker,
            tlm_if::RecorderIf* recorder, const std::string& scope, const config::ChannelClocks* programmed = nullptr);
  ~GateWires() override;
  GateWires(const GateWires&) = delete;
  GateWires& operator=(const GateWires&) = delete;

  /// When the segment will take place, which the sequence wants at `t.start`; `offered`: the gates have it from then
  /// on. Sets `start` and `end`. carry() follows, before the die acts on an input and after it has answered an output.
  void expect(OnfiTransaction& t, Picoseconds offered);
  void carry(OnfiTransaction& t);
  /// The segment carried last, as its pins have shown it.
  [[nodiscard]] const OnfiTransaction& seen() const { return seen_; }

  /// From now on each segment is kept, with what its pins and the block's answer have to be; null: no more.
  void record(rtl::BlockRecording* to) { recording_ = to; }

  // BusSnoopIf
  void segment(const OnfiTransaction& t) override { checker_.segment(t); }
  void ready_busy(unsigned die, bool ready, Picoseconds at) override;
  void rise_expected(unsigned die, Picoseconds at) override;

  [[nodiscard]] std::uint64_t segments() const { return segments_; }
  [[nodiscard]] std::uint64_t clocks() const { return clocks_; }  // that were simulated
  [[nodiscard]] std::uint64_t differences() const { return differences_; }
  void register_statistics(results::Registry& registry) const;
  /// The pins of a block of the user's own in the last clocks, when it has failed or `suspected`: the files.
  [[nodiscard]] std::vector<std::string> leave_evidence(const std::string& folder, bool suspected) const;

 private:
  struct Gates;
  void fill(const OnfiTransaction& t);
  void keep(const onfi::InterfaceSegment& segment, const onfi::PinReader::Segment& read) const;
  void show();
  void show_if_recorded();
  void report(const std::string& what);
  template <class Step>
  void guarded(Step step);

  const std::string name_;
  const std::string scope_, file_;  // scope and file of a block of the user's own
  const std::uint32_t packages_;
  const std::uint32_t lpage_bytes_;
  BusSnoopIf& checker_;
  tlm_if::RecorderIf* const recorder_;
  std::unique_ptr<Gates> gates_;
  std::vector<std::uint8_t> bytes_;
  OnfiTransaction seen_;
  rtl::BlockRecording* recording_ = nullptr;
  std::uint64_t segments_ = 0, clocks_ = 0, differences_ = 0;
};

/// A line about the block of channels.rtl.flash_sequencer, "" without one. Throws config::ConfigError as GateWires
/// does.
[[nodiscard]] std::string describe_block(const config::Channels& channels);
/// For the page of statistics, which is made without such a block.
void explain_sequencer_counters(results::Registry& registry);

}  // namespace wordline::flash
