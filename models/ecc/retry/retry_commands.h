// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// Content of the commands of a read-retry controller, by state. RTL: rtl/read_retry/read_retry_commands.sv. Depends on
/// nothing that changes while a command is offered; whether one is offered is not decided here (RetryPhase).
#pragma once

#include "models/ecc/retry/retry_messages.h"
#include "models/ecc/retry/retry_state.h"
#include "models/ecc/retry/soft_sensing.h"

namespace wordline::ecc {

/// What the commands of a read depend on, beside its state.
struct CommandContext {
  const RetrySettings& settings;
  const CodewordMask& pending;
  unsigned step;    ///< step of the hard read
  unsigned centre;  ///< step of the soft reads
  const SoftReads& soft;
};

/// The command that belongs to the state; RetryPhase::refuse() when none does.
[[nodiscard]] FlashCommand flash_command(const RetryPhase& phase, const CommandContext& context);
[[nodiscard]] DecodeCommand decode_command(const RetryPhase& phase, const CommandContext& context);

}  // namespace wordline::ecc
