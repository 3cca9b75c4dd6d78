// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "tlm/device/engines/completion_engine.h"
#include "tlm/device/engines/engine.h"

namespace wordline::engines {

/// engines.buffer: runs of a read whose map entries name slots of the write buffer go from there to the host. It copies
/// nothing; the completion engine sends the slots themselves, so firmware must not use them again before quiescence
/// (Quiescence), nor change them in place while ENGINES.SLOTS_READ says that some are read.
class BufferEngine final : public Engine {
 public:
  BufferEngine(const config::Config& config, BlockContext& block, CompletionEngine& completion)
      : Engine(EngineId::kBuffer, config.engines, block), completion_(completion) {
    block.registers.claim(registers::engines::slots_read, [this] { return used_until_ > block_.now() ? 1U : 0U; }, {});
  }

  /// `known`: when the lookup has answered.
  void serve(const wl_host_job& run, Picoseconds known) {
    const Picoseconds left = completion_.send(run, pipeline_.run(block_.now(), known));
    used_until_ = std::max(used_until_, left);
  }
  /// No run that was served uses a slot of the write buffer after that.
  [[nodiscard]] Picoseconds used_until() const { return used_until_; }

 private:
  CompletionEngine& completion_;
  Picoseconds used_until_{};
};

}  // namespace wordline::engines
