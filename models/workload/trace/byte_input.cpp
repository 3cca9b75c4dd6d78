// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/trace/byte_input.h"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "models/workload/source.h"

namespace wordline::workload {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

}  // namespace

ByteInput::ByteInput(std::string path) : path_(std::move(path)) {
  // A pipe gives its bytes once, and one that nobody writes to makes its reader wait for ever.
  std::error_code none;
  if (std::filesystem::is_fifo(path_, none)) fail("a pipe, and workloads are read more than once: write it to a file");
  // zlib passes on what is not compressed.
  file_ = gzopen(path_.c_str(), "rb");
  if (file_ == nullptr) fail(fmt::format("cannot open the workload file: {}", std::strerror(errno)));
  gzbuffer(file_, kBufferBytes / 4);
}

ByteInput::~ByteInput() { gzclose_r(file_); }

void ByteInput::fail(const std::string& what) const {
  throw WorkloadError({fmt::format("{}: error: {}", path_, what)});
}

std::size_t ByteInput::read(char* to, std::size_t size) {
  std::size_t got = 0;
  while (got < size) {
    const int n = gzread(file_, to + got, static_cast<unsigned>(std::min(size - got, kBufferBytes)));
    if (n <= 0) break;
    got += static_cast<std::size_t>(n);
  }
  if (got == size) return got;
  int error = Z_OK;
  const char* text = gzerror(file_, &error);
  if (error == Z_ERRNO) fail(fmt::format("cannot be read: {}", std::strerror(errno)));
  if (error == Z_BUF_ERROR) fail("the compressed file is cut off");
  if (error != Z_OK && error != Z_STREAM_END) fail(fmt::format("the compressed file is damaged: {}", text));
  return got;
}

std::string read_whole(const std::string& path, std::size_t size) {
  ByteInput input(path);
  std::string content;
  // Job files are small, and a string touches all of what it is made to hold.
  std::size_t piece = 4096;
  while (content.size() < size) {
    const std::size_t before = content.size(), wanted = std::min(size - before, piece);
    content.resize(before + wanted);
    const std::size_t got = input.read(content.data() + before, wanted);
    content.resize(before + got);
    if (got < wanted) break;
    piece = std::min(4 * piece, kBufferBytes);
  }
  return content;
}

LineReader::LineReader(const std::string& path) : input_(path), buffer_(kBufferBytes) {}

bool LineReader::fill() {
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), buffer_.begin() + static_cast<std::ptrdiff_t>(end_),
            buffer_.begin());
  end_ -= begin_;
  begin_ = 0;
  if (end_ == buffer_.size()) {
    throw WorkloadError({fmt::format("{}:{}: error: expected lines of text, found one of more than {} bytes",
                                     input_.path(), number_ + 1, buffer_.size())});
  }
  const std::size_t got = input_.read(buffer_.data() + end_, buffer_.size() - end_);
  end_ += got;
  return got != 0;
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = 0;
  while (true) {
    const char* from = buffer_.data() + begin_;
    const auto* end = static_cast<const char*>(std::memchr(from + searched, '\n', end_ - begin_ - searched));
    if (end != nullptr) {
      line = std::string_view(from, static_cast<std::size_t>(end - from));
      begin_ += line.size() + 1;
      ++number_;
      return true;
    }
    searched = end_ - begin_;
    if (!at_end_ && fill()) continue;
    at_end_ = true;
    if (begin_ == end_) return false;
    line = std::string_view(buffer_.data() + begin_, end_ - begin_);
    begin_ = end_;
    ++number_;
    return true;
  }
}

}  // namespace wordline::workload
