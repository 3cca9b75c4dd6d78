// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/core.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "models/config/config.h"
#include "models/engines/gate_times.h"
#include "rtl/slot/waits.h"
#include "tlm/device/engines/own_engine.h"
#include "tlm/protocol/recorder_if.h"

namespace wordline::engines {

/// The gates of an engine, whoever made them: the shipped ones, or a block of the user's own, which is there twice
/// (OwnEngine). A step is carried out by each of them and says what is wrong with it.
///
/// `Gates`: the engine's, over an rtl::EngineDoor; `Slot`: such a door to a block of the user's own.
template <class Gates, class Slot>
class EngineGates {
 public:
  using Which = OwnEngine::Which;

  /// Null: engines.model = model. Throws config::ConfigError as OwnEngine::load(). `recorder` may be null.
  template <class... Arguments>
  [[nodiscard]] static std::unique_ptr<EngineGates> make(const config::Engines& config, EngineId id,
                                                         tlm_if::RecorderIf* recorder, const Arguments&... arguments) {
    if (!is_in_gates(config, id)) return nullptr;
    auto made = std::unique_ptr<EngineGates>(new EngineGates());
    if (OwnEngine::file_of(config, id).empty()) {
      made->measured_ = std::make_unique<Gates>(arguments...);
      return made;
    }
    auto measured = OwnEngine::load<Slot>(config, id), tried = OwnEngine::load<Slot>(config, id);
    made->own_ = std::make_unique<OwnEngine>(config, id, *measured, *tried, recorder);
    made->measured_ = std::make_unique<Gates>(arguments..., std::move(measured));
    made->tried_ = std::make_unique<Gates>(arguments..., std::move(tried), rtl::Waits(OwnEngine::kWaits));
    return made;
  }

  /// `step(gates, which)` returns what is wrong, or throws it. Returns the first thing that is, as an error of the run;
  /// "": nothing, or a block of the user's own has failed before. `what`: the step, for the shipped gates.
  template <class Step>
  [[nodiscard]] std::string run(const std::string& what, Step step) {
    if (own_ != nullptr) {
      std::string wrong = own_->guarded(Which::kTried, [&] { return step(*tried_, Which::kTried); });
      if (!wrong.empty()) return wrong;
      return own_->guarded(Which::kMeasured, [&] { return step(*measured_, Which::kMeasured); });
    }
    std::string wrong;
    try {
      wrong = step(*measured_, Which::kMeasured);
    } catch (const std::runtime_error& error) {
      wrong = error.what();
    }
    return wrong.empty() ? "" : fmt::format("engines.model = rtl: {}, {}", what, wrong);
  }

  /// A block of the user's own; null: none.
  [[nodiscard]] const OwnEngine* own() const { return own_.get(); }

 private:
  EngineGates() = default;

  std::unique_ptr<Gates> measured_;  // its clocks are the drive's
  std::unique_ptr<Gates> tried_;     // of a block of the user's own: the one that waits
  std::unique_ptr<OwnEngine> own_;
};

/// Null: `gates` is, or the shipped ones.
template <class Gates>
[[nodiscard]] const OwnEngine* own_of(const Gates& gates) {
  return gates == nullptr ? nullptr : gates->own();
}

}  // namespace wordline::engines
