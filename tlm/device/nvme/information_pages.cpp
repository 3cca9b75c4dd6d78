// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/information_pages.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <string_view>

#include "models/checks/hold_up.h"
#include "models/firmware/contract/contract.h"
#include "models/units/index.h"
#include "tlm/device/nvme/async_events.h"
#include "tlm/device/nvme/host_memory_buffer.h"
#include "tlm/device/nvme/self_test.h"

namespace wordline::host::nvme {
namespace {

using Page = std::array<std::byte, kPageBytes>;

constexpr std::size_t kCodesBytes = 256 * sizeof(std::uint32_t);  // of a log with a word for each of 256 codes

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

void fill_controller(Page& page, const config::Config& config, std::uint8_t mdts, const Namespaces& namespaces,
                     const FirmwareImages& images, bool erases) {
  using namespace identify_controller;
  put<std::uint16_t>(page, kVid, names::kPciVendor);
  put<std::uint16_t>(page, kSsvid, names::kPciVendor);
  for (unsigned i = 0; i < 3; ++i) put<std::uint8_t>(page, kIeee + i, names::kOui >> 8 * i & 0xffU);
  put_text(page, kSn, kSnBytes, names::kSerial);
  put_text(page, kMn, kMnBytes, names::kModel);
  put_text(page, kFr, kFrBytes, images.revision());
  put<std::uint8_t>(page, kRab, exponent_of(config.nvme.fetch_burst));
  put<std::uint8_t>(page, kMdts, mdts);
  put<std::uint16_t>(page, kCntlid, kControllerId);
  put<std::uint32_t>(page, kVer, kVersion);
  if (config.ftl.fdp.handles != 0) {
    put<std::uint32_t>(page, kCtratt, kEnduranceGroups | kFdp);
    put<std::uint16_t>(page, kEndgidmax, kEnduranceGroup);
  }
  put<std::uint8_t>(page, kCntrltype, 1);  // I/O controller
  // Device Self-test, firmware, Format, namespaces.
  put<std::uint16_t>(page, kOacs, 1U << 4 | 1U << 2 | (erases ? 1U << 1 : 0U) | (namespaces.managed() ? 1U << 3 : 0U));
  if (namespaces.managed()) {
    put<std::uint32_t>(page, kOaes, kNamespaceNotices);
    put<std::uint64_t>(page, kUnvmcap, namespaces.unallocated() * kLbaBytes);
  }
  put<std::uint16_t>(page, kEdstt, extended_self_test_minutes(config, namespaces.capacity()));
  put<std::uint8_t>(page, kDsto, 1);  // one at a time
  put<std::uint8_t>(page, kAcl, 3);
  put<std::uint8_t>(page, kAerl, AsyncEvents::kMost - 1);
  put<std::uint8_t>(page, kFrmw, 1U | FirmwareImages::kSlots << 1 | 1U << 4);  // slot 1 read only; without a reset
  put<std::uint8_t>(page, kFwug, 0xff);                                        // pieces of any size and place
  put<std::uint8_t>(page, kLpa, kLpaEffects | kLpaOffset | kLpaTelemetry | kLpaEvents | kLpaSupported);
  put<std::uint32_t>(page, kPels, EventLog::kMostBytes >> 16);  // in 64 KiB
  put<std::uint8_t>(page, kElpe, ErrorLog::kEntries - 1);
  put<std::uint16_t>(page, kWctemp, 343);
  put<std::uint16_t>(page, kCctemp, 353);
  if (config.nvme.hmb.count() != 0) {
    put<std::uint32_t>(page, kHmpre, static_cast<std::uint32_t>(config.nvme.hmb.count() / kPageBytes));
    put<std::uint16_t>(page, kHmmaxd, HostMemoryBuffer::kMostStretches);  // HMMIN, HMMINDS 0: as little as there is
  }
  put<std::uint64_t>(page, kTnvmcap, namespaces.capacity() * kLbaBytes);
  if (erases) put<std::uint32_t>(page, kSanicap, kSanicapAll);
  put<std::uint8_t>(page, kSqes, 0x66);
  put<std::uint8_t>(page, kCqes, 0x44);
  put<std::uint32_t>(page, kNn, namespaces.last());
  put<std::uint16_t>(page, kOncs,
                     kOncsCompare | kOncsWriteUncorrectable | kOncsDatasetManagement | kOncsWriteZeroes | kOncsVerify |
                         kOncsCopy | kOncsTimestamp);
  put<std::uint16_t>(page, kOcfs, 1U << 0);  // Copy, format 0
  put<std::uint32_t>(page, kSgls, kSglsDwords | kSglsBitBucket | kSglsLonger | kSglsMptr);
  if (erases) put<std::uint8_t>(page, kFna, kFnaAll);
  // A FLUSH of all namespaces is there, too; bits 2:1 may not be silent about it.
  put<std::uint8_t>(page, kVwc, 3U << 1 | (config.ftl.power_safe ? 0U : 1U));
  std::memcpy(page.data() + kSubnqn, names::kSubsystem, sizeof names::kSubsystem);
}

/// EUI-64, big endian: the last bytes are the namespace's own.
void put_eui64(Page& page, std::size_t offset, std::uint64_t serial) {
  const std::uint64_t name = static_cast<std::uint64_t>(names::kOui) << 40 | (serial & 0xffffffffU);
  for (unsigned i = 0; i < 8; ++i) put<std::uint8_t>(page, offset + i, name >> (56 - 8 * i) & 0xffU);
}

/// `nsid`: kAllNamespaces for what all have in common.
void fill_namespace(Page& page, const Namespaces& namespaces, std::uint32_t nsid, LpageSize lpage, bool placement) {
  using namespace identify_namespace;
  if (nsid != kAllNamespaces) {
    const std::uint64_t lbas = namespaces.at(nsid).lbas >> namespaces.shift();
    put<std::uint64_t>(page, kNsze, lbas);
    put<std::uint64_t>(page, kNcap, lbas);
    put<std::uint64_t>(page, kNuse, lbas);
    put<std::uint64_t>(page, kNvmcap, namespaces.at(nsid).room * kLbaBytes);
    put_eui64(page, kEui64, namespaces.at(nsid).serial);
  }
  if (placement) put<std::uint16_t>(page, kEndgid, kEnduranceGroup);
  put<std::uint8_t>(page, kNsfeat, kNsfeatSizes | kNsfeatUnwrittenErrors);
  put<std::uint8_t>(page, kDlfeat, 0x01 | 1U << 3);  // deallocated blocks read as zeros; Write Zeroes may deallocate
  for (const std::size_t offset : {kNpwg, kNpwa, kNpdg, kNpda, kNows}) {
    put<std::uint16_t>(page, offset, static_cast<std::uint16_t>((lpage.whole_lbas() >> namespaces.shift()) - 1));
  }
  put<std::uint16_t>(page, kMssrl, static_cast<std::uint16_t>(WL_COPY_SOURCE_BLOCKS >> namespaces.shift()));
  put<std::uint32_t>(page, kMcl, WL_COPY_BLOCKS >> namespaces.shift());
  put<std::uint8_t>(page, kMsrc, WL_COPY_RANGES - 1);
  const LbaFormat& now = namespaces.format();
  put<std::uint8_t>(page, kNlbaf, static_cast<std::uint8_t>(namespaces.formats() - 1));
  put<std::uint8_t>(page, kFlbas, static_cast<std::uint8_t>(now.index | (now.interleaved ? kFlbasInterleaved : 0U)));
  for (unsigned index = 0; index < namespaces.formats(); ++index) {
    const std::uint32_t metadata = Namespaces::has_metadata(index) ? data::BlockTuple::kBytes : 0;
    put<std::uint32_t>(page, kLbaf0 + index * sizeof metadata, Namespaces::lbads(index) << 16 | metadata);
  }
  if (!namespaces.offers_metadata()) return;
  put<std::uint8_t>(page, kMc, kMcBoth);
  put<std::uint8_t>(page, kDpc, kDpcAll);
  put<std::uint8_t>(page, kDps,
                    static_cast<std::uint8_t>(static_cast<unsigned>(now.protection) | (now.first ? kDpsFirst : 0U)));
}

void fill_descriptors(Page& page, std::uint64_t serial) {
  put<std::uint8_t>(page, 0, 1);  // EUI-64
  put<std::uint8_t>(page, 1, 8);
  put_eui64(page, 4, serial);
}

/// NSIDs above `above` that the test holds for.
template <class Test>
void fill_namespace_list(Page& page, const Namespaces& namespaces, std::uint32_t above, Test&& test) {
  std::size_t at = 0;
  for (std::uint32_t nsid = 1; nsid <= namespaces.last(); ++nsid) {
    if (nsid <= above || !test(nsid)) continue;
    put<std::uint32_t>(page, at, nsid);
    at += sizeof nsid;
  }
}

/// The one controller, if it is not below `from`.
void fill_controller_list(Page& page, std::uint32_t from) {
  if (from > kControllerId) return;
  put<std::uint16_t>(page, 0, 1);
  put<std::uint16_t>(page, sizeof(std::uint16_t), kControllerId);
}

struct Opcode {
  std::uint8_t code;
  bool changes;  // content of the namespace
  std::uint32_t scope = effects::kOfController;
};
constexpr Opcode kAdminOpcodes[] = {
    {kDeleteIoSq, false},           {kCreateIoSq, false},        {kGetLogPage, false},     {kDeleteIoCq, false},
    {kCreateIoCq, false},           {kIdentify, false},          {kAbort, false},          {kSetFeatures, false},
    {kGetFeatures, false},          {kAsyncEventRequest, false}, {kDeviceSelfTest, false}, {kFirmwareCommit, false},
    {kFirmwareImageDownload, false}};
constexpr std::uint32_t kBlocks = effects::kOfNamespace;
constexpr Opcode kIoOpcodes[] = {{kFlush, false, kBlocks},      {kWrite, true, kBlocks},
                                 {kRead, false, kBlocks},       {kWriteUncorrectable, true, kBlocks},
                                 {kCompare, false, kBlocks},    {kVerify, false, kBlocks},
                                 {kWriteZeroes, true, kBlocks}, {kDatasetManagement, true, kBlocks},
                                 {nvme::kCopy, true, kBlocks}};

constexpr Opcode kManagementOpcodes[] = {{kManagementReceive, false, kBlocks}, {kManagementSend, false, kBlocks}};

template <std::size_t N>
void fill_effects(Page& page, std::size_t offset, const Opcode (&opcodes)[N]) {
  for (const Opcode& opcode : opcodes) {
    const std::uint32_t what = effects::kSupported | (opcode.changes ? effects::kContentChanges : 0) | opcode.scope;
    put<std::uint32_t>(page, offset + opcode.code * sizeof what, what);
  }
}

void fill_erasing_effects(Page& page) {
  constexpr std::uint32_t kErases = effects::kSupported | effects::kContentChanges | effects::kNamespaceChanges;
  put<std::uint32_t>(page, effects::kAdmin + kFormat * sizeof kErases, kErases | effects::kOfNamespace);
  put<std::uint32_t>(page, effects::kAdmin + kSanitize * sizeof kErases, kErases | effects::kOfSubsystem);
}

/// Supported Log Pages, and Feature Identifiers Supported and Effects: a word for each code, bit 0 that it is there.
void fill_supported(Page& page, std::initializer_list<std::uint8_t> codes, std::uint32_t scope) {
  for (const std::uint8_t code : codes) put<std::uint32_t>(page, code * sizeof scope, effects::kSupported | scope);
}

/// The commands change what Identify says, in one way or another.
void fill_namespace_effects(Page& page) {
  constexpr std::uint32_t kChanges = effects::kSupported | effects::kNamespacesChange | effects::kOfSubsystem;
  put<std::uint32_t>(page, effects::kAdmin + kNamespaceManagement * sizeof kChanges,
                     kChanges | effects::kContentChanges);
  put<std::uint32_t>(page, effects::kAdmin + kNamespaceAttachment * sizeof kChanges, kChanges);
}

void fill_supported_logs(Page& page, bool erases, bool placement, bool manages) {
  fill_supported(page,
                 {kLogSupportedPages, kLogErrorInformation, kLogSmart, kLogFirmwareSlot, kLogEffects, kLogSelfTest,
                  kLogTelemetryHost, kLogTelemetryController, kLogPersistentEvents, kLogFeatures, kLogExtendedSmart,
                  kLogLatencyMonitor},
                 0);
  if (erases) fill_supported(page, {kLogSanitize}, 0);
  if (manages) fill_supported(page, {kLogChangedNamespaces}, 0);
  if (placement) {
    fill_supported(page, {kLogFdpConfigurations, kLogFdpHandleUsage, kLogFdpStatistics, kLogFdpEvents}, 0);
  }
}

void fill_supported_features(Page& page, const config::Config& config, bool erases, bool placement) {
  fill_supported(page,
                 {kFeatureArbitration, kFeaturePowerManagement, kFeatureTemperatureThreshold, kFeatureNumberOfQueues,
                  kFeatureInterruptCoalescing, kFeatureInterruptVector, kFeatureWriteAtomicity, kFeatureAsyncEvents,
                  kFeatureTimestamp, kFeatureLatencyMonitor},
                 effects::kOfController);
  fill_supported(page, {kFeatureErrorRecovery}, effects::kOfNamespace);
  if (!config.ftl.power_safe) fill_supported(page, {kFeatureVolatileWriteCache}, effects::kOfController);
  if (config.nvme.hmb.count() != 0) fill_supported(page, {kFeatureHostMemory}, effects::kOfController);
  if (erases) fill_supported(page, {kFeatureSanitizeConfig}, effects::kOfSubsystem);
  if (placement) {
    fill_supported(page, {kFeatureFdp}, effects::kOfEnduranceGroup);
    fill_supported(page, {kFeatureFdpEvents}, effects::kOfNamespace);
  }
}

/// Energy that there is, of that which is needed at most; a power-safe drive without power.hold_up has enough.
std::uint16_t capacitor_health(const config::Config& config) {
  if (config.power.hold_up == 0) return config.ftl.power_safe ? std::uint16_t{100} : extended_smart::kNoCapacitor;
  const double share = config.power.hold_up / config::hold_up_need(config, config::layout_of(config)).joules();
  return static_cast<std::uint16_t>(std::min(share * 100, extended_smart::kNoCapacitor - 1.0));
}

void add_to_extended_smart(Page& page, const config::Config& config, const Namespaces& namespaces) {
  using namespace extended_smart;
  constexpr std::uint8_t kName[16] = {0xc5, 0xaf, 0x10, 0x28, 0xea, 0xbf, 0xf2, 0xa4,
                                      0x9c, 0x4f, 0x6f, 0x7c, 0xc9, 0x14, 0xd5, 0xaf};
  std::uint64_t used = 0;
  for (std::uint32_t nsid = 1; nsid <= namespaces.last(); ++nsid)
    used += namespaces.at(nsid).lbas >> namespaces.shift();
  put<std::uint8_t>(page, kMajor, 2);
  put<std::uint16_t>(page, kCapacitorHealth, capacitor_health(config));
  put<std::uint64_t>(page, kTotalNuse, used);
  put<std::uint16_t>(page, kLayout, kLayoutVersion);
  std::memcpy(page.data() + kGuid, kName, sizeof kName);
}

std::uint64_t bytes_asked_for(const SubmissionEntry& sqe) {
  return ((static_cast<std::uint64_t>(sqe.cdw11 & 0xffffU) << 16 | sqe.cdw10 >> 16) + 1) * 4;
}

std::uint64_t offset_of(const SubmissionEntry& sqe) { return static_cast<std::uint64_t>(sqe.cdw13) << 32 | sqe.cdw12; }

}  // namespace

Status InformationPages::identify(const SubmissionEntry& sqe) {
  page_.fill(std::byte{0});
  switch (sqe.cdw10 & 0xffU) {
    case kCnsNamespace:
    case kCnsAllocatedNamespace: {
      const bool active = (sqe.cdw10 & 0xffU) == kCnsNamespace;
      const bool all = active && sqe.nsid == kAllNamespaces && namespaces_.managed();
      if (!all && !namespaces_.is_valid(sqe.nsid)) return kInvalidNamespace;
      // Of an inactive or unallocated one all is 0.
      if (all || (active ? namespaces_.has(sqe.nsid) : namespaces_.is_allocated(sqe.nsid))) {
        fill_namespace(page_, namespaces_, sqe.nsid, lpage_size_of(config_), config_.ftl.fdp.handles != 0);
      }
      break;
    }
    case kCnsController:
      fill_controller(page_, config_, mdts_, namespaces_, images_, erases());
      break;
    case kCnsCommandSetActiveNamespaces:
      if (sqe.cdw11 >> 24 != 0) return kInvalidField;  // of another command set than NVM
      [[fallthrough]];
    case kCnsActiveNamespaces:
      if (sqe.nsid >= 0xfffffffeU) return kInvalidNamespace;
      fill_namespace_list(page_, namespaces_, sqe.nsid, [&](std::uint32_t nsid) { return namespaces_.has(nsid); });
      break;
    case kCnsAllocatedNamespaces:
      if (sqe.nsid >= 0xfffffffeU) return kInvalidNamespace;
      fill_namespace_list(page_, namespaces_, sqe.nsid,
                          [&](std::uint32_t nsid) { return namespaces_.is_allocated(nsid); });
      break;
    case kCnsControllersOfNamespace:
      if (!namespaces_.is_valid(sqe.nsid)) return kInvalidNamespace;
      if (namespaces_.has(sqe.nsid)) fill_controller_list(page_, sqe.cdw10 >> 16);
      break;
    case kCnsControllers:
      fill_controller_list(page_, sqe.cdw10 >> 16);
      break;
    case kCnsNamespaceDescriptors:
      if (!namespaces_.has(sqe.nsid)) return namespaces_.refusal(sqe.nsid);
      fill_descriptors(page_, namespaces_.at(sqe.nsid).serial);
      break;
    case kCnsCommandSetNamespace:  // guards have 16 bits, and no storage tags: all of it is 0
      if (sqe.cdw11 >> 24 != 0) return kInvalidField;
      if (!namespaces_.is_valid(sqe.nsid) && !(namespaces_.managed() && sqe.nsid == kAllNamespaces))
        return kInvalidNamespace;
      break;
    case kCnsIndependentNamespace:
      if (!namespaces_.is_valid(sqe.nsid)) return kInvalidNamespace;
      if (!namespaces_.has(sqe.nsid)) break;
      if (config_.ftl.fdp.handles != 0) put<std::uint16_t>(page_, identify_independent::kEndgid, kEnduranceGroup);
      put(page_, identify_independent::kNstat, identify_independent::kReady);
      break;
    case kCnsCommandSetController:
      if (sqe.cdw11 >> 24 != 0) return kInvalidField;
      put(page_, identify_nvm_controller::kVsl, mdts_);
      if (namespaces_.offers_metadata()) put(page_, identify_nvm_controller::kWzsl, mdts_);
      put(page_, identify_nvm_controller::kWusl, mdts_);
      break;
    default:
      return kInvalidField;
  }
  return kSuccess;
}

std::size_t InformationPages::events(const EventLog& log, const SubmissionEntry& sqe) {
  page_.fill(std::byte{0});
  const std::uint64_t bytes = bytes_asked_for(sqe);
  log.fill(page_.data(), bytes, offset_of(sqe));
  return bytes;
}

bool InformationPages::log_is_of_firmware(std::uint8_t log) const {
  if (log == kLogFdpStatistics) return config_.ftl.fdp.handles != 0;
  return log == kLogSmart || log == kLogSelfTest || log == kLogExtendedSmart || (log == kLogSanitize && erases());
}

Status InformationPages::check_range(const SubmissionEntry& sqe, std::size_t length) {
  const std::uint64_t offset = offset_of(sqe);
  return offset % 4 != 0 || offset > length || bytes_asked_for(sqe) > kPageBytes ? kInvalidField : kSuccess;
}

std::byte* InformationPages::clear() {
  page_.fill(std::byte{0});
  return page_.data();
}

std::uint32_t InformationPages::fdp_events(const DataPlacement& placement, const SubmissionEntry& sqe) {
  page_.fill(std::byte{0});
  return placement.get_events(sqe, page_);
}

Status InformationPages::log(const SubmissionEntry& sqe, const Sources& sources, Picoseconds now, std::size_t& bytes) {
  const DataPlacement& placement = sources.placement;
  page_.fill(std::byte{0});
  std::size_t length = kPageBytes;
  switch (sqe.cdw10 & 0xffU) {
    case kLogSupportedPages:
      length = kCodesBytes;
      fill_supported_logs(page_, erases(), placement.on(), namespaces_.managed());
      break;
    case kLogFeatures:
      length = kCodesBytes;
      fill_supported_features(page_, config_, erases(), placement.on());
      break;
    case kLogTelemetryHost:
    case kLogTelemetryController:
      if (offset_of(sqe) % Telemetry::kBlock != 0 || bytes_asked_for(sqe) % Telemetry::kBlock != 0)
        return kInvalidField;
      if ((sqe.cdw10 & 0xffU) == kLogTelemetryHost) {
        sources.telemetry.fill_host_initiated(page_);
      } else {
        length = Telemetry::kBlock;
        sources.telemetry.fill_controller_initiated(page_);
      }
      break;
    case kLogErrorInformation:
      sources.errors.fill(page_);
      break;
    case kLogFirmwareSlot:
      length = 512;
      images_.fill_log(page_.data());
      break;
    case kLogLatencyMonitor:
      length = LatencyMonitor::kLogBytes;
      sources.latencies.fill_log(page_.data(), now);
      break;
    case kLogChangedNamespaces:
      if (!namespaces_.managed()) return kInvalidLogPage;
      fill_namespace_list(page_, namespaces_, 0,
                          [&](std::uint32_t nsid) { return (namespaces_.changed() >> (nsid - 1) & 1U) != 0; });
      break;
    case kLogEffects:
      fill_effects(page_, effects::kAdmin, kAdminOpcodes);
      if (erases()) fill_erasing_effects(page_);
      if (namespaces_.managed()) fill_namespace_effects(page_);
      fill_effects(page_, effects::kIo, kIoOpcodes);
      if (placement.on()) fill_effects(page_, effects::kIo, kManagementOpcodes);
      break;
    default:
      length = placement.log(sqe, page_);
      if (length == 0) return kInvalidLogPage;
      if (!DataPlacement::names_group(sqe)) return kInvalidField;
  }
  const Status status = check_range(sqe, length);
  if (status == kSuccess) bytes = cut_out(sqe);
  return status;
}

std::size_t InformationPages::log_of_firmware(const SubmissionEntry& sqe, const std::byte* data, std::size_t bytes) {
  page_.fill(std::byte{0});
  std::memcpy(page_.data(), data, bytes);
  if (static_cast<std::uint8_t>(sqe.cdw10) == kLogSelfTest) name_blocks_of_self_tests(page_.data(), namespaces_);
  if (static_cast<std::uint8_t>(sqe.cdw10) == kLogExtendedSmart) add_to_extended_smart(page_, config_, namespaces_);
  return cut_out(sqe);
}

std::size_t InformationPages::cut_out(const SubmissionEntry& sqe) {
  const std::uint64_t offset = offset_of(sqe);
  std::memmove(page_.data(), page_.data() + offset, kPageBytes - offset);
  std::memset(page_.data() + kPageBytes - offset, 0, offset);
  return bytes_asked_for(sqe);
}

}  // namespace wordline::host::nvme
