// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// The RTL behind the calls of ecc::ReadRetry, for whoever drives that: every call that moves the reference by one step
/// clocks the RTL once, and a command is taken in the clock in which accept() is called. Between reads the shared
/// settings are written to the registers, the shared table's entry of the h-layer to its table, and entry and counters
/// are read back after the result; these clocks are not steps of a read and not in clocks().
///
/// A job that says at which step its read begins (RetryRequest::started) is given to the RTL as an entry of its table
/// that first reads start from.
///
/// Gaps: a read cannot begin with soft reads; no time_out() (the RTL's own timers are off); settings that change during
/// a read take effect with the next.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "models/ecc/retry/read_retry.h"
#include "rtl/verilated/read_retry.h"

namespace wordline::rtl {

class ReadRetryEngine {
 public:
  /// All three may be shared and must outlive the object.
  ReadRetryEngine(const ecc::RetrySettings& settings, ecc::OptimalReferences& ort, ecc::RetryCounters& counters)
      : settings_(settings), ort_(ort), counters_(counters) {}
  /// A block of somebody else's behind the same pins.
  ReadRetryEngine(const ecc::RetrySettings& settings, ecc::OptimalReferences& ort, ecc::RetryCounters& counters,
                  std::unique_ptr<ReadRetryDoor> door)
      : settings_(settings), ort_(ort), counters_(counters), dut_(std::move(door)) {}

  void start(const ecc::RetryRequest& request);
  ecc::RetryAction next() { return ecc::run_to_action(*this); }
  void accept();
  void advance();
  void flash_done(bool ok);
  void verdict(const ecc::CodewordVerdict& verdict);
  void abort() { dut_.set_abort(true); }  ///< with the next clock
  ecc::RetryResult take_result();

  [[nodiscard]] ecc::RetryState state() const { return dut_.state(); }
  [[nodiscard]] bool idle() const { return state() == ecc::RetryState::kIdle; }
  [[nodiscard]] bool internal() const;
  [[nodiscard]] bool offers_flash() const { return dut_.flash_valid(); }
  [[nodiscard]] bool offers_decode() const { return dut_.decode_valid(); }
  [[nodiscard]] bool awaits_flash() const { return awaits_flash_; }
  [[nodiscard]] bool awaits_verdict() const { return awaited_.any(); }
  [[nodiscard]] const ecc::CodewordMask& awaited() const { return awaited_; }
  /// The command offered, or the one whose answer is awaited.
  [[nodiscard]] const ecc::FlashCommand& flash_command() const;
  [[nodiscard]] const ecc::DecodeCommand& decode_command() const;

  [[nodiscard]] std::uint64_t clocks() const { return clocks_; }  ///< clocks of all reads
  [[nodiscard]] ReadRetry& block() { return dut_; }

 private:
  void clock();
  void write_settings(const ecc::RetrySettings& s);
  void read_counters();
  void write(std::uint32_t address, std::uint32_t data) { (void)dut_.apb({true, address, data}); }
  void refuse(const char* call) const;

  const ecc::RetrySettings& settings_;
  ecc::OptimalReferences& ort_;
  ecc::RetryCounters& counters_;

  ReadRetry dut_;
  std::vector<std::uint32_t> written_;  // written by place in setting_registers(); empty: none yet
  ecc::RetryCounters seen_;             // last values of the registers, modulo 2^32
  ecc::RetryRequest request_;
  bool awaits_flash_ = false;
  ecc::CodewordMask awaited_;
  unsigned flash_tag_ = 0;
  unsigned decode_tag_ = 0;
  mutable ecc::FlashCommand flash_;
  mutable ecc::DecodeCommand decode_;
  std::uint64_t clocks_ = 0;
};

}  // namespace wordline::rtl
