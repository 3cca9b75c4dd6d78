// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/observe/gtkw_view.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "tlm/observe/fst_recorder.h"

namespace wordline::observe {
namespace {

using namespace wordline::literals;

// Trace flags of GTKWave 3.3 (analyzer.h: TR_RJUSTIFY, TR_HEX, TR_BIN, ...), as its save files write them.
constexpr std::string_view kStretch = "[*] recorded ";
constexpr const char* kBit = "@28";
constexpr const char* kHex = "@22";
constexpr const char* kEnum = "@100000028";
constexpr const char* kText = "@820";
constexpr const char* kAnalogReal = "@88020";    // step, scaled to the whole run so that zooming keeps the scale
constexpr const char* kAnalogVector = "@88024";  // the same, read as a decimal number
constexpr const char* kAnalogHeight = "@20000";  // one more line of height for the analog trace above
constexpr const char* kOpenGroup = "@800200";
constexpr const char* kOpenGroupEnd = "@1000200";
constexpr const char* kClosedGroup = "@c00200";
constexpr const char* kClosedGroupEnd = "@1401200";

constexpr int kWindowWidth = 1600;
constexpr int kWindowHeight = 900;
constexpr int kFocusHeight = 1000;  // host, three cores, a channel and a die with its retries, all open
constexpr int kNamesWidth = 330;
constexpr int kFramePixels = 200;
// What is left for the waves; frames and the value column take the rest.
constexpr int kWavesWidth = kWindowWidth - kNamesWidth - 120;
// First look at a long run: a few reads of about 50 us, with their names legible.
constexpr Picoseconds kFirstLook = 200_us;

constexpr std::size_t kAll = SIZE_MAX;

struct Kind {
  std::string_view title;
  WaveColour colour;
  std::size_t open;  // so many scopes come open: a large drive fits one screen
  std::array<std::string_view, 5> words;
};

constexpr std::array<Kind, 8> kKinds{{
    {"Host", WaveColour::kYellow, kAll, {"host", "nvme", "pcie", "link", "queue"}},
    {"Firmware", WaveColour::kOrange, kAll, {"cpu", "core", "firmware", "task", ""}},
    {"Memory", WaveColour::kNormal, kAll, {"dram", "sram", "memory", "buffer", ""}},
    {"Engines", WaveColour::kIndigo, kAll, {"engine", "", "", "", ""}},
    {"ECC", WaveColour::kRed, kAll, {"ecc", "ldpc", "retry", "", ""}},
    {"Channel", WaveColour::kViolet, 1, {"channel", "bus", "onfi", "", ""}},
    {"Die", WaveColour::kGreen, 4, {"die", "lun", "plane", "", ""}},
    {"Other", WaveColour::kNormal, kAll, {"", "", "", "", ""}},
}};

// A word names a part of a path when it is all of it, or followed by a number or an underscore: "core" is no "score".
bool names(std::string_view part, std::string_view word) {
  if (word.empty() || part.substr(0, word.size()) != word) return false;
  const std::string_view rest = part.substr(word.size());
  return rest.empty() || rest[0] == '_' || rest == "s" || (rest[0] >= '0' && rest[0] <= '9');
}

std::size_t kind_of(std::string_view scope) {
  while (!scope.empty()) {
    const auto dot = scope.rfind('.');
    const std::string_view part = dot == std::string_view::npos ? scope : scope.substr(dot + 1);
    for (std::size_t k = 0; k < kKinds.size(); ++k) {
      for (const std::string_view word : kKinds[k].words) {
        if (names(part, word)) return k;
      }
    }
    scope = dot == std::string_view::npos ? std::string_view() : scope.substr(0, dot);
  }
  return kKinds.size() - 1;
}

bool inside(std::string_view scope, std::string_view outer) {
  return scope.substr(0, outer.size()) == outer && (scope.size() == outer.size() || scope[outer.size()] == '.');
}

bool is_level(const std::string& name) {
  for (const char* word : {"level", "depth", "fill", "free", "occupancy"}) {
    if (name.find(word) != std::string::npos) return true;
  }
  return false;
}

/// Name of a row: from the last part of the scope with a number on ("core0.task", "die1.state"); GTKWave alone shows
/// the last word, which is the same for all cores and dies. Empty: there is no such part.
std::string row_name(const WaveSignal& signal) {
  std::size_t end = signal.scope.size();
  while (true) {
    const auto dot = signal.scope.rfind('.', end - 1);
    const std::size_t begin = dot == std::string::npos ? 0 : dot + 1;
    if (std::isdigit(static_cast<unsigned char>(signal.scope[end - 1])) != 0) {
      std::string row = fmt::format("{} {}", signal.scope.substr(begin), signal.name);
      std::replace(row.begin(), row.end(), '.', ' ');
      return row;
    }
    if (dot == std::string::npos) return {};
    end = dot;
  }
}

void add_signal(std::string& text, const WaveSignal& signal, WaveColour colour) {
  const bool analog = signal.kind == SignalKind::kReal || (signal.kind == SignalKind::kVector && is_level(signal.name));
  // GTKWave drops a vector without a word unless its range is given.
  const bool vector = signal.kind == SignalKind::kVector || signal.kind == SignalKind::kEnum;
  const std::string range = vector && signal.bits > 1 ? fmt::format("[{}:0]", signal.bits - 1) : "";
  const char* flags = kBit;
  switch (signal.kind) {
    case SignalKind::kBit:
      break;
    case SignalKind::kEnum:
      flags = kEnum;
      break;
    case SignalKind::kText:
      flags = kText;
      break;
    case SignalKind::kReal:
      flags = kAnalogReal;
      break;
    case SignalKind::kVector:
      flags = analog ? kAnalogVector : kHex;
      break;
  }
  text += fmt::format("{}\n", flags);
  if (colour != WaveColour::kNormal) text += fmt::format("[color] {}\n", static_cast<unsigned>(colour));
  if (const std::string row = row_name(signal); !row.empty()) text += fmt::format("+{{{}}} ", row);
  text += fmt::format("{}.{}{}\n", signal.scope, signal.name, range);
  if (analog) text += fmt::format("{}\n-\n", kAnalogHeight);
}

// The line of zoom and markers. GTKWave shows 2^-zoom time units per frame of 200 pixels.
std::string zoom_line(const WaveZoom& zoom, const std::vector<Picoseconds>& marks) {
  const double per_frame = static_cast<double>(std::max(zoom.span, 1_ps).count()) / kWavesWidth * kFramePixels;
  std::string line = fmt::format("*{:.6f} {}", -std::log2(per_frame), std::max<std::int64_t>(zoom.marker.count(), -1));
  for (std::size_t i = 0; i < kNamedMarkers; ++i) line += fmt::format(" {}", i < marks.size() ? marks[i].count() : -1);
  return line + "\n";
}

bool starts(std::string_view line, std::string_view with) { return line.substr(0, with.size()) == with; }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
  }
  return lines;
}

/// "command" of "ssd.host.command", "state" of "+{die0 state} ssd.channel0.die0.state[3:0]".
std::string_view own_name(std::string_view line) {
  line = line.substr(line.rfind(' ') + 1);  // npos + 1: all of it
  line = line.substr(line.rfind('.') + 1);
  return line.substr(0, line.find('['));
}

}  // namespace

std::vector<WaveGroup> default_groups(const std::vector<WaveSignal>& signals) {
  std::array<std::vector<std::string>, kKinds.size()> scopes;
  for (const WaveSignal& signal : signals) {
    auto& own = scopes[kind_of(signal.scope)];
    if (std::find(own.begin(), own.end(), signal.scope) == own.end()) own.push_back(signal.scope);
  }
  std::vector<WaveGroup> groups;
  for (std::size_t k = 0; k < kKinds.size(); ++k) {
    for (std::size_t i = 0; i < scopes[k].size(); ++i) {
      const bool open = i < kKinds[k].open;
      groups.push_back({fmt::format("{}: {}", kKinds[k].title, scopes[k][i]), {scopes[k][i]}, kKinds[k].colour, open});
    }
  }
  return groups;
}

std::string gtkw_text(const std::vector<WaveSignal>& signals, const std::vector<WaveGroup>& groups,
                      const std::string& dump, const std::string& view, WaveZoom zoom) {
  // A group of an inner scope claims its signals before one of an outer scope does, whatever their order.
  std::vector<std::size_t> owner(signals.size(), groups.size());
  std::vector<std::size_t> depth(signals.size(), 0);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const std::string& scope : groups[g].scopes) {
      for (std::size_t s = 0; s < signals.size(); ++s) {
        if (!inside(signals[s].scope, scope) || scope.size() <= depth[s]) continue;
        owner[s] = g;
        depth[s] = scope.size();
      }
    }
  }

  // With both names GTKWave looks for the dump beside the view, wherever the folder has been moved to.
  std::string text = fmt::format("[dumpfile] \"{}\"\n[savefile] \"{}\"\n", dump, view);
  text += fmt::format("[timestart] {}\n", zoom.from.count());
  text += fmt::format("[size] {} {}\n", kWindowWidth, kWindowHeight);
  text += "[pos] -1 -1\n";
  text += zoom_line(zoom, {});
  text += "[sst_expanded] 0\n";
  text += fmt::format("[signals_width] {}\n", kNamesWidth);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const WaveGroup& group = groups[g];
    std::vector<std::size_t> members;
    for (const std::string& scope : group.scopes) {
      for (std::size_t s = 0; s < signals.size(); ++s) {
        const bool taken = std::find(members.begin(), members.end(), s) != members.end();
        if (owner[s] == g && inside(signals[s].scope, scope) && !taken) members.push_back(s);
      }
    }
    if (members.empty()) continue;
    text += fmt::format("{}\n-{}\n", group.open ? kOpenGroup : kClosedGroup, group.title);
    for (const std::size_t s : members) add_signal(text, signals[s], group.colour);
    text += fmt::format("{}\n-{}\n", group.open ? kOpenGroupEnd : kClosedGroupEnd, group.title);
  }
  return text;
}

std::string gtkw_focus(const std::string& text, WaveZoom zoom, const std::vector<Picoseconds>& marks,
                       const std::vector<std::string>& open) {
  const std::vector<std::string> lines = lines_of(text);
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    const bool begins = line == kOpenGroup || line == kClosedGroup;
    const bool ends = line == kOpenGroupEnd || line == kClosedGroupEnd;
    if (starts(line, "[timestart] ")) {
      out += fmt::format("[timestart] {}\n", zoom.from.count());
    } else if (starts(line, "[size] ") && !open.empty()) {
      out += fmt::format("[size] {} {}\n", kWindowWidth, kFocusHeight);
    } else if (starts(line, "*")) {
      out += zoom_line(zoom, marks);
    } else if (begins && !open.empty() && i + 1 < lines.size()) {  // the next line is "-Kind: scope"
      const std::string scope = lines[i + 1].substr(std::min(lines[i + 1].find(": ") + 2, lines[i + 1].size()));
      const bool shown = std::any_of(open.begin(), open.end(), [&](const auto& outer) { return inside(scope, outer); });
      if (shown) {
        out += fmt::format("{}\n", kOpenGroup);
        continue;
      }
      while (i + 1 < lines.size() && lines[i] != kOpenGroupEnd && lines[i] != kClosedGroupEnd) ++i;
      ++i;  // its title once more
    } else if (ends && !open.empty()) {
      out += fmt::format("{}\n", kOpenGroupEnd);
    } else {
      out += line + "\n";
    }
  }
  return out;
}

std::string gtkw_only(const std::string& text, const std::vector<std::string>& names) {
  const std::vector<std::string> lines = lines_of(text);
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool group =
        lines[i] == kOpenGroup || lines[i] == kClosedGroup || lines[i] == kOpenGroupEnd || lines[i] == kClosedGroupEnd;
    if (!starts(lines[i], "@") || group) {
      out += lines[i] + "\n";
      continue;
    }
    std::string signal = lines[i] + "\n";  // flags, colour and name, and the height of an analog one
    std::size_t name = i + 1;
    if (name < lines.size() && starts(lines[name], "[color]")) signal += lines[name++] + "\n";
    if (name == lines.size()) break;
    signal += lines[name] + "\n";
    i = name;
    if (i + 2 < lines.size() && lines[i + 1] == kAnalogHeight) {
      signal += lines[i + 1] + "\n" + lines[i + 2] + "\n";
      i += 2;
    }
    if (std::find(names.begin(), names.end(), own_name(lines[name])) != names.end()) out += signal;
  }
  return out;
}

std::string stretch_comments(const std::vector<WaveStretch>& stretches) {
  std::string text;
  for (const WaveStretch& s : stretches) text += fmt::format("{}{} {}\n", kStretch, s.from.count(), s.to.count());
  return text;
}

std::vector<WaveStretch> stretches_of(const std::string& text) {
  std::vector<WaveStretch> stretches;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!starts(line, kStretch)) continue;
    std::istringstream values(line.substr(kStretch.size()));
    std::int64_t from = 0, to = 0;
    if (values >> from >> to) stretches.push_back({Picoseconds(from), Picoseconds(to)});
  }
  return stretches;
}

std::string write_gtkw(const FstRecorder& recorder, const std::vector<WaveGroup>& groups, WaveZoom zoom) {
  const std::filesystem::path dump(recorder.path());
  std::filesystem::path view(dump);
  view.replace_extension(".gtkw");
  if (zoom.from == 0_ps) zoom.from = recorder.first_time();
  if (zoom.span == 0_ps) {
    const Picoseconds rest = recorder.last_time() - zoom.from;
    zoom.span = recorder.closed() && rest > 0_ps ? std::min(kFirstLook, rest) : kFirstLook;
  }

  errno = 0;
  std::ofstream file(view);
  file << gtkw_text(recorder.signals(), groups, dump.filename().string(), view.filename().string(), zoom);
  file.close();
  if (!file) {
    throw std::runtime_error(fmt::format("cannot write the view \"{}\": {}", view.string(), std::strerror(errno)));
  }
  return view.string();
}

}  // namespace wordline::observe
