// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/ecc/clocked_retry.h"

#include <algorithm>

#include "models/ecc/retry/retry_attempt.h"
#include "rtl/verilated/read_retry_engine.h"
#include "tlm/device/ecc/ecc_registers.h"
#include "tlm/device/ecc/own_retry.h"

namespace wordline::ecc {
namespace {

/// `Machine` is ecc::ReadRetry or what has its calls.
template <class Machine>
class ClockedRetry : public RetryIf {
 public:
  /// `more` for the machine.
  template <class... More>
  ClockedRetry(EccRegisters& registers, Hertz clock, tlm_if::RecorderIf* recorder, const std::string& scope,
               const More&... more)
      : machine_(registers.settings(), registers.ort(), registers.counters(), more...),
        period_(cycles_time(1, clock)),
        recorder_(recorder) {
    if (recorder_ == nullptr) return;
    state_signal_ = recorder_->add_enum(scope, "retry", retry_state_names());
  }

  void start(const RetryRequest& request, Picoseconds at) override {
    clock(at);
    machine_.start(request);
    record();
  }

  Offer next(Picoseconds at) override {
    now_ = std::max(now_, at);
    if (offered_) {
      clock(now_);
      machine_.accept();
      record();
    }
    while (machine_.internal()) {
      clock(now_);
      machine_.advance();
      record();
    }
    const RetryAction action = machine_.next();
    offered_ = action == RetryAction::kFlash || action == RetryAction::kDecode;
    return {action, now_};
  }

  void flash_done(bool ok, Picoseconds at) override {
    clock(at);
    machine_.flash_done(ok);
    record();
  }

  void verdict(const CodewordVerdict& verdict, Picoseconds at) override {
    clock(at);
    machine_.verdict(verdict);
    record();
  }

  void abort(Picoseconds) override { machine_.abort(); }

  RetryResult take_result(Picoseconds at) override {
    clock(at);
    const RetryResult result = machine_.take_result();
    record();
    return result;
  }

  [[nodiscard]] bool idle() const override { return machine_.idle(); }
  [[nodiscard]] RetryState state() const override { return machine_.state(); }
  [[nodiscard]] FlashCommand flash_command() const override { return machine_.flash_command(); }
  [[nodiscard]] DecodeCommand decode_command() const override { return machine_.decode_command(); }

 protected:
  [[nodiscard]] const Machine& machine() const { return machine_; }

 private:
  /// The edge at or after `at`, one after the last.
  void clock(Picoseconds at) {
    const std::int64_t edges = (at.count() + period_.count() - 1) / period_.count();
    now_ = std::max(now_ + period_, period_ * edges);
  }
  void record() {
    if (tlm_if::listens(recorder_)) recorder_->set(state_signal_, now_, static_cast<std::uint64_t>(machine_.state()));
  }

  Machine machine_;
  bool offered_ = false;  // a command that next() has named
  const Picoseconds period_;
  Picoseconds now_{};  // time of the last edge
  tlm_if::RecorderIf* const recorder_;
  tlm_if::RecorderIf::Signal state_signal_{};
};

class ClockedOwnRetry final : public ClockedRetry<OwnRetry>, public OwnBlock {
 public:
  using ClockedRetry<OwnRetry>::ClockedRetry;
  [[nodiscard]] std::vector<std::string> leave_evidence(const std::string& folder) const override {
    return machine().leave_evidence(folder);
  }
  void register_statistics(results::Registry& registry) const override { machine().register_statistics(registry); }
};

}  // namespace

std::unique_ptr<RetryIf> make_retry(const config::Ecc& config, EccRegisters& registers, tlm_if::RecorderIf* recorder,
                                    const std::string& scope) {
  if (!config.rtl.read_retry.empty()) {
    return std::make_unique<ClockedOwnRetry>(registers, config.clock, recorder, scope, config.rtl, scope);
  }
  if (config.model == config::EccModel::kRtl) {
    return std::make_unique<ClockedRetry<rtl::ReadRetryEngine>>(registers, config.clock, recorder, scope);
  }
  return std::make_unique<ClockedRetry<ReadRetry>>(registers, config.clock, recorder, scope);
}

std::unique_ptr<RetryIf> make_retry_attempt(const config::Ecc& config, EccRegisters& registers,
                                            tlm_if::RecorderIf* recorder, const std::string& scope) {
  return std::make_unique<ClockedRetry<RetryAttempt>>(registers, config.clock, recorder, scope);
}

}  // namespace wordline::ecc
