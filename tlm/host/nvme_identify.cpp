// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Pages of information for the host: Identify (Base 5.17; NVM 4.1.5) and logs (Base 5.16).
#include <algorithm>
#include <cstring>
#include <string_view>

#include "tlm/host/nvme_controller.h"

namespace wordline::host {
namespace {

using Page = std::array<std::byte, nvme::kPageBytes>;

template <class T>
void put(Page& page, std::size_t offset, T value) {
  std::memcpy(page.data() + offset, &value, sizeof value);
}

// ASCII strings of Identify are padded with spaces.
void put_text(Page& page, std::size_t offset, std::size_t bytes, std::string_view text) {
  std::memset(page.data() + offset, ' ', bytes);
  std::memcpy(page.data() + offset, text.data(), std::min(bytes, text.size()));
}

void fill_controller(Page& page, std::uint8_t mdts, std::uint64_t bytes, bool volatile_cache) {
  using namespace nvme::identify_controller;
  constexpr std::string_view kName = "nqn.2026-01.org.wordline:ssd";
  put_text(page, kSn, kSnBytes, "WL0000000001");
  put_text(page, kMn, kMnBytes, "Wordline SSD model");
  put_text(page, kFr, kFrBytes, "1.0");
  put<std::uint8_t>(page, kMdts, mdts);
  put<std::uint16_t>(page, kCntlid, 1);
  put<std::uint32_t>(page, kVer, nvme::kVersion);
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
  put<std::uint8_t>(page, kVwc, volatile_cache ? 0x01 : 0x00);
  std::memcpy(page.data() + kSubnqn, kName.data(), kName.size());  // null terminated: the page is zero
}

void fill_namespace(Page& page, std::uint64_t lbas) {
  using namespace nvme::identify_namespace;
  put<std::uint64_t>(page, kNsze, lbas);
  put<std::uint64_t>(page, kNcap, lbas);
  put<std::uint64_t>(page, kNuse, lbas);
  put<std::uint8_t>(page, kNsfeat, 1U << 4);  // NPWG and the others are given
  put<std::uint8_t>(page, kDlfeat, 0x01 | 1U << 3);  // deallocated blocks read as zeros; Write Zeroes may deallocate
  for (const std::size_t offset : {kNpwg, kNpwa, kNpdg, kNpda, kNows}) {
    put<std::uint16_t>(page, offset, kLbasPerSector - 1);
  }
  put<std::uint32_t>(page, kLbaf0, 9U << 16);  // 2^9 bytes, no metadata
}

void fill_descriptors(Page& page) {
  put<std::uint8_t>(page, 0, 1);  // EUI-64
  put<std::uint8_t>(page, 1, 8);
  put<std::uint64_t>(page, 4, 0x0100000000574c00ULL);
}

// Data units of the SMART log: thousands of 512 bytes, rounded up.
std::uint64_t data_units(std::uint64_t blocks) { return (blocks + 999) / 1000; }

}  // namespace

// Puts the first `bytes` of page_ where PRP1 and PRP2 point; `ready`: they have left.
nvme::Status NvmeController::send_to_host(const nvme::SubmissionEntry& sqe, std::size_t bytes, Picoseconds& ready) {
  const std::size_t offset = sqe.prp1 % nvme::kPageBytes;
  const std::size_t first = std::min<std::size_t>(bytes, nvme::kPageBytes - offset);
  if (sqe.prp1 % 4 != 0 || (first < bytes && sqe.prp2 % nvme::kPageBytes != 0)) return nvme::kPrpOffsetInvalid;
  host_.write(sqe.prp1, page_.data(), first);
  if (first < bytes) host_.write(sqe.prp2, page_.data() + first, bytes - first);
  ready = link_.posted_write(Direction::kUpstream, tlm_if::now(), bytes) - link_.latency();
  return nvme::kSuccess;
}

nvme::Status NvmeController::identify(const nvme::SubmissionEntry& sqe, Picoseconds& ready) {
  page_.fill(std::byte{0});
  switch (sqe.cdw10 & 0xffU) {
    case nvme::kCnsNamespace:
      if (sqe.nsid != nvme::kNamespace) return nvme::kInvalidNamespace;
      fill_namespace(page_, user_lbas_);
      break;
    case nvme::kCnsController:
      fill_controller(page_, static_cast<std::uint8_t>(mdts_), user_lbas_ * kLbaBytes, !config_.ftl.power_safe);
      break;
    case nvme::kCnsActiveNamespaces:
      if (sqe.nsid >= 0xfffffffeU) return nvme::kInvalidNamespace;
      if (sqe.nsid < nvme::kNamespace) put<std::uint32_t>(page_, 0, nvme::kNamespace);
      break;
    case nvme::kCnsNamespaceDescriptors:
      if (sqe.nsid != nvme::kNamespace) return nvme::kInvalidNamespace;
      fill_descriptors(page_);
      break;
    default: return nvme::kInvalidField;
  }
  return send_to_host(sqe, nvme::kPageBytes, ready);
}

nvme::Status NvmeController::log_page(const nvme::SubmissionEntry& sqe, Picoseconds& ready) {
  const std::uint64_t dwords = (static_cast<std::uint64_t>(sqe.cdw11 & 0xffffU) << 16 | sqe.cdw10 >> 16) + 1;
  const std::uint64_t offset = static_cast<std::uint64_t>(sqe.cdw13) << 32 | sqe.cdw12;
  page_.fill(std::byte{0});
  std::size_t bytes = 0;
  switch (sqe.cdw10 & 0xffU) {
    case nvme::kLogErrorInformation: bytes = 64; break;  // one entry, never used: error count 0
    case nvme::kLogSmart: {
      if (sqe.nsid != 0 && sqe.nsid != nvme::kAllNamespaces) return nvme::kInvalidField;  // not kept by namespace
      using namespace nvme::smart;
      bytes = nvme::smart::kBytes;
      put<std::uint16_t>(page_, kTemperature, static_cast<std::uint16_t>(config_.nand.aging.temperature_c + 273.5));
      put<std::uint8_t>(page_, kSpare, 100);
      put<std::uint8_t>(page_, kSpareThreshold, 10);
      put<std::uint64_t>(page_, kDataRead, data_units(counters_.blocks_read));
      put<std::uint64_t>(page_, kDataWritten, data_units(counters_.blocks_written));
      put<std::uint64_t>(page_, kReadCommands, counters_.reads);
      put<std::uint64_t>(page_, kWriteCommands, counters_.writes);
      put<std::uint64_t>(page_, kPowerCycles, 1);
      put<std::uint64_t>(page_, kMediaErrors, counters_.media_errors);
      break;
    }
    case nvme::kLogFirmwareSlot:
      bytes = 512;
      put<std::uint8_t>(page_, 0, 1);  // slot 1 is active
      put_text(page_, 8, 8, "1.0");
      break;
    default: return nvme::kInvalidLogPage;
  }
  if (offset % 4 != 0 || offset > bytes || dwords * 4 > nvme::kPageBytes) return nvme::kInvalidField;
  std::memmove(page_.data(), page_.data() + offset, nvme::kPageBytes - offset);
  return send_to_host(sqe, dwords * 4, ready);
}

}  // namespace wordline::host
