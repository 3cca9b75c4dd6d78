// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "tlm/device/engines/engine.h"
#include "tlm/protocol/engine_if.h"

namespace wordline::engines {

/// engines.completion: the end of a read, data to the host and then the completion entry. An operation is a run of
/// data: of a flash read that has succeeded, of the write buffer, or zeros. The NVMe controller moves the data.
///
/// The firmware's own reads are finished too, those that are one flash job (WL_FLASH_AUTOMATIC) and have succeeded.
class CompletionEngine final : public Engine {
 public:
  CompletionEngine(const config::Config& config, BlockContext& block, sc_core::sc_port<tlm_if::HostCommandIf>& host,
                   sc_core::sc_port<tlm_if::StageClockIf>& stages);

  /// A run's data are `ready` to go to the host. Returns when they have left their slots.
  Picoseconds send(const wl_host_job& run, Picoseconds ready);
  /// A read that hardware has begun and cannot end becomes the firmware's.
  void return_to_firmware(std::uint16_t tag);
  /// A read of the firmware has completed, now. False: its completion goes to the firmware.
  bool finish(const wl_flash_job& job, const wl_flash_completion& completion);

 private:
  sc_core::sc_port<tlm_if::HostCommandIf>& host_;
  sc_core::sc_port<tlm_if::StageClockIf>& stages_;
};

}  // namespace wordline::engines
