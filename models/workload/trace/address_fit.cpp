// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/trace/address_fit.h"

namespace wordline::workload {
namespace {

constexpr std::uint64_t kExtentBlocks = (std::uint64_t{1} << 20) / kLbaBytes;

}  // namespace

AddressFit::AddressFit(std::uint64_t drive_lbas, BeyondEnd mode, std::uint64_t trace_lbas)
    : drive_lbas_(drive_lbas), trace_lbas_(trace_lbas), mode_(mode) {}

std::uint64_t AddressFit::scaled(std::uint64_t lba) const {
  const std::uint64_t from = trace_lbas_ / kExtentBlocks + 1;
  const std::uint64_t to = drive_lbas_ / kExtentBlocks;
  if (to == 0) return lba % drive_lbas_;
  const auto extent = static_cast<unsigned __int128>(lba / kExtentBlocks) * to / from;
  return static_cast<std::uint64_t>(extent) * kExtentBlocks + lba % kExtentBlocks;
}

bool AddressFit::fit(TraceRecord& record) {
  if (record.nlb > drive_lbas_ || record.nlb > UINT32_MAX) return false;
  const std::uint64_t recorded = record.lba;
  if (mode_ == BeyondEnd::kScale && trace_lbas_ > drive_lbas_) {
    record.lba = scaled(record.lba);
  } else if (record.lba >= drive_lbas_) {
    if (mode_ == BeyondEnd::kError) return false;
    record.lba %= drive_lbas_;
  }
  if (record.nlb > drive_lbas_ - record.lba) {
    if (mode_ == BeyondEnd::kError) return false;
    record.lba = drive_lbas_ - record.nlb;
    ++pushed_back_;
  }
  moved_ += record.lba != recorded ? 1 : 0;
  return true;
}

}  // namespace wordline::workload
