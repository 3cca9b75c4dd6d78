// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "models/ecc/retry/read_retry.h"
#include "rtl/verilated/read_retry.h"

namespace wordline::testing {

/// RTL and reference differ; says in which clock, state and signal.
class Mismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What is at the inputs in one clock.
struct Stimulus {
  std::optional<ecc::RetryRequest> request;  // stays until taken
  bool abort = false;
  bool flash_ready = true;
  bool decode_ready = true;
  bool result_ready = true;
  std::optional<std::pair<unsigned, bool>> flash_answer;             // tag, ok
  std::optional<std::pair<unsigned, ecc::CodewordVerdict>> verdict;  // tag
  std::optional<rtl::ReadRetry::ApbTransfer> apb;                    // begun when the bus is idle
};

/// The read-retry RTL beside its C++ reference, with the same inputs in every clock: states, commands, results,
/// interrupt and every register that is read are compared, and a difference throws. What has no clock in the
/// reference, time-outs, stalls, registers and interrupts, is written here a second time.
class Lockstep {
 public:
  Lockstep();
  void clock(const Stimulus& stimulus);

  /// A whole transfer in clocks without other inputs.
  rtl::ReadRetry::ApbAnswer apb(const rtl::ReadRetry::ApbTransfer& transfer);
  void write(std::uint32_t address, std::uint32_t data) { apb({true, address, data}); }
  [[nodiscard]] bool apb_idle() const { return phase_ == Phase::kIdle; }
  /// Reads every register.
  void compare_registers();

  [[nodiscard]] const ecc::ReadRetry& model() const { return model_; }
  [[nodiscard]] ecc::OptimalReferences& ort() { return ort_; }
  [[nodiscard]] const ecc::RetryCounters& counters() const { return counters_; }
  [[nodiscard]] const ecc::RetrySettings& settings() const { return settings_; }
  [[nodiscard]] rtl::ReadRetry& dut() { return dut_; }
  [[nodiscard]] unsigned flash_tag() const { return flash_tag_; }    // of the command taken last
  [[nodiscard]] unsigned decode_tag() const { return decode_tag_; }  // of the command taken last
  [[nodiscard]] std::uint64_t clocks() const { return clocks_; }
  [[nodiscard]] const ecc::RetryResult& last() const { return last_; }
  [[nodiscard]] std::uint64_t results() const { return results_; }
  [[nodiscard]] std::uint64_t time_outs() const { return time_outs_; }
  [[nodiscard]] std::uint64_t stale() const { return stale_; }
  [[nodiscard]] std::uint32_t irq_status() const { return irq_status_; }
  [[nodiscard]] std::uint64_t apb_waits() const { return apb_waits_; }  // clocks in which the registers were not ready

 private:
  enum class Phase : std::uint8_t { kIdle, kAccess };

  void drive(const Stimulus& stimulus);
  void compare_outputs() const;
  void step_model(const Stimulus& stimulus);
  void step_timer();
  [[nodiscard]] std::optional<std::uint32_t> read_register(std::uint32_t address) const;  // none: an error
  [[nodiscard]] bool writable(std::uint32_t address, std::uint8_t strobes) const;
  void write_register(std::uint32_t address, std::uint32_t data);
  void check(bool same, const char* what) const {
    if (!same) fail(what);
  }
  [[noreturn]] void fail(const std::string& what) const;

  rtl::ReadRetry dut_;
  ecc::RetrySettings settings_;
  ecc::OptimalReferences ort_{rtl::ReadRetry::kOrtGroups, rtl::ReadRetry::kOrtLayers};
  ecc::RetryCounters counters_;
  ecc::ReadRetry model_{settings_, ort_, counters_};

  std::uint64_t clocks_ = 0;
  unsigned flash_tag_ = rtl::ReadRetry::kTags - 1;
  unsigned decode_tag_ = rtl::ReadRetry::kTags - 1;
  std::uint32_t timer_ = 0;
  std::uint32_t flash_timeout_ = 0;
  std::uint32_t decode_timeout_ = 0;
  std::uint32_t irq_status_ = 0;
  std::uint32_t irq_enable_ = 0;
  std::uint32_t raised_ = 0;  // in this clock
  std::uint32_t ort_index_ = 0;
  std::uint64_t stale_ = 0;
  std::uint64_t results_ = 0;
  std::uint64_t time_outs_ = 0;
  std::uint64_t apb_waits_ = 0;
  ecc::RetryResult last_;
  bool ort_written_ = false;  // by the model in this clock

  Phase phase_ = Phase::kIdle;
  rtl::ReadRetry::ApbTransfer transfer_{};
  rtl::ReadRetry::ApbAnswer answer_{};
};

}  // namespace wordline::testing
