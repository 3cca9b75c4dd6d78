// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rtl/slot/waits.h"
#include "rtl/verilated/parse.h"
#include "tlm/device/mover/controller_memory.h"
#include "tlm/device/mover/host_command.h"
#include "tlm/device/nvme/namespaces.h"
#include "tlm/device/nvme/nvme.h"

namespace wordline::host::nvme {

/// What a command parser finds beside the entry: its settings, and the table of namespaces as they are now.
class ParseTables {
 public:
  /// `own`: the controller memory buffer, null: none.
  ParseTables(const Namespaces& namespaces, const HostLimits& limits, const ControllerMemory* own)
      : namespaces_(namespaces), limits_(limits), own_(own) {}

  [[nodiscard]] rtl::ParsePorts::Settings settings(LpageSize lpage) const;
  /// A doubleword of wl_namespace_table, as the firmware's parser would find it.
  [[nodiscard]] std::uint64_t word(std::uint32_t offset) const;

 private:
  const Namespaces& namespaces_;
  const HostLimits& limits_;
  const ControllerMemory* own_;
};

/// A command parser in gates (engines.model = rtl): an entry from its offer to its answer, against the namespaces as
/// they are then. The memory that has their table answers in the next clock; with `waits` ports wait at times, and it
/// answers later.
class ParseGates {
 public:
  using Door = rtl::EngineDoor<rtl::ParsePorts>;

  /// What the gates have said of an entry.
  struct Parsed {
    rtl::ParsePorts::Answer answer;
    std::uint64_t clocks = 0;    // from the offer to the answer
    std::uint64_t interval = 0;  // until the next entry is taken
    std::string place;           // of the answer, for messages
    std::uint32_t tag = 0;
    std::uint8_t opcode = 0;
    rtl::ParsePorts::Settings settings{};
    std::vector<std::pair<std::uint32_t, std::uint64_t>> read{};  // words of the table, by their offset
  };
  /// What the model says of it: it ends with `status`, or is `command`, with so many host pages from its PRPs (any
  /// number above two: a list).
  struct Right {
    Status status;
    const HostCommand& command;
    std::uint32_t pages;
  };

  /// Something that is said of an entry: what it is called, its port without answer_ and _o, its value.
  struct Field {
    const char* what;
    const char* port;
    std::uint64_t value;
  };

  explicit ParseGates(const ParseTables& tables, std::unique_ptr<Door> gates = std::make_unique<rtl::Parse>(),
                      rtl::Waits waits = rtl::Waits())
      : tables_(tables), gates_(std::move(gates)), waits_(waits) {}

  /// Throws std::runtime_error where the gates do not answer.
  Parsed parse(std::uint32_t tag, const SubmissionEntry& sqe, LpageSize lpage);
  /// Whether gates would find the same settings and namespaces now.
  [[nodiscard]] static bool is_current(const Parsed& parsed, const ParseTables& tables);
  /// What is right: the status, and with success the rest.
  [[nodiscard]] static std::vector<Field> fields(const Right& right);
  /// Empty: it is right. Else where they differ.
  [[nodiscard]] static std::string difference(const Parsed& parsed, const Right& right);

 private:
  [[nodiscard]] static std::vector<Field> fields(const rtl::ParsePorts::Answer& answer);

  const ParseTables tables_;
  const std::unique_ptr<Door> gates_;
  rtl::Waits waits_;
};

}  // namespace wordline::host::nvme
