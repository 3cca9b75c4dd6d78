// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/mover/protected_data.h"

#include <algorithm>

namespace wordline::host {
namespace {

using data::BlockTuple;

CommandStatus status_of(data::ProtectionFault fault) {
  switch (fault) {
    case data::ProtectionFault::kGuard:
      return kGuardFailed;
    case data::ProtectionFault::kApplication:
      return kApplicationFailed;
    case data::ProtectionFault::kReference:
      return kReferenceFailed;
    case data::ProtectionFault::kNone:
      break;
  }
  return 0;
}

bool checks_guard(const CommandMetadata& metadata) {
  return metadata.tags.type != data::ProtectionType::kNone &&
         (metadata.tags.checks & data::ProtectionTags::kGuard) != 0;
}

}  // namespace

template <class Part>
void ProtectedData::for_each_block(const HostCommand& command, const LbaRun& run, Part&& part) {
  const std::uint32_t lbas = 1U << command.metadata.shift;
  for (std::uint64_t lba = run.first; lba < run.last; lba += lbas) {
    part(lba, command.lpage_size.lba_offset(lba), static_cast<std::uint32_t>((lba - command.slba) / lbas));
  }
}

ProtectedData::Content ProtectedData::of_slot(const wl_host_job& job, std::uint32_t i) const {
  const data::LpageToken token = job.op == WL_JOB_ZERO_OUT ? data::LpageToken{} : buffer_->slot(job.slot + i);
  Content content;
  content.stamps = buffer_->pool().expand(token);
  content.tuples = tuples_of(buffer_->pool(), token, content.stamps, rule_);
  return content;
}

CommandStatus ProtectedData::check(const HostCommand& command, const LbaRun& run, const Content& content) const {
  auto fault = data::ProtectionFault::kNone;
  const std::uint32_t lbas = 1U << command.metadata.shift;
  for_each_block(command, run, [&](std::uint64_t, std::uint32_t at, std::uint32_t block) {
    if (fault != data::ProtectionFault::kNone) return;
    fault = check_tuple(command.metadata.tags, block, content.tuples[at], guard_of(&content.stamps[at], lbas));
  });
  return status_of(fault);
}

// Protection information is no part of what is compared (NVM Command Set 3.2.1), other metadata are.
CommandStatus ProtectedData::compare(const HostCommand& command, const LbaRun& run, const Content& content) {
  Content given;
  CommandStatus status = fetch(command, run, given);
  if (status == 0 && command.metadata.passes) status = check(command, run, given);
  if (status != 0) return status;
  const std::uint32_t first = command.lpage_size.lba_offset(run.first);
  bool equal = std::equal(&given.stamps[first], &given.stamps[first] + run.count(), &content.stamps[first]);
  if (command.metadata.tags.type == data::ProtectionType::kNone) {
    for_each_block(command, run, [&](std::uint64_t, std::uint32_t at, std::uint32_t) {
      equal = equal && given.tuples[at] == content.tuples[at];
    });
  }
  return equal ? 0 : kCompareFailed;
}

CommandStatus ProtectedData::out(const wl_host_job& job, const HostCommand& command) {
  CommandStatus status = 0;
  const auto found = [&status](CommandStatus one) {
    if (status == 0) status = one;
  };
  for (std::uint32_t i = 0; i < job.count; ++i) {
    const LbaRun run = command.lbas_of(job.lpage + i);
    Content content = of_slot(job, i);
    found(check(command, run, content));
    if (command.way == DataWay::kCompare) {
      found(compare(command, run, content));
    } else if (command.way == DataWay::kCopyOut) {
      copied_.resize(std::max<std::size_t>(copied_.size(), command.nlb));
      for (std::uint64_t lba = run.first; lba != run.last; ++lba) {
        const std::uint32_t at = command.lpage_size.lba_offset(lba);
        copied_[lba - command.slba] = {content.stamps[at], content.tuples[at]};
      }
    } else if (command.way == DataWay::kHost) {
      std::replace(content.stamps.begin(), content.stamps.end(), data::kMarked, {});
      if (!put(command, run, content)) found(kTransferFailed);
    }
  }
  return status;
}

CommandStatus ProtectedData::in(const wl_host_job& job, const HostCommand& command) {
  CommandStatus status = 0;
  for (std::uint32_t i = 0; i < job.count; ++i) {
    const LbaRun run = command.lbas_of(job.lpage + i);
    data::LpageToken& slot = buffer_->slot(job.slot + i);
    const bool keep = !command.covers(job.lpage + i) && (job.flags & WL_JOB_ZERO_REST) == 0;
    Content content;
    if (keep) content.stamps = buffer_->pool().expand(slot);
    content.tuples = keep ? tuples_of(buffer_->pool(), slot, content.stamps, rule_) : rule_.of_lpage({});
    CommandStatus found = 0;
    if (command.way == DataWay::kUncorrectable || command.way == DataWay::kZeroes) {
      mark(command, run, content);
    } else if (command.way == DataWay::kCopyIn) {
      for (std::uint64_t lba = run.first; lba != run.last; ++lba) {
        const std::uint32_t at = command.lpage_size.lba_offset(lba);
        content.stamps[at] = copied_[lba - command.slba].first;
        content.tuples[at] = copied_[lba - command.slba].second;
      }
    } else {
      found = fetch(command, run, content);
    }
    if (command.metadata.inserts && command.op == Operation::kWrite) {
      make(command, run, content);
    } else if (found == 0 && command.way != DataWay::kUncorrectable && command.way != DataWay::kZeroes) {
      found = check(command, run, content);
    }
    if (found == 0) slot = intern(buffer_->pool(), content.stamps, content.tuples, rule_);
    if (status == 0) status = found;
  }
  return status;
}

void ProtectedData::make(const HostCommand& command, const LbaRun& run, Content& content) const {
  const data::ProtectionTags& tags = command.metadata.tags;
  const std::uint32_t lbas = 1U << command.metadata.shift;
  for_each_block(command, run, [&](std::uint64_t, std::uint32_t at, std::uint32_t block) {
    content.tuples[at] = {guard_of(&content.stamps[at], lbas), tags.application, tags.reference_of(block)};
  });
}

// Zeros have fields of zeros, unless the controller is to make them; of a Write Zeroes that deallocates, none.
void ProtectedData::mark(const HostCommand& command, const LbaRun& run, Content& content) const {
  const bool zeros = command.way == DataWay::kZeroes;
  std::fill_n(&content.stamps[command.lpage_size.lba_offset(run.first)], run.count(),
              zeros ? data::LbaStamp{} : data::kMarked);
  for_each_block(command, run, [&](std::uint64_t, std::uint32_t at, std::uint32_t) {
    content.tuples[at] = zeros && command.op == Operation::kWrite ? BlockTuple{} : data::kNoTuple;
  });
}

CommandStatus ProtectedData::fetch(const HostCommand& command, const LbaRun& run, Content& content) {
  if (command.metadata.interleaved()) return fetch_extended(command, run, content);
  bool complete = true;
  for_each_piece(command, run, [&](std::uint64_t address, std::uint32_t first, std::uint32_t nlb) {
    complete &= host_memory_->read_stamps(address, &content.stamps[first], nlb);
  });
  if (!command.metadata.separate()) return complete ? 0 : kTransferFailed;
  bytes_.resize(command.metadata.bytes(run.count()));
  complete &= host_memory_->read(command.metadata.buffer + command.metadata.bytes(run.first - command.slba),
                                 bytes_.data(), bytes_.size());
  const std::byte* from = bytes_.data();
  for_each_block(command, run, [&](std::uint64_t, std::uint32_t at, std::uint32_t) {
    content.tuples[at] = BlockTuple::from_bytes(from);
    from += BlockTuple::kBytes;
  });
  return complete ? 0 : kTransferFailed;
}

CommandStatus ProtectedData::fetch_extended(const HostCommand& command, const LbaRun& run, Content& content) {
  bytes_.resize(run.bytes() + command.metadata.bytes(run.count()));
  std::byte* to = bytes_.data();
  bool complete = true;
  for_each_stretch(command, command.extended_offset(run.first), bytes_.size(),
                   [&](std::uint64_t address, std::uint64_t bytes) {
                     complete = complete && host_memory_->read(address, to, bytes);
                     to += bytes;
                   });
  if (!complete) return kTransferFailed;
  const std::uint32_t lbas = 1U << command.metadata.shift;
  const std::byte* from = bytes_.data();
  CommandStatus status = 0;
  for_each_block(command, run, [&](std::uint64_t, std::uint32_t at, std::uint32_t) {
    const std::size_t length = std::size_t{lbas} * kLbaBytes;
    content.tuples[at] = BlockTuple::from_bytes(from + length);
    bool stands = true;
    for (std::uint32_t i = 0; i < lbas; ++i) {
      stands = stands && contract(from + std::size_t{i} * kLbaBytes, content.stamps[at + i]);
    }
    const bool damaged = checks_guard(command.metadata) &&
                         content.tuples[at].application != data::kNoTuple.application &&
                         data::crc16_t10dif(from, length) != content.tuples[at].guard;
    if (!stands && status == 0) status = damaged ? kGuardFailed : kTransferFailed;
    from += length + BlockTuple::kBytes;
  });
  return status;
}

bool ProtectedData::put(const HostCommand& command, const LbaRun& run, const Content& content) {
  if (command.metadata.interleaved()) return put_extended(command, run, content);
  bool complete = true;
  for_each_piece(command, run, [&](std::uint64_t address, std::uint32_t first, std::uint32_t nlb) {
    complete &= host_memory_->write_stamps(address, &content.stamps[first], nlb);
  });
  if (!command.metadata.separate()) return complete;
  bytes_.resize(command.metadata.bytes(run.count()));
  std::byte* to = bytes_.data();
  for_each_block(command, run, [&](std::uint64_t, std::uint32_t at, std::uint32_t) {
    content.tuples[at].to_bytes(to);
    to += BlockTuple::kBytes;
  });
  return host_memory_->write(command.metadata.buffer + command.metadata.bytes(run.first - command.slba), bytes_.data(),
                             bytes_.size()) &&
         complete;
}

bool ProtectedData::put_extended(const HostCommand& command, const LbaRun& run, const Content& content) {
  bytes_.resize(run.bytes() + command.metadata.bytes(run.count()));
  std::byte* to = bytes_.data();
  const std::uint32_t lbas = 1U << command.metadata.shift;
  for_each_block(command, run, [&](std::uint64_t, std::uint32_t at, std::uint32_t) {
    for (std::uint32_t i = 0; i < lbas; ++i, to += kLbaBytes) expand(content.stamps[at + i], to);
    content.tuples[at].to_bytes(to);
    to += BlockTuple::kBytes;
  });
  const std::byte* from = bytes_.data();
  bool complete = true;
  for_each_stretch(command, command.extended_offset(run.first), bytes_.size(),
                   [&](std::uint64_t address, std::uint64_t bytes) {
                     if (address != 0) complete &= host_memory_->write(address, from, bytes);
                     from += bytes;
                   });
  return complete;
}

}  // namespace wordline::host
