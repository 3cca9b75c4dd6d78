// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "tlm/observe/command_observer.h"
#include "tlm/observe/fst_recorder.h"
#include "tlm/observe/trace_file.h"
#include "tlm/observe/wave_file.h"
#include "tlm/protocol/recorder_if.h"

namespace wordline::observe {

/// The timeline of a run (observe.timeline): slices for commands and their stages, for the tasks of each core, the
/// transactions of each bus, the operations of each die and its read retries, the decodings of each channel; and for
/// every command a way (flow) through the slices that served it.
///
/// Cores, buses, dies and retries come from the signals that a waveform has, by a recorder of its own; the rest from
/// the stage clock. Tracks whose slices may overlap (commands, decodings) have as many rows as they need.
///
/// Accuracy: exact times, in picoseconds; equal runs write equal bytes. Known gaps: a flash program is on its die and
/// bus, but no command's way leads there, because the command had its answer from the buffer; of a command with several
/// flash jobs the decodings end when their jobs report, which is some cycles later than the decoder.
class Timeline final : public CommandObserver {
 public:
  /// `channels`: of the drive. Throws std::runtime_error naming the path when the file cannot be made.
  Timeline(const tlm_if::SimulationContext& context, const std::string& path, std::uint64_t limit, WaveWindow window,
           std::uint32_t channels);
  ~Timeline() override;

  /// Where modules put their signals.
  [[nodiscard]] FstRecorder& recorder() { return *recorder_; }
  /// Names of commands are asked of `recorder`, which the modules have: this one's, or a pair's.
  void take_names_from(const tlm_if::RecorderIf& recorder) { names_ = &recorder; }

  void released(std::uint16_t queue, std::uint16_t id, std::uint16_t tag, Picoseconds came, Picoseconds left) override;
  void finished(const CommandStory& story) override;

  /// Throws std::runtime_error when the file is not whole.
  void close();
  /// What was left out, in a sentence; or nothing.
  [[nodiscard]] std::string notice() const;

 private:
  class Signals;
  /// Rows of a track whose slices may overlap: a slice goes into the first row that is free again.
  class Rows {
   public:
    /// Row for a slice; `is_new`: it was never used before.
    std::uint32_t place(Picoseconds from, Picoseconds to, bool& is_new);

   private:
    std::vector<Picoseconds> free_from_;
  };
  /// A command's way through the drive.
  struct Step {
    TraceTrack track;
    Picoseconds at;
  };

  void draw_stages(const CommandStory& story, TraceTrack track);
  void draw_firmware(const CommandStory& story, const StageSpan& span, TraceTrack track);
  void draw_way(const CommandStory& story, std::vector<Step> steps);
  void add_flash(const CommandStory& story, std::vector<Step>& steps);
  TraceTrack draw_decoding(std::uint32_t channel, std::uint16_t die, Picoseconds from, Picoseconds to);
  [[nodiscard]] const std::string& arguments(const CommandStory& story);

  TraceFile file_;
  const std::string path_;
  const WaveWindow window_;
  const std::uint32_t channels_;
  std::unique_ptr<FstRecorder> recorder_;
  Signals* signals_;  // signals of the recorder
  const tlm_if::RecorderIf* names_;
  Rows commands_;
  std::map<std::uint32_t, Rows> decoders_;                 // decoders by channel
  std::unordered_map<std::uint32_t, std::uint64_t> lbas_;  // LBAs of commands without a tag, by queue << 16 | id| id
  std::string arguments_;                                  // of a slice
  std::uint64_t ways_ = 0;
  bool closed_ = false;
};

}  // namespace wordline::observe
