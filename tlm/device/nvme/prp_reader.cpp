// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/prp_reader.h"

#include <algorithm>

namespace wordline::host::nvme {

namespace {

std::uint32_t pages_of(const SubmissionEntry& sqe, std::uint64_t bytes) {
  return static_cast<std::uint32_t>(((sqe.prp1 & kHostPageMask) + bytes + kHostPageMask) / kPageBytes);
}

}  // namespace

// CMBSZ: no data in the controller's own memory.
Status PrpReader::check(const SubmissionEntry& sqe, const PointedData& data) const {
  const HostDma& dma = mover_.dma();
  const std::uint32_t pages = pages_of(sqe, data.bytes);
  if (sqe.prp1 % data.unit != 0) return kPrpOffsetInvalid;
  if (pages == 2 && (sqe.prp2 & kHostPageMask) != 0) return kPrpOffsetInvalid;
  if (pages > 2 && sqe.prp2 % 8 != 0) return kPrpOffsetInvalid;
  if (pages > 2 && sqe.prp2 == 0) return kInvalidField;
  return dma.has_own(sqe.prp1) || (pages == 2 && dma.has_own(sqe.prp2)) ? kInvalidUseOfCmb : kSuccess;
}

Status PrpReader::start(std::uint32_t tag, const SubmissionEntry& sqe) {
  HostCommand& command = mover_.commands()[tag];
  List& list = lists_[tag];
  list.address = 0;
  const PointedData data = pointed_data(command);
  if (data.bytes == 0) return kSuccess;
  const Status status = check(sqe, data);
  if (status != kSuccess) return status;
  command.pages.push_back(sqe.prp1);
  list.pages = pages_of(sqe, data.bytes);
  if (list.pages == 2) command.pages.push_back(sqe.prp2);
  if (list.pages > 2) list.address = sqe.prp2;
  return kSuccess;
}

std::uint32_t PrpReader::entries_in_page(std::uint32_t tag) const {
  const List& list = lists_[tag];
  const auto missing = static_cast<std::uint32_t>(list.pages - mover_.commands()[tag].pages.size());
  const auto room = static_cast<std::uint32_t>((kPageBytes - (list.address & kHostPageMask)) / 8);
  return std::min(missing, room);
}

void PrpReader::read_list(std::uint32_t tag) {
  List& list = lists_[tag];
  list.entries.resize(entries_in_page(tag));
  const HostDma::Piece piece{list.address, list.entries.data(), list.entries.size() * sizeof list.entries[0]};
  mover_.dma().read(agenda_.now(), &piece, 1, {this, 0, tag});
}

void PrpReader::take_entries(std::uint32_t tag, bool good) {
  HostCommand& command = mover_.commands()[tag];
  if (mover_.commands().lost(command)) {
    user_.list_ended(tag, kAbortedQueueDeleted);
    return;
  }
  List& list = lists_[tag];
  const auto entries = static_cast<std::uint32_t>(list.entries.size());
  const bool last = command.pages.size() + entries == list.pages;
  if (!good) {
    user_.list_ended(tag, kDataTransferError);
    return;
  }
  list.address = 0;
  for (std::uint32_t i = 0; i < entries; ++i) {
    const std::uint64_t prp = list.entries[i];
    if ((prp & kHostPageMask) != 0) {
      user_.list_ended(tag, kPrpOffsetInvalid);
      return;
    }
    if (!last && i + 1 == entries) {
      list.address = prp;
    } else if (mover_.dma().has_own(prp)) {
      user_.list_ended(tag, kInvalidUseOfCmb);
      return;
    } else {
      command.pages.push_back(prp);
    }
  }
  if (last) {
    user_.list_ended(tag, kSuccess);
  } else {
    read_list(tag);
  }
}

}  // namespace wordline::host::nvme
