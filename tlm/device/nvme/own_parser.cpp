// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/own_parser.h"

#include <utility>

namespace wordline::host::nvme {

using engines::EngineId;
using engines::OwnEngine;
using Which = OwnEngine::Which;

OwnParser::OwnParser(const config::Engines& config, const ParseTables& tables, tlm_if::RecorderIf* recorder)
    : made_measured_(OwnEngine::load<rtl::SlotParse>(config, EngineId::kParse)),
      made_tried_(OwnEngine::load<rtl::SlotParse>(config, EngineId::kParse)),
      engine_(config, EngineId::kParse, *made_measured_, *made_tried_, recorder),
      measured_(tables, std::move(made_measured_)),
      tried_(tables, std::move(made_tried_), rtl::Waits(OwnEngine::kWaits)) {}

OwnParser::Times OwnParser::take(std::uint32_t tag, const SubmissionEntry& sqe, LpageSize lpage) {
  Taken& taken = taken_[tag];
  taken = {};
  const auto parse = [&](Which which, ParseGates& gates, ParseGates::Parsed& parsed) {
    return engine_.guarded(which, [&] {
      parsed = gates.parse(tag, sqe, lpage);
      return std::string();
    });
  };
  std::string wrong = parse(Which::kTried, tried_, taken.tried);
  if (wrong.empty()) wrong = parse(Which::kMeasured, measured_, taken.measured);
  return {taken.measured.clocks, taken.measured.interval, std::move(wrong)};
}

std::string OwnParser::check(std::uint32_t tag, const ParseGates::Right& right) {
  const Taken& taken = taken_.at(tag);
  if (!measured_.is_current(taken.measured)) return {};
  std::string wrong = engine_.guarded(Which::kTried, [&] { return ParseGates::difference(taken.tried, right); });
  if (!wrong.empty()) return wrong;
  return engine_.guarded(Which::kMeasured, [&] { return ParseGates::difference(taken.measured, right); });
}

}  // namespace wordline::host::nvme
