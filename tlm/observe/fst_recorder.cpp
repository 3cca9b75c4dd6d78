// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/observe/fst_recorder.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "tlm/observe/fst_file.h"
#include "tlm/protocol/interfaces.h"

namespace wordline::observe {
namespace {

constexpr const char* kReport = "/wordline/observe/recorder";
constexpr Picoseconds kForever(INT64_MAX);
constexpr std::size_t kGivenAtOnce = 2048;  // changes: fit the caches, and seldom wake the thread

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

// GTKWave shows the names of an enum only on a vector: a single bit is drawn as a line.
unsigned enum_bits(std::size_t count) {
  unsigned bits = 2;
  while (bits < 63 && (std::size_t{1} << bits) < count) ++bits;
  return bits;
}

}  // namespace

FstRecorder::FstRecorder(const tlm_if::SimulationContext& context, const std::string& path, WaveWindow window)
    : context_(context), path_(path), windows_(checked({window})), made_(context.now()), threaded_(true) {
  writer_ = std::make_unique<WaveWriter>(std::make_unique<FstFile>(path), windows_, signals_);
}

FstRecorder::FstRecorder(const tlm_if::SimulationContext& context, std::unique_ptr<WaveFile> file, std::string path,
                         WaveWindow window)
    : context_(context), path_(std::move(path)), windows_(checked({window})), made_(context.now()) {
  writer_ = std::make_unique<WaveWriter>(std::move(file), windows_, signals_);
}

FstRecorder::FstRecorder(const tlm_if::SimulationContext& context, const std::string& path,
                         std::vector<WaveWindow> windows)
    : context_(context), path_(path), windows_(checked(std::move(windows))), made_(context.now()), threaded_(true) {
  writer_ = std::make_unique<WaveWriter>(std::make_unique<FstFile>(path), windows_, signals_);
  writer_->mark_windows(add_bit("ssd.host", "recorded"));
  writer_->forget();
  listening_ = false;
}

void FstRecorder::listen_near(Picoseconds ahead) {
  if (writer_ == nullptr) return;
  const Picoseconds present = context_.now();
  const auto is_over = [&](const WaveWindow& window) { return window.to != Picoseconds(0) && window.to <= present; };
  while (window_ < windows_.size() && is_over(windows_[window_])) ++window_;
  const bool near = window_ < windows_.size() && present + ahead + windows_[window_].lead >= windows_[window_].from;
  if (near == listening_) return;
  if (listening_) {
    catch_up();
    writer_->forget();
  }
  listening_ = near;
}

std::vector<WaveWindow> FstRecorder::checked(std::vector<WaveWindow> windows) {
  for (const WaveWindow& window : windows) {
    if (window.from >= Picoseconds(0) && (window.to == Picoseconds(0) || window.to > window.from)) continue;
    throw std::invalid_argument(
        fmt::format("observe.waves_from = {} ps, observe.waves_to = {} ps: the window is empty; "
                    "waves_to must be later than waves_from, or 0 for the whole run",
                    window.from.count(), window.to.count()));
  }
  return windows;
}

FstRecorder::~FstRecorder() {
  if (writer_ == nullptr) return;
  try {
    finish();
  } catch (const std::exception&) {
    thread_.reset();  // close() would have said it; here the file stays as far as it came
  }
}

FstRecorder::Signal FstRecorder::add(WaveSignal signal) {
  const std::string full = full_name(signal);
  if (begun_ || writer_ == nullptr) {
    throw std::logic_error(
        fmt::format("signal {} was added after recording had begun; add signals during construction", full));
  }
  if (!is_path(signal.scope) || !is_identifier(signal.name)) {
    throw std::invalid_argument(
        fmt::format("signal \"{}\": scope and name are letters, digits, _ and $, scopes separated by dots", full));
  }
  if (!taken_.insert(full).second) throw std::invalid_argument(fmt::format("signal {} exists already", full));
  const bool is_enum = signal.kind == SignalKind::kEnum;
  const std::uint64_t most = is_enum ? signal.names.size() - 1 : ~std::uint64_t{0} >> (64 - std::max(1U, signal.bits));
  accepted_.push_back({signal.kind, most});
  signals_.push_back(std::move(signal));
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
  if (!listening_) return {};
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  return folder.empty() ? "." : folder;
}

bool FstRecorder::active() const {
  const Picoseconds present = context_.now();
  if (writer_ == nullptr || !listening_) return false;
  return std::any_of(
      windows_.begin() + static_cast<std::ptrdiff_t>(window_), windows_.end(), [present](const WaveWindow& window) {
        return present + window.lead >= window.from && (window.to == Picoseconds(0) || present < window.to);
      });
}

void FstRecorder::set(Signal signal, Picoseconds at, std::uint64_t value) {
  if (!admit(signal, at, SignalKind::kBit)) return;
  if (value > accepted_[signal].most) {
    const WaveSignal& s = signals_[signal];
    const bool is_enum = s.kind == SignalKind::kEnum;
    report(fmt::format("value {} does not fit {}, which has {} {}", value, full_name(s),
                       is_enum ? s.names.size() : s.bits, is_enum ? "names" : "bits"));
    return;
  }
  changes_.add(signal, present_, at, value);
}

void FstRecorder::set_real(Signal signal, Picoseconds at, double value) {
  if (admit(signal, at, SignalKind::kReal)) changes_.add(signal, present_, at, pattern(value));
}

void FstRecorder::set_text(Signal signal, Picoseconds at, std::string_view text) {
  if (admit(signal, at, SignalKind::kText)) changes_.add_text(signal, present_, at, text);
}

void FstRecorder::withdraw(Signal signal, Picoseconds from) {
  if (writer_ != nullptr) changes_.withdraw(signal, context_.now(), from);
}

// Whether the value is to be kept. kBit stands for everything that set() takes.
bool FstRecorder::admit(Signal signal, Picoseconds at, SignalKind kind) {
  if (writer_ == nullptr || !listening_) return false;
  if (signal >= accepted_.size()) {
    report(fmt::format("signal {} was never added", signal));
    return false;
  }
  const SignalKind own = accepted_[signal].kind;
  const bool numeric = own != SignalKind::kReal && own != SignalKind::kText;
  if (kind == SignalKind::kBit ? !numeric : own != kind) {
    report(
        fmt::format("{} is of another kind: use set() for bits, vectors and enums, set_real() for reals, set_text() "
                    "for texts",
                    full_name(signals_[signal])));
    return false;
  }
  const Picoseconds present = context_.now();
  if (at < present) {
    report(fmt::format("value of {} for {} ps lies before the present, {} ps", full_name(signals_[signal]), at.count(),
                       present.count()));
    return false;
  }
  present_ = present;
  begun_ = begun_ || present > made_;
  if (changes_.size() >= kGivenAtOnce && begun_) give();
  const Picoseconds end = windows_.back().to;
  return end == Picoseconds(0) || at < end;
}

void FstRecorder::give() {
  if (threaded_ && thread_ == nullptr) {
    try {
      thread_ = std::make_unique<WaveThread>(*writer_);
    } catch (const std::system_error&) {
      threaded_ = false;
    }
  }
  if (thread_ != nullptr) return thread_->give(changes_);
  writer_->take(changes_);
  changes_.clear();
}

void FstRecorder::catch_up() {
  if (writer_ == nullptr) return;
  give();
  if (thread_ != nullptr) thread_->wait();
  writer_->write_before(context_.now());
}

std::size_t FstRecorder::waiting() {
  catch_up();
  return writer_ == nullptr ? 0 : writer_->waiting();
}

void FstRecorder::close(Picoseconds blank) {
  if (writer_ == nullptr) return;
  finish();
  const std::unique_ptr<WaveWriter> writer = std::move(writer_);
  writer->close(blank);
}

void FstRecorder::finish() {
  const Picoseconds present = context_.now();
  catch_up();
  thread_.reset();
  writer_->finish(present == kForever ? kForever : present + Picoseconds(1), present);
  first_time_ = writer_->first_time();
  last_time_ = writer_->last_time();
}

}  // namespace wordline::observe
