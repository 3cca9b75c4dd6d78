// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/config/config.h"
#include "testbenches/fuzz/draws.h"
#include "testbenches/fuzz/nvme/hostile_host.h"

namespace wordline::fuzz {

/// Metadata and protection information of the drive under siege, if it has some: commands that know nothing of them are
/// given fields that fit, so that they end as they would without. Guarded blocks always have information that fits,
/// made by the controller, or by the host one that nobody checks; so every check of them has to succeed.
class Protection {
 public:
  Protection(HostileHost& host, Draws& draws, const config::Config& config);

  /// The drive has formats with metadata, whether it has one now or not.
  [[nodiscard]] bool offered() const { return formats_ > 2; }
  [[nodiscard]] unsigned formats() const { return formats_; }
  void dress(HostileCommand& command);
  /// A read or write of blocks that are not guarded, with any PRINFO, tags and MPTR. `page`: of its data.
  [[nodiscard]] HostileCommand hostile(std::uint64_t page);
  /// Bits of CDW10 of Format NVM: some format with blocks of 512 bytes, the drive's when the command has succeeded.
  [[nodiscard]] std::uint32_t draw_format();
  void formatted() { now_ = next_; }

 private:
  struct Format {
    bool metadata = false, interleaved = false;
    std::uint32_t type = 0;
  };

  void set_fields(host::nvme::SubmissionEntry& entry, std::uint32_t prinfo) const;
  [[nodiscard]] std::uint32_t draw_checks();

  HostileHost& host_;
  Draws& draws_;
  const unsigned formats_;
  Format now_, next_;
  std::uint64_t given_, taken_;  // metadata that the host gives, which nobody checks, and where it takes some
};

}  // namespace wordline::fuzz
