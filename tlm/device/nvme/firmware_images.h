// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tlm/device/nvme/nvme.h"

namespace wordline::host::nvme {

/// What Firmware Image Download brings and Firmware Commit puts into slots (Base 5.12, 5.13, 5.16.1.4). Slot 1 is read
/// only: the image with which the drive was made.
///
/// An image is a header of 64 bytes and at most 1 MiB in all: "WLFWIMG1", the revision in 8 ASCII characters, the bytes
/// of the whole image and a CRC-32C of all behind the header, 32 bits each and little endian; the rest is 0.
///
/// Accuracy: an image is checked and kept, and its revision is that of the drive from its activation on; the program
/// that the cores execute stays the same, and nothing takes time but the data on the link. Slots do not outlive the
/// run.
class FirmwareImages {
 public:
  static constexpr std::uint32_t kSlots = 3;
  static constexpr std::size_t kMostBytes = 1 << 20, kHeaderBytes = 64, kRevisionBytes = 8;
  static constexpr const char* kMagic = "WLFWIMG1";

  /// Bytes that a Firmware Image Download brings; 4 KiB at a time.
  [[nodiscard]] static std::uint64_t bytes_of(const SubmissionEntry& sqe) { return (std::uint64_t{sqe.cdw10} + 1) * 4; }
  /// Before its data are read.
  [[nodiscard]] Status check(const SubmissionEntry& sqe) const;
  /// The data of such a command, which has been checked.
  void take(const SubmissionEntry& sqe, const std::byte* data);
  Status commit(const SubmissionEntry& sqe);
  /// Of the image that the last commit was about; empty: of none.
  [[nodiscard]] std::string committed() const { return committed_ == 0 ? "" : revisions_[committed_ - 1]; }
  /// Controller reset: what was downloaded is gone, and an image that waits for it is activated.
  void reset();
  /// An image is activated by the next reset.
  [[nodiscard]] bool waits_for_reset() const { return next_ != 0; }
  /// Of what is active; padded with spaces.
  [[nodiscard]] const std::string& revision() const { return revisions_[active_ - 1]; }
  /// Firmware Slot Information, 512 bytes of zeros before.
  void fill_log(std::byte* page) const;

 private:
  [[nodiscard]] bool good(std::string& revision) const;
  [[nodiscard]] std::uint32_t slot_for(std::uint32_t named) const;

  std::array<std::string, kSlots> revisions_{"1.0     "};  // empty: no image
  std::uint32_t active_ = 1, next_ = 0, committed_ = 0;    // slots
  std::vector<std::byte> image_;                           // what has been downloaded
  std::map<std::uint64_t, std::uint64_t> pieces_;          // of it: begin, end
};

}  // namespace wordline::host::nvme
