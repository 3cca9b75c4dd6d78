// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

#include "models/served/client_request.h"
#include "models/units/quantity.h"

namespace wordline::served {

/// Of which drive a capture is.
struct CapturedDrive {
  std::uint64_t bytes = 0;
  std::string config_sha256;
  bool by_commands = false;  // the requests are those of an NVMe driver of a client, which no host of ours repeats
};

/// What happened between clients and drive, in order.
struct CapturedEvent {
  enum class Kind : std::uint8_t { kRequest, kRun, kAnswer, kEnd };
  Kind kind = Kind::kRequest;
  Picoseconds at{};
  std::uint64_t number = 0;                // of the request, from 1 on
  ClientRequest request;                   // kRequest: without its data
  ClientError error = ClientError::kNone;  // kAnswer
  std::uint64_t found = 0;                 // kAnswer: names what a read has found
};

/// A file of all requests of clients and when the drive got them, without their data: time and stamps do not depend on
/// bytes. With it the same simulation can be run without the clients. Text, a line each:
///
///     wordline capture 1
///     drive BYTES SHA256 [commands]                   of the effective configuration
///     q PS NUMBER CLIENT OPERATION OFFSET LENGTH [fua] [nohole]
///     r                                               those before are submitted together
///     a PS NUMBER ERROR FOUND                         an answer
///     e PS                                            the host has stopped
class CaptureWriter {
 public:
  /// Throws std::runtime_error when the file cannot be written.
  CaptureWriter(std::string path, const CapturedDrive& drive);

  void request(std::uint64_t number, const ClientRequest& request, Picoseconds at);
  void run();
  void answer(std::uint64_t number, ClientError error, std::uint64_t found, Picoseconds at);
  /// The last line. Throws std::runtime_error when not all could be written.
  void end(Picoseconds at);

 private:
  void line(const std::string& text);

  const std::string path_;
  std::ofstream out_;
};

/// Reads such a file. What a server that was killed has left, its last line not whole perhaps, is read up to there.
class CaptureReader {
 public:
  /// Throws std::runtime_error, as next() does: "file:line: error: what, and what to do".
  explicit CaptureReader(std::string path);

  [[nodiscard]] const CapturedDrive& drive() const { return drive_; }
  /// False: that was the last one.
  [[nodiscard]] bool next(CapturedEvent& event);

 private:
  [[nodiscard]] bool read_line();
  [[noreturn]] void fail(std::string_view what) const;
  [[nodiscard]] std::uint64_t number(std::string_view& rest, const char* what) const;
  void parse_request(std::string_view rest, CapturedEvent& event) const;

  const std::string path_;
  std::ifstream in_;
  std::string line_;
  std::uint64_t lines_ = 0;
  CapturedDrive drive_;
};

}  // namespace wordline::served
