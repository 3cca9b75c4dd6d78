// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/mover/data_path.h"

#include <algorithm>

namespace wordline::host {

namespace {

/// The times of a job's data with nothing else in their way, logical page by logical page: link and DRAM port are its
/// own.
class Alone {
 public:
  Alone(HostLinkIf& link, tlm_if::DramIf& dram, Picoseconds link_from, Picoseconds dram_from)
      : link_(link),
        dram_(dram),
        link_latency_(link.latency()),
        dram_latency_(dram.latency()),
        request_(link_from),
        on_link_(link_from),
        in_dram_(dram_from) {}

  /// `stored`: bytes that pass the DRAM port: metadata that the controller makes are none of the link's.
  void in(std::uint64_t bytes, std::uint64_t stored) {
    ask(bytes, stored);
    request_ += request_time_;
    on_link_ = std::max(on_link_, request_ + link_latency_) + link_time_;
    in_dram_ = std::max(in_dram_, on_link_ + link_latency_) + dram_time_;
  }
  void out(std::uint64_t bytes, std::uint64_t loaded, bool stored) {
    ask(bytes, loaded);
    if (stored) in_dram_ += dram_time_;
    on_link_ = std::max(on_link_, stored ? in_dram_ + dram_latency_ : in_dram_) + link_time_;
  }
  [[nodiscard]] Picoseconds in_end() const { return in_dram_ + dram_latency_; }
  [[nodiscard]] Picoseconds out_end() const { return on_link_; }

 private:
  /// All but the first and the last logical page of a command have the same bytes.
  void ask(std::uint64_t bytes, std::uint64_t in_dram) {
    if (bytes == bytes_ && in_dram == in_dram_bytes_) return;
    bytes_ = bytes;
    in_dram_bytes_ = in_dram;
    request_time_ = link_.occupancy(0);
    link_time_ = link_.occupancy(bytes);
    dram_time_ = dram_.occupancy(in_dram);
  }

  HostLinkIf& link_;
  tlm_if::DramIf& dram_;
  const Picoseconds link_latency_, dram_latency_;
  std::uint64_t bytes_ = 0, in_dram_bytes_ = 0;
  Picoseconds request_time_{}, link_time_{}, dram_time_{};
  Picoseconds request_, on_link_, in_dram_;
};

}  // namespace

DataPath::Times DataPath::reserve(const wl_host_job& job, const HostCommand& command, Picoseconds from) {
  // The data of a Compare come in as those of a write do, and pass the DRAM port as what they are compared with.
  const bool compares = command.way == DataWay::kCompare;
  const bool in = job.op == WL_JOB_DMA_IN || compares;
  const bool stored = job.op == WL_JOB_DMA_OUT;
  const bool sets_up = setup_ > Picoseconds(0) && job.lpage == 0;
  const Picoseconds setup = sets_up ? setup_ : Picoseconds(0);
  Engine& engine = engines_[in ? 1 : 0];
  const Picoseconds begin = sets_up ? std::max(from, engine.free) : from;
  const Picoseconds ready = begin + setup;
  HostLinkIf& link = *link_.operator->();
  tlm_if::DramIf& dram = *dram_.operator->();
  Alone alone(link, dram, from + setup, in ? from + setup : from);
  std::uint64_t bytes = 0;
  transfers_.clear();
  const bool made = command.metadata.on() && !command.metadata.passes;  // by the controller, or dropped
  const auto add = [&](std::uint64_t moved, std::uint64_t with) {
    transfers_.push_back({moved, in ? ready : from});
    if (in) {
      alone.in(moved, moved + with);
    } else {
      alone.out(moved, moved + with, stored);
    }
  };
  for (std::uint32_t k = job.lpage; k < job.lpage + job.count; ++k) {
    const std::uint64_t moved = command.link_bytes(k);
    if (moved == 0) continue;  // all in a bit bucket
    bytes += command.metadata.interleaved() ? command.lbas_of(k).bytes() : moved;
    add(moved, made ? command.tuple_bytes(k) : 0);
  }
  if (command.metadata.separate()) add(separate_bytes(job, command), 0);
  Picoseconds end = ready;
  if (in) {
    link.read_each(transfers_);
    if (made) with_tuples(job, command, true);
    dram.reserve_each(transfers_);
    for (const tlm_if::Transfer& lpage : transfers_) end = std::max(end, lpage.at);
  } else {
    if (made) with_tuples(job, command, true);
    if (stored) dram.reserve_each(transfers_);
    if (made) with_tuples(job, command, false);
    for (tlm_if::Transfer& lpage : transfers_) lpage.at = std::max(lpage.at, ready);
    link.write_each(transfers_);
    for (const tlm_if::Transfer& lpage : transfers_) end = std::max(end, lpage.at - link.latency());
  }
  (in && !compares ? counters_.lbas_written : counters_.lbas_read) += bytes / kLbaBytes;
  if (sets_up) {
    engine.free = in ? ready : end;
    engine.busy += engine.free - begin;
  }
  const Picoseconds settle = in && !compares ? write_latency_ : Picoseconds(0);
  return {std::max(end - (in ? alone.in_end() : alone.out_end()), Picoseconds(0)), setup, settle, end + settle};
}

std::uint64_t DataPath::separate_bytes(const wl_host_job& job, const HostCommand& command) {
  std::uint64_t bytes = 0;
  for (std::uint32_t k = job.lpage; k < job.lpage + job.count; ++k) bytes += command.tuple_bytes(k);
  return bytes;
}

// Metadata that the controller makes or drops pass the DRAM port alone.
void DataPath::with_tuples(const wl_host_job& job, const HostCommand& command, bool with) {
  auto transfer = transfers_.begin();
  for (std::uint32_t k = job.lpage; k < job.lpage + job.count; ++k) {
    const std::uint64_t moved = command.link_bytes(k);
    if (moved != 0) (transfer++)->bytes = moved + (with ? command.tuple_bytes(k) : 0);
  }
}

Picoseconds DataPath::begin_in(const wl_host_job& job, Picoseconds from, Picoseconds& setup) {
  const bool sets_up = setup_ > Picoseconds(0) && job.lpage == 0;
  setup = sets_up ? setup_ : Picoseconds(0);
  if (!sets_up) return from;
  Engine& engine = engines_[1];
  const Picoseconds begin = std::max(from, engine.free);
  engine.free = begin + setup;
  engine.busy += setup;
  return engine.free;
}

DataPath::Times DataPath::end_in(const wl_host_job& job, const HostCommand& command, Picoseconds from,
                                 Picoseconds setup, Picoseconds end) {
  Alone alone(*link_.operator->(), *dram_.operator->(), from + setup, from + setup);
  const bool compares = command.way == DataWay::kCompare;
  for (std::uint32_t k = job.lpage; k < job.lpage + job.count; ++k) {
    const std::uint64_t bytes = command.lbas_of(k).bytes();
    (compares ? counters_.lbas_read : counters_.lbas_written) += bytes / kLbaBytes;
    alone.in(bytes, bytes);
  }
  const Picoseconds settle = compares ? Picoseconds(0) : write_latency_;
  return {std::max(end - alone.in_end(), Picoseconds(0)), setup, settle, end + settle};
}

void DataPath::mark(tlm_if::StageClockIf& stages, std::uint16_t tag, Picoseconds from, const Times& times) const {
  using tlm_if::Stage;
  stages.mark(tag, Stage::kQueueDma, from);
  if (sets_up()) stages.mark(tag, Stage::kDmaSetup, from + times.wait);
  stages.mark(tag, Stage::kDma, from + times.wait + times.setup);
  if (write_latency_ > Picoseconds(0)) stages.mark(tag, Stage::kSettle, times.end - times.settle);
}

bool DataPath::move_out(const wl_host_job& job, const HostCommand& command) {
  bool complete = true;
  for (std::uint32_t i = 0; i < job.count; ++i) {
    const data::LpageStamps content = this->content(job, i);
    const std::uint64_t lba0 = command.lpage_size.first_lba(command.first_lpage() + job.lpage + i);
    for_each_piece(command, command.lbas_of(job.lpage + i),
                   [&](std::uint64_t address, std::uint32_t first, std::uint32_t nlb) {
                     complete &= host_memory_->give_data(job.tag, lba0 + first, address, &content[first], nlb);
                   });
  }
  return complete;
}

void DataPath::send(const wl_host_job& job, const HostCommand& command, HostDma& dma, std::uint32_t name,
                    const DmaAccess& access) {
  std::size_t next = 0;  // of transfers_, which leaves out logical pages of which nothing moves
  for (std::uint32_t i = 0; i < job.count; ++i) {
    if (command.link_bytes(job.lpage + i) == 0) continue;
    const data::LpageStamps content = this->content(job, i);
    const Picoseconds at = transfers_[next++].at;
    for_each_piece(command, command.lbas_of(job.lpage + i),
                   [&](std::uint64_t address, std::uint32_t first, std::uint32_t nlb) {
                     dma.write_stamps(name, at, address, &content[first], nlb, access);
                   });
  }
}

void DataPath::take(const wl_host_job& job, const HostCommand& command, std::uint32_t i,
                    const data::LpageStamps& content) {
  data::TokenPool& pool = buffer_->pool();
  data::LpageToken& slot = buffer_->slot(job.slot + i);
  const bool keep = !command.covers(job.lpage + i) && (job.flags & WL_JOB_ZERO_REST) == 0;
  data::LpageStamps whole = keep ? pool.expand(slot) : data::LpageStamps{};
  for_each_piece(command, command.lbas_of(job.lpage + i), [&](std::uint64_t, std::uint32_t first, std::uint32_t nlb) {
    std::copy_n(&content[first], nlb, &whole[first]);
  });
  slot = pool.intern(whole);
}

bool DataPath::move_in(const wl_host_job& job, const HostCommand& command) {
  bool complete = true;
  data::TokenPool& pool = buffer_->pool();
  for (std::uint32_t i = 0; i < job.count; ++i) {
    data::LpageToken& slot = buffer_->slot(job.slot + i);
    const LbaRun run = command.lbas_of(job.lpage + i);
    const bool keep = !command.covers(job.lpage + i) && (job.flags & WL_JOB_ZERO_REST) == 0;
    data::LpageStamps content = keep ? pool.expand(slot) : data::LpageStamps{};
    bool came = true;
    const std::uint64_t lba0 = command.lpage_size.first_lba(command.first_lpage() + job.lpage + i);
    for_each_piece(command, run, [&](std::uint64_t address, std::uint32_t first, std::uint32_t nlb) {
      came &= host_memory_->take_data(job.tag, lba0 + first, address, &content[first], nlb);
    });
    if (came) slot = pool.intern(content);
    complete &= came;
  }
  return complete;
}

Picoseconds DataPath::copy(const wl_host_job& job, const HostCommand& command, Picoseconds from) {
  const std::uint64_t bytes = command.lpage_size.bytes() + command.metadata.bytes(command.lpage_size.lbas());
  for (std::uint32_t i = 0; i < job.count; ++i) {
    const data::LpageToken content = buffer_->slot(job.lpage + i);
    buffer_->slot(job.slot + i) = content;
    from = dram_->reserve(dram_->reserve(from, bytes), bytes);
  }
  return from;
}

}  // namespace wordline::host
