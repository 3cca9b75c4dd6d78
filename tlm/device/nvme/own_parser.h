// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "rtl/slot/slot_engines.h"
#include "tlm/device/engines/engine_gates.h"
#include "tlm/device/nvme/parse_gates.h"
#include "tlm/protocol/recorder_if.h"

namespace wordline::host::nvme {

/// A command parser of the user's own (engines.rtl.parse), as engines::OwnEngine has it. It gets an entry when that
/// comes, since nobody else knows how long it takes; what it has said is compared when the model has looked at the
/// entry.
///
/// Known gap: when namespaces change between the two, the answer is not compared.
class OwnParser {
 public:
  struct Times {
    std::uint64_t clocks, interval;
    std::string wrong;  // "": nothing
  };

  /// Throws config::ConfigError when the block cannot be loaded or does not fit. `recorder` may be null.
  OwnParser(const config::Engines& config, const ParseTables& tables, tlm_if::RecorderIf* recorder);

  Times take(std::uint32_t tag, const SubmissionEntry& sqe, LpageSize lpage);
  /// "": what both have said is right.
  [[nodiscard]] std::string check(std::uint32_t tag, const ParseGates::Right& right);

  [[nodiscard]] const engines::OwnEngine& engine() const { return *gates_->own(); }

 private:
  using Gates = engines::EngineGates<ParseGates, rtl::SlotParse>;
  struct Taken {
    ParseGates::Parsed measured, tried;
    [[nodiscard]] ParseGates::Parsed& of(Gates::Which which) {
      return which == Gates::Which::kTried ? tried : measured;
    }
  };
  const ParseTables tables_;
  const std::unique_ptr<Gates> gates_;
  std::map<std::uint32_t, Taken> taken_;  // by tag, for check()
};

}  // namespace wordline::host::nvme
