// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/mover/incoming_data.h"

#include <algorithm>

namespace wordline::host {

void IncomingData::begin(std::uint32_t index, const wl_host_job& job, const HostCommand& command, Picoseconds from) {
  if (transfers_.size() <= index) transfers_.resize(index + 1U);
  Transfer& transfer = transfers_[index];
  transfer.lpages.assign(job.count, {});
  transfer.job = job;
  transfer.command = &command;
  transfer.left = job.count;
  transfer.from = from;
  transfer.end = from;
  if (order_.size() <= job.tag) order_.resize(job.tag + 1U);
  order_[job.tag].push_back(index);
  const Picoseconds asked = path_.begin_in(job, from, transfer.setup);
  // All are counted before the first is asked for: an answer may come within the call.
  for (std::uint32_t i = 0; i < job.count; ++i) {
    const LbaRun run = command.lbas_of(job.lpage + i);
    transfer.lpages[i].bytes = run.bytes();
    for_each_piece(command, run, [&](std::uint64_t, std::uint32_t, std::uint32_t) { ++transfer.lpages[i].left; });
  }
  for (std::uint32_t i = 0; i < job.count; ++i) {
    const Picoseconds arrives = link_->read_request(asked);
    for_each_piece(
        command, command.lbas_of(job.lpage + i), [&](std::uint64_t address, std::uint32_t first, std::uint32_t nlb) {
          dma_.slow()->begin_read_stamps(arrives, address, &transfer.lpages[i].content[first], nlb, {this, i, index});
        });
  }
}

void IncomingData::dma_ended(const DmaAccess& access, bool good, Picoseconds at) {
  Transfer& transfer = transfers_[access.index];
  Lpage& lpage = transfer.lpages[access.kind];
  lpage.good = lpage.good && good;
  lpage.answered = std::max(lpage.answered, at);
  if (--lpage.left != 0) return;
  transfer.end = std::max(transfer.end, path_.store(link_->read_data(lpage.answered, lpage.bytes), lpage.bytes));
  --transfer.left;
  std::deque<std::uint32_t>& order = order_[transfer.job.tag];
  while (!order.empty() && transfers_[order.front()].left == 0) {
    const std::uint32_t index = order.front();
    order.pop_front();
    const Transfer& next = transfers_[index];
    user_.data_came(index, path_.end_in(next.job, *next.command, next.from, next.setup, next.end), next.from);
  }
}

bool IncomingData::move_in(std::uint32_t index, const wl_host_job& job, const HostCommand& command) {
  const Transfer& transfer = transfers_[index];
  bool complete = true;
  for (std::uint32_t i = 0; i < job.count; ++i) {
    if (transfer.lpages[i].good) path_.take(job, command, i, transfer.lpages[i].content);
    complete = complete && transfer.lpages[i].good;
  }
  return complete;
}

}  // namespace wordline::host
