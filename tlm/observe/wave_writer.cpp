// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/observe/wave_writer.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace wordline::observe {
namespace {

double number(std::uint64_t bits) {
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace

WaveWriter::WaveWriter(std::unique_ptr<WaveFile> file, std::vector<WaveWindow> windows,
                       const std::vector<WaveSignal>& signals)
    : file_(std::move(file)), windows_(std::move(windows)), signals_(signals) {}

void WaveWriter::prepare() {
  if (state_.size() == signals_.size()) return;
  state_.resize(signals_.size());
  text_state_.resize(signals_.size());
  batch_slot_.resize(signals_.size());
  known_.resize(signals_.size(), first_known_);
}

void WaveWriter::forget() {
  for (std::uint32_t signal = 0; signal < state_.size(); ++signal) withdraw(signal, Picoseconds(0));
  first_known_ = false;
  known_.assign(known_.size(), false);
}

void WaveWriter::take(const WaveChanges& changes) {
  prepare();
  changes.for_each([this](const WaveChange& change) {
    write_before(change.given);  // now, so that few wait
    if (change.withdrawn) {
      withdraw(change.signal, change.at);
    } else {
      put(change);
    }
  });
}

void WaveWriter::put(const WaveChange& change) {
  std::uint64_t value = change.value;
  if (signals_[change.signal].kind == SignalKind::kText) {
    const std::uint32_t slot = texts_.acquire();
    texts_[slot].assign(change.text);
    value = slot;
  }
  ahead_.put({change.at, next_order_++, value, change.signal});
}

void WaveWriter::withdraw(std::uint32_t signal, Picoseconds from) {
  ahead_.erase_if([&](const Entry& entry) {
    if (entry.signal != signal || entry.at < from) return false;
    if (signals_[signal].kind == SignalKind::kText) texts_.release(static_cast<std::uint32_t>(entry.value));
    return true;
  });
}

void WaveWriter::write_before(Picoseconds limit) {
  while (!ahead_.empty() && ahead_.first().at < limit) {
    const Picoseconds at = ahead_.first().at;
    batch_.clear();
    while (!ahead_.empty() && ahead_.first().at == at) {
      const Entry entry = ahead_.take();
      std::uint32_t& slot = batch_slot_[entry.signal];
      if (slot == 0) {
        batch_.push_back(entry);
        slot = static_cast<std::uint32_t>(batch_.size());
      } else {
        if (signals_[entry.signal].kind == SignalKind::kText) {
          texts_.release(static_cast<std::uint32_t>(batch_[slot - 1].value));
        }
        batch_[slot - 1] = entry;
      }
    }
    reach(at);
    for (const Entry& entry : batch_) {
      batch_slot_[entry.signal] = 0;
      apply(entry);
    }
  }
}

void WaveWriter::apply(const Entry& entry) {
  bool changed = !known_[entry.signal];
  known_[entry.signal] = true;
  if (signals_[entry.signal].kind == SignalKind::kText) {
    // Swapped, not copied: no text is allocated once the longest has been seen.
    std::string& text = texts_[static_cast<std::uint32_t>(entry.value)];
    changed = changed || text != text_state_[entry.signal];
    text_state_[entry.signal].swap(text);
    texts_.release(static_cast<std::uint32_t>(entry.value));
  } else {
    changed = changed || state_[entry.signal] != entry.value;
    state_[entry.signal] = entry.value;
  }
  if (!inside_ || !changed) return;
  time(entry.at);
  write(entry.signal);
}

/// Windows that begin before `at` begin, and end where they end. Values at the very start of a window are part of the
/// state there.
void WaveWriter::reach(Picoseconds at) {
  for (; window_ < windows_.size() && at > windows_[window_].from; ++window_) {
    const WaveWindow& window = windows_[window_];
    if (!inside_) begin(window.from);
    if (window.to == Picoseconds(0) || at < window.to) return;
    end(window.to);
  }
}

void WaveWriter::begin(Picoseconds at) {
  inside_ = true;
  if (marked_) {
    known_[*marked_] = true;
    state_[*marked_] = 1;
  }
  if (!begun_) {
    begun_ = true;
    file_->declare(signals_);
    first_time_ = at;
    last_time_ = at;
    file_->time(static_cast<std::uint64_t>(at.count()));
    for (std::uint32_t s = 0; s < signals_.size(); ++s) {
      if (known_[s]) write(s);
    }
    return;
  }
  time(at);
  for (std::uint32_t s = 0; s < signals_.size(); ++s) known_[s] ? write(s) : write_unknown(s);
}

// The last value lasts until there, and the file shows that.
void WaveWriter::end(Picoseconds at) {
  inside_ = false;
  if (at > last_time_) time(at);
  if (!marked_) return;
  state_[*marked_] = 0;
  write(*marked_);
}

void WaveWriter::time(Picoseconds at) {
  if (at == last_time_) return;
  last_time_ = at;
  file_->time(static_cast<std::uint64_t>(at.count()));
}

void WaveWriter::write(std::uint32_t signal) {
  const WaveSignal& s = signals_[signal];
  switch (s.kind) {
    case SignalKind::kText:
      file_->text(signal, text_state_[signal]);
      break;
    case SignalKind::kReal:
      file_->real(signal, number(state_[signal]));
      break;
    default:
      file_->bits(signal, s.bits, state_[signal]);
  }
}

void WaveWriter::write_unknown(std::uint32_t signal) {
  const WaveSignal& s = signals_[signal];
  switch (s.kind) {
    case SignalKind::kText:
      file_->text(signal, {});
      break;
    case SignalKind::kReal:
      file_->real(signal, std::numeric_limits<double>::quiet_NaN());
      break;
    default:
      file_->unknown(signal, s.bits);
  }
}

void WaveWriter::finish(Picoseconds limit, Picoseconds present) {
  prepare();
  write_before(limit);
  reach(present);
  if (!begun_) begin(std::min(windows_[window_].from, present));
  if (inside_) end(present);
}

void WaveWriter::close(Picoseconds blank) {
  if (blank > Picoseconds(0)) file_->time(static_cast<std::uint64_t>((last_time_ + blank).count()));
  file_->close();
}

}  // namespace wordline::observe
