// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/units/pool.h"
#include "models/units/quantity.h"
#include "tlm/observe/wave_changes.h"
#include "tlm/observe/wave_file.h"
#include "tlm/observe/wave_signal.h"
#include "tlm/protocol/time_ordered.h"

namespace wordline::observe {

/// Window of simulated time that is recorded: [from, to). to = 0: until the end.
struct WaveWindow {
  Picoseconds from;
  Picoseconds to;
  /// What begins so long before the window may reach into it: an operation of a die gives all its values when it
  /// begins.
  Picoseconds lead{20'000'000'000};
};

/// Puts values into the order of their times, drops those that change nothing, and writes the others to a file.
/// Not thread-safe, and takes no time from the simulation: it may work in a thread of its own.
class WaveWriter {
 public:
  /// `signals` outlive the object and stay as they are from the first take() on; each has its first value (0, 0.0, ""
  /// or the first name) at the start. `windows`: at least one, in order of time, apart from each other.
  WaveWriter(std::unique_ptr<WaveFile> file, std::vector<WaveWindow> windows, const std::vector<WaveSignal>& signals);

  /// The bit is 1 within a window, and 0 from its end on.
  void mark_windows(std::uint32_t bit) { marked_ = bit; }
  /// The signals are not followed for a while: each is unknown (x, or no value) until it is set again.
  void forget();
  void take(const WaveChanges& changes);
  /// Values for times before `limit`; none will follow.
  void write_before(Picoseconds limit);
  /// Writes everything before `limit`; the file ends at `present`, or with the last window before it, or begins and
  /// ends there.
  void finish(Picoseconds limit, Picoseconds present);
  /// After finish(). `blank`: the file ends so much later, without a change. Throws std::runtime_error naming the path
  /// when the file is not whole.
  void close(Picoseconds blank);

  /// The first time of the file.
  [[nodiscard]] Picoseconds first_time() const { return first_time_; }
  [[nodiscard]] Picoseconds last_time() const { return last_time_; }
  /// Values that wait for their time.
  [[nodiscard]] std::size_t waiting() const { return ahead_.size(); }

 private:
  struct Entry {
    Picoseconds at;
    std::uint64_t order;
    std::uint64_t value;  // as in a change; of a text its index
    std::uint32_t signal;
  };

  void prepare();
  void put(const WaveChange& change);
  void withdraw(std::uint32_t signal, Picoseconds from);
  void apply(const Entry& entry);
  void reach(Picoseconds at);
  void begin(Picoseconds at);
  void end(Picoseconds at);
  void write(std::uint32_t signal);
  void write_unknown(std::uint32_t signal);
  void time(Picoseconds at);

  std::unique_ptr<WaveFile> file_;
  std::vector<WaveWindow> windows_;
  const std::vector<WaveSignal>& signals_;
  bool first_known_ = true;
  std::size_t window_ = 0;  // the present one, or the next
  bool inside_ = false;     // of it
  bool begun_ = false;      // the file
  std::optional<std::uint32_t> marked_;
  Picoseconds first_time_{};
  Picoseconds last_time_{};

  std::vector<std::uint64_t> state_;  // as Entry::value; of a text unused
  std::vector<std::string> text_state_;
  std::vector<bool> known_;

  tlm_if::TimeOrdered<Entry> ahead_;
  std::uint64_t next_order_ = 0;
  Pool<std::string> texts_;                // texts of waiting entries
  std::vector<Entry> batch_;               // entries of one time
  std::vector<std::uint32_t> batch_slot_;  // per signal: its place in batch_ plus one, 0: none
};

}  // namespace wordline::observe
