// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/observe/timeline.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

#include "tlm/observe/stage_clock.h"

namespace wordline::observe {
namespace {

using tlm_if::Stage;

// Processes of the timeline, in the order in which a command meets them.
constexpr std::uint32_t kHost = 1, kFirmware = 2, kChannels = 3, kDies = 4, kDecoders = 5;
/// Rows of a channel's decoder.
constexpr std::uint32_t kRows = 64;

Picoseconds middle(Picoseconds from, Picoseconds to) { return Picoseconds(from.count() + (to - from).count() / 2); }

/// The number behind a word at the beginning of a text: 3 of "die3.x" for "die".
std::optional<std::uint32_t> number_after(std::string_view text, std::string_view word) {
  if (text.substr(0, word.size()) != word) return std::nullopt;
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + word.size(), text.data() + text.size(), number);
  if (error != std::errc() || (end != text.data() + text.size() && *end != '.')) return std::nullopt;
  return number;
}

}  // namespace

/// Makes slices of signals: a value is a slice until the next one, but for the value that means rest.
class Timeline::Signals final : public WaveFile {
 public:
  Signals(TraceFile& file, std::uint32_t channels) : file_(file), channels_(channels) {}

  void declare(const std::vector<WaveSignal>& signals) override {
    rows_.resize(signals.size());
    for (std::size_t i = 0; i < signals.size(); ++i) {
      Row& row = rows_[i];
      row.signal = &signals[i];
      std::string name;
      row.drawn = find(signals[i], row, name);
      if (!row.drawn) continue;
      if (processes_.insert(row.track.process).second) {
        file_.name_process(row.track.process, row.track.process == kFirmware   ? "Firmware: tasks of the cores"
                                              : row.track.process == kChannels ? "Channels: ONFI bus"
                                                                               : "Dies: operations, read retries");
      }
      file_.name_thread(row.track, name);
      known_.insert({row.track.process, row.track.thread});
    }
  }
  void time(std::uint64_t ps) override { now_ = Picoseconds(static_cast<std::int64_t>(ps)); }
  void bits(std::uint32_t signal, unsigned, std::uint64_t value) override {
    Row& row = rows_[signal];
    if (row.drawn) change(row, value == row.rest ? std::string_view() : std::string_view(row.signal->names[value]));
  }
  void real(std::uint32_t, double) override {}
  void text(std::uint32_t signal, std::string_view value) override {
    Row& row = rows_[signal];
    if (row.drawn) change(row, value);
  }
  void close() override {
    for (Row& row : rows_) {
      if (row.drawn) change(row, {});
    }
  }

  [[nodiscard]] bool has(TraceTrack track) const { return known_.count({track.process, track.thread}) != 0; }

 private:
  struct Row {
    const WaveSignal* signal = nullptr;
    TraceTrack track{};
    bool drawn = false;
    std::uint64_t rest = 0;  // rest value of an enum
    std::string now;         // the slice that has begun; empty: none
    Picoseconds since{};
  };

  void change(Row& row, std::string_view name) {
    if (!row.now.empty() && now_ > row.since) file_.slice(row.track, row.now, row.since, now_);
    row.now = name;
    row.since = now_;
  }

  bool find(const WaveSignal& signal, Row& row, std::string& name) const {
    constexpr std::string_view kCores = "ssd.cpu.", kChannel = "ssd.channel";
    const std::string_view scope = signal.scope;
    if (scope.substr(0, kCores.size()) == kCores && signal.name == "task") {
      const auto core = number_after(scope.substr(kCores.size()), "core");
      if (!core) return false;
      row.track = {kFirmware, *core};
      row.rest = signal.names.size() - 1;  // sleep
      name = fmt::format("core {}", *core);
      return true;
    }
    const auto channel = number_after(scope, kChannel);
    if (!channel) return false;
    const std::string_view part = scope.substr(scope.rfind('.') + 1);
    if (part == "bus" && signal.name == "transaction") {
      row.track = {kChannels, *channel};
      name = fmt::format("channel {}", *channel);
      return true;
    }
    const auto die = number_after(part, "die");
    if (!die || (signal.name != "state" && signal.name != "retry")) return false;
    const bool retry = signal.name == "retry";
    const std::uint32_t number = *die * channels_ + *channel;
    row.track = {kDies, 2 * number + (retry ? 1U : 0U)};
    name = fmt::format("die {}: channel {}, die {}{}", number, *channel, *die, retry ? ", read retry" : "");
    return true;
  }

  TraceFile& file_;
  const std::uint32_t channels_;
  std::vector<Row> rows_;
  std::set<std::uint32_t> processes_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> known_;
  Picoseconds now_{};
};

std::uint32_t Timeline::Rows::place(Picoseconds from, Picoseconds to, bool& is_new) {
  const auto free = std::find_if(free_from_.begin(), free_from_.end(), [from](Picoseconds at) { return at <= from; });
  const auto row = static_cast<std::uint32_t>(free - free_from_.begin());
  is_new = free == free_from_.end();
  if (is_new) free_from_.emplace_back();
  free_from_[row] = to;
  return row;
}

Timeline::Timeline(const tlm_if::SimulationContext& context, const std::string& path, std::uint64_t limit,
                   WaveWindow window, std::uint32_t channels)
    : file_(path, limit), path_(path), window_(window), channels_(channels) {
  auto signals = std::make_unique<Signals>(file_, channels);
  signals_ = signals.get();
  recorder_ = std::make_unique<FstRecorder>(context, std::move(signals), path, window);
  names_ = recorder_.get();
  file_.name_process(kHost, "Host: commands and their stages");
  file_.name_process(kDecoders, "Decoders");
}

Timeline::~Timeline() = default;

void Timeline::released(std::uint16_t queue, std::uint16_t id, std::uint16_t tag, Picoseconds /*came*/,
                        Picoseconds /*left*/) {
  const tlm_if::RecorderIf::CommandName* name = names_->command_name(tag);
  lbas_[std::uint32_t{queue} << 16 | id] = name != nullptr ? name->lba : name->kNoLba;
}

const std::string& Timeline::arguments(const CommandStory& story) {
  std::string& text = arguments_;
  const auto add = [&text](std::string_view key, std::int64_t value) {
    text += key;
    append_number(text, value);
  };
  text.clear();
  add("\"queue\":", story.queue);
  add(",\"cid\":", story.id);
  add(",\"latency_ps\":", (story.finished - story.submitted).count());
  const auto lba = lbas_.find(std::uint32_t{story.queue} << 16 | story.id);
  if (lba != lbas_.end() && lba->second != tlm_if::RecorderIf::CommandName::kNoLba) {
    add(",\"lba\":", static_cast<std::int64_t>(lba->second));
  }
  if (story.times.die != tlm_if::Finished::kNoDie) add(",\"die\":", story.times.die);
  text += ",\"stage_ps\":{";
  bool first = true;
  for (std::size_t s = 0; s < story.times.times.size(); ++s) {
    const Picoseconds time = story.times.times[s];
    if (time == Picoseconds(0)) continue;
    if (!first) text += ',';
    append_json(text, stage_name(static_cast<Stage>(s)));
    add(":", time.count());
    first = false;
  }
  text += '}';
  return text;
}

void Timeline::finished(const CommandStory& story) {
  if (story.submitted < window_.from || (window_.to != Picoseconds(0) && story.finished > window_.to)) return;
  recorder_->catch_up();  // rows of cores, buses and dies are known then
  bool is_new = false;
  const TraceTrack track{kHost, commands_.place(story.submitted, story.finished, is_new)};
  if (is_new) file_.name_thread(track, fmt::format("in flight {}", track.thread));
  file_.slice(track, story.reads ? "read" : "write", story.submitted, story.finished, arguments(story));
  draw_stages(story, track);

  std::vector<Step> steps;
  for (const CoreWork& work : story.work) {
    if (work.from >= story.submitted && work.to <= story.finished) {
      steps.push_back({{kFirmware, work.core}, middle(work.from, work.to)});
    }
  }
  add_flash(story, steps);
  std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.at < b.at; });
  if (!story.stages.empty()) {
    const StageSpan& first = story.stages.front();
    const StageSpan& last = story.stages.back();
    steps.insert(steps.begin(), {track, middle(first.from, first.to)});
    steps.push_back({track, middle(last.from, last.to)});
  }
  draw_way(story, std::move(steps));
  if (!file_.cut()) return;
  listening_ = false;  // the file is full: what comes is left out, and so costs nothing
  recorder_->stop();
}

void Timeline::draw_stages(const CommandStory& story, TraceTrack track) {
  for (const StageSpan& span : story.stages) {
    if (span.to == span.from) continue;
    if (span.stage == Stage::kQueueCore || span.stage == Stage::kQueueResume) {
      draw_firmware(story, span, track);
    } else {
      file_.slice(track, stage_name(span.stage), span.from, span.to);
    }
  }
}

/// A core works for the command, or it waits: for a core, a buffer or other commands, as its arguments tell.
void Timeline::draw_firmware(const CommandStory& story, const StageSpan& span, TraceTrack track) {
  const bool arrives = span.stage == Stage::kQueueCore;
  const std::string_view works = stage_name(arrives ? Stage::kFirmware : Stage::kFirmwareDone);
  const std::string_view waits = stage_name(span.stage);
  Picoseconds at = span.from;
  for (const CoreWork& work : story.work) {
    const Picoseconds from = std::max(work.from, at);
    const Picoseconds to = std::min(work.to, span.to);
    if (to <= from) continue;
    if (from > at) file_.slice(track, waits, at, from);
    arguments_ = "\"core\":";
    append_number(arguments_, work.core);
    file_.slice(track, works, from, to, arguments_);
    at = to;
  }
  if (span.to > at) file_.slice(track, waits, at, span.to);
}

TraceTrack Timeline::draw_decoding(std::uint32_t channel, std::uint16_t die, Picoseconds from, Picoseconds to) {
  bool is_new = false;
  const std::uint32_t row = std::min(decoders_[channel].place(from, to, is_new), kRows - 1);
  const TraceTrack track{kDecoders, channel * kRows + row};
  if (is_new) file_.name_thread(track, fmt::format("channel {}, row {}", channel, row));
  file_.slice(track, fmt::format("decode, die {}", die), from, to);
  return track;
}

void Timeline::add_flash(const CommandStory& story, std::vector<Step>& steps) {
  const auto add_at = [&](TraceTrack track, Picoseconds at, Picoseconds from, Picoseconds to) {
    if (to > from && from >= story.submitted && to <= story.finished && signals_->has(track)) {
      steps.push_back({track, at});
    }
  };
  const auto add = [&](TraceTrack track, Picoseconds from, Picoseconds to) {
    add_at(track, middle(from, to), from, to);
  };
  for (const FlashRead& read : story.flash) {
    const std::uint32_t channel = read.die % channels_;
    const TraceTrack bus{kChannels, channel}, die{kDies, 2U * read.die}, retry{kDies, 2U * read.die + 1U};
    const tlm_if::ReadMarks& marks = read.marks;
    if (read.attempt) continue;  // a job of the firmware: its row of retries is empty
    // The bus has gaps between the commands of the planes: the last one ends when the array begins.
    add_at(bus, marks.array - Picoseconds(1), marks.command, marks.array);
    add(die, marks.array, marks.ready);
    const bool retried = marks.retry >= Picoseconds(0);
    Picoseconds decoded = retried ? marks.retry : read.ended;
    if (!retried && story.flash.size() == 1) {
      for (const StageSpan& span : story.stages) {
        if (span.stage == Stage::kEcc) decoded = span.to;
      }
    }
    add_at(bus, marks.data, marks.data, marks.decode_wait);
    if (signals_->has(bus) && decoded > marks.decode && marks.decode >= story.submitted) {
      steps.push_back({draw_decoding(channel, read.die, marks.decode, decoded), middle(marks.decode, decoded)});
    }
    if (retried) add(retry, marks.retry, read.ended);
  }
}

void Timeline::draw_way(const CommandStory&, std::vector<Step> steps) {
  if (steps.size() < 2) return;
  const std::uint64_t id = ++ways_;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const TraceFile::Flow kind = i == 0                  ? TraceFile::Flow::kBegins
                                 : i + 1 == steps.size() ? TraceFile::Flow::kEnds
                                                         : TraceFile::Flow::kGoesOn;
    file_.flow(steps[i].track, kind, id, steps[i].at);
  }
}

void Timeline::close() {
  if (closed_) return;
  closed_ = true;
  recorder_->close();
  file_.close();
}

std::string Timeline::notice() const {
  if (!file_.cut()) return {};
  return fmt::format(
      "timeline.json ends at {:.3f} ms, when it had reached observe.timeline_limit: choose a window by "
      "observe.waves_from and waves_to, fewer observe.channels, or a higher limit",
      static_cast<double>(file_.complete_until().count()) * 1e-9);
}

}  // namespace wordline::observe
