// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "tlm/device/engines/buffer_engine.h"
#include "tlm/device/engines/completion_engine.h"
#include "tlm/device/engines/job_engine.h"
#include "tlm/device/engines/lookup_engine.h"
#include "tlm/device/engines/quiescence.h"
#include "tlm/device/engines/timed_slots.h"
#include "tlm/protocol/engine_if.h"

namespace wordline::engines {

/// Reads that hardware serves from end to end, without a core: the controller of a read's way through the engines. It
/// has no time of its own, the engines have; a read that it serves takes no timed event of its own.
///
/// A read is cut into runs: logical pages that follow each other in one flash page (one flash job), in the write
/// buffer, or zeros. One operation of the job, buffer and completion engine per run. Runs go to the host as they become
/// ready; the last one completes the command. With l2p and completion reads of what holds nothing are served, with
/// buffer also those of the write buffer, with job those of flash, and mixed ones.
///
/// A command goes to the firmware whole, with what was looked up, before any of it is begun, when an engine for a part
/// of it is not enabled; a write of one of its pages is under way, or a page was lost; it has more than
/// WL_LOOKUP_SECTORS pages; or there are no slots for it. When a run fails, the others are waited for, then the command
/// returns to the firmware whole, which reads again; data that went to the host before go there twice. What the
/// firmware must do for all that is in contract/engines.h.
///
/// Slots of the read buffer: those of a run follow each other and lie in one row of SlotRows, which is a page long, or
/// less where the slots would not make eight rows. Nothing waits for slots in hardware: so host commands cannot starve.
///
/// Accuracy: commands are in order of arrival; what an engine does takes effect when the next block acts. Source: our
/// design. Known gaps: a free slot is found in the latency of the job engine however full the rows are.
class HardwareReads final : public EnginePart {
 public:
  /// The engines on the way of a read.
  struct Path {
    LookupEngine& lookup;
    BufferEngine& buffer;
    JobEngine& job;
    CompletionEngine& completion;
    Quiescence& quiescence;
  };

  HardwareReads(const config::Config& config, BlockContext& block, const Path& path,
                sc_core::sc_port<tlm_if::HostCommandIf>& host, sc_core::sc_port<tlm_if::StageClockIf>& stages);

  bool enable(std::uint32_t set) override;

  /// As HostEngineIf.
  bool take(std::uint16_t tag, std::uint32_t lpn, std::uint32_t pages);
  void write_begins(std::uint32_t lpn, std::uint32_t pages);
  /// A flash job of a run (WL_FLASH_ENGINE) has completed, now.
  void completed(const wl_flash_job& job, bool ok);
  /// Commands that were given to the firmware, some after a part of their data had gone to the host.
  [[nodiscard]] std::uint64_t returned() const { return returned_; }

 private:
  static constexpr std::uint32_t kMaxSlots = 65536;  // wl_flash_job.id is the first slot

  struct Run {
    wl_host_job_op op;  // WL_JOB_ZERO_OUT; WL_JOB_DMA_OUT
    bool flash;
    std::uint16_t first;  // logical page, within the command
    std::uint16_t count;
    std::uint32_t ppa;   // flash
    std::uint32_t slot;  // write buffer: in the data buffer; flash: among the engines' slots
  };
  /// A command under way, with a run in flash.
  struct Command {
    std::uint16_t waiting = 0;  // flash jobs that are not back
    bool failed = false;        // one of them
    Grace::Group group = 0;
  };

  bool plan(const wl_lookup& answer, std::uint32_t lpn, std::uint32_t pages);
  bool add_to_plan(std::uint32_t value, std::uint16_t page);
  bool take_slots();
  void begin(std::uint16_t tag, Picoseconds known);
  void read_flash(std::uint16_t tag, const Run& run, Picoseconds known);
  [[nodiscard]] static wl_host_job host_job(std::uint16_t tag, const Run& run, bool last);

  const Path path_;
  sc_core::sc_port<tlm_if::HostCommandIf>& host_;
  sc_core::sc_port<tlm_if::StageClockIf>& stages_;
  TimedSlots slots_;                      // slots from SLOT_FIRST on
  std::vector<std::uint16_t> run_first_;  // Run::first of the flash run that begins in each slot
  std::vector<Command> commands_;         // commands by tag
  std::vector<Run> plan_;                 // plan of the command that is taken up
  std::uint64_t buffer_reads_ = 0;        // commands: from the write buffer, nothing from flash
  std::uint64_t flash_reads_ = 0;         // flash reads at least a part from flash
  std::uint64_t zero_reads_ = 0;          // nothing but zeros
  std::uint64_t returned_ = 0;            // taken up and then given to the firmware
};

}  // namespace wordline::engines
