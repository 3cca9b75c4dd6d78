// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/parse_gates.h"

#include <fmt/core.h>

#include <cstddef>
#include <cstring>

namespace wordline::host::nvme {
namespace {

struct Compared {
  const char* what;
  std::uint64_t gates, model;
};

}  // namespace

/// A doubleword of wl_namespace_table, as the firmware's parser would find it.
std::uint64_t ParseGates::table_word(std::uint32_t offset) const {
  constexpr auto kFirst = static_cast<std::uint32_t>(offsetof(wl_namespace_table, namespaces));
  if (offset < kFirst) return std::uint64_t{namespaces_.shift()} << 32 | namespaces_.last();
  const std::uint32_t nsid = (offset - kFirst) / sizeof(wl_namespace) + 1;
  if (!namespaces_.has(nsid)) return 0;
  const Namespaces::Namespace& own = namespaces_.at(nsid);
  return (offset - kFirst) % sizeof(wl_namespace) == 0 ? own.first : own.lbas;
}

rtl::Parse::Answer ParseGates::parse(std::uint32_t tag, const SubmissionEntry& sqe, std::uint32_t lpage_shift) {
  rtl::Parse::Inputs in;
  in.settings.max_blocks = limits_.max_nlb;
  in.settings.lpage_shift = lpage_shift;
  if (own_ != nullptr && own_->is_mapped()) {
    in.settings.cmb = true;
    in.settings.cmb_first = own_->base() / kPageBytes;
    in.settings.cmb_pages = static_cast<std::uint32_t>(own_->size() / kPageBytes);
  }
  in.tag = static_cast<std::uint16_t>(tag);
  static_assert(sizeof in.entry == sizeof sqe);
  std::memcpy(in.entry.data(), &sqe, sizeof sqe);
  in.entry_valid = in.mem_ready = in.answer_ready = true;
  for (clocks_ = 0;; ++clocks_) {
    const rtl::Parse::Outputs out = gates_.outputs();
    gates_.clock(in);
    if (out.answer_valid || clocks_ > 100) return out.answer;
    in.entry_valid = false;
    in.mem_answer = out.mem_valid;
    if (out.mem_valid) in.mem_rdata = table_word(out.mem_address);
  }
}

std::string ParseGates::difference(std::uint32_t tag, const SubmissionEntry& sqe, Status status,
                                   const HostCommand& command, std::uint32_t pages) {
  std::uint32_t lpage_shift = 0;
  while (1U << lpage_shift < command.lpage_size.lbas()) ++lpage_shift;
  const rtl::Parse::Answer answer = parse(tag, sqe, lpage_shift);
  const auto found = [&](const Compared& of) {
    return fmt::format(
        "engines.model = rtl: entry of opcode {:02x}h, tag {}, clock {}: the gates say {} {:x}h, expected {:x}h",
        sqe.opcode, tag, clocks_, of.what, of.gates, of.model);
  };
  const Compared result{"status", answer.status, status == kSuccess ? status : std::uint32_t{status} | kDnr};
  if (result.gates != result.model) return found(result);
  if (status != kSuccess) return {};
  const bool blocks = command.nlb != 0;
  const Compared all[] = {{"operation", answer.op, static_cast<std::uint64_t>(command.op)},
                          {"way", answer.way, static_cast<std::uint64_t>(command.way)},
                          {"FUA", answer.fua ? 1U : 0U, command.fua ? 1U : 0U},
                          {"first block", answer.first, command.slba},
                          {"blocks", answer.blocks, command.nlb},
                          {"first logical page", answer.lpn, blocks ? command.first_lpage() : 0},
                          {"logical pages", answer.lpages, blocks ? command.lpages() : 0},
                          {"ranges", answer.ranges, command.ranges},
                          {"host pages",
                           answer.sgl         ? 0
                           : answer.pages < 3 ? answer.pages
                                              : 3,
                           pages}};
  for (const Compared& of : all) {
    if (of.gates != of.model) return found(of);
  }
  return {};
}

}  // namespace wordline::host::nvme
