// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/fuzz/nvme/checked_commands.h"

#include <algorithm>
#include <utility>

#include "testbenches/fuzz/nvme/sgl.h"

namespace wordline::fuzz {

namespace nvme = host::nvme;
using data::LbaStamp;
using End = HostileCommand::End;

namespace {

constexpr std::uint64_t kPage = 4096;

}  // namespace

CheckedCommands::Outcome CheckedCommands::outcome_of(End how) {
  return how == End::kSuccess ? Outcome::kHappened : how == End::kError ? Outcome::kRefused : Outcome::kUnknown;
}

nvme::SubmissionEntry entry(std::uint8_t opcode, std::uint64_t lba, std::uint32_t blocks) {
  nvme::SubmissionEntry e{};
  e.opcode = opcode;
  e.nsid = nvme::kNamespace;
  e.cdw10 = static_cast<std::uint32_t>(lba);
  e.cdw11 = static_cast<std::uint32_t>(lba >> 32);
  e.cdw12 = (blocks - 1) & 0xffffU;
  return e;
}

void ignored_fields(nvme::SubmissionEntry& e, Draws& draws) {
  if (draws.once_in(2)) return;
  e.cdw2 = static_cast<std::uint32_t>(draws.bits());
  e.cdw3 = static_cast<std::uint32_t>(draws.bits());
  e.mptr = draws.bits();
  e.cdw13 = static_cast<std::uint32_t>(draws.bits());
  e.cdw14 = static_cast<std::uint32_t>(draws.bits());
  e.cdw15 = static_cast<std::uint32_t>(draws.bits());
  e.flags |= static_cast<std::uint8_t>(draws.bits()) & 0x3cU;  // reserved
}

std::uint64_t nowhere(Draws& draws) {
  if (draws.once_in(4)) return 0;
  return draws.one_of<std::uint64_t>({0x7'0000'0000, 0x8000'0000'0000'0000, 0xffff'ffff'fff0'0000}) +
         draws.below(256) * kPage;
}

CheckedCommands::CheckedCommands(HostileHost& host, Draws& draws, LpageSize lpage)
    : host_(host), draws_(draws), granule_(lpage.whole_lbas()), oracle_(kBlocks / kLbasPerHostPage, false) {
  for (std::uint64_t i = 0; i < kBuffers; ++i) {
    // A page for a list lies behind each.
    buffers_.push_back(host.memory.allocate(kPagesPerBuffer + 1));
    const std::uint64_t page = kFirstControllerList + i;
    if (page < host.controller_pages()) controller_lists_[buffers_.back()] = HostileHost::controller_page(page);
  }
}

// A page for a list belongs to each buffer, and, where there is a controller memory buffer, a second one there.
std::uint64_t CheckedCommands::list_of(std::uint64_t buffer) {
  const auto in_controller = controller_lists_.find(buffer);
  if (in_controller != controller_lists_.end() && draws_.once_in(2)) return in_controller->second;
  return buffer + kPagesPerBuffer * kPage;
}

CheckedCommands::Run CheckedCommands::draw_run(std::uint32_t most) {
  if (draws_.once_in(200)) hot_ = draws_.below(kBlocks - kHotBlocks + 1);
  if (draws_.once_in(2)) {
    const std::uint64_t at = draws_.below(kHotBlocks);
    return {hot_ + at, static_cast<std::uint32_t>(draws_.between(1, std::min<std::uint64_t>(kHotBlocks - at, most)))};
  }
  const auto blocks = static_cast<std::uint32_t>(draws_.between(1, draws_.once_in(3) ? most : std::min(most, 16U)));
  return {draws_.below(kBlocks - blocks + 1), blocks};
}

std::uint64_t CheckedCommands::take_buffer() {
  const std::uint64_t buffer = buffers_.back();
  buffers_.pop_back();
  return buffer;
}

void CheckedCommands::set_pages(nvme::SubmissionEntry& e, const std::vector<std::uint64_t>& pages,
                                std::uint64_t buffer) {
  if (draws_.once_in(3)) {
    std::vector<Stretch> stretches;
    std::uint64_t left = ((e.cdw12 & 0xffffU) + 1) * 512ULL;
    for (const std::uint64_t page : pages) {
      stretches.push_back({page, std::min(left, kPage - page % kPage)});
      left -= stretches.back().bytes;
    }
    set_sgl(e, stretches, 512, e.opcode == nvme::kRead, list_of(buffer), host_, draws_);
    return;
  }
  e.prp1 = pages[0];
  if (pages.size() == 2) e.prp2 = pages[1];
  if (pages.size() <= 2) return;
  e.prp2 = list_of(buffer);
  host_.store(e.prp2, &pages[1], (pages.size() - 1) * sizeof pages[0]);
}

CheckedCommands::Change CheckedCommands::begin(bool zero, std::vector<Run> runs, std::uint32_t version) {
  for (const Run& run : runs) {
    if (zero) {
      oracle_.begin_trim(version, Lba(run.lba), run.blocks);
    } else {
      oracle_.begin_write(version, Lba(run.lba), run.blocks);
    }
  }
  return {version, zero, std::move(runs)};
}

void CheckedCommands::end(const Change& change, Outcome outcome) {
  for (const Run& run : change.runs) {
    switch (outcome) {
      case Outcome::kHappened:
        oracle_.end_write(change.version, Lba(run.lba), run.blocks);
        break;
      case Outcome::kUnknown:
        oracle_.fail_write(change.version, Lba(run.lba), run.blocks);
        break;
      case Outcome::kRefused:
        oracle_.fail_write(change.version, Lba(run.lba), run.blocks, host::Oracle::Failure::kRefused);
    }
  }
}

void CheckedCommands::check(const host::Oracle::Read& read, const Run& run, std::uint64_t at) {
  for (std::uint32_t i = 0; i < run.blocks; ++i) {
    const std::size_t messages = oracle_.messages().size();
    if (oracle_.check(read, Lba(run.lba + i), host_.memory.stamp(at + i * 512))) continue;
    host_.fail(oracle_.messages().size() > messages ? oracle_.messages().back() : "wrong data once more");
  }
}

HostileCommand CheckedCommands::flush() {
  HostileCommand command;
  command.input_class = "flush";
  command.entry = entry(nvme::kFlush, draws_.bits(), 1);
  command.fits = {nvme::kSuccess};
  return command;
}

HostileCommand CheckedCommands::read() {
  if (out_of_buffers()) return flush();
  const Run run = draw_run(kPagesPerBuffer * 8 - 8);
  const std::uint64_t buffer = take_buffer();
  HostileCommand command;
  command.input_class = "read, checked";
  command.entry = entry(nvme::kRead, run.lba, run.blocks);
  const std::uint64_t offset = draws_.below(8) * 512;
  std::vector<std::uint64_t> pages{buffer + offset};
  for (std::uint64_t at = kPage - offset; at < run.blocks * 512ULL; at += kPage)
    pages.push_back(buffer + kPage * pages.size());
  set_pages(command.entry, pages, buffer);
  ignored_fields(command.entry, draws_);
  command.fits = {nvme::kSuccess};
  for (std::uint32_t i = 0; i < run.blocks; ++i) host_.memory.stamp(buffer + offset + i * 512) = LbaStamp(Lba(7), 7);
  command.ended = [this, run, buffer, offset, read = oracle_.begin_read(++reads_)](End how) {
    if (how == End::kSuccess) check(read, run, buffer + offset);
    oracle_.end_read(read, how == End::kSuccess);
    buffers_.push_back(buffer);
  };
  return command;
}

/// Stamps of the run, a page of the buffer after the other; returns the pages.
std::vector<std::uint64_t> CheckedCommands::fill(std::uint64_t buffer, const Run& run, std::uint32_t version) {
  std::vector<std::uint64_t> pages;
  for (std::uint32_t i = 0; i < run.blocks; ++i) {
    host_.memory.stamp(buffer + i * 512) = LbaStamp(Lba(run.lba + i), version);
    if (i % 8 == 0) pages.push_back(buffer + i * 512);
  }
  return pages;
}

HostileCommand CheckedCommands::write() {
  if (out_of_buffers()) return flush();
  const Run run = draw_run(kPagesPerBuffer * 8 - 8);
  const std::uint64_t buffer = take_buffer();
  HostileCommand command;
  command.input_class = "write, checked";
  command.entry = entry(nvme::kWrite, run.lba, run.blocks);
  command.fits = {nvme::kSuccess};
  if (draws_.once_in(4)) command.entry.cdw12 |= nvme::kFua;
  const std::uint32_t version = oracle_.new_version();
  set_pages(command.entry, fill(buffer, run, version), buffer);
  ignored_fields(command.entry, draws_);
  command.ended = [this, buffer, change = begin(false, {run}, version)](End how) {
    end(change, outcome_of(how));
    buffers_.push_back(buffer);
  };
  return command;
}

HostileCommand CheckedCommands::zeroes() {
  const Run run = draw_run(kPagesPerBuffer * 8 - 8);
  HostileCommand command;
  command.input_class = "write zeroes, checked";
  command.entry = entry(nvme::kWriteZeroes, run.lba, run.blocks);
  command.fits = {nvme::kSuccess};
  command.entry.prp1 = draws_.bits();  // has no data
  command.entry.prp2 = draws_.bits();
  ignored_fields(command.entry, draws_);
  command.ended = [this, change = begin(true, {run}, oracle_.new_version())](End how) { end(change, outcome_of(how)); };
  return command;
}

HostileCommand CheckedCommands::format() {
  HostileCommand command;
  command.input_class = "format";
  command.entry.opcode = nvme::kFormat;
  command.entry.nsid = draws_.once_in(2) ? nvme::kNamespace : nvme::kAllNamespaces;
  command.entry.cdw10 = static_cast<std::uint32_t>(draws_.below(2) << nvme::kFormatEraseShift);
  command.fits = {nvme::kSuccess};
  const Run all{0, kBlocks};
  command.ended = [this, change = begin(true, {all}, oracle_.new_version())](End how) { end(change, outcome_of(how)); };
  return command;
}

HostileCommand CheckedCommands::deletion() {
  HostileCommand command;
  command.input_class = "namespace deletion";
  command.entry.opcode = nvme::kNamespaceManagement;
  command.entry.nsid = draws_.once_in(2) ? nvme::kNamespace : nvme::kAllNamespaces;
  command.entry.cdw10 = nvme::kDeleteNamespace;
  command.fits = {nvme::kSuccess};
  const Run all{0, kBlocks};
  command.ended = [this, change = begin(true, {all}, oracle_.new_version())](End how) { end(change, outcome_of(how)); };
  return command;
}

HostileCommand CheckedCommands::write_without_memory() {
  if (out_of_buffers()) return flush();
  const Run run = draw_run(kPagesPerBuffer * 8 - 8);
  const std::uint64_t buffer = take_buffer();
  HostileCommand command;
  command.input_class = "write, in part outside of memory";
  command.entry = entry(nvme::kWrite, run.lba, run.blocks);
  command.fits = {nvme::kDataTransferError};
  if (draws_.once_in(4)) command.entry.cdw12 |= nvme::kFua;
  const std::uint32_t version = oracle_.new_version();
  std::vector<std::uint64_t> pages = fill(buffer, run, version);
  const std::uint64_t gone = draws_.below(pages.size());
  pages[gone] = nowhere(draws_);
  set_pages(command.entry, pages, buffer);
  std::vector<Run> reachable;
  if (gone != 0) reachable.push_back({run.lba, static_cast<std::uint32_t>(gone * 8)});
  if (gone + 1 != pages.size()) {
    reachable.push_back({run.lba + gone * 8 + 8, static_cast<std::uint32_t>(run.blocks - gone * 8 - 8)});
  }
  command.ended = [this, buffer, change = begin(false, std::move(reachable), version)](End /*how*/) {
    end(change, Outcome::kUnknown);
    buffers_.push_back(buffer);
  };
  return command;
}

HostileCommand CheckedCommands::deallocation() {
  if (out_of_buffers()) return flush();
  const Run run = draw_run(512);
  const std::uint64_t buffer = take_buffer();
  HostileCommand command;
  command.input_class = "deallocate, checked";
  // Around the run: empty ranges, anywhere on the drive.
  const std::uint64_t list = buffer + kPagesPerBuffer * kPage + draws_.below(200) * 4;
  const auto ranges = static_cast<std::uint32_t>(draws_.between(1, 8));
  const std::uint64_t at = draws_.below(ranges);
  for (std::uint32_t i = 0; i < ranges; ++i) {
    nvme::DsmRange range{static_cast<std::uint32_t>(draws_.bits()), 0, draws_.below(host_.user_lbas)};
    if (i == at) range = {range.attributes, run.blocks, run.lba};
    host_.memory.write(list + i * sizeof range, &range, sizeof range);
  }
  command.entry = entry(nvme::kDatasetManagement, 0, 1);
  command.entry.cdw10 = ranges - 1;
  command.entry.cdw11 = nvme::kDsmDeallocate | (static_cast<std::uint32_t>(draws_.bits()) & 3U);
  command.entry.prp1 = list;
  if (draws_.once_in(4)) {
    set_sgl(command.entry, {{list, ranges * sizeof(nvme::DsmRange)}}, 4, false, buffer, host_, draws_);
  }
  command.fits = {nvme::kSuccess};
  // Logical pages of which the range has a part need not be deallocated (NVM Command Set 3.2.3).
  const std::uint64_t last = run.lba + run.blocks;
  const std::uint64_t from = std::min((run.lba + granule_ - 1) / granule_ * granule_, last);
  const std::uint64_t to = std::max(last / granule_ * granule_, from);
  std::vector<Run> whole, parts;
  const auto add = [](std::vector<Run>& runs, std::uint64_t begin, std::uint64_t end) {
    if (begin != end) runs.push_back({begin, static_cast<std::uint32_t>(end - begin)});
  };
  add(whole, from, to);
  add(parts, run.lba, from);
  add(parts, to, last);
  const std::uint32_t version = oracle_.new_version();
  command.ended = [this, buffer, sure = begin(true, std::move(whole), version),
                   unsure = begin(true, std::move(parts), version)](End how) {
    end(sure, outcome_of(how));
    end(unsure, Outcome::kUnknown);
    buffers_.push_back(buffer);
  };
  return command;
}

}  // namespace wordline::fuzz
