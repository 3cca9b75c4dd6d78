// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "models/units/quantity.h"
#include "tlm/host/nvme.h"

namespace wordline::host {

/// How the controller reaches the host, beside host memory.
class HostInterruptIf : virtual public sc_core::sc_interface {
 public:
  /// MSI-X message `vector` arrives at the host at `at`, which is the present. One for every completion entry; the
  /// entry is in host memory by then.
  virtual void interrupt(unsigned vector, Picoseconds at) = 0;
};

/// host.model = direct: a command goes straight into the controller. No link, ring, doorbell, queue entry or parsing,
/// neither on the way in nor for the completion; the data still move over DRAM and link, and all behind is shared.
struct DirectCommand {
  std::uint16_t qid = 1;  // names the command for the stage clock, which must know it: submitted() before submit()
  std::uint16_t cid = 0;
  std::uint8_t opcode = nvme::kRead;
  bool fua = false;
  std::uint64_t slba = 0;    // 512-byte LBA
  std::uint32_t blocks = 0;  // 1-based; Dataset Management: number of ranges
  /// Host pages of the data, in order; only the first may have an offset (a multiple of 512). Dataset Management:
  /// pages[0] is the address of the range list. The list is copied by submit().
  const std::uint64_t* pages = nullptr;
  std::uint32_t page_count = 0;
};

class DirectHostIf : virtual public sc_core::sc_interface {
 public:
  /// Takes the command now. False: no tag is free (or the firmware is not ready); try again after the next completed()
  /// or ready(). A command with an error is taken and completed with its status.
  virtual bool submit(const DirectCommand& command) = 0;
};

class DirectCompletionIf : virtual public sc_core::sc_interface {
 public:
  /// The firmware takes commands from now on.
  virtual void ready() = 0;
  /// The command is complete at `at`, the present; its tag is free again. May call submit().
  virtual void completed(std::uint16_t qid, std::uint16_t cid, nvme::Status status, Picoseconds at) = 0;
};

}  // namespace wordline::host
