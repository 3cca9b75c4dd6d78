// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// The read-retry controller of one die with a clock: `rtl/read_retry` or that of `config.rtl.read_retry` (which is an
/// OwnBlock, own_retry.h) when `config.model` is rtl, else its reference
/// (models/ecc/retry/read_retry.h). Both take the same steps in the same clocks: every state takes one clock of
/// `ecc.clock` at the least, a command is taken in the clock in which it is offered, a verdict takes one. Clocks run in
/// bursts when something happens; an idle controller costs nothing.
///
/// Settings, table and counters are those of `registers`, which outlives it. `recorder` may be null; signal "retry" of
/// `scope` is the state by name.
/// It decides nothing of a read, and its clock runs only while a controller works.
#pragma once

#include <memory>
#include <string>

#include "models/config/config.h"
#include "tlm/device/ecc/retry_if.h"
#include "tlm/protocol/recorder_if.h"

namespace wordline::ecc {

class EccRegisters;

[[nodiscard]] std::unique_ptr<RetryIf> make_retry(const config::Ecc& config, EccRegisters& registers,
                                                  tlm_if::RecorderIf* recorder, const std::string& scope);

/// The controller for retries that firmware controls: it carries out one attempt at a time
/// (models/ecc/retry/retry_attempt.h).
[[nodiscard]] std::unique_ptr<RetryIf> make_retry_attempt(const config::Ecc& config, EccRegisters& registers,
                                                          tlm_if::RecorderIf* recorder, const std::string& scope);

}  // namespace wordline::ecc
