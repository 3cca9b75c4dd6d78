// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/observe/fst_recorder.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "tlm/observe/fst_file.h"
#include "tlm/protocol/interfaces.h"

namespace wordline::observe {
namespace {

constexpr const char* kReport = "/wordline/observe/recorder";
constexpr Picoseconds kForever(INT64_MAX);

void report(const std::string& text) { SC_REPORT_ERROR(kReport, text.c_str()); }

std::string full_name(const WaveSignal& signal) { return fmt::format("{}.{}", signal.scope, signal.name); }

bool is_identifier(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(),
                                      [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '$'; });
}

bool is_path(std::string_view scope) {
  while (true) {
    const auto dot = scope.find('.');
    if (!is_identifier(scope.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    scope.remove_prefix(dot + 1);
  }
}

std::uint64_t pattern(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

double number(std::uint64_t bits) {
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// GTKWave shows the names of an enum only on a vector: a single bit is drawn as a line.
unsigned enum_bits(std::size_t count) {
  unsigned bits = 2;
  while (bits < 63 && (std::size_t{1} << bits) < count) ++bits;
  return bits;
}

}  // namespace

FstRecorder::FstRecorder(const std::string& path, WaveWindow window) : path_(path), window_(window) {
  check(window);
  file_ = std::make_unique<FstFile>(path);
}

FstRecorder::FstRecorder(std::unique_ptr<WaveFile> file, std::string path, WaveWindow window)
    : path_(std::move(path)), window_(window), file_(std::move(file)) {
  check(window);
}

FstRecorder::FstRecorder(std::string path, Later) : path_(std::move(path)) { listening_ = false; }

void FstRecorder::record_to(const std::string& path, WaveWindow window) {
  if (listening_) throw std::logic_error("FstRecorder::record_to: it records already");
  check(window);
  file_ = std::make_unique<FstFile>(path);
  path_ = path;
  window_ = window;
  listening_ = true;
  known_.assign(signals_.size(), false);
}

void FstRecorder::join(const std::vector<std::string>& parts, Signal recorded) {
  if (listening_) throw std::logic_error("FstRecorder::join: it records already");
  FstFile file(path_);
  file.declare(signals_);
  bool first = true;
  for (const std::string& part : parts) {
    const FstSpan span = file.append(part, signals_);
    if (first) first_time_ = Picoseconds(static_cast<std::int64_t>(span.first));
    first = false;
    last_time_ = Picoseconds(static_cast<std::int64_t>(span.last));
    file.bits(recorded, 1, 0);
  }
  file.close();
}

void FstRecorder::check(WaveWindow window) {
  if (window.from < Picoseconds(0) || (window.to != Picoseconds(0) && window.to <= window.from)) {
    throw std::invalid_argument(
        fmt::format("observe.waves_from = {} ps, observe.waves_to = {} ps: the window is empty; "
                    "waves_to must be later than waves_from, or 0 for the whole run",
                    window.from.count(), window.to.count()));
  }
}

FstRecorder::~FstRecorder() {
  if (file_ == nullptr) return;
  finish();
  file_.reset();
}

FstRecorder::Signal FstRecorder::add(WaveSignal signal) {
  const std::string full = full_name(signal);
  if (begun_ || (listening_ && file_ == nullptr)) {
    throw std::logic_error(
        fmt::format("signal {} was added after recording had begun; add signals during construction", full));
  }
  if (!is_path(signal.scope) || !is_identifier(signal.name)) {
    throw std::invalid_argument(
        fmt::format("signal \"{}\": scope and name are letters, digits, _ and $, scopes separated by dots", full));
  }
  if (!taken_.insert(full).second) throw std::invalid_argument(fmt::format("signal {} exists already", full));
  signals_.push_back(std::move(signal));
  state_.push_back(0);
  text_state_.emplace_back();
  batch_slot_.push_back(0);
  known_.push_back(true);
  return static_cast<Signal>(signals_.size() - 1);
}

FstRecorder::Signal FstRecorder::add_enum(std::string_view scope, std::string_view name,
                                          std::initializer_list<std::string_view> names) {
  WaveSignal signal{std::string(scope), std::string(name), SignalKind::kEnum, enum_bits(names.size()), {}};
  for (const std::string_view n : names) {
    if (n.empty()) throw std::invalid_argument(fmt::format("signal {}: an enum name is empty", full_name(signal)));
    signal.names.emplace_back(n);
  }
  if (signal.names.empty()) {
    throw std::invalid_argument(fmt::format("signal {}: an enum needs names", full_name(signal)));
  }
  return add(std::move(signal));
}

FstRecorder::Signal FstRecorder::add_bit(std::string_view scope, std::string_view name) {
  return add({std::string(scope), std::string(name), SignalKind::kBit, 1, {}});
}

FstRecorder::Signal FstRecorder::add_vector(std::string_view scope, std::string_view name, unsigned bits) {
  if (bits < 1 || bits > 64) {
    throw std::invalid_argument(fmt::format("signal {}.{}: {} bits; a vector has 1 to 64", scope, name, bits));
  }
  return add({std::string(scope), std::string(name), SignalKind::kVector, bits, {}});
}

FstRecorder::Signal FstRecorder::add_text(std::string_view scope, std::string_view name) {
  return add({std::string(scope), std::string(name), SignalKind::kText, 0, {}});
}

FstRecorder::Signal FstRecorder::add_real(std::string_view scope, std::string_view name) {
  return add({std::string(scope), std::string(name), SignalKind::kReal, 64, {}});
}

std::string FstRecorder::folder() const {
  if (!listening_) return {};  // of a run that is simulated in part twice
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  return folder.empty() ? "." : folder;
}

bool FstRecorder::active() const {
  const Picoseconds present = tlm_if::now();
  return file_ != nullptr && present + window_.lead >= window_.from &&
         (window_.to == Picoseconds(0) || present < window_.to);
}

void FstRecorder::set(Signal signal, Picoseconds at, std::uint64_t value) {
  if (!admit(signal, at, SignalKind::kBit)) return;
  const WaveSignal& s = signals_[signal];
  const bool fits = s.kind == SignalKind::kEnum ? value < s.names.size() : s.bits == 64 || value >> s.bits == 0;
  if (!fits) {
    const bool is_enum = s.kind == SignalKind::kEnum;
    report(fmt::format("value {} does not fit {}, which has {} {}", value, full_name(s),
                       is_enum ? s.names.size() : s.bits, is_enum ? "names" : "bits"));
    return;
  }
  push(signal, at, value);
}

void FstRecorder::set_real(Signal signal, Picoseconds at, double value) {
  if (admit(signal, at, SignalKind::kReal)) push(signal, at, pattern(value));
}

void FstRecorder::set_text(Signal signal, Picoseconds at, std::string_view text) {
  if (!admit(signal, at, SignalKind::kText)) return;
  const std::uint32_t slot = texts_.acquire();
  texts_[slot].assign(text);
  push(signal, at, slot);
}

void FstRecorder::withdraw(Signal signal, Picoseconds from) {
  if (file_ == nullptr) return;
  drain_before(tlm_if::now());
  ahead_.erase_if([&](const Entry& entry) {
    if (entry.signal != signal || entry.at < from) return false;
    if (signals_[signal].kind == SignalKind::kText) texts_.release(static_cast<std::uint32_t>(entry.value));
    return true;
  });
}

// Whether the value is to be kept. kBit stands for everything that set() takes.
bool FstRecorder::admit(Signal signal, Picoseconds at, SignalKind kind) {
  if (file_ == nullptr) return false;
  if (signal >= signals_.size()) {
    report(fmt::format("signal {} was never added", signal));
    return false;
  }
  const SignalKind own = signals_[signal].kind;
  const bool numeric = own != SignalKind::kReal && own != SignalKind::kText;
  if (kind == SignalKind::kBit ? !numeric : own != kind) {
    report(
        fmt::format("{} is of another kind: use set() for bits, vectors and enums, set_real() for reals, set_text() "
                    "for texts",
                    full_name(signals_[signal])));
    return false;
  }
  const Picoseconds present = tlm_if::now();
  if (at < present) {
    report(fmt::format("value of {} for {} ps lies before the present, {} ps", full_name(signals_[signal]), at.count(),
                       present.count()));
    return false;
  }
  drain_before(present);
  return window_.to == Picoseconds(0) || at < window_.to;
}

void FstRecorder::push(Signal signal, Picoseconds at, std::uint64_t value) {
  ahead_.put({at, next_order_++, value, signal});
}

void FstRecorder::drain_before(Picoseconds limit) {
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
    // Values at the very start of the window are part of the state there.
    if (at > window_.from && !begun_) begin(window_.from);
    for (const Entry& entry : batch_) {
      batch_slot_[entry.signal] = 0;
      apply(entry);
    }
  }
}

void FstRecorder::apply(const Entry& entry) {
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
  if (!begun_ || !changed) return;
  time(entry.at);
  write(entry.signal);
}

void FstRecorder::begin(Picoseconds at) {
  begun_ = true;
  file_->declare(signals_);
  first_time_ = at;
  last_time_ = at;
  file_->time(static_cast<std::uint64_t>(at.count()));
  for (Signal s = 0; s < signals_.size(); ++s) {
    if (known_[s]) write(s);
  }
}

void FstRecorder::time(Picoseconds at) {
  if (at == last_time_) return;
  last_time_ = at;
  file_->time(static_cast<std::uint64_t>(at.count()));
}

void FstRecorder::write(Signal signal) {
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

void FstRecorder::close(Picoseconds blank) {
  if (file_ == nullptr) return;
  finish();
  if (blank > Picoseconds(0)) file_->time(static_cast<std::uint64_t>((last_time_ + blank).count()));
  const std::unique_ptr<WaveFile> file = std::move(file_);
  file->close();
}

void FstRecorder::finish() {
  const Picoseconds present = tlm_if::now();
  drain_before(present == kForever ? kForever : present + Picoseconds(1));
  const Picoseconds end = window_.to == Picoseconds(0) ? present : std::min(present, window_.to);
  if (!begun_) begin(std::min(window_.from, end));
  // The last value lasts until the end of the run, and the file shows that.
  if (end > last_time_) time(end);
}

}  // namespace wordline::observe
