// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "models/served/client_request.h"

namespace wordline::served {

/// The file that keeps what clients have written between runs of a server. First comes the base, the bytes that the
/// drive held when it was last ended in order, with the number of its generation; behind it all that has been done
/// since is appended: a journal. What was committed is there after the server has been killed, and after the machine
/// has lost power. A record that was being written then is not whole, and is dropped.
///
/// A base belongs to a state of the drive (superblocks, map, wear), which is a file beside it: state_path(). A new
/// generation is written to other files first and takes the place of the old one by one rename.
///
/// Numbers are stored as x86 has them, the low byte first.
class ImageFile {
 public:
  /// Opens the file, or makes it, for this server alone, of a device of so many bytes. Throws std::runtime_error.
  ImageFile(std::string path, std::uint64_t device_bytes);
  ImageFile(const ImageFile&) = delete;
  ImageFile& operator=(const ImageFile&) = delete;

  /// 0: a new file, without a base.
  [[nodiscard]] std::uint64_t generation() const { return generation_; }
  [[nodiscard]] std::string state_path() const { return state_path(generation_); }
  [[nodiscard]] std::string state_path(std::uint64_t generation) const;

  /// Reads the base: calls for each run of bytes; null: zeros. Before the journal, once.
  void read_base(const std::function<void(std::uint64_t offset, std::uint32_t length, const char* bytes)>& use);
  /// The next request of the journal, in the order of their ends. False: there is none; requests may be appended now.
  [[nodiscard]] bool next(ClientRequest& request);
  /// Bytes at the end that were no whole record.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

  /// The request has succeeded; kept when committed, or some time before.
  void append(const ClientRequest& request);
  /// All that was appended is in the file. False: as commit().
  [[nodiscard]] bool hand_over() { return write_out(file_.number(), waiting_); }
  /// All that was appended is in the file and on the disk. False: the disk does not take it (error()).
  [[nodiscard]] bool commit();
  [[nodiscard]] const std::string& error() const { return error_; }
  /// Nothing was appended since the base, also not by servers before.
  [[nodiscard]] bool is_base_alone() const { return generation_ != 0 && appended_ == 0; }

  /// Takes base bytes; null: zeros.
  using Put = std::function<void(std::uint64_t offset, std::uint32_t length, const char* bytes)>;
  /// Begins the next generation, whose state is in state_path(generation() + 1) already, with what `fill` puts.
  void replace(const std::function<void(const Put& put)>& fill);

 private:
  enum class Kind : std::uint32_t { kBase = 1, kBaseEnd = 2, kWrite = 3, kTrim = 4, kZeroes = 5, kZeroesNoHole = 6 };
  struct Header;
  struct Record;
  /// A file of the system, closed with this object: also when the constructor of its owner throws.
  class Open {
   public:
    Open() = default;
    ~Open() { shut(); }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;
    void take(int file) {
      shut();
      file_ = file;
    }
    [[nodiscard]] int number() const { return file_; }

   private:
    void shut() const;
    int file_ = -1;
  };

  void begin(int file, std::uint64_t generation) const;
  void open_for_this_server();
  [[nodiscard]] bool read_record(Record& record, std::string& data);
  void put(std::string& to, Kind kind, std::uint64_t offset, std::uint32_t length, const char* bytes,
           std::uint32_t size) const;
  [[nodiscard]] bool write_out(int file, std::string& bytes);
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void fail_by_system() const;

  const std::string path_;
  const std::uint64_t device_bytes_;
  Open file_;
  std::uint64_t generation_ = 0;
  std::uint64_t at_ = 0, size_ = 0;  // while it is read
  std::uint64_t appended_ = 0;       // records behind the base
  std::uint64_t dropped_ = 0;
  std::string waiting_;  // appended, not yet written
  std::string error_;
};

}  // namespace wordline::served
