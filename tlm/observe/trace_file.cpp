// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/observe/trace_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace wordline::observe {
namespace {

/// Room for the last event and the end of the file.
constexpr std::uint64_t kEnd = 1024;

/// The file is written in blocks of this size.
constexpr std::size_t kBlock = std::size_t{1} << 16;

std::string microseconds(Picoseconds time) {
  std::string text;
  append_microseconds(text, time);
  return text;
}

void append_where(std::string& line, TraceTrack track) {
  line += "\"pid\":";
  append_number(line, track.process);
  // Thread 0 is the idle task of an operating system to those who read such files.
  line += ",\"tid\":";
  append_number(line, track.thread + 1);
}

std::string where(TraceTrack track) {
  std::string text;
  append_where(text, track);
  return text;
}

}  // namespace

void append_number(std::string& line, std::int64_t number) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  line.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

void append_microseconds(std::string& line, Picoseconds time) {
  constexpr std::int64_t kMicrosecond = 1'000'000;
  append_number(line, time.count() / kMicrosecond);
  std::array<char, 7> part{'.'};
  std::int64_t rest = time.count() % kMicrosecond;
  for (std::size_t i = part.size(); i-- > 1; rest /= 10) part[i] = static_cast<char>('0' + rest % 10);
  line.append(part.data(), part.size());
}

void append_json(std::string& line, std::string_view text) {
  line += '"';
  const auto is_plain = [](char c) { return c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20; };
  if (std::all_of(text.begin(), text.end(), is_plain)) {
    line += text;
  } else {
    for (const char c : text) {
      if (c == '"' || c == '\\') line += '\\';
      if (static_cast<unsigned char>(c) < 0x20) {
        line += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
      } else {
        line += c;
      }
    }
  }
  line += '"';
}

std::string json_text(std::string_view text) {
  std::string out;
  append_json(out, text);
  return out;
}

TraceFile::TraceFile(std::string path, std::uint64_t limit)
    : path_(std::move(path)), limit_(limit), file_(path_, std::ios::binary) {
  if (!file_) {
    throw std::runtime_error(fmt::format("cannot write the timeline \"{}\": {}; give an existing, writable folder",
                                         path_, std::strerror(errno)));
  }
  block_ = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  written_ = block_.size();
}

TraceFile::~TraceFile() {
  if (!closed_) finish();
}

void TraceFile::event(std::string_view text) {
  if (cut_ || closed_) return;
  if (written_ + text.size() + kEnd > limit_) {
    cut_ = true;
    return;
  }
  block_ += text;
  block_ += ",\n";
  written_ += text.size() + 2;
  if (block_.size() >= kBlock) write_block();
}

void TraceFile::write_block() {
  file_.write(block_.data(), static_cast<std::streamsize>(block_.size()));
  block_.clear();
}

void TraceFile::name_process(std::uint32_t process, std::string_view name) {
  event(fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"tid":0,"args":{{"name":{}}}}})", process,
                    json_text(name)));
  event(fmt::format(R"({{"ph":"M","name":"process_sort_index","pid":{0},"tid":0,"args":{{"sort_index":{0}}}}})",
                    process));
}

void TraceFile::name_thread(TraceTrack track, std::string_view name) {
  event(fmt::format(R"({{"ph":"M","name":"thread_name",{},"args":{{"name":{}}}}})", where(track), json_text(name)));
  event(fmt::format(R"({{"ph":"M","name":"thread_sort_index",{},"args":{{"sort_index":{}}}}})", where(track),
                    track.thread));
}

void TraceFile::slice(TraceTrack track, std::string_view name, Picoseconds from, Picoseconds to,
                      std::string_view arguments) {
  line_ = "{\"ph\":\"X\",\"name\":";
  append_json(line_, name);
  line_ += ',';
  append_where(line_, track);
  line_ += ",\"ts\":";
  append_microseconds(line_, from);
  line_ += ",\"dur\":";
  append_microseconds(line_, to - from);
  if (!arguments.empty()) {
    line_ += ",\"args\":{";
    line_ += arguments;
    line_ += '}';
  }
  line_ += '}';
  event(line_);
  if (!cut_) until_ = std::max(until_, to);
}

// "bp": "e" binds a point to the slice around it, not to the next one.
void TraceFile::flow(TraceTrack track, Flow flow, std::uint64_t id, Picoseconds at) {
  line_ = "{\"ph\":\"";
  line_ += static_cast<char>(flow);
  line_ += "\",\"name\":\"command\",\"cat\":\"flow\",\"bp\":\"e\",\"id\":";
  append_number(line_, static_cast<std::int64_t>(id));
  line_ += ',';
  append_where(line_, track);
  line_ += ",\"ts\":";
  append_microseconds(line_, at);
  line_ += '}';
  event(line_);
}

void TraceFile::finish() {
  closed_ = true;
  write_block();
  const std::string last =
      cut_ ? fmt::format("observe.timeline_limit = {} bytes: what ended later than this is left out", limit_)
           : std::string("end of the run");
  file_ << fmt::format(R"({{"ph":"i","s":"g","name":{},"pid":1,"tid":1,"ts":{}}})", json_text(last),
                       microseconds(until_))
        << "\n]}\n";
  file_.close();
}

void TraceFile::close() {
  if (closed_) return;
  finish();
  if (!file_) {
    throw std::runtime_error(
        fmt::format("the timeline \"{}\" is cut: no space left on the device, or a size limit?", path_));
  }
}

}  // namespace wordline::observe
