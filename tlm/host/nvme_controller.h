// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/config/config.h"
#include "models/firmware/contract/contract.h"
#include "models/units/pool.h"
#include "tlm/engines/pipeline.h"
#include "tlm/host/agenda.h"
#include "tlm/host/host_if.h"
#include "tlm/host/host_memory.h"
#include "tlm/host/nvme.h"
#include "tlm/host/nvme_queues.h"
#include "tlm/host/pcie_link.h"
#include "tlm/protocol/engine_if.h"
#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/recorder_if.h"
#include "tlm/protocol/register_target.h"
#include "tlm/protocol/ring.h"

namespace wordline::host {

/// NVMe controller. The hardware part of the host interface: registers and doorbells, queues in host memory, command
/// fetch and check, PRP lists, data movement between host memory and the data buffer, completion entries and MSI-X.
/// Admin commands and commands with errors are completed here; Read, Write, Flush, Write Zeroes and Dataset Management
/// go to the firmware as events, and come back as jobs (models/firmware/contract/).
///
/// engines.parse = off: I/O commands go to the firmware as they were fetched, into a table in tightly coupled memory. The firmware
/// checks them; their PRPs, and the lists and ranges that the firmware asks for, are read here. Admin commands are parsed here.
///
/// One method process serves an agenda of actions; a 4 KiB read takes four of its instants: doorbell, entry parsed, job
/// doorbell, completion at the host.
///
/// Time: a doorbell acts when it arrives. Entries are fetched in bursts, by reads that overlap; the parser is a pipeline of
/// engines.parse_latency, _interval and _depth. A PRP list is read before the firmware sees the command. Without the parser an
/// entry, or ranges, are written to the table word by word, a clock of the cores each (assumed), one after the other.
/// Data move sector by sector: DRAM then link for reads, link then DRAM for writes, all of a job's requests issued at
/// once. The completion entry follows the data, the MSI-X message follows the entry. Tags are used again when the entry
/// leaves.
///
/// Arbitration: round robin, a burst of each queue. One interrupt per completion entry, no coalescing. One namespace,
/// 512-byte LBAs, 4 KiB pages.
/// Source: NVM Express Base Specification 2.0, NVM Command Set Specification 1.0.
/// Known gaps: no SGL, no metadata, no fused operations, no asynchronous events (requests stay outstanding), Abort
/// aborts nothing, no firmware or namespace management. In stamp mode data buffers begin at a multiple of 512 bytes:
/// any other offset is answered with PRP Offset Invalid. An entry's bytes are taken when its read is issued, not when
/// it arrives. A write's data are taken when the job has ended, a read's are put into host memory when the job begins;
/// the host does not look before the completion; who gives a slot of the write buffer to new data while a read still takes
/// the old ones to the host is reported. A slot of a full completion queue is promised to the entry whose job
/// came first.
class NvmeController final : public sc_core::sc_module, public DirectHostIf, public tlm_if::HostCommandIf {
 public:
  SC_HAS_PROCESS(NvmeController);
  /// `user_sectors`: exported 4 KiB sectors. A null recorder: no waves.
  NvmeController(sc_core::sc_module_name name, const config::Config& config, std::uint64_t user_sectors, PcieLink& link,
                 HostMemory& host_memory, tlm_if::RecorderIf* recorder);

  /// BAR0 (registers and doorbells), seen from the host: 4 bytes, or 8 aligned bytes. The delay given is when the
  /// access arrives (PcieLink::posted_write). Writes act then, in order of arrival; reads show the present state. May stay unbound
  /// with host.model = direct.
  tlm_utils::simple_target_socket_optional<NvmeController> host_socket;
  /// NVME block of wordline.rdl, offset 0 = EVENT_RING_BASE, seen from the firmware.
  tlm_utils::simple_target_socket<NvmeController> register_socket;
  sc_core::sc_port<tlm_if::SharedMemoryIf> memory;
  sc_core::sc_port<tlm_if::InterruptIf> interrupt;
  sc_core::sc_port<tlm_if::DramIf> dram;
  sc_core::sc_port<tlm_if::DataBufferIf> buffer;
  sc_core::sc_port<tlm_if::StageClockIf> stages;
  sc_core::sc_port<HostInterruptIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> host_interrupt;        // host.model = nvme
  sc_core::sc_port<DirectCompletionIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> direct_completion;  // host.model = direct
  sc_core::sc_port<tlm_if::HostEngineIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> engines;  // unbound: all commands are the firmware's
  sc_core::sc_export<DirectHostIf> direct;

  /// Notified when CSTS.RDY or CSTS.CFS changes: a driver waits for it instead of polling.
  [[nodiscard]] const sc_core::sc_event& status_changed() const { return status_changed_; }
  [[nodiscard]] std::uint32_t status() const { return csts_; }

  struct Counters {
    // Given to the firmware; without the parser, found good by the firmware.
    std::uint64_t reads = 0, writes = 0, flushes = 0, write_zeroes = 0, deallocates = 0;
    std::uint64_t blocks_read = 0, blocks_written = 0;  // 512 bytes, moved for the host
    std::uint64_t errors = 0;                           // completions with a status other than success
    std::uint64_t media_errors = 0;
    std::uint64_t wakeups = 0;  // instants at which the controller did something
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] const engines::Pipeline& parser() const { return parser_; }
  /// Commands that hold a tag.
  [[nodiscard]] std::uint32_t tags_in_use() const;

  bool submit(const DirectCommand& command) override;

  /// From the hardware engines.
  Picoseconds send_data(const wl_host_job& job, Picoseconds from) override { return start_job(job, from); }
  void hand_over(std::uint16_t tag, Picoseconds at, std::uint8_t flags) override;

 private:
  enum class Kind : std::uint8_t {
    kHostRegister,   // index: offset, value
    kReady,          // value: NVME.CONTROL
    kJobs,           // value: producer count
    kParsed,         // index: tag; or the entry is in the command table
    kPrpList,        // index: tag
    kRanges,         // index: tag
    kAdmin,          // the admin entry is parsed
    kTransferEnd,    // index: transfer
    kCompletion,     // index: completion, at the host
    kDirectDone,     // index: completion
    kFetch,          // a tag is free again
    kUnmasked,       // index: vector
    kHandOver,       // index: tag, value: event flags; from the engines to the firmware
  };
  struct TagFreed {
    Picoseconds at;
    std::uint32_t tag;
    static bool later(const TagFreed& a, const TagFreed& b) { return a.at > b.at; }  // the heap's first is the earliest
  };

  struct HeadDoorbell {
    Picoseconds at;
    std::uint32_t qid, value;
  };

  // nvme_controller.cpp: the agenda, tags, recorder
  void run();
  void act(const Agenda<Kind>::Action& action);
  void schedule(Picoseconds at, Kind kind, std::uint32_t index, std::uint64_t value = 0);
  std::uint32_t allocate_tag(Picoseconds now);
  void free_tag(std::uint32_t tag, Picoseconds at);
  void plan_fetch();
  [[nodiscard]] bool lost(const Command& command) const { return !command.direct && command.epoch != epoch_; }
  void record_command(const Command& command);

  // nvme_registers.cpp: BAR0, the firmware's registers, enable and reset
  void host_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  [[nodiscard]] std::uint32_t host_read(std::uint32_t offset) const;
  void host_write(std::uint32_t offset, std::uint32_t value);
  void write_cc(std::uint32_t value);
  void enable();
  void disable();
  void try_ready();
  void drained();
  void set_status(std::uint32_t value);
  void sq_doorbell(std::uint32_t qid, std::uint32_t value);
  void cq_doorbell(std::uint32_t qid, std::uint32_t value);
  bool put_off(std::uint32_t offset, std::uint32_t value, Picoseconds at);
  void take_heads(Picoseconds now);
  void schedule_heads();
  void register_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    registers_.b_transport(payload, delay);
  }
  bool firmware_read(std::uint32_t offset, std::uint32_t& value, sc_core::sc_time& delay);
  bool firmware_write(std::uint32_t offset, std::uint32_t value, sc_core::sc_time& delay);
  void firmware_control(std::uint32_t value);
  bool valid_ring_size(std::uint32_t size, const char* what);

  // nvme_front_end.cpp: fetch, parse, check, PRP lists, event ring
  void fetch();
  bool fetch_burst(std::uint32_t qid, Picoseconds now);
  void parsed(std::uint32_t tag);
  nvme::Status check(Command& command) const;
  [[nodiscard]] nvme::Status check_range(std::uint64_t slba, std::uint64_t blocks) const;
  nvme::Status start_prps(Command& command) const;
  nvme::Status take_pages(Command& command, const DirectCommand& given) const;
  static std::uint32_t list_entries(const Command& command);
  void request_prp_list(std::uint32_t tag);
  void continue_prps(std::uint32_t tag);
  void end_prps(std::uint32_t tag, nvme::Status status);
  void count(std::uint8_t opcode);
  void deliver(std::uint32_t tag);
  void start_ranges(std::uint32_t tag);
  void next_deallocate();
  void deliver_ranges(std::uint32_t tag);
  bool offer_to_engines(std::uint32_t tag);
  void push_command(std::uint32_t tag, std::uint8_t flags = 0);
  void push_event(const wl_host_event& event, bool wake);

  // nvme_table.cpp: commands that firmware parses
  bool lay_tables();
  Picoseconds write_table(Picoseconds from, std::size_t bytes);
  void fetched(std::uint32_t tag);
  bool take_extent(std::uint32_t tag);
  bool is_data_job(const wl_host_job& job);
  void start_prp_list(std::uint32_t tag);
  void bring_ranges(const wl_host_job& job);
  void answer(std::uint32_t tag, std::uint8_t type, nvme::Status status);

  // nvme_jobs.cpp: the job ring, data movement
  void jobs(std::uint32_t produced);
  Picoseconds start_job(const wl_host_job& job, Picoseconds from);
  void copy(const wl_host_job& job, Command& command);
  void transfer_end(std::uint32_t index);
  void watch_slots(const wl_host_job& job, const Command& command, Picoseconds from, Picoseconds end);
  void move_in(const wl_host_job& job, Command& command);
  void move_out(const wl_host_job& job, Command& command);
  Picoseconds reserve_data(const wl_host_job& job, const Command& command, Picoseconds now);
  void complete_after_jobs(Command& command, nvme::Status status);
  void complete(std::uint32_t tag, nvme::Status status, Picoseconds ready, const wl_host_event* quiet);
  void push_later(const wl_host_event& event, Picoseconds at);

  // nvme_completions.cpp: completion queues, interrupts
  std::uint32_t take_completion();
  void post(std::uint32_t index);
  void send(std::uint32_t index, Picoseconds leaves);
  void arrived(std::uint32_t index);
  void direct_done(std::uint32_t index);
  void command_left(SubmissionQueue& sq);
  void lose(std::uint32_t index);

  // nvme_admin.cpp, nvme_identify.cpp: admin commands
  void fetch_admin();
  void admin();
  void admin_done(nvme::Status status, std::uint32_t dw0, Picoseconds ready);
  nvme::Status create_cq(const nvme::SubmissionEntry& sqe);
  nvme::Status create_sq(const nvme::SubmissionEntry& sqe);
  nvme::Status delete_cq(const nvme::SubmissionEntry& sqe);
  nvme::Status delete_sq(const nvme::SubmissionEntry& sqe);
  void remove_sq(SubmissionQueue& sq);
  nvme::Status identify(const nvme::SubmissionEntry& sqe, Picoseconds& ready);
  nvme::Status log_page(const nvme::SubmissionEntry& sqe, Picoseconds& ready);
  nvme::Status features(const nvme::SubmissionEntry& sqe, std::uint32_t& dw0);
  nvme::Status send_to_host(const nvme::SubmissionEntry& sqe, std::size_t bytes, Picoseconds& ready);

  void warn(const std::string& text) const;
  void error(const std::string& text) const;

  const config::Config& config_;
  const std::uint64_t user_lbas_;
  const std::uint32_t mdts_;  // power of two, in 4 KiB pages
  engines::Pipeline parser_;
  PcieLink& link_;
  HostMemory& host_;
  tlm_if::RecorderIf* recorder_;
  tlm_if::RegisterTarget registers_;
  sc_core::sc_event wake_;
  sc_core::sc_event status_changed_;
  Agenda<Kind> agenda_;
  bool running_ = false;
  Counters counters_;

  // host registers
  std::uint32_t cc_ = 0, csts_ = 0, aqa_ = 0, masked_ = 0, mask_pending_ = 0;
  std::uint64_t asq_ = 0, acq_ = 0;
  bool resetting_ = false;   // CC.EN = 0, commands still in flight
  std::uint32_t epoch_ = 0;  // number of resets: commands of an older one are lost
  std::uint32_t active_ = 0; // commands fetched from queues and not completed

  // firmware registers
  std::uint32_t event_base_ = 0, event_size_ = 0, job_base_ = 0, job_size_ = 0, control_ = 0;
  std::uint32_t table_base_ = 0, extent_base_ = 0, range_base_ = 0;
  bool firmware_ready_ = false;
  tlm_if::RingProducer<wl_host_event> event_ring_;
  tlm_if::RingConsumer<wl_host_job> job_ring_;

  // queues and commands
  std::array<SubmissionQueue, kMaxIoQueues + 1> sq_;
  std::array<CompletionQueue, kMaxIoQueues + 1> cq_;
  std::vector<HeadDoorbell> heads_;   // doorbells put off, in order of arrival, from next_head_ on
  std::size_t next_head_ = 0;
  std::uint64_t pending_queues_ = 0;  // bit q: I/O queue q has entries to fetch
  std::uint32_t next_queue_ = 1;      // round robin
  std::vector<Command> commands_;
  std::vector<std::uint32_t> free_tags_;
  std::vector<TagFreed> freed_;    // tags that become free later, heap by time
  Picoseconds fetch_planned_{-1};  // a kFetch action waits for then
  std::vector<std::uint32_t> burst_tags_;
  wl_sqe* entries_ = nullptr;  // by tag, as extents_; null while the parser is there
  std::uint32_t* extents_ = nullptr;
  std::byte* range_table_ = nullptr;
  Picoseconds table_free_{};
  Pool<Transfer> transfers_;
  Pool<Completion> completions_;
  std::vector<Picoseconds> leaving_;  // by slot of the write buffer: its data have left for the host by then
  std::uint32_t deallocating_ = kNone;  // tag of the one DSM command in the firmware's hands
  std::vector<std::uint32_t> deallocate_queue_;
  std::size_t deallocate_next_ = 0;
  std::array<nvme::DsmRange, nvme::kMaxDsmRanges> ranges_{};
  std::array<std::uint64_t, nvme::kPrpsPerPage> prps_{};

  // admin
  bool admin_busy_ = false;
  bool admin_deletes_ = false;  // Delete I/O Submission Queue waits for the queue's commands
  nvme::SubmissionEntry admin_sqe_{};
  std::array<std::byte, nvme::kPageBytes> page_{};
  std::array<std::uint32_t, 12> features_{};  // by identifier, of those that are only kept
  std::uint32_t async_requests_ = 0;

  tlm_if::RecorderIf::Signal wave_command_{}, wave_tags_{}, wave_events_{};
};

}  // namespace wordline::host
