// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// A block of the user's own at the place of an engine (`engines.rtl.*`, docs/own_rtl.md). It is there twice, with the
/// same requests: one is measured, since its neighbours answer as those of the shipped gates do and its clocks are the
/// drive's; one is tried, since its neighbours let it wait. What is wrong with either is an error of the run that names
/// request and clock; after the first error neither is clocked on.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/checks/load.h"
#include "models/config/config.h"
#include "models/engines/table/engine_table.h"
#include "models/results/registry.h"
#include "rtl/slot/slot_engine.h"
#include "tlm/protocol/recorder_if.h"

namespace wordline::engines {

class OwnEngine {
 public:
  static constexpr std::uint64_t kWaits = 1;  ///< seed of the waits: the same in every run

  enum class Which { kMeasured, kTried };

  /// The file of an engine, "" for none.
  [[nodiscard]] static const std::string& file_of(const config::Engines& config, EngineId id);

  /// Both outlive it. `recorder` may be null.
  OwnEngine(const config::Engines& config, EngineId id, rtl::SlotEngine& measured, rtl::SlotEngine& tried,
            tlm_if::RecorderIf* recorder);

  /// What a step says or throws, as an error of the run; "": nothing was wrong, or something was before.
  [[nodiscard]] std::string guarded(Which which, const std::function<std::string()>& step);
  [[nodiscard]] bool failed() const { return failed_ != nullptr; }

  /// The files with the block's pins in the last clocks, when it has failed.
  [[nodiscard]] std::vector<std::string> leave_evidence(const std::string& folder) const;
  void register_statistics(results::Registry& registry) const;

  /// A block of the slot `Slot` for the engine. Throws config::ConfigError when it cannot be loaded or does not fit.
  template <class Slot>
  [[nodiscard]] static std::unique_ptr<Slot> load(const config::Engines& config, EngineId id) {
    try {
      return std::make_unique<Slot>(file_of(config, id));
    } catch (const rtl::SlotError& error) {
      throw config::ConfigError(key_of(id) + ": error: " + error.what());
    }
  }

 private:
  struct Block {
    rtl::SlotEngine& slot;
    std::string scope;
  };
  [[nodiscard]] static std::string key_of(EngineId id);

  const std::string name_, key_, file_;
  const Block measured_, tried_;
  const Block* failed_ = nullptr;
};

/// The blocks, a line each. Throws config::ConfigError as OwnEngine::load().
[[nodiscard]] std::string describe_blocks(const config::Engines& config);
/// For the page of statistics, which is made without such blocks.
void explain_engine_counters(results::Registry& registry);

}  // namespace wordline::engines
