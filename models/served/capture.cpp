// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/served/capture.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace wordline::served {
namespace {

constexpr const char* kFirstLine = "wordline capture 1";
constexpr std::array<std::string_view, 5> kOperations = {"read", "write", "flush", "trim", "zeroes"};

std::string_view word_of(std::string_view& rest) {
  const std::size_t end = rest.find(' ');
  const std::string_view word = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return word;
}

}  // namespace

CaptureWriter::CaptureWriter(std::string path, const CapturedDrive& drive) : path_(std::move(path)), out_(path_) {
  line(kFirstLine);
  line(fmt::format("drive {} {}{}", drive.bytes, drive.config_sha256, drive.by_commands ? " commands" : ""));
  out_.flush();
  if (!out_)
    throw std::runtime_error(
        fmt::format("--capture {}: error: it cannot be written: give a file in a folder where you may write", path_));
}

void CaptureWriter::line(const std::string& text) { out_ << text << '\n'; }

void CaptureWriter::request(std::uint64_t number, const ClientRequest& request, Picoseconds at) {
  line(fmt::format("q {} {} {} {} {} {}{}{}", at.count(), number, request.client,
                   kOperations[static_cast<std::size_t>(request.op)], request.offset, request.length,
                   request.fua ? " fua" : "", request.no_hole ? " nohole" : ""));
}

void CaptureWriter::run() { line("r"); }

void CaptureWriter::answer(std::uint64_t number, ClientError error, std::uint64_t found, Picoseconds at) {
  line(fmt::format("a {} {} {} {}", at.count(), number, static_cast<std::uint32_t>(error), found));
}

void CaptureWriter::end(Picoseconds at) {
  line(fmt::format("e {}", at.count()));
  out_.flush();
  if (!out_) throw std::runtime_error(fmt::format("--capture {}: error: it could not be written to its end", path_));
}

CaptureReader::CaptureReader(std::string path) : path_(std::move(path)), in_(path_) {
  if (!in_)
    throw std::runtime_error(
        fmt::format("--replay {}: error: it cannot be read: give a file that --capture has written", path_));
  if (!read_line() || line_ != kFirstLine) fail("this is no capture: give a file that --capture has written");
  std::string_view rest;
  if (read_line()) rest = line_;
  if (word_of(rest) != "drive") fail("expected the line: drive BYTES SHA256");
  drive_.bytes = number(rest, "the bytes of the drive");
  drive_.config_sha256 = word_of(rest);
  drive_.by_commands = word_of(rest) == "commands";
}

bool CaptureReader::read_line() {
  ++lines_;
  // Without its end the line is not whole.
  return static_cast<bool>(std::getline(in_, line_)) && !in_.eof();
}

void CaptureReader::fail(std::string_view what) const {
  throw std::runtime_error(fmt::format("{}:{}: error: {}", path_, lines_, what));
}

std::uint64_t CaptureReader::number(std::string_view& rest, const char* what) const {
  const std::string_view word = word_of(rest);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size())
    fail(fmt::format("expected {}, a whole number, not \"{}\"", what, word));
  return value;
}

bool CaptureReader::next(CapturedEvent& event) {
  if (!read_line()) return false;
  event = {};
  std::string_view rest = line_;
  const std::string_view kind = word_of(rest);
  if (kind == "r") {
    event.kind = CapturedEvent::Kind::kRun;
    return true;
  }
  if (kind != "q" && kind != "a" && kind != "e") fail("a line begins with q, r, a or e");
  const std::uint64_t at = number(rest, "a time in ps");
  if (at > static_cast<std::uint64_t>(INT64_MAX)) fail("the time is beyond all simulations");
  event.at = Picoseconds(static_cast<std::int64_t>(at));
  if (kind == "e") {
    event.kind = CapturedEvent::Kind::kEnd;
    return true;
  }
  event.number = number(rest, "the number of a request");
  if (kind == "q") {
    parse_request(rest, event);
    return true;
  }
  event.kind = CapturedEvent::Kind::kAnswer;
  event.error = static_cast<ClientError>(number(rest, "an error"));
  event.found = number(rest, "what a read has found");
  return true;
}

void CaptureReader::parse_request(std::string_view rest, CapturedEvent& event) const {
  ClientRequest& request = event.request;
  request.client = number(rest, "a client");
  const std::string_view operation = word_of(rest);
  std::size_t op = 0;
  while (op != kOperations.size() && kOperations[op] != operation) ++op;
  if (op == kOperations.size()) fail("an operation is read, write, flush, trim or zeroes");
  request.op = static_cast<ClientOp>(op);
  request.offset = number(rest, "an offset");
  const std::uint64_t length = number(rest, "a length");
  const bool inside = request.offset <= drive_.bytes && length <= drive_.bytes - request.offset && length <= UINT32_MAX;
  if (!inside || (request.offset | length) % kBlockBytes != 0) fail("expected bytes of the drive, at multiples of 512");
  if (length == 0 && request.op != ClientOp::kFlush) fail("a request of no bytes");
  request.length = static_cast<std::uint32_t>(length);
  while (!rest.empty()) {
    const std::string_view flag = word_of(rest);
    if (flag != "fua" && flag != "nohole") fail("a flag is fua or nohole");
    (flag == "fua" ? request.fua : request.no_hole) = true;
  }
}

}  // namespace wordline::served
