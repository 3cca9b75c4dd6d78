// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "models/firmware/contract/contract.h"
#include "models/firmware/core/hal.h"
#include "registers/wordline_regs.hpp"

namespace wordline::testing {

/// The controller's part of a Drive's admin commands: one at a time to the firmware, its answer, and the events that it
/// reports. What the host has moved, which the SMART log asks for, is `counts`, by register.
class DriveAdmin {
 public:
  struct Answer {
    std::uint16_t status = 0;
    std::uint32_t dw0 = 0;
    std::vector<std::uint8_t> data;
  };

  explicit DriveAdmin(const wl_hal& hal) : hal_(hal) {}

  /// Registers of the NVME block; false: not one of admin commands.
  bool write32(std::uint32_t offset, std::uint32_t value) {
    if (offset == registers::nvme::admin_entry) entry_ = value;
    if (offset == registers::nvme::admin_page) page_ = value;
    return offset == registers::nvme::admin_entry || offset == registers::nvme::admin_page;
  }
  bool read32(std::uint32_t offset, std::uint32_t* value) const {
    const auto found = counts.find(offset);
    if (found != counts.end()) *value = found->second;
    return found != counts.end();
  }
  /// The event that hands the command over. `tag`: to abort.
  wl_host_event send(const wl_sqe& sqe, std::uint16_t tag = WL_NO_TAG, std::uint8_t flags = 0) {
    std::memcpy(hal_.tcm + (entry_ - WL_TCM_BASE), &sqe, sizeof sqe);
    wl_host_event event{};
    event.type = WL_EVENT_ADMIN;
    event.flags = static_cast<std::uint8_t>(flags | (first_ ? WL_ADMIN_FIRST : 0));
    event.tag = tag;
    event.count = resets;
    first_ = false;
    answer.reset();
    return event;
  }
  std::vector<wl_host_job> placement_events;
  /// The host has reset the controller.
  void reset() {
    first_ = true;
    ++resets;
    events.clear();
  }
  /// True: the job is one of these.
  bool take(const wl_host_job& job) {
    if (job.tag != WL_NO_TAG) return false;
    if (job.count != resets) return true;
    if (job.op == WL_JOB_ASYNC_EVENT) events.push_back(job.lpage);
    if (job.op == WL_JOB_SANITIZED) sanitized = true;
    if (job.op == WL_JOB_PLACEMENT_EVENT) {
      placement_events.push_back(job);
      return true;
    }
    if (job.op != WL_JOB_ADMIN) return job.op == WL_JOB_ASYNC_EVENT || job.op == WL_JOB_SANITIZED;
    const std::uint8_t* data = hal_.tcm + (page_ - WL_TCM_BASE);
    answer = Answer{job.status, job.lpage, {data, data + job.slot}};
    return true;
  }

  std::map<std::uint32_t, std::uint32_t> counts = {
      {registers::nvme::data_units_read, 11}, {registers::nvme::data_units_written, 12},
      {registers::nvme::read_commands, 13},   {registers::nvme::write_commands, 14},
      {registers::nvme::media_errors, 15},    {registers::nvme::errors, 16}};
  std::optional<Answer> answer;      // to the last command
  std::deque<std::uint32_t> events;  // dword 0 of each that was reported, none of before a reset
  bool sanitized = false;            // a Sanitize has ended
  std::uint16_t resets = 0;

 private:
  const wl_hal& hal_;
  std::uint32_t entry_ = 0, page_ = 0;
  bool first_ = true;
};

}  // namespace wordline::testing
