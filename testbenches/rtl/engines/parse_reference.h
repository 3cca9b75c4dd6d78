// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// What the command parser answers, and when: the answer by the numbers and structures of the host interface's model,
/// the clocks by the order of its accesses to the table of namespaces.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "models/firmware/contract/contract.h"
#include "rtl/verilated/parse.h"
#include "tlm/device/mover/host_command.h"
#include "tlm/device/nvme/nvme.h"

namespace wordline::testing::engines {

namespace nvme = host::nvme;

/// An entry against a table of namespaces.
class EntryReference {
 public:
  EntryReference(const rtl::Parse::Entry& entry, const rtl::Parse::Settings& settings) : settings_(settings) {
    std::memcpy(&sqe_, entry.data(), sizeof sqe_);
  }

  /// It is answered without the table.
  [[nodiscard]] bool needs_no_table() const { return status_of_entry() != nvme::kSuccess || is_flush_of_all(); }
  /// Where the doublewords lie that are read.
  [[nodiscard]] std::vector<std::uint32_t> addresses() const {
    const auto own = static_cast<std::uint32_t>(settings_.namespace_table + offsetof(wl_namespace_table, namespaces) +
                                                (sqe_.nsid - 1) * sizeof(wl_namespace));
    return {settings_.namespace_table, own, own + 8};
  }
  /// `failed`: the memory answered with an error.
  [[nodiscard]] rtl::Parse::Answer answer(const std::vector<std::uint64_t>& words, bool failed) const {
    rtl::Parse::Answer answer;
    nvme::Status status = status_of_entry();
    if (status == nvme::kSuccess && !is_flush_of_all()) {
      wl_namespace_table head{};
      std::memcpy(&head, words.data(), 8);
      status = failed ? nvme::kInternalError : check(head, {words[1], words[2]}, answer);
    }
    if (status == nvme::kSuccess) describe(answer);
    if (status != nvme::kSuccess) answer = {};
    answer.status = status == nvme::kSuccess ? status : status | nvme::kDnr;
    return answer;
  }

 private:
  [[nodiscard]] bool is(std::initializer_list<std::uint8_t> opcodes) const {
    for (const std::uint8_t opcode : opcodes) {
      if (sqe_.opcode == opcode) return true;
    }
    return false;
  }
  [[nodiscard]] bool is_flush_of_all() const {
    return sqe_.opcode == nvme::kFlush && sqe_.nsid == nvme::kAllNamespaces;
  }
  /// It has blocks.
  [[nodiscard]] bool has_extent() const {
    return is(
        {nvme::kWrite, nvme::kRead, nvme::kWriteUncorrectable, nvme::kCompare, nvme::kWriteZeroes, nvme::kVerify});
  }
  [[nodiscard]] std::uint64_t bytes(std::uint32_t blocks) const {
    if (is({nvme::kWrite, nvme::kRead, nvme::kCompare})) return std::uint64_t{blocks} * 512;
    return std::uint64_t{ranges()} * sizeof(nvme::DsmRange);
  }
  [[nodiscard]] std::uint32_t ranges() const {
    if (sqe_.opcode == nvme::kDatasetManagement) return (sqe_.cdw10 & 0xffU) + 1;
    return sqe_.opcode == nvme::kCopy ? ((sqe_.cdw12 & 0xffU) + 1) * 2 : 0;
  }

  [[nodiscard]] nvme::Status status_of_entry() const {
    if (!has_extent() && !is({nvme::kFlush, nvme::kDatasetManagement, nvme::kCopy})) return nvme::kInvalidOpcode;
    const unsigned psdt = sqe_.flags >> 6;
    if ((sqe_.flags & 3U) != 0 || psdt == 3) return nvme::kInvalidField;
    const bool named = sqe_.nsid >= 1 && sqe_.nsid <= WL_NAMESPACES;
    return named || is_flush_of_all() ? nvme::kSuccess : nvme::kInvalidNamespace;
  }

  nvme::Status check(const wl_namespace_table& head, const wl_namespace& own, rtl::Parse::Answer& answer) const {
    if (sqe_.nsid > head.count) return nvme::kInvalidNamespace;
    if (own.blocks == 0) return nvme::kInvalidField;
    if (sqe_.opcode == nvme::kCopy) {
      if ((sqe_.cdw12 & nvme::kCopyFormatMask) != 0) return nvme::kInvalidField;
      if (ranges() > 2 * WL_COPY_RANGES) return nvme::kCommandSizeLimitExceeded;
    }
    if (has_extent()) {
      const std::uint64_t slba = std::uint64_t{sqe_.cdw11} << 32 | sqe_.cdw10;
      const std::uint64_t logical = (sqe_.cdw12 & 0xffffU) + 1, all = own.blocks >> head.lba_shift;
      answer.blocks = static_cast<std::uint32_t>(logical << head.lba_shift);
      if (sqe_.opcode != nvme::kWriteZeroes && answer.blocks > settings_.max_blocks) return nvme::kInvalidField;
      if (slba > all || logical > all - slba) return nvme::kLbaOutOfRange;
      answer.first = own.first + (slba << head.lba_shift);
    }
    return bytes(answer.blocks) == 0 || nvme::has_sgl(sqe_) ? nvme::kSuccess : check_prps(bytes(answer.blocks), answer);
  }

  nvme::Status check_prps(std::uint64_t bytes, rtl::Parse::Answer& answer) const {
    const std::uint64_t begin = sqe_.prp1 % nvme::kPageBytes;
    answer.pages = static_cast<std::uint32_t>((begin + bytes - 1) / nvme::kPageBytes + 1);
    if (sqe_.prp1 % (ranges() != 0 ? 4 : 512) != 0) return nvme::kPrpOffsetInvalid;
    if (answer.pages == 2 && sqe_.prp2 % nvme::kPageBytes != 0) return nvme::kPrpOffsetInvalid;
    if (answer.pages > 2 && sqe_.prp2 % 8 != 0) return nvme::kPrpOffsetInvalid;
    if (answer.pages > 2 && sqe_.prp2 == 0) return nvme::kInvalidField;
    const bool own = in_cmb(sqe_.prp1) || (answer.pages == 2 && in_cmb(sqe_.prp2));
    return own ? nvme::kInvalidUseOfCmb : nvme::kSuccess;
  }
  [[nodiscard]] bool in_cmb(std::uint64_t address) const {
    const std::uint64_t page = address / nvme::kPageBytes;
    return settings_.cmb && page >= settings_.cmb_first && page - settings_.cmb_first < settings_.cmb_pages;
  }

  void describe(rtl::Parse::Answer& answer) const {
    using host::DataWay;
    DataWay way = DataWay::kHost;
    answer.op = sqe_.opcode;
    if (is({nvme::kCompare, nvme::kVerify})) answer.op = nvme::kRead;
    if (sqe_.opcode == nvme::kWriteUncorrectable) answer.op = nvme::kWrite;
    if (sqe_.opcode == nvme::kCompare) way = DataWay::kCompare;
    if (sqe_.opcode == nvme::kVerify) way = DataWay::kVerify;
    if (sqe_.opcode == nvme::kWriteUncorrectable) way = DataWay::kUncorrectable;
    if (sqe_.opcode == nvme::kWriteZeroes) way = DataWay::kZeroes;
    answer.way = static_cast<std::uint8_t>(way);
    answer.fua = is({nvme::kWrite, nvme::kRead, nvme::kCompare, nvme::kWriteZeroes, nvme::kVerify, nvme::kCopy}) &&
                 (sqe_.cdw12 & nvme::kFua) != 0;
    if (has_extent()) {
      const std::uint64_t lbas = std::uint64_t{1} << settings_.lpage_shift;
      answer.lpn = static_cast<std::uint32_t>(answer.first / lbas);
      answer.lpages = static_cast<std::uint32_t>((answer.first + answer.blocks - 1) / lbas - answer.first / lbas + 1);
    }
    answer.ranges = ranges();
    answer.sgl = bytes(answer.blocks) != 0 && nvme::has_sgl(sqe_);
    answer.hints = sqe_.opcode == nvme::kDatasetManagement && (sqe_.cdw11 & nvme::kDsmDeallocate) == 0;
  }

  const rtl::Parse::Settings settings_;
  nvme::SubmissionEntry sqe_{};
};

class ParseReference {
 public:
  using Inputs = rtl::Parse::Inputs;
  using Outputs = rtl::Parse::Outputs;

  [[nodiscard]] Outputs outputs(const rtl::Parse::Settings& settings) const {
    Outputs out;
    out.busy = state_ != kIdle;
    out.entry_ready = !out.busy;
    const EntryReference reference(entry_, settings);
    if (state_ == kTable && asked_ < 3) {
      out.mem_valid = true;
      out.mem_address = reference.addresses()[asked_];
    }
    if (state_ == kAnswer) {
      out.answer_valid = true;
      out.answer = reference.answer(words_, failed_);
      out.answer.tag = tag_;
    }
    return out;
  }

  void clock(const Inputs& in) {
    switch (state_) {
      case kIdle:
        if (!in.entry_valid) return;
        entry_ = in.entry;
        tag_ = in.tag;
        asked_ = 0;
        failed_ = false;
        words_.clear();
        state_ = kEntry;
        return;
      case kEntry:
        state_ = EntryReference(entry_, in.settings).needs_no_table() ? kAnswer : kTable;
        return;
      case kTable:
        if (asked_ < 3 && in.mem_ready) ++asked_;
        if (!in.mem_answer) return;
        words_.push_back(in.mem_rdata);
        failed_ = failed_ || in.mem_error;
        if (words_.size() == 3) state_ = kNamespace;
        return;
      case kNamespace:
        state_ = kPages;
        return;
      case kPages:
        state_ = kAnswer;
        return;
      case kAnswer:
        if (in.answer_ready) state_ = kIdle;
        return;
    }
  }

 private:
  enum State : std::uint8_t { kIdle, kEntry, kTable, kNamespace, kPages, kAnswer } state_ = kIdle;
  rtl::Parse::Entry entry_{};
  std::uint16_t tag_ = 0;
  unsigned asked_ = 0;
  bool failed_ = false;
  std::vector<std::uint64_t> words_;
};

}  // namespace wordline::testing::engines
