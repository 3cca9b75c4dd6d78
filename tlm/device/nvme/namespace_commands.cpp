// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/namespace_commands.h"

#include "tlm/device/nvme/fields.h"
#include "tlm/device/nvme/protection.h"

namespace wordline::host::nvme {
namespace {

/// A Controller List (Base 4.4.1) of this controller alone.
bool names_the_controller(const std::byte* list) {
  return load_field<std::uint16_t>(list, 0) == 1 &&
         load_field<std::uint16_t>(list, sizeof(std::uint16_t)) == kControllerId;
}

}  // namespace

Status NamespaceCommands::check(const SubmissionEntry& sqe) const {
  if (!namespaces_.managed()) return kInvalidOpcode;
  if (firmware_.sanitizes()) return kSanitizeInProgress;
  const std::uint32_t select = sqe.cdw10 & kSelectMask;
  if (select > kDeleteNamespace) return kInvalidField;
  if (has_data(sqe)) {
    const bool two_pages = sqe.prp1 % kPageBytes != 0;
    if (sqe.prp1 % 4 != 0 || (two_pages && sqe.prp2 % kPageBytes != 0)) return kPrpOffsetInvalid;
  }
  if (sqe.opcode == kNamespaceManagement && select == kCreateNamespace) {
    return sqe.cdw11 >> kCommandSetShift == 0 ? kSuccess : kCommandSetNotSupported;
  }
  if (sqe.opcode == kNamespaceManagement && sqe.nsid == kAllNamespaces) return kSuccess;
  return namespaces_.is_allocated(sqe.nsid) ? kSuccess : namespaces_.refusal(sqe.nsid);
}

std::optional<Status> NamespaceCommands::run(const SubmissionEntry& sqe, const std::byte* data, std::uint64_t& result) {
  const std::uint32_t select = sqe.cdw10 & kSelectMask;
  if (sqe.opcode == kNamespaceManagement && select == kCreateNamespace) return create(sqe, data, result);
  if (sqe.opcode == kNamespaceAttachment) {
    if (!names_the_controller(data)) return kInvalidControllerList;
    if (select == kAttachControllers) return attach(sqe);
    if (!namespaces_.has(sqe.nsid)) return kNotAttached;
  }
  const bool all = sqe.nsid == kAllNamespaces;
  std::uint32_t bits = 0;
  for (std::uint32_t nsid = 1; nsid <= namespaces_.last(); ++nsid)
    if (namespaces_.is_allocated(nsid) && (all || nsid == sqe.nsid)) bits |= 1U << (nsid - 1);
  if (bits == 0) return kSuccess;  // there is none to delete
  namespaces_.begin_leaving(bits);
  waiting_ = sqe;
  command_ended();
  return std::nullopt;
}

// Fields for which there is but one value have that (Base 5.23, Figure 321; NVM Command Set 4.1.6).
Status NamespaceCommands::create(const SubmissionEntry& sqe, const std::byte* data, std::uint64_t& result) {
  using namespace identify_namespace;
  const auto size = load_field<std::uint64_t>(data, kNsze);
  LbaFormat format;
  const bool any_format = namespaces_.unallocated() == namespaces_.capacity();
  if (!format_of_namespace(data, namespaces_.formats(), format)) return kInvalidFormat;
  if (format != namespaces_.format() && !any_format) return kInvalidFormat;
  if (load_field<std::uint8_t>(data, kNmic) != 0 || load_field<std::uint32_t>(data, kAnagrpid) != 0 ||
      load_field<std::uint16_t>(data, kNvmsetid) != 0 || load_field<std::uint16_t>(data, kEndgid) != 0 ||
      load_field<std::uint64_t>(data, kLbstm) != 0) {
    return kInvalidField;
  }
  const auto capacity = load_field<std::uint64_t>(data, kNcap);
  if (size == 0 || capacity > size) return kInvalidField;
  if (capacity != size) return kThinProvisioning;
  const unsigned shift = Namespaces::lbads(format.index) - 9U;
  constexpr unsigned kByteShift = 9;
  result = size > UINT64_MAX >> (shift + kByteShift) ? UINT64_MAX : size << (shift + kByteShift);
  if (size > namespaces_.capacity() >> shift) return kNoNamespaceCapacity;
  std::uint32_t nsid = 0;
  const Status status = namespaces_.create(size << shift, nsid);
  if (status != kSuccess) return status;
  if (format != namespaces_.format()) {
    namespaces_.set_format(format);
    commands_.namespaces_changed();
  }
  mover_.protected_data.follow(namespaces_.tuple_rule());
  recorder_.namespace_changed(sqe, data, nsid);
  result = nsid;
  return kSuccess;
}

Status NamespaceCommands::attach(const SubmissionEntry& sqe) {
  if (namespaces_.has(sqe.nsid)) return kAlreadyAttached;
  namespaces_.attach(sqe.nsid);
  commands_.namespaces_changed();
  events_.namespaces_changed(mover_.now());
  return kSuccess;
}

/// Commands of the namespaces that leave. Some may be of a reset before: the firmware has them all the same.
bool NamespaceCommands::under_way() const {
  const CommandTable& commands = mover_.commands();
  for (std::uint32_t tag = 0; tag < commands.size(); ++tag) {
    if (!commands[tag].ended && namespaces_.leaves(commands_.entry(tag).nsid)) return true;
  }
  return false;
}

void NamespaceCommands::command_ended() {
  if (!waiting_ || under_way()) return;
  SubmissionEntry sqe = *waiting_;
  waiting_.reset();
  if (sqe.opcode == kNamespaceAttachment) {
    namespaces_.detach(1U << (sqe.nsid - 1));
    commands_.namespaces_changed();
    events_.namespaces_changed(mover_.now());
    user_.answered(kSuccess, 0, nullptr, 0);
    return;
  }
  const bool all = sqe.nsid == kAllNamespaces;
  const std::uint64_t first = all ? 0 : namespaces_.at(sqe.nsid).first;
  const std::uint64_t blocks = all ? namespaces_.capacity() : namespaces_.at(sqe.nsid).room;
  sqe.cdw12 = static_cast<std::uint32_t>(first);
  sqe.cdw13 = static_cast<std::uint32_t>(first >> 32);
  sqe.cdw14 = static_cast<std::uint32_t>(blocks);
  sqe.cdw15 = static_cast<std::uint32_t>(blocks >> 32);
  firmware_.carry_out(sqe);
}

void NamespaceCommands::reset() {
  waiting_.reset();
  namespaces_.stay_but(firmware_.deletes());
}

}  // namespace wordline::host::nvme
