// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "models/firmware/contract/contract.h"
#include "testbenches/tlm/support/stage_clock_stub.h"
#include "tlm/device/ecc/clocked_retry.h"
#include "tlm/device/ecc/ecc_registers.h"
#include "tlm/device/flash/bus/gate_wires.h"
#include "tlm/device/flash/bus/onfi_bus.h"
#include "tlm/device/flash/bus/timing_checker.h"
#include "tlm/device/flash/channel/channel_controller.h"
#include "tlm/device/flash/channel/completion_ring.h"
#include "tlm/device/flash/die/nand_die.h"
#include "tlm/device/memory/data_buffer.h"
#include "tlm/device/memory/dram.h"
#include "tlm/device/memory/tcm.h"

namespace wordline::testing {

/// A decoder of fixed latency that fails when the test says so.
class ScriptedEcc final : public ecc::EccIf {
 public:
  Picoseconds latency{1'000'000};
  std::function<bool()> fails = [] { return false; };  // asked once per logical page
  unsigned decoded = 0;
  std::vector<unsigned> errors;     // of the last logical page
  unsigned reads = 0;               // of the last logical page
  ecc::IterationLimits iterations;  // of the last logical page

  Result decode(const ecc::LpageRead& read) override {
    ++decoded;
    errors.assign(read.errors.begin(), read.errors.begin() + LpageSize().codewords());
    const bool failed = fails();
    Result result{read.arrive, read.arrive + latency, failed ? read.codewords : 0U, {}};
    for (ecc::CodewordOutcome& codeword : result.codewords) {
      codeword.decoded = !failed;
      codeword.tier = read.reads() == 1 ? 1 : 2;
    }
    reads = read.reads();
    iterations = read.iterations;
    return result;
  }
};

/// One use of the bus, as a snoop saw it.
struct SeenSegment {
  onfi::SegmentKind kind;
  std::uint8_t opcode;
  std::uint8_t parameter;              // P1 of SET FEATURES
  onfi::FeatureParameters parameters;  // of SET FEATURES
  std::uint8_t feature;                // its address
  unsigned die;
  std::uint32_t lpages;
  Picoseconds start, end;
};

/// A completion as the firmware finds it.
struct SeenCompletion {
  Picoseconds at;
  wl_flash_completion entry;
};

/// A channel controller with its channel, rings in tightly coupled memory, DRAM and a hand in the firmware's place. The
/// timing checker watches: any violation is a report and fails the test. Blocks below `filled_blocks` hold content.
class ControllerBench : public sc_core::sc_module,
                        public flash::BusSnoopIf,
                        public tlm_if::InterruptIf,
                        public StageClockStub {
 public:
  static constexpr std::uint32_t kJobRing = WL_TCM_BASE + 0x1000;
  static constexpr std::uint32_t kCompletionRing = WL_TCM_BASE + 0x20000;
  static constexpr std::uint32_t kSlotTable = WL_TCM_BASE + 0x30000;
  static constexpr std::uint32_t kProgramSets = WL_TCM_BASE + 0x38000;
  static constexpr std::uint32_t kProgramReports = WL_TCM_BASE + 0x39000;
  static constexpr std::uint32_t kSlots = 4096;

  ControllerBench(const sc_core::sc_module_name& name, const config::Config& config, std::uint32_t ring_entries = 1024,
                  std::uint32_t filled_blocks = 4, tlm_if::RecorderIf* recorder = nullptr);

  const config::Config config;
  const config::Layout layout;
  std::uint32_t slot_table = kSlotTable;
  flash::ProgramTableRegisters program_tables{kProgramSets, WL_PROGRAM_SETS, kProgramReports, 64};
  flash::TimingChecker checker;
  std::unique_ptr<flash::GateWires> gates;  // with channels.model = rtl; config is in whole clocks then
  flash::OnfiBus bus;
  std::vector<std::unique_ptr<flash::NandDie>> dies;
  ScriptedEcc decoder;
  ecc::EccRegisters ecc_registers;
  flash::CompletionRing ring;
  memory::Tcm tcm;
  memory::Dram dram;
  memory::DataBuffer buffer;
  std::unique_ptr<flash::ChannelController> controller;
  tlm_utils::simple_initiator_socket<ControllerBench> socket{"socket"};
  sc_core::sc_vector<tlm_utils::simple_initiator_socket<ControllerBench>> unused;  // of the other targets

  /// What the cells hold from the start.
  static nand::StoredLpage filled(DieId die, const nand::LpageAddress& at);
  static wl_flash_job read_job(std::uint16_t die, std::uint32_t block, std::uint32_t page, std::uint16_t lpage,
                               std::uint16_t count, std::uint32_t slot);
  /// A whole unit (program) or block (erase).
  wl_flash_job write_job(wl_flash_op op, std::uint16_t die, std::uint32_t block, std::uint32_t page,
                         std::uint32_t slot) const;

  void write(std::uint32_t offset, std::uint32_t value, Picoseconds delay = {});
  std::uint32_t read(std::uint32_t offset);
  /// Writes the entry and the counter; id = number of the job. Returns the id.
  std::uint16_t push(wl_flash_job job);
  void doorbell(Picoseconds delay = {});
  /// Waits (in a process) until `count` completions have been seen in all.
  void wait_for(std::size_t count);
  /// The completion of job `id`; the test fails when there is none.
  SeenCompletion completion(std::uint16_t id) const;
  std::uint32_t& owner(std::uint32_t slot);
  wl_slot_info& spare(std::uint32_t slot);
  /// Entry `number` of the table of program parameter sets, and the report on job `id`; the registers are set up for 64
  /// sets and the reports of 64 jobs from the start.
  wl_program_set& program_set(std::uint32_t number);
  const wl_program_report& program_report(std::uint16_t id);
  std::size_t count(onfi::SegmentKind kind) const;

  std::vector<SeenSegment> segments;
  std::vector<SeenCompletion> completions;
  struct Read {
    std::uint16_t tag, die;
    tlm_if::ReadMarks marks;
    bool attempt;
  };
  std::vector<Read> reads;
  std::vector<std::pair<std::uint16_t, Picoseconds>> resumes;  // of kQueueResume
  unsigned interrupts = 0;

  void segment(const flash::OnfiTransaction& transaction) override;
  void ready_busy(unsigned die, bool ready, Picoseconds at) override { checker.ready_busy(die, ready, at); }
  void raise(unsigned source) override;
  void mark(std::uint16_t tag, tlm_if::Stage stage, Picoseconds at) override {
    if (stage != tlm_if::Stage::kQueueResume) SC_REPORT_ERROR("bench", "a mark of another stage than queue_resume");
    resumes.emplace_back(tag, at);
  }
  void flash_read(std::uint16_t tag, std::uint16_t die, const tlm_if::ReadMarks& marks, bool attempt) override {
    reads.push_back({tag, die, marks, attempt});
  }

 private:
  tlm::tlm_response_status access(tlm::tlm_command command, std::uint32_t offset, std::uint32_t& value,
                                  Picoseconds delay);
  wl_ring& header(std::uint32_t address) { return *reinterpret_cast<wl_ring*>(tcm.at(address, sizeof(wl_ring))); }

  std::uint32_t ring_entries_;
  sc_core::sc_event seen_{"seen"};
};

}  // namespace wordline::testing
