// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/mover/host_data_mover.h"

#include <algorithm>

#include "registers/wordline_regs.hpp"

namespace wordline::host {
namespace {

namespace regs = registers::nvme;

/// The firmware may have slots of the write buffer filled for it.
bool writes(Operation op) { return op == Operation::kWrite || op == Operation::kWriteZeroes; }

/// What it leaves in all of its blocks is no data.
bool clears_blocks(const HostCommand& command) {
  return command.op == Operation::kWriteZeroes || command.way == DataWay::kZeroes ||
         command.way == DataWay::kUncorrectable;
}

bool fits(const wl_host_job& job, const HostCommand& command) {
  const std::uint32_t lpages = command.lpages();
  const bool expected = job.op == WL_JOB_DMA_IN ? writes(command.op) : command.op == Operation::kRead;
  return job.op != 0 && job.op <= WL_JOB_ZERO_OUT && expected && job.count != 0 && job.count <= lpages &&
         job.lpage <= lpages - job.count;
}

wl_host_event done_event(const wl_host_job& job, const HostCommand& command) {
  wl_host_event event{};
  event.type = WL_EVENT_DMA_DONE;
  event.opcode = static_cast<std::uint8_t>(command.op);
  event.flags = command.transfer_failed ? WL_EVENT_FAILED : 0;
  event.tag = job.tag;
  event.count = job.count;
  event.slot = job.slot;
  event.lpage = job.lpage;
  return event;
}

std::uint32_t max_nlb(const config::Config& config) {
  return kLbasPerHostPage << HostLimits::transfer_exponent(config.nvme.max_transfer_lpages, lpage_size_of(config));
}

}  // namespace

void HostDataMover::Counters::count(const HostCommand& command) {
  if (is_copy(command.way) || command.way == DataWay::kUncorrectable) return;
  if (command.way == DataWay::kZeroes) {
    ++write_zeroes;
    return;
  }
  switch (command.op) {
    case Operation::kRead:
      ++reads;
      break;
    case Operation::kWrite:
    case Operation::kCopy:
      ++writes;
      break;
    case Operation::kFlush:
      ++flushes;
      break;
    case Operation::kDeallocate:
      ++deallocates;
      break;
    default:
      ++write_zeroes;
      break;
  }
}

HostDataMover::HostDataMover(const sc_core::sc_module_name& name, const config::Config& config,
                             std::uint64_t user_lpages, Agenda& agenda, HostFrontEndIf& front_end,
                             const Reports& reports, tlm_if::RecorderIf* recorder)
    : sc_module(name),
      register_socket(
          "register_socket",
          [this](auto offset, auto& value, auto& /*delay*/) { return firmware_.read(offset, value); },
          [this](auto offset, auto value, auto& delay) { return firmware_.write(offset, value, delay); }),
      copies(*this, agenda, max_nlb(config)),
      protected_data(host_memory, buffer),
      agenda_(agenda),
      front_end_(front_end),
      reports_(reports),
      waves_(agenda, recorder),
      limits_{config::lpage_size_of(config).first_lba(user_lpages), max_nlb(config)},
      commands_(config.nvme.tags, limits_.max_nlb / kLbasPerHostPage + 1, lpage_size_of(config), recorder),
      firmware_(limits_.max_nlb, agenda, *this, reports, memory, interrupt, recorder),
      dma_(agenda, link, host_memory),
      data_(link, host_memory, dram, buffer, config),
      incoming_(data_, link, dma_, *this),
      inner_(host_memory, dram, buffer, limits_.max_nlb),
      slots_(config.ftl.write_buffer.count() / lpage_size_of(config).bytes(), reports) {
  const std::uint32_t tags = config.nvme.tags;
  if (tags == 0 || tags >= WL_NO_TAG) reports_.error("nvme.tags is {}, must be 1..65534", tags);
  if (config.nvme.max_transfer_lpages == 0) reports_.error("nvme.max_transfer_sectors is 0, must be at least 1");
}

bool HostDataMover::count(std::uint32_t offset, std::uint32_t& value) const {
  const auto thousands = [](std::uint64_t lbas) { return (lbas + 999) / 1000; };
  std::uint64_t count = 0;
  switch (offset) {
    case regs::data_units_read:
      count = thousands(data_.counters().lbas_read);
      break;
    case regs::data_units_written:
      count = thousands(data_.counters().lbas_written);
      break;
    case regs::read_commands:
      count = counters_.reads;
      break;
    case regs::write_commands:
      count = counters_.writes;
      break;
    case regs::media_errors:
      count = counters_.media_errors;
      break;
    case regs::errors:
      count = front_end_.errors();
      break;
    default:
      return false;
  }
  value = static_cast<std::uint32_t>(count);
  return true;
}

void HostDataMover::act(const Agenda::Action& action) {
  switch (static_cast<Kind>(action.kind)) {
    case Kind::kTransferEnd:
      transfer_end(action.index);
      break;
    case Kind::kHandOver:
      push_command(action.index, static_cast<std::uint8_t>(action.value));
      break;
  }
}

void HostDataMover::deliver(std::uint32_t tag) {
  if (has_ranges(commands_[tag].op)) {
    queue_deallocation(tag);
    return;
  }
  if (!offer_to_engines(tag)) push_command(tag, 0);
}

// True: the engines have the command, and finish it or hand it over.
bool HostDataMover::offer_to_engines(std::uint32_t tag) {
  HostCommand& command = commands_[tag];
  command.state = HostCommand::State::kFirmware;
  counters_.count(command);
  waves_.came(tag, command);
  if (command.op == Operation::kRead) host_memory->read_begins(tag);
  if (clears_blocks(command)) host_memory->clears(tag, command.slba, command.nlb);
  if (engines.size() == 0) return false;
  const auto lpn = static_cast<std::uint32_t>(command.first_lpage());
  if (command.op == Operation::kWrite) engines->write_begins(lpn, command.lpages());
  if (command.op == Operation::kWriteZeroes) {  // which writes the logical pages that it has a part of
    const std::uint32_t last = command.lpages() - 1;
    if (!command.covers(0)) engines->write_begins(lpn, 1);
    if (last != 0 && !command.covers(last)) engines->write_begins(lpn + last, 1);
  }
  if (command.op != Operation::kRead) return false;
  return engines->take_read(static_cast<std::uint16_t>(tag), lpn, command.lpages());
}

void HostDataMover::hand_over(std::uint16_t tag, Picoseconds at, std::uint8_t flags) {
  agenda_.schedule(at, *this, Kind::kHandOver, tag, flags);
}

void HostDataMover::push_command(std::uint32_t tag, std::uint8_t flags) {
  const HostCommand& command = commands_[tag];
  stages->mark(static_cast<std::uint16_t>(tag), tlm_if::Stage::kQueueCore, agenda_.now());
  wl_host_event event{};
  event.type = WL_EVENT_COMMAND;
  event.opcode = static_cast<std::uint8_t>(command.op);
  event.flags = static_cast<std::uint8_t>(WL_EVENT_LAST | flags | (command.fua ? WL_EVENT_FUA : 0) |
                                          command.placement << WL_EVENT_HANDLE_SHIFT);
  event.tag = static_cast<std::uint16_t>(tag);
  event.blocks = command.nlb;
  event.slba = command.slba;
  push_event(event, true);
}

void HostDataMover::queue_deallocation(std::uint32_t tag) {
  if (turn_.take(tag)) front_end_.bring_ranges(tag);
}

void HostDataMover::send_ranges(std::uint32_t tag, const RangeList& ranges) {
  HostCommand& command = commands_[tag];
  command.state = HostCommand::State::kFirmware;
  counters_.count(command);
  waves_.came(tag, command);
  stages->mark(static_cast<std::uint16_t>(tag), tlm_if::Stage::kQueueCore, agenda_.now());
  for (std::uint32_t i = 0; i < ranges.count(); ++i) {
    const bool last = i + 1 == ranges.count();
    wl_host_event event{};
    event.type = WL_EVENT_COMMAND;
    event.opcode = static_cast<std::uint8_t>(command.op);
    event.flags = last ? WL_EVENT_LAST : 0;
    event.tag = static_cast<std::uint16_t>(tag);
    event.slba = ranges.slba(i);
    event.blocks = ranges.nlb(i);
    push_event(event, last);
    // Logical pages that it has a part of keep their data.
    const LpageSize size = command.lpage_size;
    const std::uint64_t from = size.first_lba(size.lpage_of(ranges.slba(i) + size.lbas() - 1));
    const std::uint64_t to = size.first_lba(size.lpage_of(ranges.slba(i) + ranges.nlb(i)));
    if (from < to) host_memory->clears(tag, from, to - from);
  }
}

/// `from`: the present, or later for a job of the engines. Returns when its data have been moved.
Picoseconds HostDataMover::start_job(const wl_host_job& job, Picoseconds from) {
  if (job.tag >= commands_.size() || commands_[job.tag].state != HostCommand::State::kFirmware) {
    if (job.tag == WL_NO_TAG && front_end_.take_admin_job(job)) return from;
    reports_.error("job {} for tag {}, which the firmware does not hold", job.op, job.tag);
    return from;
  }
  if (!front_end_.take_job(job)) return from;
  HostCommand& command = commands_[job.tag];
  if (job.op == WL_JOB_COMPLETE) {
    if (command.jobs_running == 0) {
      complete(job.tag, job.status, from);
    } else {
      command.complete_after_jobs(job.status);
    }
    return from;
  }
  if (job.op == WL_JOB_COPY) {
    copy(job, command);
    return from;
  }
  if (!fits(job, command)) {
    reports_.error("job {} for tag {}, logical pages {} +{}, does not fit the command, opcode {} of {} logical pages",
                   job.op, job.tag, job.lpage, job.count, static_cast<unsigned>(command.op), command.lpages());
    return from;
  }
  const bool in = job.op == WL_JOB_DMA_IN;
  const bool asks = command.way == DataWay::kHost ? in : command.way == DataWay::kCompare;  // host memory for data
  if (asks && dma_.slow() != nullptr) {
    if ((job.flags & WL_JOB_THEN_COMPLETE) != 0) command.complete_after_jobs(job.status);
    ++command.jobs_running;
    const std::uint32_t index = transfers_.acquire();
    transfers_[index].job = job;
    transfers_[index].event_only = false;
    if (!in) inner_.expect(index, job);
    if (!in && command.unwritten_is_error && inner_.unwritten(job, command)) command.found = kUnwritten;
    incoming_.begin(index, job, command, from);
    return from;
  }
  const DataPath::Times times =
      uses_link(command.way) ? data_.reserve(job, command, from) : inner_.reserve(job, command, from);
  data_.mark(*stages.operator->(), job.tag, from, times);
  Picoseconds end = times.end;
  if (in) end = std::max(end, command.data_end);  // behind the copy that it changes a part of
  slots_.pass(job, from, end);
  command.data_end = std::max(command.data_end, end);
  if (!in && !commands_.lost(command)) send(job, command);

  const bool then_complete = (job.flags & WL_JOB_THEN_COMPLETE) != 0;
  const bool notify = (job.flags & WL_JOB_NOTIFY) != 0;
  const bool quiet = (job.flags & WL_JOB_NOTIFY_QUIET) != 0;
  // Data out that only the completion waits for needs no instant of its own; a quiet event comes with the completion.
  const bool alone = !in && !notify && command.jobs_running == 0;
  if (alone && then_complete) {
    const wl_host_event event = done_event(job, command);
    complete(job.tag, job.status, end, quiet ? &event : nullptr);
    return end;
  }
  if (!in && !notify && !quiet && !then_complete) return end;
  if (then_complete) command.complete_after_jobs(job.status);
  ++command.jobs_running;
  const std::uint32_t index = transfers_.acquire();
  transfers_[index].job = job;
  transfers_[index].event_only = false;
  // Not before the end of a job before it, whose slots the firmware uses again when it hears of this one.
  agenda_.schedule(command.data_end, *this, Kind::kTransferEnd, index);
  return end;
}

/// Data into host memory. One that takes time may say only after the completion has been made out that it did not take
/// them: the command's tag may be another's by then.
void HostDataMover::send(const wl_host_job& job, HostCommand& command) {
  if (command.unwritten_is_error && inner_.unwritten(job, command)) command.found = kUnwritten;
  if (command.metadata.on()) {
    if (command.found == 0 && inner_.marked(job, command)) command.found = kMarkedUncorrectable;
    command.take(protected_data.out(job, command));
    return;
  }
  if (command.way != DataWay::kHost) {
    const CommandStatus found = inner_.out(job, command);
    if (command.found == 0) command.found = found;
    return;
  }
  if (inner_.marked(job, command)) command.found = kMarkedUncorrectable;
  if (dma_.slow() == nullptr) {
    if (!data_.move_out(job, command)) command.transfer_failed = true;
    return;
  }
  const std::uint32_t name = HostDma::name_of(command.queue, command.id);
  data_.send(job, command, dma_, name, {this, commands_.epoch(), name});
}

void HostDataMover::dma_ended(const DmaAccess& access, bool good, Picoseconds /*at*/) {
  if (good || access.kind != commands_.epoch()) return;  // or a reset has cut the command off
  front_end_.data_lost(static_cast<std::uint16_t>(access.index >> 16), static_cast<std::uint16_t>(access.index));
}

void HostDataMover::data_came(std::uint32_t transfer, const DataPath::Times& times, Picoseconds from) {
  const wl_host_job& job = transfers_[transfer].job;
  HostCommand& command = commands_[job.tag];
  data_.mark(*stages.operator->(), job.tag, from, times);
  const Picoseconds end = std::max(times.end, command.data_end);
  slots_.pass(job, from, end);
  command.data_end = end;
  agenda_.schedule(end, *this, Kind::kTransferEnd, transfer);
}

void HostDataMover::register_resources(results::Resources& resources) const {
  if (!data_.sets_up()) return;
  for (const bool in : {false, true}) {
    resources.add(
        {"dma", "DMA engine", results::ResourceKind::kServer, true,
         "With link.dma_setup, the DMA engines: that of reads, time in which it set up a command's transfer or "
         "moved its data; that of writes, time in which it set up."},
        [this, in] { return data_.engine_busy(in); });
  }
}

void HostDataMover::copy(const wl_host_job& job, HostCommand& command) {
  if (!writes(command.op) || job.count == 0 || job.flags != 0) {
    reports_.error("copy job for tag {}: only of slots, without flags, for a write", job.tag);
    return;
  }
  const Picoseconds now = agenda_.now();
  const Picoseconds end = data_.copy(job, command, now);
  data_.mark(*stages.operator->(), job.tag, now, {{}, {}, {}, end});
  slots_.copy(job, now, end);
  command.data_end = std::max(command.data_end, end);
}

void HostDataMover::transfer_end(std::uint32_t index) {
  const Transfer transfer = transfers_[index];
  const auto take = [&](HostCommand& command) {
    if (command.metadata.on()) {
      const CommandStatus found = protected_data.in(transfer.job, command);
      command.take(found);
      return found == 0;
    }
    if (command.way != DataWay::kHost) {
      inner_.in(transfer.job, command);
      return true;
    }
    return dma_.slow() == nullptr ? data_.move_in(transfer.job, command)
                                  : incoming_.move_in(index, transfer.job, command);
  };
  transfers_.release(index);
  if (transfer.event_only) {
    push_event(transfer.event, false);
    return;
  }
  const wl_host_job& job = transfer.job;
  HostCommand& command = commands_[job.tag];
  // Moves the data of a lost command, too: the firmware maps the slot in any case, and the reset is not over before
  // that.
  if (job.op == WL_JOB_DMA_IN && (!take(command) || dma_.host_gone())) command.transfer_failed = true;
  if (command.way == DataWay::kCompare && dma_.slow() != nullptr) {
    const CommandStatus found = inner_.compare(index, job, command, incoming_);
    if (command.found == 0) command.found = found;
  }
  --command.jobs_running;
  const bool notify = (job.flags & WL_JOB_NOTIFY) != 0;
  if (notify || (job.flags & WL_JOB_NOTIFY_QUIET) != 0) push_event(done_event(job, command), notify);
  if (command.complete_then && command.jobs_running == 0) complete(job.tag, command.status, agenda_.now());
}

// Data jobs that end with an action have ended.
void HostDataMover::complete(std::uint32_t tag, CommandStatus status, Picoseconds ready, const wl_host_event* quiet) {
  HostCommand& command = commands_[tag];
  command.state = HostCommand::State::kCompleting;
  ready = std::max({ready, command.data_end, agenda_.now()});
  // Firmware that hears of data that did not come knows no other reason than the transfer.
  if (status == 0 || (status == kTransferFailed && is_protection_error(command.found))) status = command.found;
  if (command.transfer_failed && status == 0) status = kTransferFailed;
  const bool durable = command.fua || command.op == Operation::kFlush;
  if (!host_memory->command_ended(tag, status == 0, durable) && status == 0) status = kNotKept;
  if (is_copy(command.way) && copies.goes_on(tag, status, ready, quiet)) return;
  command.ended = true;
  command.status = status;
  if (status != 0) ++counters_.errors;
  if (is_media_error(status)) ++counters_.media_errors;
  front_end_.completed(tag, status, ready, quiet);
  if (!turn_.runs(tag)) return;
  const std::uint32_t next = turn_.done();
  if (next != kNone) front_end_.bring_ranges(next);
}

void HostDataMover::push_event_later(const wl_host_event& event, Picoseconds at) {
  const std::uint32_t index = transfers_.acquire();
  transfers_[index].event_only = true;
  transfers_[index].event = event;
  agenda_.schedule(at, *this, Kind::kTransferEnd, index);
}

}  // namespace wordline::host
