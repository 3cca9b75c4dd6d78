// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/observe/trace_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace wordline::observe {
namespace {

/// Room for the last event and the end of the file.
constexpr std::uint64_t kEnd = 1024;

std::string microseconds(Picoseconds time) {
  constexpr std::int64_t kMicrosecond = 1'000'000;
  return fmt::format("{}.{:06}", time.count() / kMicrosecond, time.count() % kMicrosecond);
}

// Thread 0 is the idle task of an operating system to those who read such files.
std::string where(TraceTrack track) { return fmt::format("\"pid\":{},\"tid\":{}", track.process, track.thread + 1); }

}  // namespace

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

TraceFile::TraceFile(std::string path, std::uint64_t limit)
    : path_(std::move(path)), limit_(limit), file_(path_, std::ios::binary) {
  if (!file_) {
    throw std::runtime_error(fmt::format("cannot write the timeline \"{}\": {}; give an existing, writable folder",
                                         path_, std::strerror(errno)));
  }
  const std::string begin = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  file_ << begin;
  written_ = begin.size();
}

TraceFile::~TraceFile() {
  if (!closed_) finish();
}

void TraceFile::event(const std::string& text) {
  if (cut_ || closed_) return;
  if (written_ + text.size() + kEnd > limit_) {
    cut_ = true;
    return;
  }
  file_ << text << ",\n";
  written_ += text.size() + 2;
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
  event(fmt::format(R"({{"ph":"X","name":{},{},"ts":{},"dur":{}{}}})", json_text(name), where(track),
                    microseconds(from), microseconds(to - from),
                    arguments.empty() ? std::string() : fmt::format(",\"args\":{{{}}}", arguments)));
  if (!cut_) until_ = std::max(until_, to);
}

// "bp": "e" binds a point to the slice around it, not to the next one.
void TraceFile::flow(TraceTrack track, Flow flow, std::uint64_t id, Picoseconds at) {
  event(fmt::format(R"({{"ph":"{}","name":"command","cat":"flow","bp":"e","id":{},{},"ts":{}}})",
                    static_cast<char>(flow), id, where(track), microseconds(at)));
}

void TraceFile::finish() {
  closed_ = true;
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
