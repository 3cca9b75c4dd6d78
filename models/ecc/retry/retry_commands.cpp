// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/retry/retry_commands.h"

namespace wordline::ecc {

FlashCommand flash_command(const RetryPhase& phase, const CommandContext& context) {
  const std::optional<FlashOp>& op = row_of(phase.state()).flash;
  if (!op) phase.refuse("flash_command");
  FlashCommand command;
  command.op = *op;
  switch (*op) {
    case FlashOp::kRead:
      command.step = context.step;
      command.codewords = context.pending;
      break;
    case FlashOp::kSetVref:
      command.step = phase.state() == RetryState::kSetFeature ? context.step : context.centre;
      command.offsets = context.settings.table[command.step];
      break;
    case FlashOp::kSoftRead:
      command.step = context.centre;
      command.soft_read = context.soft.read();
      command.soft_level = context.soft.level();
      command.soft_offset =
          soft_offset(command.soft_level, command.soft_read, context.settings.soft_delta[command.soft_level - 1]);
      command.codewords = context.pending;
      break;
    case FlashOp::kRestore:
      break;
  }
  return command;
}

DecodeCommand decode_command(const RetryPhase& phase, const CommandContext& context) {
  const std::optional<DecodeOp>& op = row_of(phase.state()).decode;
  if (!op) phase.refuse("decode_command");
  const RetrySettings& settings = context.settings;
  DecodeCommand command;
  command.op = *op;
  command.level = context.soft.level();
  command.codewords = context.pending;
  switch (*op) {
    case DecodeOp::kT1:
      command.max_iterations = settings.t1_iterations;
      break;
    case DecodeOp::kT2H:
      command.llr = settings.llr[0];
      command.max_iterations = settings.t2_iterations;
      break;
    case DecodeOp::kT2S:
      command.max_iterations = settings.t2_iterations;
      break;
    case DecodeOp::kLoadLlr:
      command.llr = settings.llr[command.level];
      command.codewords.reset();
      break;
  }
  return command;
}

}  // namespace wordline::ecc
