// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// What host and controller exchange: the structures, registers and codes of NVM Express that the model uses.
/// Source: NVM Express Base Specification 2.0 and NVM Command Set Specification 1.0; clauses are named where they
/// apply. All fields are little endian, as is every machine this model is built for.
namespace wordline::host::nvme {

/// Submission queue entry, 64 bytes (Base 3.3.3.1).
struct SubmissionEntry {
  std::uint8_t opcode;
  std::uint8_t flags;  // FUSE 1:0, PSDT 7:6
  std::uint16_t cid;
  std::uint32_t nsid;
  std::uint32_t cdw2;
  std::uint32_t cdw3;
  std::uint64_t mptr;
  std::uint64_t prp1;
  std::uint64_t prp2;
  std::uint32_t cdw10;
  std::uint32_t cdw11;
  std::uint32_t cdw12;
  std::uint32_t cdw13;
  std::uint32_t cdw14;
  std::uint32_t cdw15;
};
static_assert(sizeof(SubmissionEntry) == 64);
static_assert(offsetof(SubmissionEntry, cid) == 2 && offsetof(SubmissionEntry, nsid) == 4);
static_assert(offsetof(SubmissionEntry, mptr) == 16 && offsetof(SubmissionEntry, prp1) == 24);
static_assert(offsetof(SubmissionEntry, prp2) == 32 && offsetof(SubmissionEntry, cdw10) == 40);

/// Completion queue entry, 16 bytes (Base 3.3.3.2).
struct CompletionEntry {
  std::uint32_t dw0;  // command specific
  std::uint32_t dw1;
  std::uint16_t sq_head;
  std::uint16_t sq_id;
  std::uint16_t cid;
  std::uint16_t status;  // phase tag 0, SC 8:1, SCT 11:9, CRD 13:12, M 14, DNR 15
};
static_assert(sizeof(CompletionEntry) == 16);
static_assert(offsetof(CompletionEntry, sq_head) == 8 && offsetof(CompletionEntry, status) == 14);

/// Dataset Management range, 16 bytes (NVM Command Set 3.2.3).
struct DsmRange {
  std::uint32_t attributes;
  std::uint32_t nlb;  // 1-based
  std::uint64_t slba;
};
static_assert(sizeof(DsmRange) == 16);

/// Source range of a Copy, format 0, 32 bytes (NVM Command Set 3.2.2).
struct CopyRange {
  std::uint64_t reserved0;
  std::uint64_t slba;
  std::uint16_t nlb;  // 0-based
  std::uint16_t reserved1;
  std::uint32_t reserved2;
  std::uint32_t reference_tag;
  std::uint16_t application_tag;
  std::uint16_t application_tag_mask;
};
static_assert(sizeof(CopyRange) == 32);
static_assert(offsetof(CopyRange, slba) == 8 && offsetof(CopyRange, nlb) == 16);

/// SGL descriptor, 16 bytes (Base 4.1.2). A data block or a bit bucket, or a segment, which is an array of descriptors.
struct SglDescriptor {
  std::uint64_t address;
  std::uint32_t length;  // bytes
  std::uint8_t reserved[3];
  std::uint8_t identifier;  // type 7:4, sub type 3:0
};
static_assert(sizeof(SglDescriptor) == 16);
static_assert(offsetof(SglDescriptor, length) == 8 && offsetof(SglDescriptor, identifier) == 15);
/// Identifiers with sub type 0h: the address is one of host memory.
inline constexpr std::uint8_t kSglDataBlock = 0x00, kSglBitBucket = 0x10, kSglSegment = 0x20, kSglLastSegment = 0x30;
/// Of flags in the entry: FUSE, and PSDT. Both values of PSDT say that the data pointer is an SGL; they differ in what
/// MPTR is: the address of the metadata, or of an SGL segment of one descriptor.
inline constexpr std::uint8_t kFuseMask = 0x03, kPsdtMask = 0xc0, kPsdtSgl = 0x40, kPsdtSglMptr = 0x80;
[[nodiscard]] constexpr bool has_sgl(const SubmissionEntry& sqe) {
  const std::uint8_t psdt = sqe.flags & kPsdtMask;
  return psdt == kPsdtSgl || psdt == kPsdtSglMptr;
}

inline constexpr std::uint32_t kPageBytes = 4096;  // CC.MPS = 0
inline constexpr std::uint32_t kPrpsPerPage = kPageBytes / 8;
inline constexpr std::uint32_t kNamespace = 1;
inline constexpr std::uint32_t kAllNamespaces = 0xffffffff;
inline constexpr std::uint32_t kMaxDsmRanges = 256;

/// Admin opcodes (Base 5).
enum AdminOpcode : std::uint8_t {
  kDeleteIoSq = 0x00,
  kCreateIoSq = 0x01,
  kGetLogPage = 0x02,
  kDeleteIoCq = 0x04,
  kCreateIoCq = 0x05,
  kIdentify = 0x06,
  kAbort = 0x08,
  kSetFeatures = 0x09,
  kGetFeatures = 0x0a,
  kAsyncEventRequest = 0x0c,
  kNamespaceManagement = 0x0d,
  kFirmwareCommit = 0x10,
  kFirmwareImageDownload = 0x11,
  kDeviceSelfTest = 0x14,
  kNamespaceAttachment = 0x15,
  kFormat = 0x80,
  kSanitize = 0x84,
};

/// SEL, CDW10 of Namespace Management and of Namespace Attachment (Base 5.22, 5.23), and CSI, CDW11 of the former.
inline constexpr std::uint32_t kSelectMask = 0xfU, kCreateNamespace = 0, kDeleteNamespace = 1;
inline constexpr std::uint32_t kAttachControllers = 0, kDetachControllers = 1;
inline constexpr std::uint32_t kCommandSetShift = 24;
inline constexpr std::uint16_t kControllerId = 1;
inline constexpr std::uint32_t kMostOfControllerList = 2047;  // behind a word that says how many there are (Base 4.4.1)

/// CDW10 of Format NVM (Base 5.14).
inline constexpr std::uint32_t kFormatIndexMask = 0xfU, kFormatEraseShift = 9, kFormatEraseMask = 7U;
inline constexpr std::uint32_t kFormatUserDataErase = 1;
inline constexpr std::uint32_t kSanitizeNoDeallocate = 1U << 9;  // NDAS
inline constexpr std::uint32_t kSanitizeBlockErase = 2;          // CDW10 of Sanitize, SANACT (Base 5.24)
inline constexpr std::uint32_t kFormatInterleaved = 1U << 4, kFormatTypeShift = 5, kFormatTypeMask = 7U,
                               kFormatFirst = 1U << 8;  // MSET, PI, PIL
inline constexpr std::uint32_t kFormatFields = kFormatIndexMask | kFormatEraseMask << kFormatEraseShift;

/// I/O opcodes (NVM Command Set 3).
enum IoOpcode : std::uint8_t {
  kFlush = 0x00,
  kWrite = 0x01,
  kRead = 0x02,
  kWriteUncorrectable = 0x04,
  kCompare = 0x05,
  kWriteZeroes = 0x08,
  kDatasetManagement = 0x09,
  kVerify = 0x0c,
  kManagementReceive = 0x12,  // I/O Management, with Flexible Data Placement
  kCopy = 0x19,
  kManagementSend = 0x1d,
};
inline constexpr std::uint32_t kFua = 1U << 30;  // CDW12 of read, write, write zeroes
/// PRINFO in CDW12 (NVM Command Set 3): PRACT, and PRCHK as data::ProtectionTags has it. Of Copy this is PRINFOW.
inline constexpr std::uint32_t kPrinfoShift = 26, kPrinfoOfCopyShift = 12;
inline constexpr std::uint32_t kPrchkMask = 7, kPract = 8;
inline constexpr std::uint32_t kDeallocateZeroes = 1U << 25;                // DEAC, CDW12 of Write Zeroes
inline constexpr std::uint32_t kDirectiveShift = 20, kDirectiveMask = 0xf;  // DTYPE, CDW12 of write
inline constexpr std::uint32_t kDataPlacement = 2;       // of DTYPE; DSPEC, CDW13 31:16, is a placement identifier
inline constexpr std::uint32_t kEnduranceGroup = 1;      // the only one
inline constexpr std::uint32_t kCopyFormatMask = 0xf00;  // CDW12 of Copy; format 0 alone
inline constexpr std::uint32_t kSelfTestShort = 1, kSelfTestExtended = 2, kSelfTestAbort = 15;  // STC, CDW10
inline constexpr std::uint32_t kDsmDeallocate = 1U << 2;  // CDW11 of Dataset Management, AD

/// Status as the model carries it: type << 8 | code, kDnr on top (Base 3.3.3.2.1). This is the completion entry's
/// status word shifted right by one (the phase tag is bit 0 there).
using Status = std::uint16_t;
inline constexpr Status kDnr = 1U << 14;
// Generic
inline constexpr Status kSuccess = 0x000;
inline constexpr Status kInvalidOpcode = 0x001;
inline constexpr Status kInvalidField = 0x002;
inline constexpr Status kDataTransferError = 0x004;
inline constexpr Status kInternalError = 0x006;
inline constexpr Status kAbortRequested = 0x007;
inline constexpr Status kAbortedQueueDeleted = 0x008;
inline constexpr Status kInvalidNamespace = 0x00b;
inline constexpr Status kCommandSequenceError = 0x00c;
inline constexpr Status kInvalidSglSegment = 0x00d;
inline constexpr Status kInvalidSglCount = 0x00e;
inline constexpr Status kSglLengthInvalid = 0x00f;
inline constexpr Status kMetadataSglLengthInvalid = 0x010;
inline constexpr Status kSglTypeInvalid = 0x011;
inline constexpr Status kInvalidUseOfCmb = 0x012;
inline constexpr Status kPrpOffsetInvalid = 0x013;
inline constexpr Status kSanitizeInProgress = 0x01d;
inline constexpr Status kSglGranularityInvalid = 0x01e;  // of a data block: address or length
inline constexpr Status kWriteProtected = 0x020;
inline constexpr Status kLbaOutOfRange = 0x080;
inline constexpr Status kFormatInProgress = 0x084;
// Command specific
inline constexpr Status kCompletionQueueInvalid = 0x100;
inline constexpr Status kInvalidQueueIdentifier = 0x101;
inline constexpr Status kInvalidQueueSize = 0x102;
inline constexpr Status kAsyncEventLimitExceeded = 0x105;
inline constexpr Status kInvalidFirmwareSlot = 0x106;
inline constexpr Status kInvalidFirmwareImage = 0x107;
inline constexpr Status kInvalidInterruptVector = 0x108;
inline constexpr Status kInvalidLogPage = 0x109;
inline constexpr Status kInvalidFormat = 0x10a;
inline constexpr Status kInvalidQueueDeletion = 0x10c;
inline constexpr Status kFeatureNotSaveable = 0x10d;
inline constexpr Status kFeatureNotChangeable = 0x10e;
inline constexpr Status kActivationRequiresReset = 0x111;  // a Controller Level Reset
inline constexpr Status kOverlappingRange = 0x114;
inline constexpr Status kNoNamespaceCapacity = 0x115;    // Namespace Insufficient Capacity
inline constexpr Status kNoNamespaceIdentifier = 0x116;  // Namespace Identifier Unavailable
inline constexpr Status kAlreadyAttached = 0x118;
inline constexpr Status kNotAttached = 0x11a;
inline constexpr Status kThinProvisioning = 0x11b;  // not supported
inline constexpr Status kInvalidControllerList = 0x11c;
inline constexpr Status kSelfTestInProgress = 0x11d;
inline constexpr Status kCommandSetNotSupported = 0x129;
inline constexpr Status kInvalidProtection = 0x181;
inline constexpr Status kReadOnlyRange = 0x182;  // attempted write to read only range
inline constexpr Status kCommandSizeLimitExceeded = 0x183;
// Media
inline constexpr Status kWriteFault = 0x280;
inline constexpr Status kUnrecoveredRead = 0x281;
inline constexpr Status kGuardCheckError = 0x282;
inline constexpr Status kApplicationTagCheckError = 0x283;
inline constexpr Status kReferenceTagCheckError = 0x284;
inline constexpr Status kCompareFailure = 0x285;
inline constexpr Status kUnwrittenBlock = 0x287;  // Deallocated or Unwritten Logical Block

/// Fields of a completion entry's status word.
[[nodiscard]] constexpr std::uint16_t status_word(Status status, bool phase) {
  return static_cast<std::uint16_t>(status << 1 | (phase ? 1 : 0));
}
[[nodiscard]] constexpr Status status_of(const CompletionEntry& entry) {
  return static_cast<Status>(entry.status >> 1);
}
[[nodiscard]] constexpr bool phase_of(const CompletionEntry& entry) { return (entry.status & 1U) != 0; }

/// Controller registers in BAR0 (Base 3.1.3). CAP, ASQ and ACQ are 64 bits wide.
inline constexpr std::uint32_t kRegCap = 0x00;
inline constexpr std::uint32_t kRegVs = 0x08;
inline constexpr std::uint32_t kRegIntms = 0x0c;
inline constexpr std::uint32_t kRegIntmc = 0x10;
inline constexpr std::uint32_t kRegCc = 0x14;
inline constexpr std::uint32_t kRegCsts = 0x1c;
inline constexpr std::uint32_t kRegNssr = 0x20;
inline constexpr std::uint32_t kRegAqa = 0x24;
inline constexpr std::uint32_t kRegAsq = 0x28;
inline constexpr std::uint32_t kRegAcq = 0x30;
inline constexpr std::uint32_t kRegCmbloc = 0x38;
inline constexpr std::uint32_t kRegCmbsz = 0x3c;
inline constexpr std::uint32_t kRegCmbmsc = 0x50;
inline constexpr std::uint32_t kRegCmbsts = 0x58;
inline constexpr std::uint32_t kRegCrto = 0x68;
inline constexpr std::uint32_t kRegDoorbells = 0x1000;  // CAP.DSTRD = 0: four bytes apart
[[nodiscard]] constexpr std::uint32_t sq_tail_doorbell(std::uint32_t qid) { return kRegDoorbells + qid * 8; }
[[nodiscard]] constexpr std::uint32_t cq_head_doorbell(std::uint32_t qid) { return kRegDoorbells + qid * 8 + 4; }

/// The controller memory buffer (Base 3.1.3.12 to 3.1.3.16, 8.5): a bit of CAP's upper half; its place in BAR0, which
/// CMBLOC says; of CMBSZ the unit, and what may lie in it (submission queues, PRP lists and SGL segments); bits of
/// CMBMSC, CMBSTS.
inline constexpr std::uint32_t kCapCmbs = 1U << 25;
inline constexpr std::uint32_t kCmbOffset = 0x2000;
inline constexpr std::uint32_t kCmbUnit = 4096, kCmbUnitShift = 12;
inline constexpr std::uint32_t kCmbBarMask = 7U;
inline constexpr std::uint32_t kCmbSubmissionQueues = 1U << 0, kCmbLists = 1U << 2;
inline constexpr std::uint32_t kCmbSzuShift = 8;
inline constexpr std::uint32_t kCmbRegisters = 1U << 0, kCmbSpace = 1U << 1;  // CRE, CMSE
inline constexpr std::uint32_t kCmbBaseInvalid = 1U << 0;                     // CBAI

inline constexpr std::uint32_t kVersion = 0x00020000;  // 2.0
inline constexpr std::uint32_t kCcEnable = 1U << 0;
inline constexpr std::uint32_t kCcShutdownMask = 3U << 14;
inline constexpr std::uint32_t kCcShutdownNormal = 1U << 14;
inline constexpr std::uint32_t kCcAmsShift = 11;
inline constexpr std::uint32_t kAmsWeighted = 1;  // weighted round robin with urgent priority class
inline constexpr std::uint32_t kCcIosqesShift = 16;
inline constexpr std::uint32_t kCcIocqesShift = 20;
/// CC of a host that enables the controller: 64-byte and 16-byte entries, 4 KiB pages, NVM command set, round robin.
inline constexpr std::uint32_t kCcEnabled = kCcEnable | 6U << kCcIosqesShift | 4U << kCcIocqesShift;
inline constexpr std::uint32_t kCstsReady = 1U << 0;
inline constexpr std::uint32_t kCstsFatal = 1U << 1;
inline constexpr std::uint32_t kCstsShutdownBusy = 1U << 2;
inline constexpr std::uint32_t kCstsShutdownComplete = 2U << 2;
inline constexpr std::uint32_t kCstsShutdownMask = 3U << 2;
inline constexpr std::uint32_t kCstsSubsystemReset = 1U << 4;    // NSSRO; the host writes 1 to clear it
inline constexpr std::uint32_t kSubsystemResetKey = 0x4e564d65;  // "NVMe", to NSSR
/// Dword 0 of an asynchronous event (Base 5.2): type 2:0, information 15:8, log page 23:16.
[[nodiscard]] constexpr std::uint32_t async_event(std::uint32_t type, std::uint32_t information, std::uint32_t log) {
  return type | information << 8 | log << 16;
}
inline constexpr std::uint32_t kEventError = 0, kInvalidDoorbellRegister = 0, kInvalidDoorbellValue = 1;
inline constexpr std::uint32_t kEventNotice = 2, kNamespaceAttributeChanged = 0;
/// Of Features 0Bh and of OAES: notices of namespaces that have changed.
inline constexpr std::uint32_t kNamespaceNotices = 1U << 8;

/// Identify, CNS values and offsets into the 4096-byte data (Base 5.17.2; NVM Command Set 4.1.5).
inline constexpr std::uint32_t kCnsNamespace = 0x00;
inline constexpr std::uint32_t kCnsController = 0x01;
inline constexpr std::uint32_t kCnsActiveNamespaces = 0x02;
inline constexpr std::uint32_t kCnsNamespaceDescriptors = 0x03;
inline constexpr std::uint32_t kCnsCommandSetNamespace =
    0x05;  // of the I/O command set in CDW11 31:24, as the next two
inline constexpr std::uint32_t kCnsCommandSetController = 0x06;
inline constexpr std::uint32_t kCnsCommandSetActiveNamespaces = 0x07;
inline constexpr std::uint32_t kCnsIndependentNamespace = 0x08;  // of any I/O command set
inline constexpr std::uint32_t kCnsAllocatedNamespaces = 0x10;
inline constexpr std::uint32_t kCnsAllocatedNamespace = 0x11;
inline constexpr std::uint32_t kCnsControllersOfNamespace = 0x12;  // from CNTID on, CDW10 31:16, as the next one
inline constexpr std::uint32_t kCnsControllers = 0x13;
namespace identify_controller {
inline constexpr std::size_t kVid = 0, kSsvid = 2, kSn = 4, kSnBytes = 20, kMn = 24, kMnBytes = 40, kFr = 64;
inline constexpr std::size_t kFrBytes = 8, kIeee = 73;
inline constexpr std::size_t kRab = 72, kMdts = 77, kCntlid = 78, kVer = 80, kOaes = 92, kCtratt = 96, kCntrltype = 111,
                             kOacs = 256, kAcl = 258, kEdstt = 316, kDsto = 318, kFwug = 319;
inline constexpr std::size_t kAerl = 259;
inline constexpr std::size_t kFrmw = 260, kLpa = 261, kElpe = 262, kWctemp = 266, kCctemp = 268, kHmpre = 272,
                             kHmmin = 276, kTnvmcap = 280, kHmmaxd = 336, kUnvmcap = 296, kSanicap = 328,
                             kEndgidmax = 340;
inline constexpr std::uint32_t kEnduranceGroups = 1U << 4, kFdp = 1U << 19;  // of CTRATT
inline constexpr std::size_t kSqes = 512, kCqes = 513, kMaxcmd = 514, kNn = 516, kOncs = 520, kFna = 524, kVwc = 525,
                             kOcfs = 534, kPels = 352, kSgls = 536, kSubnqn = 768;
/// Of SGLS: data blocks of whole dwords, bit buckets, SGLs that are longer than the data, MPTR that points to an SGL
/// segment.
inline constexpr std::uint32_t kSglsDwords = 2U << 0, kSglsBitBucket = 1U << 16, kSglsLonger = 1U << 18,
                               kSglsMptr = 1U << 19;
/// Of ONCS (Base 5.17.2.1).
inline constexpr std::uint16_t kOncsCompare = 1U << 0, kOncsWriteUncorrectable = 1U << 1,
                               kOncsDatasetManagement = 1U << 2, kOncsWriteZeroes = 1U << 3, kOncsVerify = 1U << 7,
                               kOncsCopy = 1U << 8, kOncsTimestamp = 1U << 6;
/// Of LPA: Commands Supported and Effects, an offset in Get Log Page, telemetry, persistent events, and 00h, 12h and
/// scopes.
inline constexpr std::uint8_t kLpaEffects = 1U << 1, kLpaOffset = 1U << 2, kLpaTelemetry = 1U << 3,
                              kLpaEvents = 1U << 4, kLpaSupported = 1U << 5;
/// Of SANICAP: block erase; No-Deallocate is inhibited; media are not modified after a Sanitize.
inline constexpr std::uint32_t kSanicapBlockErase = 1U << 1, kSanicapNdi = 1U << 29, kSanicapNotModified = 1U << 30;
inline constexpr std::uint32_t kSanicapAll = kSanicapBlockErase | kSanicapNdi | kSanicapNotModified;
inline constexpr std::uint8_t kFnaAll = 1U << 0 | 1U << 1;  // Format and erase concern all namespaces
}  // namespace identify_controller
namespace identify_namespace {
inline constexpr std::size_t kNsze = 0, kNcap = 8, kNuse = 16, kNsfeat = 24, kNlbaf = 25, kFlbas = 26, kMc = 27,
                             kDpc = 28, kDlfeat = 33;
inline constexpr std::size_t kDps = 29, kNmic = 30, kNvmcap = 48, kAnagrpid = 92, kNvmsetid = 100, kLbstm = 384;
inline constexpr std::uint8_t kFlbasInterleaved = 1U << 4;
inline constexpr std::uint8_t kMcBoth = 3;             // interleaved, and in a buffer of their own
inline constexpr std::uint8_t kDpcAll = 7U | 3U << 3;  // types 1 to 3; first and last eight bytes
inline constexpr std::uint8_t kDpsFirst = 1U << 3;
inline constexpr std::uint8_t kNsfeatUnwrittenErrors = 1U << 2, kNsfeatSizes = 1U << 4;  // DAE; NPWG and the others
inline constexpr std::size_t kNpwg = 64, kNpwa = 66, kNpdg = 68, kNpda = 70, kNows = 72, kMssrl = 74, kMcl = 76,
                             kMsrc = 80, kEndgid = 102, kEui64 = 120, kLbaf0 = 128;
}  // namespace identify_namespace
/// Base 5.17.2.8, of any I/O command set.
namespace identify_independent {
inline constexpr std::size_t kEndgid = 12, kNstat = 14;
inline constexpr std::uint8_t kReady = 1U << 0;
}  // namespace identify_independent
/// NVM Command Set 4.1.5.3: sizes that a command may have, as MDTS.
namespace identify_nvm_controller {
inline constexpr std::size_t kVsl = 0, kWzsl = 1, kWusl = 2;
}  // namespace identify_nvm_controller

/// Feature identifiers (Base 5.27.1).
inline constexpr std::uint8_t kFeatureArbitration = 0x01;
inline constexpr std::uint8_t kFeaturePowerManagement = 0x02;
inline constexpr std::uint8_t kFeatureTemperatureThreshold = 0x04;
inline constexpr std::uint8_t kFeatureErrorRecovery = 0x05;
inline constexpr std::uint8_t kFeatureVolatileWriteCache = 0x06;
inline constexpr std::uint8_t kFeatureNumberOfQueues = 0x07;
inline constexpr std::uint8_t kFeatureInterruptCoalescing = 0x08;
inline constexpr std::uint8_t kFeatureInterruptVector = 0x09;
inline constexpr std::uint8_t kFeatureWriteAtomicity = 0x0a;
inline constexpr std::uint8_t kFeatureAsyncEvents = 0x0b;
inline constexpr std::uint8_t kFeatureHostMemory = 0x0d;
inline constexpr std::uint8_t kFeatureTimestamp = 0x0e;
inline constexpr std::uint8_t kFeatureSanitizeConfig = 0x17;
inline constexpr std::uint32_t kNoDeallocateResponse = 1U << 0;  // NODRM, of Sanitize Config
inline constexpr std::uint32_t kUnwrittenErrors = 1U << 16;      // DULBE, of Error Recovery
inline constexpr std::uint8_t kFeatureFdp = 0x1d;
inline constexpr std::uint8_t kFeatureFdpEvents = 0x1e;
inline constexpr std::uint8_t kFeatureLatencyMonitor = 0xc5;  // OCP Datacenter NVMe SSD 2.0

/// Log pages (Base 5.16.1) and offsets of the SMART page, 512 bytes.
inline constexpr std::uint32_t kRetainEvent = 1U << 15;  // RAE, CDW10 of Get Log Page
inline constexpr std::uint8_t kLogSupportedPages = 0x00;
inline constexpr std::uint8_t kLogErrorInformation = 0x01;
inline constexpr std::uint8_t kLogSmart = 0x02;
inline constexpr std::uint8_t kLogFirmwareSlot = 0x03;
inline constexpr std::uint8_t kLogChangedNamespaces = 0x04;
inline constexpr std::uint8_t kLogPersistentEvents = 0x0d;
inline constexpr std::uint8_t kLogSelfTest = 0x06;
inline constexpr std::uint8_t kLogTelemetryHost = 0x07, kLogTelemetryController = 0x08;
inline constexpr std::uint32_t kCreateTelemetry = 1U << 8;  // CDW10 of Get Log Page 07h
inline constexpr std::uint8_t kLogFeatures = 0x12;          // Feature Identifiers Supported and Effects
inline constexpr std::uint8_t kLogFdpConfigurations = 0x20;
inline constexpr std::uint8_t kLogFdpHandleUsage = 0x21;
inline constexpr std::uint8_t kLogFdpStatistics = 0x22;
inline constexpr std::uint8_t kLogFdpEvents = 0x23;
inline constexpr std::uint8_t kLogSanitize = 0x81;
inline constexpr std::uint8_t kLogExtendedSmart = 0xc0, kLogLatencyMonitor = 0xc3;  // OCP
inline constexpr std::uint8_t kLogEffects = 0x05;                                   // Commands Supported and Effects
/// Device Self-test log: 4 bytes, then results, the newest first.
namespace self_test_log {
inline constexpr std::size_t kOperation = 0, kCompletion = 1, kResults = 4, kResultBytes = 28, kMost = 20;
inline constexpr std::size_t kStatus = 0, kSegment = 1, kValid = 2, kNsid = 12, kLba = 16, kType = 24, kCode = 25;
inline constexpr std::uint8_t kNsidValid = 1U << 0, kLbaValid = 1U << 1;
}  // namespace self_test_log
namespace smart {
inline constexpr std::size_t kBytes = 512, kCriticalWarning = 0, kTemperature = 1, kSpare = 3, kSpareThreshold = 4;
inline constexpr std::size_t kUsed = 5, kDataRead = 32, kDataWritten = 48, kReadCommands = 64, kWriteCommands = 80;
inline constexpr std::size_t kPowerCycles = 112, kUnsafeShutdowns = 144, kMediaErrors = 160, kErrorEntries = 176;
}  // namespace smart
/// Log page C0h of OCP, 512 bytes: what the controller knows of it.
namespace extended_smart {
inline constexpr std::size_t kMajor = 103, kCapacitorHealth = 128;
inline constexpr std::size_t kTotalNuse = 152, kLayout = 494, kGuid = 496;
inline constexpr std::uint16_t kLayoutVersion = 3, kNoCapacitor = 0xffff;
}  // namespace extended_smart
/// Commands Supported and Effects (Base 5.16.1.6): a word for each opcode.
namespace effects {
inline constexpr std::size_t kAdmin = 0, kIo = 1024;
inline constexpr std::uint32_t kSupported = 1U << 0, kContentChanges = 1U << 1;
inline constexpr std::uint32_t kNamespaceChanges = 1U << 2;  // NCC: what Identify says of one
inline constexpr std::uint32_t kNamespacesChange = 1U << 3;  // NIC: which there are
/// What the command or feature concerns, of commands and of features.
inline constexpr std::uint32_t kOfNamespace = 1U << 20, kOfController = 1U << 21, kOfEnduranceGroup = 1U << 23,
                               kOfSubsystem = 1U << 25;
}  // namespace effects

/// Entry of the Error Information log, 64 bytes (Base 5.16.1.2).
struct ErrorEntry {
  std::uint64_t count;  // of all errors, this one included; 0: the entry is not used
  std::uint16_t sq_id;
  std::uint16_t cid;
  std::uint16_t status;  // as in a completion entry, phase tag 0
  std::uint16_t location;
  std::uint64_t lba;
  std::uint32_t nsid;
  std::uint8_t vendor;
  std::uint8_t transport;
  std::uint8_t command_set;  // 0: NVM
  std::uint8_t opcode;
  std::uint64_t command_specific;
  std::uint16_t transport_specific;
  std::uint8_t reserved[21];
  std::uint8_t version;  // of the entry: 1 has command set and opcode
};
inline constexpr std::uint8_t kErrorEntryVersion = 1;
static_assert(sizeof(ErrorEntry) == 64 && offsetof(ErrorEntry, opcode) == 31);
static_assert(offsetof(ErrorEntry, lba) == 16 && offsetof(ErrorEntry, command_specific) == 32);
inline constexpr std::uint16_t kNoLocation = 0xffff;  // the error is not one of a parameter

}  // namespace wordline::host::nvme
