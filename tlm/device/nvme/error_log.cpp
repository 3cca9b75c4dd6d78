// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/error_log.h"

#include <cstring>

namespace wordline::host::nvme {

void ErrorLog::add(std::uint16_t sq, std::uint16_t cid, Status status, const Place& place) {
  ErrorEntry entry{};
  entry.count = ++count_;
  entry.sq_id = sq;
  entry.cid = cid;
  entry.status = status_word(status, false);
  entry.location = kNoLocation;
  entry.lba = place.lba;
  entry.nsid = place.nsid;
  entry.command_specific = place.command_specific;
  entry.opcode = place.opcode;
  entry.version = kErrorEntryVersion;
  entries_.push_front(entry);
  if (entries_.size() > kEntries) entries_.pop_back();
}

void ErrorLog::fill(Page& page) const {
  page.fill(std::byte{0});
  std::byte* at = page.data();
  for (const ErrorEntry& entry : entries_) {
    std::memcpy(at, &entry, sizeof entry);
    at += sizeof entry;
  }
}

}  // namespace wordline::host::nvme
