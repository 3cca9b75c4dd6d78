// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/data_placement.h"

#include <algorithm>
#include <cstring>

#include "models/firmware/host/nvme.h"

namespace wordline::host::nvme {
namespace {

constexpr std::uint8_t kTypes[] = {WL_PLACEMENT_NOT_FULL, WL_PLACEMENT_INVALID, WL_PLACEMENT_MOVED};
constexpr std::uint8_t kOfController = 0x80;  // event types from here on
constexpr std::uint8_t kHasPid = 1U << 0, kHasNamespace = 1U << 1, kHasLocation = 1U << 2;
constexpr std::int64_t kMillisecond = 1'000'000'000;

template <class T>
void put_field(std::array<std::byte, kPageBytes>& page, std::size_t offset, T value) {
  std::memcpy(page.data() + offset, &value, sizeof value);
}

/// The bit of an event type; 0: it is not one that the drive has.
std::uint32_t bit_of(std::uint8_t type) {
  const auto* const found = std::find(std::begin(kTypes), std::end(kTypes), type);
  return found == std::end(kTypes) ? 0 : 1U << (found - std::begin(kTypes));
}

}  // namespace

DataPlacement::DataPlacement(const config::Config& config, const Namespaces& namespaces, std::uint64_t unit_bytes)
    : namespaces_(namespaces),
      handles_(config.ftl.fdp.handles),
      persistent_(config.ftl.fdp.isolation == config::Isolation::kPersistently),
      unit_bytes_(unit_bytes),
      volatile_cache_(!config.ftl.power_safe) {}

Status DataPlacement::handle_of(const SubmissionEntry& write, Picoseconds now, std::uint8_t& handle) {
  handle = 0;
  if (!on()) return kSuccess;
  const std::uint32_t directive = write.cdw12 >> kDirectiveShift & kDirectiveMask;
  if (directive == 0) return kSuccess;
  if (directive != kDataPlacement) return kInvalidField;
  const std::uint32_t pid = write.cdw13 >> 16;
  if (pid < handles_) {
    handle = static_cast<std::uint8_t>(pid);
  } else {
    add(WL_PLACEMENT_INVALID, static_cast<std::uint16_t>(pid), 0, 0, now);
  }
  return kSuccess;
}

void DataPlacement::firmware_event(const wl_host_job& job, Picoseconds now) {
  const auto handle = static_cast<std::uint8_t>(job.status < handles_ ? job.status : 0);
  add(job.flags, job.status, handle, job.lpage >> namespaces_.shift(), now);
}

bool DataPlacement::enabled(std::uint8_t type, std::uint8_t handle) const {
  return (enabled_[handle] & bit_of(type)) != 0;
}

void DataPlacement::add(std::uint8_t type, std::uint16_t pid, std::uint8_t handle, std::uint32_t lbas,
                        Picoseconds now) {
  if (!enabled(type, handle)) return;
  Event event{};
  event.type = type;
  event.flags = kHasPid | kHasNamespace | (type == WL_PLACEMENT_INVALID ? 0 : kHasLocation);
  event.pid = pid;
  event.timestamp = static_cast<std::uint64_t>(now.count() / kMillisecond);
  event.nsid = kNamespace;
  event.handle = handle;
  if (type == WL_PLACEMENT_MOVED) {  // flags, and behind them how many LBAs
    const auto moved = static_cast<std::uint16_t>(std::min<std::uint32_t>(lbas, UINT16_MAX));
    std::memcpy(event.specific + 2, &moved, sizeof moved);
  }
  std::deque<Event>& log = type < kOfController ? of_host_ : of_controller_;
  if (log.size() == kEvents) log.pop_front();
  log.push_back(event);
}

std::size_t DataPlacement::log(const SubmissionEntry& sqe, std::array<std::byte, kPageBytes>& page) const {
  constexpr std::size_t kHead = 16, kConfiguration = 64, kHandle = 4;
  if (!on()) return 0;
  switch (sqe.cdw10 & 0xffU) {
    case kLogFdpConfigurations: {
      const std::size_t length = kConfiguration + handles_ * kHandle;
      put_field<std::uint16_t>(page, 0, 0);  // one configuration, 0-based
      put_field<std::uint32_t>(page, 4, static_cast<std::uint32_t>(kHead + length));
      put_field<std::uint16_t>(page, kHead, static_cast<std::uint16_t>(length));
      put_field<std::uint8_t>(page, kHead + 2,
                              1U << 7 | (volatile_cache_ ? 1U << 4 : 0U));  // valid; no bits name a group
      put_field<std::uint32_t>(page, kHead + 4, 1);                         // reclaim groups
      put_field<std::uint16_t>(page, kHead + 8, static_cast<std::uint16_t>(handles_));
      put_field<std::uint16_t>(page, kHead + 10,
                               static_cast<std::uint16_t>(handles_ - 1));  // placement identifiers, 0-based
      put_field<std::uint32_t>(page, kHead + 12, 1);                       // namespaces
      put_field<std::uint64_t>(page, kHead + 16, unit_bytes_);
      for (std::uint32_t i = 0; i < handles_; ++i) {
        put_field<std::uint8_t>(page, kHead + kConfiguration + i * kHandle, persistent_ ? 2 : 1);
      }
      return kHead + length;
    }
    case kLogFdpHandleUsage:
      put_field<std::uint16_t>(page, 0, static_cast<std::uint16_t>(handles_));
      for (std::uint32_t i = 0; i < handles_; ++i) put_field<std::uint8_t>(page, 8 + i * 8, 1);  // host specified
      return 8 + handles_ * 8;
    case kLogFdpEvents: {
      const std::deque<Event>& events = (sqe.cdw10 >> 8 & 1U) != 0 ? of_host_ : of_controller_;
      put_field<std::uint32_t>(page, 0, static_cast<std::uint32_t>(events.size()));
      std::size_t at = sizeof(Event);
      for (const Event& event : events) {
        std::memcpy(page.data() + at, &event, sizeof event);
        at += sizeof event;
      }
      return at;
    }
    default:
      return 0;
  }
}

/// It is enabled for good: changing it needs an endurance group without namespaces.
Status DataPlacement::mode(bool set, std::uint32_t cdw11, std::uint32_t& dw0) const {
  if (!on() || (cdw11 & 0xffffU) != kEnduranceGroup) return kInvalidField;
  if (set) return kCommandSequenceError;
  dw0 = 1;  // configuration 0
  return kSuccess;
}

Status DataPlacement::check_events(const SubmissionEntry& sqe) const {
  if (!on()) return kInvalidField;
  if (sqe.nsid != kNamespace) return kInvalidNamespace;
  return (sqe.cdw11 & 0xffffU) < handles_ ? kSuccess : kInvalidField;
}

Status DataPlacement::set_events(const SubmissionEntry& sqe, const std::uint8_t* types) {
  std::uint32_t bits = 0;
  for (std::uint32_t i = 0; i < event_types(sqe); ++i) {
    if (bit_of(types[i]) == 0) return kInvalidField;
    bits |= bit_of(types[i]);
  }
  std::uint32_t& enabled = enabled_[sqe.cdw11 & 0xffffU];
  enabled = (sqe.cdw12 & 1U) != 0 ? enabled | bits : enabled & ~bits;
  return kSuccess;
}

std::uint32_t DataPlacement::get_events(const SubmissionEntry& sqe, std::array<std::byte, kPageBytes>& page) const {
  std::uint32_t count = 0;
  for (const std::uint8_t type : kTypes) {
    if (count == event_types(sqe)) break;
    put_field<std::uint8_t>(page, count * 2U, type);
    put_field<std::uint8_t>(page, count * 2U + 1, enabled(type, static_cast<std::uint8_t>(sqe.cdw11)) ? 1 : 0);
    ++count;
  }
  return count;
}

void DataPlacement::reset() { enabled_ = {}; }

}  // namespace wordline::host::nvme
