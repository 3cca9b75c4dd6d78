// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/mover/data_path.h"

#include <algorithm>

namespace wordline::host {
DataPath::Times DataPath::reserve(const wl_host_job& job, const HostCommand& command, Picoseconds from) {
  const bool in = job.op == WL_JOB_DMA_IN;
  const bool sets_up = setup_ > Picoseconds(0) && job.lpage == 0;
  arrivals_.clear();
  const Picoseconds setup = sets_up ? setup_ : Picoseconds(0);
  Engine& engine = engines_[in ? 1 : 0];
  const Picoseconds begin = sets_up ? std::max(from, engine.free) : from;
  const Picoseconds ready = begin + setup;
  const Picoseconds asked = in ? ready : from;
  Picoseconds end = ready;
  std::uint64_t nlb = 0;
  // The times of the transfer with nothing else in its way: the link, and the DRAM port behind or before it, are its
  // own.
  Picoseconds request = from + setup, link = from + setup, dram = in ? link : from;
  for (std::uint32_t k = job.lpage; k < job.lpage + job.count; ++k) {
    const std::uint64_t bytes = command.lbas_of(k).bytes();
    nlb += bytes / kLbaBytes;
    Picoseconds lpage_end;
    if (in) {
      lpage_end = dram_->reserve(link_->read(asked, bytes), bytes);
      request += link_->occupancy(0);
      link = std::max(link, request + link_->latency()) + link_->occupancy(bytes);
      dram = std::max(dram, link + link_->latency()) + dram_->occupancy(bytes);
    } else {
      const bool stored = job.op == WL_JOB_DMA_OUT;
      const Picoseconds at_hand = stored ? dram_->reserve(asked, bytes) : asked;
      const Picoseconds arrives = link_->write(std::max(at_hand, ready), bytes);
      arrivals_.push_back(arrives);
      lpage_end = arrives - link_->latency();
      if (stored) dram += dram_->occupancy(bytes);
      link = std::max(link, stored ? dram + dram_->latency() : dram) + link_->occupancy(bytes);
    }
    end = std::max(end, lpage_end);
  }
  (in ? counters_.lbas_written : counters_.lbas_read) += nlb;
  if (sets_up) {
    engine.free = in ? ready : end;
    engine.busy += engine.free - begin;
  }
  const Picoseconds alone = in ? dram + dram_->latency() : link;
  const Picoseconds settle = in ? write_latency_ : Picoseconds(0);
  return {std::max(end - alone, Picoseconds(0)), setup, settle, end + settle};
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
  Picoseconds request = from + setup, link = request, dram = request;
  for (std::uint32_t k = job.lpage; k < job.lpage + job.count; ++k) {
    const std::uint64_t bytes = command.lbas_of(k).bytes();
    counters_.lbas_written += bytes / kLbaBytes;
    request += link_->occupancy(0);
    link = std::max(link, request + link_->latency()) + link_->occupancy(bytes);
    dram = std::max(dram, link + link_->latency()) + dram_->occupancy(bytes);
  }
  const Picoseconds alone = dram + dram_->latency();
  return {std::max(end - alone, Picoseconds(0)), setup, write_latency_, end + write_latency_};
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
  const data::TokenPool& pool = buffer_->pool();
  for (std::uint32_t i = 0; i < job.count; ++i) {
    const data::LpageToken token = job.op == WL_JOB_DMA_OUT ? buffer_->slot(job.slot + i) : data::LpageToken{};
    const data::LpageStamps content = pool.expand(token);
    for_each_piece(command, command.lbas_of(job.lpage + i),
                   [&](std::uint64_t address, std::uint32_t first, std::uint32_t nlb) {
                     complete &= host_memory_->write_stamps(address, &content[first], nlb);
                   });
  }
  return complete;
}

void DataPath::send(const wl_host_job& job, const HostCommand& command, HostDma& dma, std::uint32_t name,
                    const DmaAccess& access) {
  const data::TokenPool& pool = buffer_->pool();
  for (std::uint32_t i = 0; i < job.count; ++i) {
    const data::LpageToken token = job.op == WL_JOB_DMA_OUT ? buffer_->slot(job.slot + i) : data::LpageToken{};
    const data::LpageStamps content = pool.expand(token);
    for_each_piece(command, command.lbas_of(job.lpage + i),
                   [&](std::uint64_t address, std::uint32_t first, std::uint32_t nlb) {
                     dma.write_stamps(name, arrivals_[i], address, &content[first], nlb, access);
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
    for_each_piece(command, run, [&](std::uint64_t address, std::uint32_t first, std::uint32_t nlb) {
      came &= host_memory_->read_stamps(address, &content[first], nlb);
    });
    if (came) slot = pool.intern(content);
    complete &= came;
  }
  return complete;
}

Picoseconds DataPath::copy(const wl_host_job& job, const HostCommand& command, Picoseconds from) {
  const std::uint64_t bytes = command.lpage_size.bytes();
  for (std::uint32_t i = 0; i < job.count; ++i) {
    const data::LpageToken content = buffer_->slot(job.lpage + i);
    buffer_->slot(job.slot + i) = content;
    from = dram_->reserve(dram_->reserve(from, bytes), bytes);
  }
  return from;
}

}  // namespace wordline::host
