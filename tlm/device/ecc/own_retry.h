// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// A read-retry controller of the user's own (`ecc.rtl.read_retry`) with the calls of ecc::ReadRetry. Beside it runs
/// the reference, on the same reads and answers: another command or result ends the run with the read and the clock,
/// unless `ecc.rtl.read_retry_check` is off. The clocks between commands are the block's own affair. Known gap: what
/// the block learns (its entry of the table of optimal references) is compared by its commands only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/config/config.h"
#include "models/ecc/retry/read_retry.h"
#include "models/results/registry.h"
#include "rtl/slot/slot_read_retry.h"
#include "rtl/verilated/read_retry_engine.h"

namespace wordline::ecc {

/// A block of the user's own, as the owner of several sees it.
class OwnBlock {
 public:
  virtual ~OwnBlock() = default;
  /// The files with the block's pins in the last clocks, when it has failed.
  [[nodiscard]] virtual std::vector<std::string> leave_evidence(const std::string& folder) const = 0;
  virtual void register_statistics(results::Registry& registry) const = 0;
};

class OwnRetry {
 public:
  /// Throws config::ConfigError when the block cannot be loaded or does not fit.
  OwnRetry(const RetrySettings& settings, OptimalReferences& ort, RetryCounters& counters,
           const config::RtlBlocks& blocks, std::string scope);

  void start(const RetryRequest& request);
  RetryAction next();
  void accept();
  void advance();
  void flash_done(bool ok);
  void verdict(const CodewordVerdict& verdict);
  void abort();
  RetryResult take_result();

  [[nodiscard]] RetryState state() const { return engine_.state(); }
  [[nodiscard]] bool idle() const { return engine_.idle(); }
  [[nodiscard]] bool internal() const { return !failed_ && engine_.internal(); }
  [[nodiscard]] const FlashCommand& flash_command() const { return engine_.flash_command(); }
  [[nodiscard]] const DecodeCommand& decode_command() const { return engine_.decode_command(); }

  [[nodiscard]] std::vector<std::string> leave_evidence(const std::string& folder) const;
  void register_statistics(results::Registry& registry) const;

 private:
  template <class Step>
  void guarded(Step step);
  void compare(RetryAction block);
  [[noreturn]] void differs(const std::string& what) const;

  const std::string file_, scope_;
  std::unique_ptr<rtl::SlotReadRetry> made_;  // made until the engine has it
  const rtl::SlotReadRetry& block_;
  rtl::ReadRetryEngine engine_;
  RetryCounters reference_counters_;  // nobody's
  std::optional<ReadRetry> reference_;
  bool failed_ = false;
  std::uint64_t reads_ = 0;
  unsigned waited_ = 0;  // clocks since the last command
};

}  // namespace wordline::ecc
