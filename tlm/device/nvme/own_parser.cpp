// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/own_parser.h"

#include <utility>

namespace wordline::host::nvme {

OwnParser::OwnParser(const config::Engines& config, const ParseTables& tables, tlm_if::RecorderIf* recorder)
    : tables_(tables), gates_(Gates::make(config, engines::EngineId::kParse, recorder, tables)) {}

OwnParser::Times OwnParser::take(std::uint32_t tag, const SubmissionEntry& sqe, LpageSize lpage) {
  Taken& taken = taken_[tag];
  taken = {};
  std::string wrong = gates_->run("", [&](ParseGates& gates, Gates::Which which) {
    taken.of(which) = gates.parse(tag, sqe, lpage);
    return std::string();
  });
  return {taken.measured.clocks, taken.measured.interval, std::move(wrong)};
}

std::string OwnParser::check(std::uint32_t tag, const ParseGates::Right& right) {
  Taken& taken = taken_.at(tag);
  if (!ParseGates::is_current(taken.measured, tables_)) return {};
  return gates_->run("", [&](const ParseGates& /*gates*/, Gates::Which which) {
    return ParseGates::difference(taken.of(which), right);
  });
}

}  // namespace wordline::host::nvme
