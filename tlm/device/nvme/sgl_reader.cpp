// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/sgl_reader.h"

#include <algorithm>
#include <cstring>

namespace wordline::host::nvme {
namespace {

constexpr std::uint32_t kReadAtOnce = kPageBytes / sizeof(SglDescriptor);

bool is_segment(const SglDescriptor& d) { return d.identifier == kSglSegment || d.identifier == kSglLastSegment; }

}  // namespace

Status SglReader::start(std::uint32_t tag, const SubmissionEntry& sqe, std::uint64_t bytes, std::uint32_t unit,
                        bool to_host) {
  List& list = lists_[tag];
  list.left = 0;
  list.last = false;
  list.to_host = to_host;
  list.unit = unit;
  list.missing = bytes;
  list.count = 0;
  mover_.commands()[tag].stretches.clear();
  SglDescriptor first{};
  std::memcpy(&first, &sqe.prp1, sizeof first);  // SGL1 has the place of PRP1 and PRP2
  if (is_segment(first)) return follow(list, first);
  list.last = true;
  const Status status = take(tag, first, true);
  if (status != kSuccess) return status;
  return list.missing == 0 ? kSuccess : kSglLengthInvalid;
}

void SglReader::read_segments(std::uint32_t tag) {
  List& list = lists_[tag];
  list.read.resize(std::min(list.left, kReadAtOnce));
  const HostDma::Piece piece{list.address, list.read.data(), list.read.size() * sizeof list.read[0]};
  mover_.dma().read(agenda_.now(), &piece, 1, {this, 0, tag});
}

void SglReader::act(const Agenda::Action& action) {
  const std::uint32_t tag = action.index;
  Status status = kSuccess;
  if (mover_.commands().lost(mover_.commands()[tag])) {
    status = kAbortedQueueDeleted;
  } else if (action.value == 0) {
    status = kDataTransferError;
  } else {
    status = take_read(tag);
  }
  if (status != kSuccess) lists_[tag].left = 0;
  if (lists_[tag].left != 0) {
    read_segments(tag);
  } else {
    user_.list_ended(tag, status);
  }
}

// The descriptors that have come. More are to be read if `left` is not 0 then.
Status SglReader::take_read(std::uint32_t tag) {
  List& list = lists_[tag];
  const auto count = static_cast<std::uint32_t>(list.read.size());
  list.left -= count;
  list.address += count * sizeof(SglDescriptor);
  const bool ends = list.left == 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Status status = take(tag, list.read[i], ends && i + 1 == count);
    if (status != kSuccess) return status;
  }
  return list.left != 0 || list.missing == 0 ? kSuccess : kSglLengthInvalid;
}

// One descriptor of a segment, or that of the entry.
Status SglReader::take(std::uint32_t tag, const SglDescriptor& descriptor, bool ends_segment) {
  List& list = lists_[tag];
  if (++list.count > kMostDescriptors) return kInvalidSglCount;
  if (is_segment(descriptor)) {
    if (!ends_segment) return kInvalidSglCount;
    return list.last ? kInvalidSglSegment : follow(list, descriptor);
  }
  if (descriptor.identifier != kSglDataBlock && descriptor.identifier != kSglBitBucket) return kSglTypeInvalid;
  if (ends_segment && !list.last) return kInvalidSglSegment;  // a segment other than the last names the next one
  const bool bucket = descriptor.identifier == kSglBitBucket;
  if (bucket && !list.to_host) return kSuccess;  // as if its length were 0
  const auto length = static_cast<std::uint32_t>(std::min<std::uint64_t>(descriptor.length, list.missing));
  if (length % list.unit != 0) return kSglGranularityInvalid;
  if (!bucket && descriptor.address % list.unit != 0) return kSglGranularityInvalid;
  const HostDma& dma = mover_.dma();
  if (!bucket && length != 0 && (dma.has_own(descriptor.address) || dma.has_own(descriptor.address + length - 1))) {
    return kInvalidUseOfCmb;  // CMBSZ: no data there
  }
  list.missing -= length;
  if (length != 0) mover_.commands()[tag].stretches.push_back({descriptor.address, length, bucket});
  return kSuccess;
}

// To the segment that the descriptor names.
Status SglReader::follow(List& list, const SglDescriptor& descriptor) {
  if (descriptor.address % 8 != 0) return kInvalidSglSegment;
  if (descriptor.length == 0 || descriptor.length % sizeof(SglDescriptor) != 0) return kInvalidSglSegment;
  list.address = descriptor.address;
  list.left = descriptor.length / sizeof(SglDescriptor);
  list.last = descriptor.identifier == kSglLastSegment;
  return kSuccess;
}

}  // namespace wordline::host::nvme
