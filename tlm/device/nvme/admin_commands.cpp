// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/admin_commands.h"

#include <algorithm>
#include <optional>

#include "tlm/device/nvme/protection.h"
#include "tlm/device/nvme/self_test.h"

namespace wordline::host::nvme {
namespace {

/// Of a log of the firmware.
std::size_t length_of_log(const SubmissionEntry& sqe) {
  return static_cast<std::uint8_t>(sqe.cdw10) == kLogSelfTest ? WL_SELF_TEST_LOG_BYTES : WL_LOG_BYTES;
}

}  // namespace

AdminCommands::AdminCommands(const config::Config& config, QueueSet& queues, Namespaces& namespaces,
                             Interrupts& interrupts, ControllerStatus& status, IoCommands& commands,
                             DataPlacement& placement, const ErrorLog& errors, LatencyMonitor& latencies,
                             HostDataMover& mover, Agenda& agenda, engines::Pipeline& parser,
                             CompletionPath& completions, const Reports& reports)
    : queues_(queues),
      namespaces_(namespaces),
      status_(status),
      mover_(mover),
      agenda_(agenda),
      parser_(parser),
      completions_(completions),
      error_log_(errors),
      latencies_(latencies),
      placement_(placement),
      management_(queues, status, mover.dma()),
      features_(queues, interrupts, namespaces, config.ftl.power_safe, config.ftl.recovery == config::Recovery::kNone),
      host_buffer_(config, mover, agenda),
      commands_(commands),
      pages_(config, namespaces, images_,
             HostLimits::transfer_exponent(config.nvme.max_transfer_lpages, lpage_size_of(config))),
      events_(completions),
      recorder_(timestamp_, mover),
      firmware_(mover, commands, namespaces, completions, events_, recorder_, placement, *this, reports),
      namespace_commands_(namespaces, commands, mover, events_, recorder_, firmware_, *this) {
  recorder_.reset(images_.revision(), false);
}

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
  if (static_cast<Access>(access.kind) == Access::kData) {
    agenda_.schedule(at, *this, Kind::kData, good ? 1 : 0, epoch);
    return;
  }
  if (good) {
    agenda_.schedule(parser_.run(agenda_.now(), at), *this, Kind::kParsed, 0, epoch);
  } else {
    busy_ = false;
    status_.fail();
  }
}

// A reset has cut off commands of an older epoch.
void AdminCommands::act(const Agenda::Action& action) {
  if (action.value != mover_.commands().epoch()) return;
  if (static_cast<Kind>(action.kind) == Kind::kData) {
    take_data(action.index != 0);
  } else {
    run();
  }
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
  if (give_to_firmware(status)) return;
  if (status != kSuccess) {
    done(status, 0, ready);
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
      status = pages_.identify(sqe_);
      if (status == kSuccess) status = send_page(sqe_, kPageBytes, ready);
      break;
    case kGetLogPage:
      status = log_page(sqe_, ready);
      break;
    case kSetFeatures:
    case kGetFeatures: {
      bool waits = false;
      status = feature(dw0, ready, waits);
      if (waits) return;
      break;
    }
    case kFirmwareImageDownload:
    case kFirmwareCommit: {
      bool waits = false;
      status = firmware_image(waits);
      if (waits) return;
      break;
    }
    case kNamespaceManagement:
    case kNamespaceAttachment:
      status = namespace_commands_.check(sqe_);
      if (status == kSuccess) {
        if (NamespaceCommands::has_data(sqe_)) {
          bool waits = false;
          status = bring(NamespaceCommands::kBytes, waits);
          if (!waits) break;
        } else {
          run_namespace_command();
        }
        return;
      }
      break;
    case kAsyncEventRequest:
      if (events_.request(sqe_.cid, agenda_.now())) {  // completed by an event
        busy_ = false;
        fetch();
        return;
      }
      status = kAsyncEventLimitExceeded;
      break;
    default:
      status = kInvalidOpcode;
  }
  done(status, dw0, ready);
}

void AdminCommands::done(Status status, std::uint32_t dw0, Picoseconds ready, ErrorLog::Place place) {
  place.opcode = sqe_.opcode;
  if (status != kSuccess) {
    ++errors_;
    if (status != kSanitizeInProgress) status |= kDnr;
  }
  completions_.post_admin(sqe_.cid, status, dw0, ready, place);
  busy_ = false;
  fetch();
}

/// `waits`: data of the host are on their way.
Status AdminCommands::feature(std::uint32_t& dw0, Picoseconds& ready, bool& waits) {
  switch (static_cast<std::uint8_t>(sqe_.cdw10)) {
    case kFeatureFdp:
    case kFeatureFdpEvents:
      return fdp_feature(dw0, ready, waits);
    case kFeatureHostMemory:
      return host_memory(dw0, ready, waits);
    case kFeatureTimestamp:
    case kFeatureLatencyMonitor:
      return feature_with_data(ready, waits);
    default: {
      const Status status = features_.run(sqe_, dw0);
      commands_.report_unwritten(features_.unwritten_errors());
      return status;
    }
  }
}

Status AdminCommands::feature_with_data(Picoseconds& ready, bool& waits) {
  const bool set = sqe_.opcode == kSetFeatures;
  const bool is_timestamp = static_cast<std::uint8_t>(sqe_.cdw10) == kFeatureTimestamp;
  const std::size_t bytes = is_timestamp ? Timestamp::kBytes : LatencyMonitor::kFeatureBytes;
  if (set && (sqe_.cdw10 & 1U << 31) != 0) return kFeatureNotSaveable;
  if (!set && (sqe_.cdw10 & 0x700U) != 0) return kInvalidField;  // current values only
  if (!set) {
    if (is_timestamp) {
      timestamp_.fill(pages_.clear(), agenda_.now());
    } else {
      latencies_.fill_feature(pages_.clear());
    }
    return send_page(sqe_, bytes, ready);
  }
  const bool two_pages = sqe_.prp1 % kPageBytes + bytes > kPageBytes;
  if (sqe_.prp1 % 4 != 0 || (two_pages && sqe_.prp2 % kPageBytes != 0)) return kPrpOffsetInvalid;
  return bring(bytes, waits);
}

/// `waits`: the list of what the host lends is on its way, or firmware ends its use.
Status AdminCommands::host_memory(std::uint32_t& dw0, Picoseconds& ready, bool& waits) {
  if (!host_buffer_.asked_for()) return kInvalidField;
  if (sqe_.opcode == kGetFeatures) {
    if ((sqe_.cdw10 & 0x700U) != 0) return kInvalidField;  // current values only
    dw0 = host_buffer_.attributes(pages_.clear());
    return send_page(sqe_, HostMemoryBuffer::kAttributeBytes, ready);
  }
  std::size_t bytes = 0;
  const Status status = host_buffer_.check(sqe_, bytes);
  if (status != kSuccess || (bytes == 0 && !host_buffer_.enabled())) return status;
  waits = true;
  if (bytes == 0) {
    firmware_.carry_out(sqe_);
    return kSuccess;
  }
  const HostDma::Piece list{HostMemoryBuffer::list_of(sqe_), received_.data(), bytes};
  mover_.dma().read(agenda_.now(), &list, 1,
                    {this, static_cast<std::uint32_t>(Access::kData), mover_.commands().epoch()});
  return kSuccess;
}

/// `waits`: the list of the host's event types is on its way.
Status AdminCommands::fdp_feature(std::uint32_t& dw0, Picoseconds& ready, bool& waits) {
  const bool set = sqe_.opcode == kSetFeatures;
  if (set && (sqe_.cdw10 & 1U << 31) != 0) return placement_.on() ? kFeatureNotSaveable : kInvalidField;
  if (!set && (sqe_.cdw10 & 0x700U) != 0) return kInvalidField;  // current values only
  if (static_cast<std::uint8_t>(sqe_.cdw10) == kFeatureFdp) return placement_.mode(set, sqe_.cdw11, dw0);
  const Status status = placement_.check_events(sqe_);
  if (status != kSuccess) return status;
  const std::size_t bytes = DataPlacement::event_types(sqe_);
  if (!set) {
    dw0 = pages_.fdp_events(placement_, sqe_);
    return dw0 == 0 ? kSuccess : send_page(sqe_, std::size_t{dw0} * 2, ready);
  }
  if (bytes == 0) return kInvalidField;
  return bring(bytes, waits);
}

/// From where PRP1 and PRP2 point; `waits`: goes on with take_data().
Status AdminCommands::bring(std::size_t bytes, bool& waits) {
  const std::size_t first = std::min<std::size_t>(bytes, kPageBytes - sqe_.prp1 % kPageBytes);
  if (mover_.dma().has_own(sqe_.prp1) || (first < bytes && mover_.dma().has_own(sqe_.prp2))) return kInvalidUseOfCmb;
  waits = true;
  const HostDma::Piece pieces[] = {{sqe_.prp1, received_.data(), first},
                                   {sqe_.prp2, received_.data() + first, bytes - first}};
  mover_.dma().read(agenda_.now(), pieces, first == bytes ? 1 : 2,
                    {this, static_cast<std::uint32_t>(Access::kData), mover_.commands().epoch()});
  return kSuccess;
}

void AdminCommands::take_data(bool good) {
  Status status = good ? kSuccess : kDataTransferError;
  if (good && (sqe_.opcode == kNamespaceManagement || sqe_.opcode == kNamespaceAttachment)) {
    run_namespace_command();
    return;
  }
  if (good && sqe_.opcode == kFirmwareImageDownload) {
    images_.take(sqe_, received_.data());
  } else if (good && static_cast<std::uint8_t>(sqe_.cdw10) == kFeatureHostMemory) {
    status = host_buffer_.lend(sqe_, received_.data());
    if (status == kSuccess) {
      firmware_.carry_out(sqe_);
      return;
    }
  } else if (good && static_cast<std::uint8_t>(sqe_.cdw10) == kFeatureTimestamp) {
    const std::uint64_t before = recorder_.timestamp();
    timestamp_.set(received_.data(), agenda_.now());
    recorder_.timestamp_changed(before);
  } else if (good && static_cast<std::uint8_t>(sqe_.cdw10) == kFeatureLatencyMonitor) {
    status = latencies_.set(received_.data(), agenda_.now());
  } else if (good) {
    status = placement_.set_events(sqe_, reinterpret_cast<const std::uint8_t*>(received_.data()));
  }
  done(status, 0, agenda_.now());
}

void AdminCommands::run_namespace_command() {
  std::uint64_t result = 0;
  const std::optional<Status> status = namespace_commands_.run(sqe_, received_.data(), result);
  if (!status) return;
  const bool created = *status == kSuccess && sqe_.opcode == kNamespaceManagement && result != 0;
  if (created) {
    features_.forget(static_cast<std::uint32_t>(result));
    commands_.report_unwritten(features_.unwritten_errors());
  }
  done(*status, created ? static_cast<std::uint32_t>(result) : 0, agenda_.now(),
       {*status == kSuccess ? 0 : sqe_.nsid, 0, *status == kNoNamespaceCapacity ? result : 0});
}

/// `waits`: data are on their way.
Status AdminCommands::firmware_image(bool& waits) {
  if (firmware_.sanitizes()) return kSanitizeInProgress;
  if (sqe_.opcode == kFirmwareCommit) {
    const std::string before = images_.revision();
    const Status status = images_.commit(sqe_);
    recorder_.firmware_committed(sqe_, before, images_.committed(), status);
    return status;
  }
  const Status status = images_.check(sqe_);
  if (status != kSuccess) return status;
  const std::size_t bytes = FirmwareImages::bytes_of(sqe_);
  const bool two_pages = sqe_.prp1 % kPageBytes + bytes > kPageBytes;
  if (sqe_.prp1 % 4 != 0 || (two_pages && sqe_.prp2 % kPageBytes != 0)) return kPrpOffsetInvalid;
  return bring(bytes, waits);
}

// True: the firmware has the command. False: it is not one for firmware, or ends with `status`.
bool AdminCommands::give_to_firmware(Status& status) {
  bool firmware = false;
  switch (sqe_.opcode) {
    case kAbort:
      firmware = true;
      break;
    case kSetFeatures:
    case kGetFeatures:
      firmware = Features::of_firmware(static_cast<std::uint8_t>(sqe_.cdw10));
      break;
    case kGetLogPage:
      if (static_cast<std::uint8_t>(sqe_.cdw10) == kLogPersistentEvents) return ask_for_snapshot(status);
      firmware = pages_.log_is_of_firmware(static_cast<std::uint8_t>(sqe_.cdw10));
      if (firmware) status = InformationPages::check_range(sqe_, length_of_log(sqe_));
      if (static_cast<std::uint8_t>(sqe_.cdw10) == kLogFdpStatistics && firmware && !DataPlacement::names_group(sqe_)) {
        status = kInvalidField;
      }
      break;
    case kDeviceSelfTest:
      firmware = true;
      status = firmware_.sanitizes() ? kSanitizeInProgress : place_self_test(sqe_, namespaces_);
      break;
    case kFormat:
      firmware = true;
      status = check_format();
      break;
    case kSanitize:
      firmware = true;
      status = check_sanitize();
      sqe_.cdw10 &= ~kSanitizeNoDeallocate;  // it has been refused, or is not heeded
      break;
    default:
      break;
  }
  if (status != kSuccess || !firmware) return false;
  firmware_.carry_out(sqe_);
  return true;
}

/// As give_to_firmware(): a context of the Persistent Event Log begins with a SMART log, which the firmware has.
bool AdminCommands::ask_for_snapshot(Status& status) {
  status = recorder_.log().check(sqe_);
  if (status == kSuccess && EventLog::action_of(sqe_) != EventLog::kRelease) {
    status = InformationPages::check_range(sqe_, EventLog::kMostBytes);
  }
  if (status != kSuccess || EventLog::action_of(sqe_) != EventLog::kEstablish) return false;
  SubmissionEntry smart{};
  smart.opcode = kGetLogPage;
  smart.cdw10 = (smart::kBytes / 4 - 1) << 16 | kRetainEvent | kLogSmart;
  firmware_.carry_out(smart);
  return true;
}

// Data are erased whether asked for or not, and there is no key to forget.
Status AdminCommands::check_format() const {
  if (!pages_.erases()) return kInvalidOpcode;
  if (firmware_.sanitizes()) return kSanitizeInProgress;
  if (!namespaces_.has(sqe_.nsid) && sqe_.nsid != kAllNamespaces) return namespaces_.refusal(sqe_.nsid);
  const std::uint32_t erase = sqe_.cdw10 >> kFormatEraseShift & kFormatEraseMask;
  if ((sqe_.cdw10 & kFormatIndexMask) >= namespaces_.formats()) return kInvalidFormat;
  if (erase > kFormatUserDataErase) return kInvalidField;
  return check_metadata_of_format(sqe_);
}

// By block erase alone; what is erased is deallocated, too.
Status AdminCommands::check_sanitize() const {
  if (!pages_.erases()) return kInvalidOpcode;
  if (firmware_.sanitizes()) return kSanitizeInProgress;
  if (images_.waits_for_reset()) return kActivationRequiresReset;
  const std::uint32_t ignored = features_.no_deallocate_response() ? kSanitizeNoDeallocate : 0;
  return (sqe_.cdw10 & ~ignored) == kSanitizeBlockErase ? kSuccess : kInvalidField;
}

void AdminCommands::answered(Status status, std::uint32_t dw0, const std::byte* data, std::size_t bytes) {
  Picoseconds ready = agenda_.now();
  if (status == kSuccess && sqe_.opcode == kGetLogPage &&
      static_cast<std::uint8_t>(sqe_.cdw10) == kLogPersistentEvents) {
    recorder_.establish(data);
    status = log_page(sqe_, ready);
  } else if (status == kSuccess && sqe_.opcode == kGetLogPage) {
    status = send_page(sqe_, pages_.log_of_firmware(sqe_, data, bytes), ready);
  }
  if (sqe_.opcode == kSetFeatures && static_cast<std::uint8_t>(sqe_.cdw10) == kFeatureHostMemory)
    host_buffer_.answered(sqe_);
  if (status == kSuccess && sqe_.opcode == kSetFeatures) events_.set_wanted(sqe_.cdw11, sqe_.cdw10);
  done(status, dw0, ready);
}

void AdminCommands::command_left(std::uint32_t qid) {
  if (management_.command_left(qid)) done(kSuccess, 0, agenda_.now());
}

void AdminCommands::reset() {
  busy_ = false;
  events_.reset();
  host_buffer_.give_back();
  firmware_.reset();
  namespace_commands_.reset();
  management_.reset();
  features_.reset();
  commands_.report_unwritten(0);
  timestamp_.reset(agenda_.now());
  placement_.reset();
  const bool activates = images_.waits_for_reset();
  images_.reset();
  recorder_.reset(images_.revision(), activates);
}

Status AdminCommands::log_page(const SubmissionEntry& sqe, Picoseconds& ready) {
  std::size_t bytes = 0;
  if (static_cast<std::uint8_t>(sqe.cdw10) == kLogPersistentEvents) {
    if (EventLog::action_of(sqe) == EventLog::kRelease) {
      recorder_.log().release();
      return kSuccess;
    }
    return send_page(sqe, pages_.events(recorder_.log(), sqe), ready);
  }
  if (static_cast<std::uint8_t>(sqe.cdw10) == kLogTelemetryHost && (sqe.cdw10 & kCreateTelemetry) != 0) {
    telemetry_.capture(queues_, status_, mover_, agenda_.now());
  }
  const Status status = pages_.log(sqe, {error_log_, placement_, telemetry_, latencies_}, agenda_.now(), bytes);
  if (status != kSuccess) return status;
  const Status sent = send_page(sqe, bytes, ready);
  if (sent != kSuccess || (sqe.cdw10 & kRetainEvent) != 0) return sent;
  if (static_cast<std::uint8_t>(sqe.cdw10) == kLogErrorInformation) events_.errors_read();
  if (static_cast<std::uint8_t>(sqe.cdw10) == kLogChangedNamespaces) {
    namespaces_.changes_read();
    events_.namespaces_read();
  }
  return sent;
}

// Puts the first `bytes` of the page where PRP1 and PRP2 point; `ready`: they have left.
Status AdminCommands::send_page(const SubmissionEntry& sqe, std::size_t bytes, Picoseconds& ready) {
  const std::size_t offset = sqe.prp1 % kPageBytes;
  const std::size_t first = std::min<std::size_t>(bytes, kPageBytes - offset);
  if (sqe.prp1 % 4 != 0 || (first < bytes && sqe.prp2 % kPageBytes != 0)) return kPrpOffsetInvalid;
  if (mover_.dma().has_own(sqe.prp1) || (first < bytes && mover_.dma().has_own(sqe.prp2))) return kInvalidUseOfCmb;
  const Picoseconds arrives = mover_.link->write(agenda_.now(), bytes);
  ready = arrives - mover_.link->latency();
  const HostDma::Source pieces[] = {{sqe.prp1, pages_.page(), first}, {sqe.prp2, pages_.page() + first, bytes - first}};
  mover_.dma().write(HostDma::name_of(0, sqe.cid), arrives, pieces, first == bytes ? 1 : 2,
                     {this, static_cast<std::uint32_t>(Access::kPage), sqe.cid});
  return kSuccess;
}

}  // namespace wordline::host::nvme
