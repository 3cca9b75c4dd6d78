// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// What the victim selector does in each clock, written from the contract with the firmware and from the order of its
/// accesses: it keeps every word of the table that came, and looks for the victim when all are there.
#pragma once

#include <cstdint>
#include <vector>

#include "models/firmware/contract/contract.h"
#include "rtl/verilated/victim_selector.h"

namespace wordline::testing::engines {

class VictimReference {
 public:
  using Inputs = rtl::VictimSelector::Inputs;
  using Outputs = rtl::VictimSelector::Outputs;
  using Settings = rtl::VictimSelector::Settings;

  [[nodiscard]] Outputs outputs(const Settings& settings) const {
    Outputs out;
    out.searched = searched_;
    out.refused = refused_;
    out.busy = at_ != At::kIdle;
    out.irq = at_ == At::kTell && !failed_;
    out.failed = at_ == At::kTell && failed_;
    switch (at_) {
      case At::kTable:
        out.memory.valid = asked_ < 2 * settings.superblocks && open_ < rtl::VictimSelector::kWordsUnderWay;
        out.memory.address = settings.superblock_table + asked_ / 2 * settings.superblock_stride + asked_ % 2 * 4;
        break;
      case At::kReadDone:
        out.memory = {true, false, settings.victim, 0};
        break;
      case At::kWriteSuperblock:
        out.memory = {open_ == 0 && !failed_, true, settings.victim + 4, found_};
        break;
      case At::kWriteDone:
        out.memory = {true, true, settings.victim, done_ + 1};
        break;
      default:
        break;
    }
    return out;
  }

  void clock(const Inputs& in) {
    const Outputs out = outputs(in.settings);
    const bool taken = out.memory.valid && in.memory.ready;
    const At before = at_;
    refused_ = false;
    if (in.search) start(in);
    if (before == At::kTable && words_.size() == 2 * std::size_t{in.settings.superblocks}) {
      found_ = victim();
      at_ = failed_ ? At::kTell : At::kReadDone;
    } else if (before == At::kWriteSuperblock && failed_) {
      at_ = At::kTell;
    } else if (before == At::kWaitWritten && open_ == 0) {
      at_ = At::kTell;
    } else if (before == At::kTell) {
      at_ = At::kIdle;
    } else if (taken) {
      if (before == At::kTable) ++asked_;
      if (before == At::kReadDone) at_ = At::kWriteSuperblock;
      if (before == At::kWriteSuperblock) at_ = At::kWriteDone;
      if (before == At::kWriteDone) at_ = At::kWaitWritten;
    }
    if (in.memory.answer) {
      failed_ = failed_ || in.memory.error;
      if (before == At::kTable) words_.push_back(in.memory.rdata);
      if (before == At::kWriteSuperblock) done_ = in.memory.rdata;
      --open_;
    }
    if (taken) ++open_;
  }

 private:
  enum class At : std::uint8_t { kIdle, kTable, kReadDone, kWriteSuperblock, kWriteDone, kWaitWritten, kTell };

  void start(const Inputs& in) {
    const Settings& settings = in.settings;
    refused_ = !settings.enable || at_ != At::kIdle || settings.superblocks >= 1U << rtl::VictimSelector::kIndexBits ||
               settings.superblock_stride < sizeof(wl_superblock_head) || in.search_from >= settings.superblocks;
    if (refused_) return;
    at_ = At::kTable;
    from_ = in.search_from;
    asked_ = 0;
    words_.clear();
    failed_ = false;
    ++searched_;
  }

  /// As the modelled engine looks for it: from `from` on, round the table.
  [[nodiscard]] std::uint32_t victim() const {
    const std::size_t superblocks = words_.size() / 2;
    std::uint32_t fewest = WL_NONE, found = WL_NONE;
    for (std::size_t i = 0; i < superblocks; ++i) {
      const std::size_t superblock = (from_ + i) % superblocks;
      if ((words_[2 * superblock + 1] & 0xffU) != WL_SUPERBLOCK_SEARCHED || words_[2 * superblock] >= fewest) continue;
      fewest = words_[2 * superblock];
      found = static_cast<std::uint32_t>(superblock);
    }
    return found;
  }

  At at_ = At::kIdle;
  bool refused_ = false, failed_ = false;
  std::uint32_t searched_ = 0, from_ = 0, asked_ = 0, open_ = 0, found_ = 0, done_ = 0;
  std::vector<std::uint32_t> words_;
};

}  // namespace wordline::testing::engines
