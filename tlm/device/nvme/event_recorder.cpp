// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/event_recorder.h"

#include <algorithm>
#include <array>

#include "tlm/device/nvme/fields.h"
#include "tlm/device/nvme/firmware_images.h"

namespace wordline::host::nvme {
namespace {

constexpr std::uint16_t kNotRunning = 0xffff, kSanitized = 1;  // SPROG, SSTAT

std::uint64_t milliseconds_of(Picoseconds time) { return static_cast<std::uint64_t>(time.count() / 1'000'000'000); }

void put_revision(char (&field)[FirmwareImages::kRevisionBytes], const std::string& revision) {
  std::fill(std::begin(field), std::end(field), ' ');
  std::copy_n(revision.begin(), std::min(revision.size(), sizeof field), field);
}

}  // namespace

std::uint64_t EventRecorder::timestamp() const {
  std::array<std::byte, Timestamp::kBytes> bytes{};
  timestamp_.fill(bytes.data(), mover_.now());
  return load_field<std::uint64_t>(bytes.data(), 0);
}

void EventRecorder::reset(const std::string& revision, bool activated) {
  reset_at_ = mover_.now();
  log_.release();
  PowerOnEvent event{};
  put_revision(event.revision, revision);
  event.controller = kControllerId;
  event.firmware_activated = activated ? 1 : 0;
  event.power_cycle = 1;
  event.milliseconds = milliseconds_of(mover_.now());
  event.timestamp = timestamp();
  add(EventLog::kPowerOnOrReset, event);
}

void EventRecorder::timestamp_changed(std::uint64_t previous) {
  const auto since = milliseconds_of(mover_.now() - reset_at_);
  add(EventLog::kTimestampChange, TimestampChangeEvent{previous, since});
}

void EventRecorder::firmware_committed(const SubmissionEntry& sqe, const std::string& revision,
                                       const std::string& committed, Status status) {
  FirmwareCommitEvent event{};
  put_revision(event.old_revision, revision);
  put_revision(event.new_revision, committed);
  event.action = static_cast<std::uint8_t>(sqe.cdw10 >> 3 & 7U);
  event.slot = static_cast<std::uint8_t>(sqe.cdw10 & 7U);
  event.status_type = static_cast<std::uint8_t>(status >> 8 & 7U);
  event.status_code = static_cast<std::uint8_t>(status);
  add(EventLog::kFirmwareCommit, event);
}

void EventRecorder::namespace_changed(const SubmissionEntry& sqe, const std::byte* data, std::uint32_t nsid) {
  using namespace identify_namespace;
  NamespaceChangeEvent event{};
  event.cdw10 = sqe.cdw10;
  event.nsid = nsid;
  if (data != nullptr) {
    event.nsze = load_field<std::uint64_t>(data, kNsze);
    event.ncap = load_field<std::uint64_t>(data, kNcap);
    event.flbas = load_field<std::uint8_t>(data, kFlbas);
    event.dps = load_field<std::uint8_t>(data, kDps);
    event.nmic = load_field<std::uint8_t>(data, kNmic);
  }
  add(EventLog::kNamespaceChange, event);
}

void EventRecorder::erasure_given(const SubmissionEntry& sqe) {
  erasure_ = sqe;
  if (sqe.opcode == kFormat) {
    add(EventLog::kFormatStart, FormatStartEvent{sqe.nsid, identify_controller::kFnaAll, {}, sqe.cdw10});
  }
}

void EventRecorder::format_ended(Status status) {
  FormatCompletionEvent event{};
  event.nsid = erasure_.nsid;
  event.status = status_word(status, false);
  add(EventLog::kFormatCompletion, event);
}

void EventRecorder::sanitize_begun() {
  add(EventLog::kSanitizeStart, SanitizeStartEvent{identify_controller::kSanicapAll, erasure_.cdw10, erasure_.cdw11});
}

void EventRecorder::sanitize_ended() {
  add(EventLog::kSanitizeCompletion, SanitizeCompletionEvent{kNotRunning, kSanitized, 0, 0});
}

void EventRecorder::establish(const std::byte* smart) {
  log_.add(EventLog::kSmartSnapshot, timestamp(), smart, smart::kBytes);
  log_.establish(timestamp(), load_field<std::uint64_t>(smart, smart::kPowerCycles));
}

}  // namespace wordline::host::nvme
