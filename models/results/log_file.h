// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

struct gzFile_s;

namespace wordline::results {

/// A file that is written while the run goes on, in memory that does not grow with it; with a name that ends in .gz,
/// packed by gzip. The file is written beside its place and renamed by close(), so that no half of a log is taken for
/// a whole one; a device or a pipe is written as it is.
///
/// Errors: the constructor and restart() throw std::runtime_error that names the file and the reason. A write that
/// fails later, as on a full disk, is kept until close() throws it: the results of the run are worth more.
class LogFile {
 public:
  /// kOpen: keeps the file open. kReopen: opens it for each piece, for programs with more logs than a process may have
  /// files; not packed.
  enum class Handle : std::uint8_t { kOpen, kReopen };

  explicit LogFile(std::string path, Handle handle = Handle::kOpen);
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  void write(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= kPiece) flush();
  }
  /// Forgets what was written. False: a device or a pipe has it already.
  bool restart();
  /// The file is in its place. Without it, it is removed.
  void close();

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Whether the name asks for gzip.
  [[nodiscard]] static bool packed(std::string_view path) {
    return path.size() > 3 && path.substr(path.size() - 3) == ".gz";
  }

 private:
  static constexpr std::size_t kPiece = 16'384;

  void open();
  void flush();
  bool release();

  std::string path_, partial_;  // partial: what is written; the path itself of a device
  Handle handle_;
  std::string buffer_;
  std::string problem_;  // the first error
  std::FILE* file_ = nullptr;
  gzFile_s* packed_ = nullptr;
  bool closed_ = false;
};

}  // namespace wordline::results
