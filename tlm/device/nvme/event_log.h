// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "tlm/device/nvme/nvme.h"

namespace wordline::host::nvme {

/// The Persistent Event Log (Base 5.16.1.14): what has happened to the drive, the newest event first, up to 64 KiB; the
/// oldest are dropped. A host establishes a reporting context, which is the log of that moment, reads it in pieces, and
/// releases it.
///
/// Known gaps: it does not outlive power; one context, whichever host it is; the temperature does not change, so there
/// is no thermal excursion.
class EventLog {
 public:
  static constexpr std::size_t kHeaderBytes = 512, kEventHeaderBytes = 24, kMostBytes = 64 * 1024;
  enum Type : std::uint8_t {
    kSmartSnapshot = 1,
    kFirmwareCommit = 2,
    kTimestampChange = 3,
    kPowerOnOrReset = 4,
    kNamespaceChange = 6,
    kFormatStart = 7,
    kFormatCompletion = 8,
    kSanitizeStart = 9,
    kSanitizeCompletion = 10,
  };
  /// LSP of Get Log Page 0Dh, CDW10 14:8.
  enum Action : std::uint32_t { kRead = 0, kEstablish = 1, kRelease = 2 };
  [[nodiscard]] static std::uint32_t action_of(const SubmissionEntry& sqe) { return sqe.cdw10 >> 8 & 0x7fU; }

  /// `timestamp`: as Features 0Eh has it.
  void add(Type type, std::uint64_t timestamp, const void* data, std::size_t bytes);

  /// Whether the action can be done.
  [[nodiscard]] Status check(const SubmissionEntry& sqe) const;
  /// The present log becomes the context.
  void establish(std::uint64_t timestamp, std::uint64_t power_cycles);
  void release() { exists_ = false; }
  /// Bytes of the context, 0 without one.
  [[nodiscard]] std::size_t length() const { return exists_ ? context_.size() : 0; }
  /// Part of it, zeros behind its end.
  void fill(std::byte* page, std::size_t bytes, std::uint64_t offset) const;

 private:
  using Bytes = std::vector<std::byte>;
  std::deque<Bytes> events_;  // the oldest first
  std::size_t bytes_ = 0;     // of all
  bool exists_ = false;
  Bytes context_;
  std::uint16_t generation_ = 0;
};

/// The drive's name in Identify Controller and in the log.
namespace names {
inline constexpr char kSerial[] = "WL0000000001", kModel[] = "Wordline SSD model";
inline constexpr char kSubsystem[] = "nqn.2026-01.org.wordline:ssd";
/// An identifier that the PCI SIG has kept for examples would be taken for a device with quirks by drivers.
inline constexpr std::uint16_t kPciVendor = 0x1b36, kPciDevice = 0x5744;
inline constexpr std::uint32_t kOui = 0x004c57;  // with which an EUI-64 begins
}  // namespace names

/// Data of events (Base 5.16.1.14.1).
struct FirmwareCommitEvent {
  char old_revision[8], new_revision[8];
  std::uint8_t action, slot, status_type, status_code;
  std::uint16_t vendor;
} __attribute__((packed));
static_assert(sizeof(FirmwareCommitEvent) == 22);
struct TimestampChangeEvent {
  std::uint64_t previous, milliseconds_since_reset;
};
struct PowerOnEvent {
  char revision[8];
  std::uint16_t controller;
  std::uint8_t firmware_activated, operation;
  std::uint8_t reserved[12];
  std::uint32_t power_cycle;
  std::uint64_t milliseconds, timestamp;
} __attribute__((packed));
static_assert(sizeof(PowerOnEvent) == 44);
struct NamespaceChangeEvent {
  std::uint32_t cdw10, reserved0;
  std::uint64_t nsze, reserved1, ncap;
  std::uint8_t flbas, dps, nmic, reserved2;
  std::uint32_t ana_group;
  std::uint16_t nvm_set, reserved3;
  std::uint32_t nsid;
};
static_assert(sizeof(NamespaceChangeEvent) == 48);
struct FormatStartEvent {
  std::uint32_t nsid;
  std::uint8_t fna, reserved[3];
  std::uint32_t cdw10;
};
struct FormatCompletionEvent {
  std::uint32_t nsid;
  std::uint8_t progress, format_status;
  std::uint16_t information;
  std::uint32_t status;  // as in a completion entry, phase tag 0
};
struct SanitizeStartEvent {
  std::uint32_t sanicap, cdw10, cdw11;
};
struct SanitizeCompletionEvent {
  std::uint16_t progress, status, information, reserved;
};

}  // namespace wordline::host::nvme
