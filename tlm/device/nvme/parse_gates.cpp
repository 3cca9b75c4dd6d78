// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/parse_gates.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <deque>
#include <stdexcept>

namespace wordline::host::nvme {

std::uint64_t ParseTables::word(std::uint32_t offset) const {
  constexpr auto kFirst = static_cast<std::uint32_t>(offsetof(wl_namespace_table, namespaces));
  if (offset < kFirst) return std::uint64_t{namespaces_.shift()} << 32 | namespaces_.last();
  const std::uint32_t nsid = (offset - kFirst) / sizeof(wl_namespace) + 1;
  if (!namespaces_.has(nsid)) return 0;
  const Namespaces::Namespace& own = namespaces_.at(nsid);
  return (offset - kFirst) % sizeof(wl_namespace) == 0 ? own.first : own.lbas;
}

rtl::ParsePorts::Settings ParseTables::settings(LpageSize lpage) const {
  rtl::ParsePorts::Settings settings;
  settings.max_blocks = limits_.max_nlb;
  settings.lpage_shift = 0;
  while (1U << settings.lpage_shift < lpage.lbas()) ++settings.lpage_shift;
  if (own_ == nullptr || !own_->is_mapped()) return settings;
  settings.cmb = true;
  settings.cmb_first = own_->base() / kPageBytes;
  settings.cmb_pages = static_cast<std::uint32_t>(own_->size() / kPageBytes);
  return settings;
}

bool ParseGates::is_current(const Parsed& parsed, const ParseTables& tables) {
  const rtl::ParsePorts::Settings now = tables.settings({});
  return now.cmb == parsed.settings.cmb && now.cmb_first == parsed.settings.cmb_first &&
         std::all_of(parsed.read.begin(), parsed.read.end(),
                     [&](const auto& word) { return tables.word(word.first) == word.second; });
}

ParseGates::Parsed ParseGates::parse(std::uint32_t tag, const SubmissionEntry& sqe, LpageSize lpage) {
  constexpr std::uint64_t kLimit = 1'000'000;
  rtl::ParsePorts::Inputs in;
  in.settings = tables_.settings(lpage);
  in.tag = static_cast<std::uint16_t>(tag);
  static_assert(sizeof in.entry == sizeof sqe);
  std::memcpy(in.entry.data(), &sqe, sizeof sqe);
  in.entry_valid = true;
  Parsed parsed;
  parsed.tag = tag;
  parsed.opcode = sqe.opcode;
  parsed.settings = in.settings;
  std::deque<std::uint64_t> words;  // of the table, that are to come
  bool answered = false;
  for (std::uint64_t clock = 0;; ++clock) {
    if (clock > kLimit) throw std::runtime_error(fmt::format("{}: the gates do not answer", gates_->place(clock)));
    in.mem_ready = waits_.pass();
    in.answer_ready = waits_.pass();
    in.mem_answer = !words.empty() && waits_.pass();
    if (in.mem_answer) {
      in.mem_rdata = words.front();
      words.pop_front();
    }
    const rtl::ParsePorts::Outputs out = gates_->step(in);
    if (in.entry_valid) {
      in.entry_valid = !out.entry_ready;
    } else if (out.entry_ready && parsed.interval == 0) {
      parsed.interval = clock;
    }
    if (out.mem_valid && in.mem_ready) {
      words.push_back(tables_.word(out.mem_address));
      if (gates_->settles()) parsed.read.emplace_back(out.mem_address, words.back());
    }
    if (out.answer_valid && in.answer_ready) {
      answered = true;
      parsed.answer = out.answer;
      parsed.clocks = clock;
      if (gates_->settles()) parsed.place = gates_->place(clock);
    }
    if (answered && (!gates_->settles() || (!out.busy && clock > parsed.clocks))) break;
  }
  if (parsed.interval == 0) parsed.interval = parsed.clocks + 1;
  return parsed;
}

std::vector<ParseGates::Field> ParseGates::fields(const Right& right) {
  const auto& [status, command, pages] = right;
  if (status != kSuccess) return {{"status", "status", std::uint32_t{status} | kDnr}};
  const bool blocks = command.nlb != 0;
  return {{"status", "status", status},
          {"operation", "op", static_cast<std::uint64_t>(command.op)},
          {"way", "way", static_cast<std::uint64_t>(command.way)},
          {"FUA", "fua", command.fua ? 1U : 0U},
          {"first block", "first", command.slba},
          {"blocks", "blocks", command.nlb},
          {"first logical page", "lpn", blocks ? command.first_lpage() : 0},
          {"logical pages", "lpages", blocks ? command.lpages() : 0},
          {"ranges", "ranges", command.ranges},
          {"host pages", "pages", pages}};
}

/// In the same order. Any number of host pages above two is a list.
std::vector<ParseGates::Field> ParseGates::fields(const rtl::ParsePorts::Answer& answer) {
  return {{"status", "status", answer.status},
          {"operation", "op", answer.op},
          {"way", "way", answer.way},
          {"FUA", "fua", answer.fua ? 1U : 0U},
          {"first block", "first", answer.first},
          {"blocks", "blocks", answer.blocks},
          {"first logical page", "lpn", answer.lpn},
          {"logical pages", "lpages", answer.lpages},
          {"ranges", "ranges", answer.ranges},
          {"host pages", "pages", answer.sgl ? 0U : std::min(answer.pages, 3U)}};
}

std::string ParseGates::difference(const Parsed& parsed, const Right& right) {
  const std::vector<Field> expected = fields(right), said = fields(parsed.answer);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (said[i].value == expected[i].value) continue;
    const std::string place = parsed.place.empty() ? fmt::format("clock {}", parsed.clocks) : parsed.place;
    return fmt::format("{}: of the entry of opcode {:02x}h, tag {}, the gates say {} {:x}h, expected {:x}h", place,
                       parsed.opcode, parsed.tag, said[i].what, said[i].value, expected[i].value);
  }
  return {};
}

}  // namespace wordline::host::nvme
