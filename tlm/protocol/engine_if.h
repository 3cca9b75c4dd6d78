// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "models/firmware/contract/contract.h"
#include "models/units/quantity.h"

/// The interfaces between the hardware engines (tlm/device/engines) and their neighbours. All engines are optional:
/// their neighbours leave the ports unbound and work as without.
namespace wordline::tlm_if {

/// Flash jobs from hardware, beside the firmware's rings; to the channel of job.die.
class FlashJobIf : virtual public sc_core::sc_interface {
 public:
  /// The job arrives at the channel at `at`, not before the present.
  virtual void submit(Picoseconds at, const wl_flash_job& job) = 0;
};

/// Takes the completions of flash jobs that carry wl_flash_job_flags.
class FlashSinkIf : virtual public sc_core::sc_interface {
 public:
  /// `job` has completed, now. False: the completion goes to the firmware's ring.
  virtual bool completed(const wl_flash_job& job, const wl_flash_completion& completion) = 0;
  /// A read with WL_FLASH_COPY has completed, now. False: `completion`, which was changed, goes to the firmware's ring.
  virtual bool copy_read(const wl_flash_job& job, wl_flash_completion& completion) = 0;
};

/// The NVMe controller as the engines see it.
class HostCommandIf : virtual public sc_core::sc_interface {
 public:
  /// A job of a read, as the firmware would post it, from `from` on. WL_JOB_THEN_COMPLETE: the completion entry follows
  /// the data of all jobs that the command has had. Returns when this one's data have left their slots.
  virtual Picoseconds send_data(const wl_host_job& job, Picoseconds from) = 0;
  /// The firmware gets the command's event at `at`, with `flags` (wl_event_flags) beside its own.
  virtual void hand_over(std::uint16_t tag, Picoseconds at, std::uint8_t flags) = 0;
};

/// The engines as the NVMe controller sees them.
class HostEngineIf : virtual public sc_core::sc_interface {
 public:
  /// Read command `tag`, `lpages` logical pages from `lpn` on. False: the firmware's, at once. True: taken; send_data()
  /// follows until one completes the command, or hand_over().
  virtual bool take_read(std::uint16_t tag, std::uint32_t lpn, std::uint32_t lpages) = 0;
  /// A write is given to the firmware.
  virtual void write_begins(std::uint32_t lpn, std::uint32_t lpages) = 0;
};

}  // namespace wordline::tlm_if
