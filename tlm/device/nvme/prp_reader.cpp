// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/prp_reader.h"

#include <algorithm>

namespace wordline::host::nvme {

Status PrpReader::start(std::uint32_t tag, const SubmissionEntry& sqe) {
  HostCommand& command = mover_.commands()[tag];
  List& list = lists_[tag];
  list.address = 0;
  const auto [bytes, unit] = pointed_data(command);
  if (bytes == 0) return kSuccess;
  if (sqe.prp1 % unit != 0) return kPrpOffsetInvalid;
  command.pages.push_back(sqe.prp1);
  const std::uint64_t offset = sqe.prp1 & kHostPageMask;
  list.pages = static_cast<std::uint32_t>((offset + bytes + kHostPageMask) / kPageBytes);
  if (list.pages == 1) return kSuccess;
  if (list.pages == 2) {
    if ((sqe.prp2 & kHostPageMask) != 0) return kPrpOffsetInvalid;
    command.pages.push_back(sqe.prp2);
    return kSuccess;
  }
  if (sqe.prp2 % 8 != 0) return kPrpOffsetInvalid;
  list.address = sqe.prp2;
  return list.address == 0 ? kInvalidField : kSuccess;
}

// Entries of the list that lie in the page of its address: all that are missing, or up to the page's end, where the
// last one points to the next list.
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
