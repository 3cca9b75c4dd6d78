// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "models/firmware/contract/counters.h"
#include "tlm/protocol/recorder_if.h"

namespace wordline::cpu {

/// What the waveform shows of the firmware's own counts, which no hardware knows: in "ssd.firmware" the logical pages
/// in the write buffer, accepted and not yet programmed, and the erased superblocks. The core of the ftl task, which
/// changes both, looks at each begin of a stretch.
///
/// Accuracy: a change shows when the stretch in which it happened is over. With cpu.model = native a stretch acts at
/// its begin.
class FirmwareLevels {
 public:
  /// `counters`: a wl_firmware_statistics in tightly coupled memory.
  FirmwareLevels(const std::byte* counters, tlm_if::RecorderIf& recorder)
      : counters_(counters),
        recorder_(recorder),
        buffer_(recorder.add_vector("ssd.firmware", "write_buffer_level", 32)),
        free_(recorder.add_vector("ssd.firmware", "free_superblocks", 32)) {}

  void look(Picoseconds at) {
    struct wl_firmware_statistics now;
    std::memcpy(&now, counters_, sizeof now);
    recorder_.set(buffer_, at, static_cast<std::uint32_t>(wl_buffered_lpages(&now)));
    recorder_.set(free_, at, now.free_superblocks);
  }

 private:
  const std::byte* counters_;
  tlm_if::RecorderIf& recorder_;
  tlm_if::RecorderIf::Signal buffer_, free_;
};

}  // namespace wordline::cpu
