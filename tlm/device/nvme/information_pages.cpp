// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/information_pages.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "models/units/index.h"

namespace wordline::host::nvme {
namespace {

using Page = std::array<std::byte, kPageBytes>;

template <class T>
void put(Page& page, std::size_t offset, T value) {
  std::memcpy(page.data() + offset, &value, sizeof value);
}

// ASCII strings of Identify are padded with spaces.
void put_text(Page& page, std::size_t offset, std::size_t bytes, std::string_view text) {
  std::memset(page.data() + offset, ' ', bytes);
  std::memcpy(page.data() + offset, text.data(), std::min(bytes, text.size()));
}

/// The largest power of two in `value`, as an exponent.
std::uint8_t exponent_of(std::uint32_t value) {
  std::uint8_t exponent = 0;
  while ((2U << exponent) <= value) ++exponent;
  return exponent;
}

void fill_controller(Page& page, const config::Config& config, std::uint8_t mdts, std::uint64_t bytes) {
  using namespace identify_controller;
  constexpr std::string_view kName = "nqn.2026-01.org.wordline:ssd";
  put_text(page, kSn, kSnBytes, "WL0000000001");
  put_text(page, kMn, kMnBytes, "Wordline SSD model");
  put_text(page, kFr, kFrBytes, "1.0");
  put<std::uint8_t>(page, kRab, exponent_of(config.nvme.fetch_burst));
  put<std::uint8_t>(page, kMdts, mdts);
  put<std::uint16_t>(page, kCntlid, 1);
  put<std::uint32_t>(page, kVer, kVersion);
  put<std::uint8_t>(page, kCntrltype, 1);  // I/O controller
  put<std::uint8_t>(page, kAcl, 3);
  put<std::uint8_t>(page, kAerl, 3);
  put<std::uint8_t>(page, kFrmw, 0x03);  // one slot, read only
  put<std::uint16_t>(page, kWctemp, 343);
  put<std::uint16_t>(page, kCctemp, 353);
  put<std::uint64_t>(page, kTnvmcap, bytes);
  put<std::uint8_t>(page, kSqes, 0x66);
  put<std::uint8_t>(page, kCqes, 0x44);
  put<std::uint32_t>(page, kNn, 1);
  put<std::uint16_t>(page, kOncs, 1U << 2 | 1U << 3);  // Dataset Management, Write Zeroes
  put<std::uint8_t>(page, kVwc, config.ftl.power_safe ? 0x00 : 0x01);
  std::memcpy(page.data() + kSubnqn, kName.data(), kName.size());  // null terminated: the page is zero
}

void fill_namespace(Page& page, std::uint64_t lbas) {
  using namespace identify_namespace;
  put<std::uint64_t>(page, kNsze, lbas);
  put<std::uint64_t>(page, kNcap, lbas);
  put<std::uint64_t>(page, kNuse, lbas);
  put<std::uint8_t>(page, kNsfeat, 1U << 4);         // NPWG and the others are given
  put<std::uint8_t>(page, kDlfeat, 0x01 | 1U << 3);  // deallocated blocks read as zeros; Write Zeroes may deallocate
  for (const std::size_t offset : {kNpwg, kNpwa, kNpdg, kNpda, kNows}) {
    put<std::uint16_t>(page, offset, kLbasPerHostPage - 1);
  }
  put<std::uint32_t>(page, kLbaf0, 9U << 16);  // 2^9 bytes, no metadata
}

void fill_descriptors(Page& page) {
  put<std::uint8_t>(page, 0, 1);  // EUI-64
  put<std::uint8_t>(page, 1, 8);
  put<std::uint64_t>(page, 4, 0x0100000000574c00ULL);
}

// Data units of the SMART log: thousands of 512 bytes, rounded up.
std::uint64_t data_units(std::uint64_t nlb) { return (nlb + 999) / 1000; }

}  // namespace

Status InformationPages::identify(const SubmissionEntry& sqe) {
  page_.fill(std::byte{0});
  switch (sqe.cdw10 & 0xffU) {
    case kCnsNamespace:
      if (sqe.nsid != kNamespace) return kInvalidNamespace;
      fill_namespace(page_, user_lbas_);
      break;
    case kCnsController:
      fill_controller(page_, config_, mdts_, user_lbas_ * kLbaBytes);
      break;
    case kCnsActiveNamespaces:
      if (sqe.nsid >= 0xfffffffeU) return kInvalidNamespace;
      if (sqe.nsid < kNamespace) put<std::uint32_t>(page_, 0, kNamespace);
      break;
    case kCnsNamespaceDescriptors:
      if (sqe.nsid != kNamespace) return kInvalidNamespace;
      fill_descriptors(page_);
      break;
    default:
      return kInvalidField;
  }
  return kSuccess;
}

Status InformationPages::log(const SubmissionEntry& sqe, const SmartCounts& counts, std::size_t& bytes) {
  const std::uint64_t dwords = (static_cast<std::uint64_t>(sqe.cdw11 & 0xffffU) << 16 | sqe.cdw10 >> 16) + 1;
  const std::uint64_t offset = static_cast<std::uint64_t>(sqe.cdw13) << 32 | sqe.cdw12;
  page_.fill(std::byte{0});
  std::size_t length = 0;
  switch (sqe.cdw10 & 0xffU) {
    case kLogErrorInformation:
      length = 64;
      break;  // one entry, never used: error count 0
    case kLogSmart: {
      if (sqe.nsid != 0 && sqe.nsid != kAllNamespaces) return kInvalidField;  // not kept by namespace
      using namespace smart;
      length = smart::kBytes;
      put<std::uint16_t>(page_, kTemperature, static_cast<std::uint16_t>(config_.nand.aging.temperature_c + 273.5));
      put<std::uint8_t>(page_, kSpare, 100);
      put<std::uint8_t>(page_, kSpareThreshold, 10);
      put<std::uint64_t>(page_, kDataRead, data_units(counts.lbas_read));
      put<std::uint64_t>(page_, kDataWritten, data_units(counts.lbas_written));
      put<std::uint64_t>(page_, kReadCommands, counts.reads);
      put<std::uint64_t>(page_, kWriteCommands, counts.writes);
      put<std::uint64_t>(page_, kPowerCycles, 1);
      put<std::uint64_t>(page_, kMediaErrors, counts.media_errors);
      break;
    }
    case kLogFirmwareSlot:
      length = 512;
      put<std::uint8_t>(page_, 0, 1);  // slot 1 is active
      put_text(page_, 8, 8, "1.0");
      break;
    default:
      return kInvalidLogPage;
  }
  if (offset % 4 != 0 || offset > length || dwords * 4 > kPageBytes) return kInvalidField;
  std::memmove(page_.data(), page_.data() + offset, kPageBytes - offset);
  bytes = dwords * 4;
  return kSuccess;
}

}  // namespace wordline::host::nvme
