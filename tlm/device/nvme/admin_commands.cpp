// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/admin_commands.h"

#include <algorithm>

namespace wordline::host::nvme {
namespace {

constexpr std::uint32_t kMaxAsyncRequests = 4;  // Identify AERL + 1

}  // namespace

AdminCommands::AdminCommands(const config::Config& config, QueueSet& queues, Interrupts& interrupts,
                             ControllerStatus& status, HostDataMover& mover, Agenda& agenda, engines::Pipeline& parser,
                             CompletionPath& completions)
    : queues_(queues),
      status_(status),
      mover_(mover),
      agenda_(agenda),
      parser_(parser),
      completions_(completions),
      management_(queues, status),
      features_(queues, interrupts, config.ftl.power_safe),
      pages_(config, mover.limits().user_lbas,
             HostLimits::transfer_exponent(config.nvme.max_transfer_lpages, lpage_size_of(config))) {}

void AdminCommands::fetch() {
  SubmissionQueue& sq = queues_.sq(0);
  if (busy_ || !sq.exists || sq.pending() == 0 || status_.failed()) return;
  const HostDma::Piece piece{sq.base + sq.fetch * sizeof sqe_, &sqe_, sizeof sqe_};
  busy_ = true;
  sq.advance_fetch();
  mover_.dma().read(agenda_.now(), &piece, 1,
                    {this, static_cast<std::uint32_t>(Access::kEntry), mover_.commands().epoch()});
}

void AdminCommands::dma_ended(const DmaAccess& access, bool good, Picoseconds at) {
  if (static_cast<Access>(access.kind) == Access::kPage) {
    if (!good) completions_.data_lost(0, static_cast<std::uint16_t>(access.index));
    return;
  }
  const std::uint32_t epoch = mover_.commands().epoch();
  if (access.index != epoch) return;
  if (good) {
    agenda_.schedule(parser_.run(agenda_.now(), at), *this, Kind::kParsed, 0, epoch);
  } else {
    busy_ = false;
    status_.fail();
  }
}

// A reset has cut off commands of an older epoch.
void AdminCommands::act(const Agenda::Action& action) {
  if (action.value == mover_.commands().epoch()) run();
}

void AdminCommands::run() {
  ++queues_.sq(0).parsed;
  Status status = kSuccess;
  std::uint32_t dw0 = 0;
  Picoseconds ready = agenda_.now();
  if ((sqe_.flags & 0xc3U) != 0) {  // fused, or SGL
    done(kInvalidField, 0, ready);
    return;
  }
  switch (sqe_.opcode) {
    case kCreateIoCq:
      status = management_.create_cq(sqe_);
      break;
    case kCreateIoSq:
      status = management_.create_sq(sqe_);
      break;
    case kDeleteIoCq:
      status = management_.delete_cq(sqe_);
      break;
    case kDeleteIoSq:
      status = management_.delete_sq(sqe_);
      if (management_.deletes()) return;  // completed with the queue's last command
      break;
    case kIdentify:
      status = identify(sqe_, ready);
      break;
    case kGetLogPage:
      status = log_page(sqe_, ready);
      break;
    case kSetFeatures:
    case kGetFeatures:
      status = features_.run(sqe_, dw0);
      break;
    case kAbort:
      dw0 = 1;
      break;  // "not aborted": a legal answer for every command
    case kAsyncEventRequest:
      if (keep_async_request()) return;
      status = kAsyncEventLimitExceeded;
      break;
    default:
      status = kInvalidOpcode;
  }
  done(status, dw0, ready);
}

void AdminCommands::done(Status status, std::uint32_t dw0, Picoseconds ready) {
  if (status != kSuccess) {
    ++errors_;
    status |= kDnr;
  }
  completions_.post_admin(sqe_.cid, status, dw0, ready);
  busy_ = false;
  fetch();
}

// Outstanding for good: the model has no events to report.
bool AdminCommands::keep_async_request() {
  if (async_requests_ >= kMaxAsyncRequests) return false;
  ++async_requests_;
  busy_ = false;
  fetch();
  return true;
}

void AdminCommands::command_left(std::uint32_t qid) {
  if (management_.command_left(qid)) done(kSuccess, 0, agenda_.now());
}

void AdminCommands::reset() {
  busy_ = false;
  async_requests_ = 0;
  management_.reset();
  features_.reset();
}

Status AdminCommands::identify(const SubmissionEntry& sqe, Picoseconds& ready) {
  const Status status = pages_.identify(sqe);
  return status == kSuccess ? send_page(sqe, kPageBytes, ready) : status;
}

Status AdminCommands::log_page(const SubmissionEntry& sqe, Picoseconds& ready) {
  const HostDataMover::Counters& commands = mover_.counters();
  const DataPath::Counters& data = mover_.data_counters();
  std::size_t bytes = 0;
  const Status status = pages_.log(
      sqe, {data.lbas_read, data.lbas_written, commands.reads, commands.writes, commands.media_errors}, bytes);
  return status == kSuccess ? send_page(sqe, bytes, ready) : status;
}

// Puts the first `bytes` of the page where PRP1 and PRP2 point; `ready`: they have left.
Status AdminCommands::send_page(const SubmissionEntry& sqe, std::size_t bytes, Picoseconds& ready) {
  const std::size_t offset = sqe.prp1 % kPageBytes;
  const std::size_t first = std::min<std::size_t>(bytes, kPageBytes - offset);
  if (sqe.prp1 % 4 != 0 || (first < bytes && sqe.prp2 % kPageBytes != 0)) return kPrpOffsetInvalid;
  const Picoseconds arrives = mover_.link->write(agenda_.now(), bytes);
  ready = arrives - mover_.link->latency();
  const HostDma::Source pieces[] = {{sqe.prp1, pages_.page(), first}, {sqe.prp2, pages_.page() + first, bytes - first}};
  mover_.dma().write(HostDma::name_of(0, sqe.cid), arrives, pieces, first == bytes ? 1 : 2,
                     {this, static_cast<std::uint32_t>(Access::kPage), sqe.cid});
  return kSuccess;
}

}  // namespace wordline::host::nvme
