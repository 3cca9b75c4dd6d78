// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/hardware_parser.h"

#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "tlm/device/nvme/copy_ranges.h"
#include "tlm/device/nvme/protection.h"

namespace wordline::host::nvme {
namespace {

bool is_known(std::uint8_t opcode) {
  constexpr std::uint32_t kKnown = 1U << kFlush | 1U << kWrite | 1U << kRead | 1U << kWriteUncorrectable |
                                   1U << kCompare | 1U << kWriteZeroes | 1U << kDatasetManagement | 1U << kVerify |
                                   1U << nvme::kCopy;
  return opcode < 32 && (kKnown >> opcode & 1U) != 0;
}

}  // namespace

void HardwareParser::entry_arrived(std::uint32_t tag) {
  const SubmissionEntry& sqe = entry(tag);
  Status status = check(sqe, command(tag));
  if (status == kSuccess && has_sgl(sqe)) {
    ask_gates(tag, status);
    start_sgl(tag, sqe);
    return;
  }
  if (status == kSuccess) status = prps_.start(tag, sqe);
  ask_gates(tag, status);
  if (status != kSuccess) {
    refuse(tag, status);
  } else if (prps_.has_list(tag)) {
    prps_.read_list(tag);
  } else {
    pointed(tag);
  }
}

/// A block of the user's own takes the entry when it is there; it says how long that takes.
Picoseconds HardwareParser::entry_taken(std::uint32_t tag, Picoseconds at) {
  if (own_ == nullptr) return parser_.run(mover_.now(), at);
  const OwnParser::Times times = own_->take(tag, entry(tag), command(tag).lpage_size);
  if (!times.wrong.empty()) reports_.error("{}", times.wrong);
  parser_.add_clocks(times.clocks);
  const auto time = [](std::uint64_t clocks) { return engines::kGateClock * static_cast<std::int64_t>(clocks); };
  return parser_.end(parser_.begin(mover_.now(), at, time(times.interval)), time(times.clocks));
}

void HardwareParser::ask_gates(std::uint32_t tag, Status status) {
  if (gates_ == nullptr && own_ == nullptr && recording_ == nullptr) return;
  const SubmissionEntry& sqe = entry(tag);
  const bool has_prps = status == kSuccess && !has_sgl(sqe);
  const std::uint32_t pages = !has_prps             ? 0
                              : prps_.has_list(tag) ? 3
                                                    : static_cast<std::uint32_t>(command(tag).pages.size());
  const ParseGates::Right right{status, command(tag), pages};
  if (recording_ != nullptr) keep(tag, right);
  if (gates_ == nullptr && own_ == nullptr) return;
  std::string wrong;
  if (own_ != nullptr) {
    wrong = own_->check(tag, right);
  } else {
    const ParseGates::Parsed parsed = gates_->parse(tag, sqe, right.command.lpage_size);
    parser_.add_clocks(parsed.clocks);
    wrong = ParseGates::difference(parsed, right);
    if (!wrong.empty()) wrong = "engines.model = rtl: " + wrong;
  }
  if (!wrong.empty()) reports_.error("{}", wrong);
}

/// The entry, its namespace, and what is right.
void HardwareParser::keep(std::uint32_t tag, const ParseGates::Right& right) {
  const SubmissionEntry& sqe = entry(tag);
  std::array<std::uint32_t, sizeof sqe / 4> dwords;
  std::memcpy(dwords.data(), &sqe, sizeof sqe);
  const rtl::ParsePorts::Settings settings = tables_.settings(command(tag).lpage_size);
  std::vector<std::uint64_t> table;
  for (std::uint32_t offset = 0; offset < sizeof(wl_namespace_table); offset += 8)
    table.push_back(tables_.word(offset));
  rtl::RecordedLine line;
  line.number("tag", tag)
      .numbers("entry", {dwords.begin(), dwords.end()})
      .number("max_blocks", settings.max_blocks)
      .number("lpage_shift", settings.lpage_shift)
      .number("cmb", settings.cmb ? 1 : 0)
      .number("cmb_first", settings.cmb_first)
      .number("cmb_pages", settings.cmb_pages)
      .numbers("table", table);
  for (const ParseGates::Field& field : ParseGates::fields(right)) line.number(field.port, field.value);
  recording_->add(line);
}

void HardwareParser::start_sgl(std::uint32_t tag, const SubmissionEntry& sqe) {
  const HostCommand& command = this->command(tag);
  const auto [bytes, unit] = pointed_data(command);
  prps_.forget(tag);
  const Status status = bytes == 0 ? kSuccess : sgls_.start(tag, sqe, bytes, unit, is_data_to_host(command));
  if (status != kSuccess) {
    refuse(tag, status);
  } else if (bytes != 0 && sgls_.has_segments(tag)) {
    sgls_.read_segments(tag);
  } else {
    pointed(tag);
  }
}

// Fields of the entry, in the order in which a command is refused.
Status HardwareParser::check(const SubmissionEntry& sqe, HostCommand& command) {
  name(command, sqe.opcode);
  if (!is_known(sqe.opcode)) return kInvalidOpcode;
  if ((sqe.flags & kFuseMask) != 0 || (sqe.flags & kPsdtMask) == kPsdtMask) return kInvalidField;
  const bool all = sqe.opcode == kFlush && sqe.nsid == kAllNamespaces;
  if (!namespaces_.has(sqe.nsid) && !all) return namespaces_.refusal(sqe.nsid);
  if (sqe.opcode == kFlush) return kSuccess;
  if (sqe.opcode == kDatasetManagement) {
    command.ranges = (sqe.cdw10 & 0xffU) + 1;
    return kSuccess;
  }
  if (sqe.opcode == nvme::kCopy) {
    command.fua = (sqe.cdw12 & kFua) != 0;
    command.ranges = copy_ranges(sqe) * kEntriesOfCopyRange;
    Status status = check_copy(sqe);
    if (status == kSuccess) status = check_copy_protection(sqe, namespaces_);
    return status == kSuccess ? placement_.handle_of(sqe, mover_.now(), command.placement) : status;
  }
  command.fua = (sqe.cdw12 & kFua) != 0 && sqe.opcode != kWriteUncorrectable;
  const std::uint64_t slba = static_cast<std::uint64_t>(sqe.cdw11) << 32 | sqe.cdw10;
  const std::uint32_t nlb = (sqe.cdw12 & 0xffffU) + 1;
  command.nlb = nlb << namespaces_.shift();
  if (moves_data(command.op) && command.nlb > mover_.limits().max_nlb) return kInvalidField;  // MDTS
  if (!namespaces_.place(sqe.nsid, slba, nlb, command.slba)) return kLbaOutOfRange;
  Status status = sqe.opcode == kWrite ? placement_.handle_of(sqe, mover_.now(), command.placement) : kSuccess;
  if (status == kSuccess && namespaces_.has_metadata()) status = check_metadata(sqe, command);
  return status;
}

// MDTS counts metadata that lie among the data.
Status HardwareParser::check_metadata(const SubmissionEntry& sqe, HostCommand& command) const {
  const Status status = take_metadata(sqe, namespaces_, command);
  if (status != kSuccess || !moves_data(command.op)) return status;
  const std::uint64_t among = command.metadata.interleaved() ? command.metadata.bytes(command.nlb) : 0;
  const bool fits = command.nlb * kLbaBytes + among <= mover_.limits().max_nlb * kLbaBytes;
  return fits ? kSuccess : kInvalidField;
}

void HardwareParser::list_ended(std::uint32_t tag, Status status) {
  if (status == kSuccess && !lost(tag)) {
    pointed(tag);
  } else {
    list_or_ranges_failed(tag, status);
  }
}

void HardwareParser::list_or_ranges_failed(std::uint32_t tag, Status status) {
  if (lost(tag)) {
    end(tag, kSuccess);  // the status of a lost command goes nowhere
  } else {
    refuse(tag, status);
  }
}

// The data pointer is known, and all it refers to.
void HardwareParser::pointed(std::uint32_t tag) {
  if (has_metadata_segment(entry(tag), command(tag))) {
    metadata_.read(tag, entry(tag).mptr);
  } else {
    deliver(tag);
  }
}

void HardwareParser::metadata_descriptor(std::uint32_t tag, const SglDescriptor* descriptor) {
  Status status = kDataTransferError;
  if (descriptor != nullptr) status = take_metadata_descriptor(*descriptor, command(tag));
  if (status == kSuccess && !lost(tag)) {
    deliver(tag);
  } else {
    list_or_ranges_failed(tag, status);
  }
}

void HardwareParser::deliver(std::uint32_t tag) {
  const bool hints_only = command(tag).op == Operation::kDeallocate && (entry(tag).cdw11 & kDsmDeallocate) == 0;
  if (hints_only) {
    end(tag, kSuccess);  // nothing to do
  } else {
    mover_.deliver(tag);
  }
}

void HardwareParser::copy(std::uint32_t tag, const RangeList& ranges) {
  CopyPlan plan;
  const Status status = plan_copy(entry(tag), reinterpret_cast<const CopyRange*>(ranges.data()), namespaces_, plan);
  if (status == kSuccess) {
    mover_.copies.begin(tag, std::move(plan.sources), plan.destination, plan.metadata);
  } else {
    refuse(tag, status);
  }
}

void HardwareParser::ranges_arrived(std::uint32_t tag, const RangeList& ranges) {
  if (command(tag).op == Operation::kCopy) {
    copy(tag, ranges);
    return;
  }
  RangeList kept = ranges;
  const bool inside = kept.place_each([&](std::uint64_t& slba, std::uint64_t& nlb) {
    const std::uint64_t logical = nlb;
    nlb <<= namespaces_.shift();
    return namespaces_.place(entry(tag).nsid, slba, logical, slba);
  });
  if (!inside) {
    refuse(tag, kLbaOutOfRange);
    return;
  }
  kept.drop_empty();
  if (kept.count() == 0) {
    end(tag, kSuccess);
  } else {
    mover_.send_ranges(tag, kept);
  }
}

}  // namespace wordline::host::nvme
