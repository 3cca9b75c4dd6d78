// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/event_log.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tlm/device/nvme/fields.h"

namespace wordline::host::nvme {
namespace {

namespace header {  // its bytes
constexpr std::size_t kLog = 0, kEvents = 4, kLength = 8, kRevision = 16, kHeaderLength = 18, kTimestamp = 20;
constexpr std::size_t kPowerCycles = 44, kVid = 52, kSsvid = 54, kSn = 56, kSnBytes = 20, kMn = 76, kMnBytes = 40,
                      kSubnqn = 116;
constexpr std::size_t kGeneration = 372, kContext = 374, kSupported = 480;
}  // namespace header
constexpr std::uint8_t kLogRevision = 2;            // of Base 2.0
constexpr std::uint32_t kContextExists = 1U << 18;  // the context of no port
constexpr std::uint8_t kHeaderOfEvent = 24 - 3, kEventRevision = 1;

struct EventHeader {
  std::uint8_t type, revision, header_length, additional;
  std::uint16_t controller;
  std::uint64_t timestamp;
  std::uint16_t port;
  std::uint32_t reserved;
  std::uint16_t vendor_length, length;
} __attribute__((packed));
static_assert(sizeof(EventHeader) == EventLog::kEventHeaderBytes);

void store_text(std::byte* page, std::size_t offset, std::size_t bytes, const char* text) {
  std::memset(page + offset, ' ', bytes);
  std::memcpy(page + offset, text, std::min(bytes, std::strlen(text)));
}

}  // namespace

void EventLog::add(Type type, std::uint64_t timestamp, const void* data, std::size_t bytes) {
  const EventHeader header{
      type, kEventRevision, kHeaderOfEvent, 0, kControllerId, timestamp, 0, 0, 0, static_cast<std::uint16_t>(bytes)};
  Bytes event(sizeof header + bytes);
  std::memcpy(event.data(), &header, sizeof header);
  std::memcpy(event.data() + sizeof header, data, bytes);
  bytes_ += event.size();
  events_.push_back(std::move(event));
  while (kHeaderBytes + bytes_ > kMostBytes) {
    bytes_ -= events_.front().size();
    events_.pop_front();
  }
}

Status EventLog::check(const SubmissionEntry& sqe) const {
  switch (action_of(sqe)) {
    case kRead:
      return exists_ ? kSuccess : kCommandSequenceError;
    case kEstablish:
      return exists_ ? kCommandSequenceError : kSuccess;
    case kRelease:
      return kSuccess;
    default:
      return kInvalidField;
  }
}

void EventLog::establish(std::uint64_t timestamp, std::uint64_t power_cycles) {
  using namespace header;
  exists_ = true;
  ++generation_;
  context_.assign(kHeaderBytes, std::byte{0});
  for (auto event = events_.rbegin(); event != events_.rend(); ++event)
    context_.insert(context_.end(), event->begin(), event->end());
  std::byte* page = context_.data();
  store_field(page, kLog, kLogPersistentEvents);
  store_field(page, kEvents, static_cast<std::uint32_t>(events_.size()));
  store_field(page, kLength, static_cast<std::uint64_t>(context_.size()));
  store_field(page, kRevision, kLogRevision);
  store_field(page, kHeaderLength, static_cast<std::uint16_t>(kHeaderBytes - 20));
  store_field(page, kTimestamp, timestamp);
  store_field(page, kPowerCycles, power_cycles);
  store_field(page, kVid, names::kPciVendor);
  store_field(page, kSsvid, names::kPciVendor);
  store_text(page, kSn, kSnBytes, names::kSerial);
  store_text(page, kMn, kMnBytes, names::kModel);
  std::memcpy(page + kSubnqn, names::kSubsystem, sizeof names::kSubsystem);
  store_field(page, kGeneration, generation_);
  store_field(page, kContext, kContextExists);
  for (const Type type : {kSmartSnapshot, kFirmwareCommit, kTimestampChange, kPowerOnOrReset, kNamespaceChange,
                          kFormatStart, kFormatCompletion, kSanitizeStart, kSanitizeCompletion}) {
    page[kSupported + type / 8U] |= std::byte{static_cast<unsigned char>(1U << type % 8U)};
  }
}

void EventLog::fill(std::byte* page, std::size_t bytes, std::uint64_t offset) const {
  if (offset >= length()) return;
  std::memcpy(page, context_.data() + offset, std::min<std::size_t>(bytes, length() - offset));
}

}  // namespace wordline::host::nvme
