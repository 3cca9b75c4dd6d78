// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/protection.h"

#include "tlm/device/nvme/fields.h"

namespace wordline::host::nvme {
namespace {

using data::ProtectionTags;
using data::ProtectionType;

constexpr std::uint64_t kDwordMask = 3, kQwordMask = 7;

std::uint32_t type_of_format(const SubmissionEntry& sqe) { return sqe.cdw10 >> kFormatTypeShift & kFormatTypeMask; }

/// What holds for all commands of the namespaces.
CommandMetadata of_format(const Namespaces& namespaces) {
  CommandMetadata metadata;
  if (!namespaces.has_metadata()) return metadata;
  const LbaFormat& format = namespaces.format();
  metadata.place = format.interleaved ? CommandMetadata::Place::kInterleaved : CommandMetadata::Place::kSeparate;
  metadata.shift = namespaces.shift();
  metadata.tags.type = format.protection;
  return metadata;
}

/// PRINFO. `slba`: the block of the namespace with the first of the tags. `makes`: a write.
Status take_prinfo(std::uint32_t prinfo, std::uint64_t slba, bool makes, CommandMetadata& metadata) {
  ProtectionTags& tags = metadata.tags;
  const bool acts = (prinfo & kPract) != 0;
  tags.checks = static_cast<std::uint8_t>(prinfo & kPrchkMask);
  metadata.inserts = acts && makes;
  if (acts) metadata.passes = false;  // metadata are no more than the protection information
  const bool looks = (tags.checks & ProtectionTags::kReference) != 0;
  if (tags.type == ProtectionType::kType3 && looks) return kInvalidProtection;
  const bool says = looks || metadata.inserts;
  if (tags.type == ProtectionType::kType1 && says && tags.reference != static_cast<std::uint32_t>(slba)) {
    return kInvalidProtection;
  }
  return kSuccess;
}

void take_tags(std::uint32_t reference, std::uint32_t application_and_mask, ProtectionTags& tags) {
  tags.reference = reference;
  tags.application = static_cast<std::uint16_t>(application_and_mask);
  tags.mask = static_cast<std::uint16_t>(application_and_mask >> 16);
}

std::uint32_t prinfo_of(const SubmissionEntry& sqe) { return sqe.cdw12 >> kPrinfoShift & (kPract | kPrchkMask); }
std::uint32_t prinfo_of_source(const SubmissionEntry& sqe) {
  return sqe.cdw12 >> kPrinfoOfCopyShift & (kPract | kPrchkMask);
}
std::uint64_t slba_of(const SubmissionEntry& sqe) { return static_cast<std::uint64_t>(sqe.cdw11) << 32 | sqe.cdw10; }

}  // namespace

Status check_metadata_of_format(const SubmissionEntry& sqe) {
  constexpr std::uint32_t kOfMetadata = kFormatInterleaved | kFormatTypeMask << kFormatTypeShift | kFormatFirst;
  const bool metadata = Namespaces::has_metadata(sqe.cdw10 & kFormatIndexMask);
  if ((sqe.cdw10 & ~(kFormatFields | (metadata ? kOfMetadata : 0U))) != 0) return kInvalidField;
  const std::uint32_t type = type_of_format(sqe);
  if (type > static_cast<std::uint32_t>(ProtectionType::kType3)) return kInvalidField;
  return type == 0 && (sqe.cdw10 & kFormatFirst) != 0 ? kInvalidField : kSuccess;
}

LbaFormat format_of(const SubmissionEntry& sqe) {
  return {sqe.cdw10 & kFormatIndexMask, (sqe.cdw10 & kFormatInterleaved) != 0, (sqe.cdw10 & kFormatFirst) != 0,
          static_cast<ProtectionType>(type_of_format(sqe))};
}

bool format_of_namespace(const std::byte* data, unsigned formats, LbaFormat& format) {
  using namespace identify_namespace;
  const auto flbas = load_field<std::uint8_t>(data, kFlbas), dps = load_field<std::uint8_t>(data, kDps);
  const std::uint32_t type = dps & ~static_cast<std::uint32_t>(kDpsFirst);
  format = {flbas & ~static_cast<std::uint32_t>(kFlbasInterleaved), (flbas & kFlbasInterleaved) != 0,
            (dps & kDpsFirst) != 0, static_cast<ProtectionType>(type)};
  if (format.index >= formats || type > static_cast<std::uint32_t>(ProtectionType::kType3)) return false;
  if (type == 0 && format.first) return false;
  return Namespaces::has_metadata(format.index) || (!format.interleaved && type == 0);
}

Status take_metadata(const SubmissionEntry& sqe, const Namespaces& namespaces, HostCommand& command) {
  CommandMetadata& metadata = command.metadata;
  metadata = of_format(namespaces);
  if (!metadata.on()) return kSuccess;
  const bool protects = metadata.tags.type != ProtectionType::kNone;
  metadata.passes = uses_link(command.way) && moves_data(command.op);
  if (protects && command.way != DataWay::kUncorrectable) {
    take_tags(sqe.cdw14, sqe.cdw15, metadata.tags);
    const bool makes = command.op == Operation::kWrite || command.op == Operation::kWriteZeroes;
    if (command.op == Operation::kWriteZeroes && (prinfo_of(sqe) & kPrchkMask) != 0) return kInvalidField;
    const Status status = take_prinfo(prinfo_of(sqe), slba_of(sqe), makes, metadata);
    if (status != kSuccess) return status;
  }
  // Deallocated blocks have fields that nobody checks; others are written, zeros with theirs.
  if (protects && command.op == Operation::kWriteZeroes && (sqe.cdw12 & kDeallocateZeroes) == 0) {
    command.op = Operation::kWrite;
    command.way = DataWay::kZeroes;
  }
  if (metadata.separate()) {
    metadata.buffer = sqe.mptr;
    const std::uint64_t mask = has_metadata_segment(sqe, command) ? kQwordMask : kDwordMask;
    if ((sqe.mptr & mask) != 0) return kInvalidField;
  }
  return kSuccess;
}

bool has_metadata_segment(const SubmissionEntry& sqe, const HostCommand& command) {
  return command.metadata.separate() && (sqe.flags & kPsdtMask) == kPsdtSglMptr;
}

Status take_metadata_descriptor(const SglDescriptor& descriptor, HostCommand& command) {
  if (descriptor.identifier != kSglDataBlock) return kSglTypeInvalid;
  if (descriptor.length < command.metadata.bytes(command.nlb)) return kMetadataSglLengthInvalid;
  if ((descriptor.address & kDwordMask) != 0) return kSglGranularityInvalid;
  command.metadata.buffer = descriptor.address;
  return kSuccess;
}

// Both halves act, or neither does: metadata that are dropped are no longer there to be passed.
Status check_copy_protection(const SubmissionEntry& sqe, const Namespaces& namespaces) {
  if (!namespaces.has_metadata() || namespaces.format().protection == ProtectionType::kNone) return kSuccess;
  return ((prinfo_of(sqe) ^ prinfo_of_source(sqe)) & kPract) != 0 ? kInvalidField : kSuccess;
}

Status take_source(const SubmissionEntry& sqe, const CopyRange& range, const Namespaces& namespaces,
                   CommandMetadata& metadata) {
  metadata = of_format(namespaces);
  if (metadata.tags.type == ProtectionType::kNone) return kSuccess;
  take_tags(range.reference_tag, std::uint32_t{range.application_tag_mask} << 16 | range.application_tag,
            metadata.tags);
  return take_prinfo(prinfo_of_source(sqe), range.slba, false, metadata);
}

Status take_destination(const SubmissionEntry& sqe, const Namespaces& namespaces, CommandMetadata& metadata) {
  metadata = of_format(namespaces);
  if (metadata.tags.type == ProtectionType::kNone) return kSuccess;
  take_tags(sqe.cdw14, sqe.cdw15, metadata.tags);
  return take_prinfo(prinfo_of(sqe), slba_of(sqe), true, metadata);
}

}  // namespace wordline::host::nvme
