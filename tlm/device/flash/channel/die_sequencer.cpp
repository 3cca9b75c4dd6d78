// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/channel/die_sequencer.h"

#include <algorithm>
#include <utility>

#include "tlm/device/flash/channel/firmware_retry.h"
#include "tlm/device/flash/channel/hardware_retry.h"

namespace wordline::flash {
namespace {

std::unique_ptr<RetryConductor> make_conductor(DieSequencer::Setup& setup, const SequenceContext& context,
                                               ReadGroup& group, PageDecoder& decoder) {
  const RetryConductor::Parts parts{group, decoder, setup.decoding.registers, setup.config.nand.geometry, setup.layout};
  if (setup.config.engines.on(engines::EngineId::kRetry)) {
    return std::make_unique<HardwareRetry>(context, parts, std::move(setup.machine));
  }
  return std::make_unique<FirmwareRetry>(std::move(setup.owner), context, parts, std::move(setup.machine));
}

/// Where FAIL or FAILC is set, and blocks are replaced plane by plane, each plane is asked by 78h.
PlaneFailures failures(const SequenceContext& context, const wl_flash_job& job, std::uint8_t status) {
  const std::uint32_t every = (1U << context.rules.planes) - 1;
  PlaneFailures failed{(status & onfi::kFail) != 0 ? every : 0, (status & onfi::kFailCache) != 0 ? every : 0};
  if ((failed.last | failed.before) == 0 || !context.rules.status_by_plane) return failed;
  for (std::uint32_t plane = 0; plane < context.rules.planes; ++plane) {
    const onfi::Address of = context.bus.address(context.die, job, plane);
    const std::uint8_t bits = context.bus.plane_status(context.die, of, context.bus.free_at()).status;
    if ((bits & onfi::kFailPlane) == 0) failed.last &= ~(1U << plane);
    if ((bits & onfi::kFailPlaneCache) == 0) failed.before &= ~(1U << plane);
  }
  return failed;
}

}  // namespace

// In the order of Step.
const std::array<DieSequencer::Row, kSteps> DieSequencer::kRows{{
    {&DieSequencer::ask_for_job, &DieSequencer::begin_job},             // kIdle
    {&DieSequencer::ask_for_command, &DieSequencer::command_page},      // kReadCommand
    {&DieSequencer::ask_for_command, &DieSequencer::command_page},      // kCacheCommand
    {&DieSequencer::ask_for_suspend, &DieSequencer::suspend},           // kArray
    {&DieSequencer::ask_for_output, &DieSequencer::output},             // kDataOut
    {&DieSequencer::ask_for_nothing, &DieSequencer::not_asked},         // kStreaming
    {&DieSequencer::ask_for_references, &DieSequencer::set_reference},  // kReferences
    {&DieSequencer::ask_for_nothing, &DieSequencer::not_asked},         // kCopyRead
    {&DieSequencer::ask_for_program, &DieSequencer::program},           // kDataIn
    {&DieSequencer::ask_for_program, &DieSequencer::program},           // kParameters
    {&DieSequencer::ask_for_program, &DieSequencer::program},           // kReport
    {&DieSequencer::ask_for_command, &DieSequencer::command_block},     // kBlockCommand
    {&DieSequencer::ask_for_status, &DieSequencer::read_status},        // kStatus
    {&DieSequencer::ask_for_status, &DieSequencer::read_cache_status},  // kCacheStatus
    {&DieSequencer::ask_for_nothing, &DieSequencer::not_asked},         // kStopping
}};

DieSequencer::DieSequencer(Setup setup)
    : context_(setup.context),
      queue_(context_.jobs.pool(), context_.rules.blocks, context_.rules.channels.starvation_bound,
             context_.rules.channels.pair_planes, context_.rules.pages_per_program,
             context_.rules.any_block ? context_.rules.lpages_per_page : 0, context_.rules.channels.queue_order),
      reads_(context_),
      kept_(context_.rules.channels.register_hits),
      cache_reads_(context_, reads_, queue_, occupancy_),
      programs_(context_, queue_),
      erases_(context_, queue_),
      marks_(context_, queue_),
      suspension_(context_, queue_),
      decoder_(context_, setup.decoding),
      retry_(make_conductor(setup, context_, reads_.group(), decoder_)) {}

void DieSequencer::ask(Picoseconds at) {
  if (step_ == Step::kIdle && cache_reads_.has_deferred()) follow(cache_reads_.resume());
  const JobIndex writes = write_at_work();
  if (writes != kNoJob) {
    occupancy_.set(DieOccupancy::kind_of(context_.jobs[writes].job), at);
  } else {
    const ReadGroup& reads = reads_.group();
    if (reads.empty()) {
      occupancy_.set(DieOccupancy::kRests, std::max(at, from_));
    } else {
      occupancy_.set(DieOccupancy::kind_of(reads.any()), at);
    }
  }
  if (const Request request = (this->*row().request)(at)) {
    context_.arbiter.request(context_.die, *request, at);
  } else {
    context_.arbiter.withdraw(context_.die);
  }
}

void DieSequencer::use_bus(Picoseconds at) {
  follow((this->*row().use_bus)(at));
  ask(at);
}

// ---- jobs -----------------------------------------------------------------------------------------------------------

JobIndex DieSequencer::write_job() const { return programs_.job() != kNoJob ? programs_.job() : erases_.job(); }

/// Without what is suspended; with an erase suspended, a program that goes meanwhile.
JobIndex DieSequencer::write_at_work() const {
  if (!suspension_.active()) return write_job();
  if (suspension_.both()) return kNoJob;
  return erases_.job() != kNoJob ? programs_.job() : kNoJob;
}

void DieSequencer::take_job(JobIndex index, Picoseconds at) {
  if (join(index)) return;
  if (context_.jobs[index].job.op == WL_FLASH_READ) context_.jobs[index].behind = occupancy_.until(at);
  queue_.push(index);
  if (step_ == Step::kIdle) {
    ask(at);
  } else if (step_ == Step::kArray) {
    programs_.prefetch(at);
    if (ask_for_suspend(at)) ask(at);
  }
}

/// A read of a page that is being read takes part when its planes are sensed or about to be.
bool DieSequencer::join(JobIndex index) {
  const wl_flash_job& job = context_.jobs[index].job;
  const config::Channels& channels = context_.rules.channels;
  if (!channels.pair_planes || job.op != WL_FLASH_READ || job.priority != WL_PRIORITY_HOST) return false;
  if (write_at_work() != kNoJob) return false;
  const bool ahead = reads_.group().same_page(job);
  if (!ahead && !cache_reads_.behind().same_page(job)) return false;
  ReadGroup& group = ahead ? reads_.group() : cache_reads_.behind();
  const bool bound_reached = group.joined >= channels.starvation_bound && !queue_.empty();
  if (job.control != 0 || !retry_->idle() || bound_reached) return false;
  const bool commands = step_ == (ahead ? Step::kReadCommand : Step::kCacheCommand);
  const std::uint32_t last = job.lpage + job.count - 1U;
  const std::uint32_t lpages = context_.rules.lpages_per_page;
  for (std::uint32_t plane = job.lpage / lpages; plane <= last / lpages; ++plane) {
    const bool to_come = commands && plane >= group.plane;
    if (!to_come && (group.sensed >> plane & 1U) == 0) return false;
    // A hit has planes that its own jobs do not want: their blocks are those of the read before.
    if (ahead && !kept_.may_join(plane, BlockId(job.block))) return false;
  }
  // Logical pages that are on the bus now have gone by in part.
  if (ahead && streaming() && job.lpage < group.lpage + group.run && group.lpage <= last) return false;
  if (!suspension_.serves_more() || !queue_.pass(job)) return false;
  suspension_.serve(1);
  ++group.joined;
  group.join(index);
  if (ahead && step_ == Step::kDataOut && reads_.column_is_open()) group.find_run();
  return true;
}

DieSequencer::Request DieSequencer::ask_for_job(Picoseconds at) {
  const QueuedJob* const next = queue_.empty() ? nullptr : &context_.jobs[queue_.next()];
  const bool programs = next != nullptr && next->job.op == WL_FLASH_PROGRAM;
  BusRequest request{BusClass::kShort, from_};
  if (next != nullptr && !programs) request.worth = WorthWaiting::kTurnaround;
  if (next != nullptr && next->job.op == WL_FLASH_READ) request.until_data = context_.until_data(next->job, 1);
  if (suspension_.over() || (suspension_.active() && !programs)) return request;
  if (next == nullptr) return std::nullopt;
  if (!programs) return request;
  programs_.prefetch(at);
  if (programs_.needs_features(*next) || modifies(next->job)) return request;
  return BusRequest{BusClass::kNewIn, std::max(from_, next->fetched)};
}

DieSequencer::Request DieSequencer::ask_for_command(Picoseconds) {
  BusRequest request{BusClass::kShort, from_, WorthWaiting::kDummyBusy};
  if (step_ == Step::kReadCommand) request.until_data = reads_.until_data();
  if (step_ == Step::kCacheCommand) request.until_data = context_.rules.channels.t_rcbsy;
  return request;
}

/// Resumes what is suspended when its time has come; else takes the next job and the first of its steps.
Next DieSequencer::begin_job(Picoseconds at) {
  if (suspension_.over()) {
    kept_.forget();
    return suspension_.resume(context_.jobs[write_job()].job, at);
  }
  const JobIndex index = queue_.pop();
  if (context_.jobs[index].job.op != WL_FLASH_READ) kept_.forget();
  switch (context_.jobs[index].job.op) {
    case WL_FLASH_READ:
      occupancy_.end_waits(context_.jobs.pool(), index, at);
      reads_.group().start(index);
      suspension_.serve(reads_.group().members());
      if (const std::uint32_t planes = kept_.serve(reads_.group()); planes != 0) {
        register_hits_ += reads_.group().members();
        follow(reads_.kept(at, planes));
      } else {
        follow(retry_->begin_read(at));
      }
      break;
    case WL_FLASH_PROGRAM:
      programs_.start(index, suspension_.active());
      suspension_.serve(1);
      suspension_.begins();
      step_ = programs_.first_step();
      break;
    case WL_FLASH_MARKS:
      marks_.start(index);
      step_ = Step::kBlockCommand;
      break;
    default:
      erases_.start(index);
      retry_->erases(context_.jobs[index].job);
      suspension_.begins();
      step_ = Step::kBlockCommand;
      break;
  }
  return (this->*row().use_bus)(at);
}

// ---- reads ----------------------------------------------------------------------------------------------------------

void DieSequencer::ready(Picoseconds at) {
  if (step_ == Step::kCopyRead) {
    follow(programs_.source_ready(at));
    ask(at);
    return;
  }
  if (step_ != Step::kArray && step_ != Step::kStopping) {
    SC_REPORT_ERROR("wordline/flash", "a die became ready that no job had made busy");
    return;
  }
  if (write_at_work() != kNoJob) {
    follow({Step::kStatus, at});
  } else if (marks_.job() != kNoJob) {
    follow({Step::kDataOut, at + context_.rules.channels.t_rr});
  } else {
    follow(reads_.sensed(at));
    kept_.keep(reads_.group(), !retry_->idle());
    const bool alone = !retry_->idle() || suspension_.active();
    if (!alone && cache_reads_.begins(at)) {
      kept_.forget();
      step_ = Step::kCacheCommand;
    }
  }
  ask(at);
}

void DieSequencer::data_ended() {
  ReadGroup& group = reads_.group();
  const Picoseconds end = context_.bus.free_at();
  decoder_.take(group, retry_->reading());
  decoder_.complete(group, retry_->retries());
  if (group.find_run()) {
    follow({Step::kDataOut, reads_.next_run(end)});
  } else {
    follow({Step::kDataOut, end + context_.rules.channels.t_rhw});
    context_.arbiter.stream(context_.die, false);
    if (cache_reads_.active()) {
      if (!group.empty() && retry_->failed_in_sequence()) cache_reads_.defer();
      follow(cache_reads_.advance(end));
    } else if (!retry_->idle()) {
      follow(retry_->data_ended(end));
    } else {
      if (!group.empty()) kept_.forget();
      follow(group.empty() ? Next{Step::kIdle} : retry_->first_read_failed());
    }
  }
  ask(context_.bus.now());
}

// ---- programs and erases --------------------------------------------------------------------------------------------

DieSequencer::Request DieSequencer::ask_for_suspend(Picoseconds) {
  const JobIndex job = write_job();
  if (job == kNoJob || programs_.cached() || !suspension_.wanted(context_.jobs[job].job)) return std::nullopt;
  return BusRequest{BusClass::kShort, from_};
}

Next DieSequencer::suspend(Picoseconds at) { return suspension_.suspend(context_.jobs[write_job()].job, at); }

Next DieSequencer::read_status(Picoseconds at) {
  const onfi::Address of = context_.bus.address(context_.die, context_.jobs[write_job()].job, 0);
  const std::uint8_t status = context_.bus.status(context_.die, of, at).status;
  if (!suspension_.both() && suspension_.shown(status)) {
    suspension_.begin(context_.jobs[write_job()].job);
    return {Step::kIdle, context_.bus.free_at() + context_.rules.channels.t_rhw};
  }
  const PlaneFailures failed = failures(context_, context_.jobs[write_job()].job, status);
  const Picoseconds from = context_.bus.free_at() + context_.rules.channels.t_rhw;
  return programs_.job() != kNoJob ? programs_.status(failed, from) : erases_.status(failed, from);
}

Next DieSequencer::read_cache_status(Picoseconds at) {
  const onfi::Address of = context_.bus.address(context_.die, context_.jobs[write_job()].job, 0);
  const std::uint8_t status = context_.bus.status(context_.die, of, at).status;
  const PlaneFailures failed = failures(context_, context_.jobs[write_job()].job, status);
  return programs_.cache_status(failed, context_.bus.free_at() + context_.rules.channels.t_rhw);
}

Next DieSequencer::not_asked(Picoseconds) {
  SC_REPORT_FATAL("wordline/flash", "the bus was given to a die that does not wait for it");
  return {step_};
}

}  // namespace wordline::flash
