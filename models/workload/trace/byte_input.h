// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

struct gzFile_s;

namespace wordline::workload {

/// A file from its beginning to its end; one that gzip compressed reads as what it held. Throws WorkloadError when the
/// file cannot be opened or read, or its compressed content is damaged or cut off.
class ByteInput {
 public:
  explicit ByteInput(std::string path);
  ~ByteInput();
  ByteInput(const ByteInput&) = delete;
  ByteInput& operator=(const ByteInput&) = delete;

  /// At most `size` bytes, fewer only at the end of the file. 0: the end.
  std::size_t read(char* to, std::size_t size);
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  [[noreturn]] void fail(const std::string& what) const;

  std::string path_;
  gzFile_s* file_ = nullptr;
};

/// The first `size` bytes of a file, all of them by default.
[[nodiscard]] std::string read_whole(const std::string& path, std::size_t size = std::string::npos);

/// Lines of a text file, in memory that does not grow with the file.
class LineReader {
 public:
  explicit LineReader(const std::string& path);

  /// The next line without its end, valid until the next call. False: there is none. Throws WorkloadError, also for a
  /// line of more than a mebibyte.
  bool next(std::string_view& line);
  /// Number of the line that next() gave, from 1.
  [[nodiscard]] std::size_t number() const { return number_; }

 private:
  bool fill();

  ByteInput input_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // bounds of what is not read yet
  std::size_t number_ = 0;
  bool at_end_ = false;
};

}  // namespace wordline::workload
