// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/firmware_admin.h"

#include <cstring>

#include "tlm/device/nvme/protection.h"

namespace wordline::host::nvme {

bool FirmwareAdmin::firmware_ready() {
  const FirmwarePort::Tables& tables = mover_.tables();
  tlm_if::SharedMemoryIf& tcm = *mover_.memory[0];
  entry_ = tcm.at(tables.admin_entry, sizeof(SubmissionEntry));
  page_ = tcm.at(tables.admin_page, WL_ADMIN_PAGE_BYTES);
  return entry_ != nullptr && page_ != nullptr;
}

void FirmwareAdmin::carry_out(const SubmissionEntry& sqe) {
  waiting_ = sqe;
  go_on();
}

void FirmwareAdmin::carry_out(const SubmissionEntry& sqe, AnswerIf& user) {
  management_ = sqe;
  manages_ = &user;
  go_on();
}

void FirmwareAdmin::shut_down() {
  shutdown_.waits = true;
  go_on();
}

void FirmwareAdmin::host_power_fails() {
  power_failed_ = true;
  if (entry_ == nullptr)
    buffer_is_safe_ = true;  // no command of the host has come yet
  else
    push(WL_ADMIN_POWER_FAILS, WL_NO_TAG);
}

// An I/O command goes first: a Format waits for it. Then what the firmware is to know of a reset.
void FirmwareAdmin::go_on() {
  if (busy_ || power_failed_) return;  // the firmware keeps one event: this one is not overwritten
  if (management_) {
    const SubmissionEntry sqe = *management_;
    management_.reset();
    managing_ = true;
    hand_over(sqe);
    return;
  }
  if (reset_.waits) {
    reset_.waits = false;
    reset_.runs = true;
    push(WL_ADMIN_RESET, WL_NO_TAG);
    return;
  }
  if (!waiting_) {
    if (!shutdown_.waits || commands_.active() != 0) return;
    shutdown_.waits = false;
    shutdown_.runs = true;
    push(WL_ADMIN_SHUTDOWN, WL_NO_TAG);
    return;
  }
  const SubmissionEntry sqe = *waiting_;
  if (sqe.opcode == kFormat || sqe.opcode == kSanitize) {
    commands_.refuse_all(sqe.opcode == kFormat ? kFormatInProgress : kSanitizeInProgress);
    if (commands_.active() != 0) return;
  }
  waiting_.reset();
  hand_over(sqe);
}

void FirmwareAdmin::commands_ended() { go_on(); }

/// Its tag; kNone: the firmware has no such command.
std::uint32_t FirmwareAdmin::command_to_abort(const SubmissionEntry& sqe) const {
  const CommandTable& commands = mover_.commands();
  if (sqe.opcode != kAbort) return kNone;
  for (std::uint32_t tag = 0; tag < commands.size(); ++tag) {
    const HostCommand& command = commands[tag];
    const bool named = command.queue == (sqe.cdw10 & 0xffffU) && command.id == sqe.cdw10 >> 16;
    if (named && command.state == HostCommand::State::kFirmware && !commands.lost(command)) return tag;
  }
  return kNone;
}

// A command to abort may end meanwhile: its tag does not go to another before the answer.
void FirmwareAdmin::hand_over(const SubmissionEntry& sqe) {
  const std::uint32_t abort = command_to_abort(sqe);
  keeps_tag_ = abort != kNone;
  if (keeps_tag_) mover_.commands().keep(abort);
  if (sqe.opcode == kDeviceSelfTest) tested_ = true;
  if (sqe.opcode == kFormat || sqe.opcode == kSanitize) recorder_.erasure_given(sqe);
  if (sqe.opcode == kFormat) format_ = format_of(sqe);
  if (sqe.opcode == kNamespaceManagement) {
    deletion_.sqe = sqe;
    deletion_.namespaces = sqe.nsid == kAllNamespaces ? ~0U : 1U << (sqe.nsid - 1);
  }
  std::memcpy(entry_, &sqe, sizeof sqe);
  push(0, keeps_tag_ ? abort : WL_NO_TAG);
}

void FirmwareAdmin::push(std::uint8_t flags, std::uint32_t tag) {
  busy_ = true;
  wl_host_event event{};
  event.type = WL_EVENT_ADMIN;
  event.flags = static_cast<std::uint8_t>(flags | (first_ ? WL_ADMIN_FIRST : 0));
  event.tag = static_cast<std::uint16_t>(tag);
  event.count = resets();
  first_ = false;
  mover_.push_event(event, true);
}

bool FirmwareAdmin::take_job(const wl_host_job& job) {
  if (job.op == WL_JOB_ASYNC_EVENT) {
    if (job.count == resets()) events_.report(job.lpage, mover_.now());
    return true;
  }
  if (job.op == WL_JOB_PLACEMENT_EVENT) {
    placement_.firmware_event(job, mover_.now());
    return true;
  }
  if (job.op == WL_JOB_POWER_SAFE) {
    buffer_is_safe_ = true;
    return true;
  }
  if (job.op == WL_JOB_SANITIZED) {
    sanitizes_ = false;
    mover_.host_memory->erased(0, namespaces_.capacity());
    recorder_.sanitize_ended();
    commands_.refuse_all(kSuccess);
    return true;
  }
  if (job.op != WL_JOB_ADMIN) return false;
  if (!busy_) {
    reports_.error("answer to an admin command, and firmware has none");
  } else if (job.slot > WL_ADMIN_PAGE_BYTES) {
    reports_.error("answer to an admin command with {} bytes, must be {} at most", job.slot, WL_ADMIN_PAGE_BYTES);
  } else {
    answer(job);
  }
  return true;
}

void FirmwareAdmin::answer(const wl_host_job& job) {
  busy_ = false;
  if (managing_) {
    managing_ = false;
    manages_->answered(job.status, job.lpage, page_, job.slot);
    go_on();
    return;
  }
  if (reset_.runs) {
    reset_.runs = false;
    go_on();
    return;
  }
  if ((job.flags & WL_ADMIN_BEGUN) != 0) {
    sanitizes_ = true;
    recorder_.sanitize_begun();
  }
  if (format_) recorder_.format_ended(job.status);
  if (format_ && job.status == kSuccess) {  // a reset of the controller does not end a Format
    mover_.host_memory->erased(0, namespaces_.capacity());
    if (*format_ != namespaces_.format()) events_.namespaces_changed(mover_.now());
    namespaces_.set_format(*format_);
    mover_.protected_data.follow(namespaces_.tuple_rule());
    commands_.namespaces_changed();
  }
  format_.reset();
  if (deletion_.namespaces != 0) {
    if (job.status == kSuccess) {
      recorder_.namespace_changed(deletion_.sqe, nullptr, deletion_.sqe.nsid);
      for (std::uint32_t nsid = 1; nsid <= namespaces_.last(); ++nsid)
        if ((deletion_.namespaces >> (nsid - 1U) & 1U) != 0)
          mover_.host_memory->erased(namespaces_.at(nsid).first, namespaces_.at(nsid).lbas);
      namespaces_.remove(deletion_.namespaces);
      mover_.protected_data.follow(namespaces_.tuple_rule());
    }
    namespaces_.stay_but(~deletion_.namespaces);
    deletion_.namespaces = 0;
    commands_.namespaces_changed();
    events_.namespaces_changed(mover_.now());
  }
  if (!sanitizes_) commands_.refuse_all(kSuccess);
  if (keeps_tag_) completions_.let_go();
  keeps_tag_ = false;
  const bool shut_down = shutdown_.runs;
  shutdown_.runs = false;
  if (job.count == resets() && shut_down)
    user_.shutdown_ended();
  else if (job.count == resets())
    user_.answered(job.status, job.lpage, page_, job.slot);
  go_on();
}

void FirmwareAdmin::reset() {
  first_ = true;
  waiting_.reset();
  shutdown_.waits = false;
  if (!busy_ && !sanitizes_) commands_.refuse_all(kSuccess);  // else its answer or end does so
  if (!tested_) return;
  tested_ = false;
  reset_.waits = true;
  go_on();
}

}  // namespace wordline::host::nvme
