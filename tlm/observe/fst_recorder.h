// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "tlm/observe/wave_file.h"
#include "tlm/observe/wave_signal.h"
#include "tlm/observe/wave_thread.h"
#include "tlm/observe/wave_writer.h"
#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/recorder_if.h"
#include "tlm/protocol/simulation_context.h"

namespace wordline::observe {

/// Records signals of modules into one FST file, in picoseconds.
///
/// Values may be given for any time from the present on; they wait, ordered by time and then by order of the
/// calls, until the present has passed them, so memory grows with what lies ahead, not with the length of the run.
/// Several values of one signal at one time: the last one counts. A value equal to the one before leaves no mark in the
/// file. Signals start as 0, 0.0, "" or the first name. What is set before the window only leaves its state at the
/// window's start, which is where the file starts. Values that lie ahead when the file is closed have not happened and
/// are not written. A file is put in order and written by a thread of its own, where the host gives one.
///
/// Accuracy: exact in time and value; equal runs write equal bytes.
/// Known gaps: vectors have at most 64 bits; no X or Z; signals cannot be added once time has advanced; a run that is
/// killed leaves a file that has to be repaired by hand (the hierarchy lies in FILE.hier until the file is closed).
class FstRecorder final : public tlm_if::RecorderIf {
 public:
  /// Throws std::runtime_error naming the path when the file cannot be made, std::invalid_argument on an empty window.
  explicit FstRecorder(const tlm_if::SimulationContext& context, const std::string& path, WaveWindow window = {});
  /// Writes into a file of another kind, without a thread; `path` is its name.
  FstRecorder(const tlm_if::SimulationContext& context, std::unique_ptr<WaveFile> file, std::string path,
              WaveWindow window);
  /// Several windows, in order of time and apart from each other, and nothing between them. The bit ssd.host.recorded
  /// is 1 within one. Does not listen before listen_near() says so; a signal that has not been set since then is
  /// unknown (x, or no value).
  FstRecorder(const tlm_if::SimulationContext& context, const std::string& path, std::vector<WaveWindow> windows);
  ~FstRecorder() override;
  FstRecorder(const FstRecorder&) = delete;
  FstRecorder& operator=(const FstRecorder&) = delete;

  /// The functions below throw std::invalid_argument on a bad or repeated name, a bad width, or a bad list of names,
  /// and std::logic_error once recording has begun.
  Signal add_enum(std::string_view scope, std::string_view name,
                  std::initializer_list<std::string_view> names) override;
  Signal add_bit(std::string_view scope, std::string_view name) override;
  Signal add_vector(std::string_view scope, std::string_view name, unsigned bits) override;
  Signal add_text(std::string_view scope, std::string_view name) override;
  Signal add_real(std::string_view scope, std::string_view name) override;

  /// A time before the present, a value that does not fit, or a signal of another kind is an SC_ERROR and is not
  /// recorded.
  void set(Signal signal, Picoseconds at, std::uint64_t value) override;
  void set_real(Signal signal, Picoseconds at, double value) override;
  void set_text(Signal signal, Picoseconds at, std::string_view text) override;
  void withdraw(Signal signal, Picoseconds from) override;
  [[nodiscard]] bool active() const override;
  [[nodiscard]] std::string folder() const override;

  /// With several windows: listens from now on where one begins within `ahead` and its lead, or has not ended, and
  /// otherwise not. To be called again within `ahead`.
  void listen_near(Picoseconds ahead);

  /// Nothing is recorded any more; what was given for the time before is written.
  void stop() { listening_ = false; }

  /// Writes everything before the present.
  void catch_up();

  /// Writes everything up to and including the present and closes the file; the destructor does the same. Later values
  /// are ignored. `blank`: the file ends so much later, without a change (a viewer shows the end of a run as it shows
  /// the rest only when the file goes on behind it). Throws std::runtime_error naming the path when the file is not
  /// whole.
  void close(Picoseconds blank = Picoseconds(0));

  [[nodiscard]] bool closed() const { return writer_ == nullptr; }

  [[nodiscard]] const std::string& path() const { return path_; }
  /// In order of declaration.
  [[nodiscard]] const std::vector<WaveSignal>& signals() const { return signals_; }
  /// First and last time of the file; known after close().
  [[nodiscard]] Picoseconds first_time() const { return first_time_; }
  [[nodiscard]] Picoseconds last_time() const { return last_time_; }
  /// Values that wait for their time.
  [[nodiscard]] std::size_t waiting();

 private:
  static std::vector<WaveWindow> checked(std::vector<WaveWindow> windows);
  Signal add(WaveSignal signal);
  bool admit(Signal signal, Picoseconds at, SignalKind kind);
  void give();
  void finish();

  const tlm_if::SimulationContext& context_;
  std::string path_;
  std::vector<WaveWindow> windows_;
  std::size_t window_ = 0;  // those before it are over
  const Picoseconds made_;
  Picoseconds present_{};  // time of the last admit()
  bool begun_ = false;     // time has passed, or values were given to the writer
  Picoseconds first_time_{};
  Picoseconds last_time_{};

  struct Accepted {
    SignalKind kind;
    std::uint64_t most;  // limit for bits, vectors and enums
  };
  std::vector<WaveSignal> signals_;
  std::vector<Accepted> accepted_;         // accepted by signal: what each call looks at
  std::unordered_set<std::string> taken_;  // looked up only, never iterated
  WaveChanges changes_;                    // not yet given
  std::unique_ptr<WaveWriter> writer_;     // null after close()
  bool threaded_ = false;
  std::unique_ptr<WaveThread> thread_;  // thread from the first changes that are given to it on
};

}  // namespace wordline::observe
