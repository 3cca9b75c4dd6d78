// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/served/image_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <type_traits>
#include <utility>

namespace wordline::served {
namespace {

constexpr char kMagic[8] = {'W', 'L', 'I', 'M', 'A', 'G', 'E', '1'};
constexpr std::uint32_t kRecordMagic = 0x43455257;  // "WREC"
constexpr std::uint32_t kMostData = 32U << 20U;
/// Appended records are written when they are so many bytes, committed or not.
constexpr std::size_t kWaiting = std::size_t{1} << 20U;

std::uint32_t crc_of(std::uint32_t crc, const void* bytes, std::size_t count) {
  if (count == 0) return crc;  // zlib takes a null pointer for the wish to begin anew
  return static_cast<std::uint32_t>(crc32(crc, static_cast<const Bytef*>(bytes), static_cast<uInt>(count)));
}

bool read_whole(int file, std::uint64_t at, void* to, std::size_t count) {
  auto* bytes = static_cast<char*>(to);
  while (count != 0) {
    const ssize_t got = pread(file, bytes, count, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes += got;
    at += static_cast<std::uint64_t>(got);
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

/// A rename is safe when its folder is.
void sync_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int file = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  fsync(file);
  close(file);
}

}  // namespace

struct ImageFile::Header {
  char magic[8];
  std::uint64_t generation;
  std::uint64_t device_bytes;
  std::uint32_t crc;  // of what is before
  std::uint32_t none;
};

struct ImageFile::Record {
  std::uint32_t magic;
  Kind kind;
  std::uint64_t offset;
  std::uint32_t length;
  std::uint32_t size;  // bytes of data behind this
  std::uint32_t crc;   // of what is before, and of the data
  std::uint32_t none;
};

void ImageFile::fail(const std::string& what) const {
  throw std::runtime_error(fmt::format("--image {}: error: {}", path_, what));
}

void ImageFile::fail_by_system() const {
  fail(fmt::format("{}: give a file in a folder where you may write, on a disk with room",
                   std::error_code(errno, std::generic_category()).message()));
}

ImageFile::ImageFile(std::string path, std::uint64_t device_bytes)
    : path_(std::move(path)), device_bytes_(device_bytes) {
  static_assert(sizeof(Header) == 32 && sizeof(Record) == 32 && std::is_trivially_copyable_v<Record>);
  open_for_this_server();
  struct stat there {};
  if (fstat(file_.number(), &there) != 0) fail_by_system();
  if (!S_ISREG(there.st_mode)) fail("expected a file, or a new name");
  size_ = static_cast<std::uint64_t>(there.st_size);
  if (size_ == 0) {
    begin(file_.number(), 0);
    size_ = at_ = sizeof(Header);
    if (fsync(file_.number()) != 0) fail_by_system();
    sync_folder_of(path_);
    return;
  }
  Header header{};
  if (!read_whole(file_.number(), 0, &header, sizeof header) || std::memcmp(header.magic, kMagic, sizeof kMagic) != 0 ||
      header.crc != crc_of(0, &header, offsetof(Header, crc))) {
    fail("this is no image of a served drive: give a new name, or one that --image has made");
  }
  if (header.device_bytes != device_bytes_) {
    fail(fmt::format("it is of a drive of {} bytes, this one has {}: serve it with the configuration it was made with",
                     header.device_bytes, device_bytes_));
  }
  generation_ = header.generation;
  at_ = sizeof header;
}

void ImageFile::Open::shut() const {
  if (file_ >= 0) close(file_);
}

void ImageFile::open_for_this_server() {
  file_.take(open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (file_.number() < 0) fail_by_system();
  if (flock(file_.number(), LOCK_EX | LOCK_NB) != 0) fail("another server has it: end that one, or give another name");
}

std::string ImageFile::state_path(std::uint64_t generation) const {
  return generation == 0 ? "" : fmt::format("{}.state-{}", path_, generation);
}

void ImageFile::begin(int file, std::uint64_t generation) const {
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.generation = generation;
  header.device_bytes = device_bytes_;
  header.crc = crc_of(0, &header, offsetof(Header, crc));
  if (write(file, &header, sizeof header) != static_cast<ssize_t>(sizeof header)) fail_by_system();
}

bool ImageFile::read_record(Record& record, std::string& data) {
  if (size_ - at_ < sizeof record || !read_whole(file_.number(), at_, &record, sizeof record)) return false;
  if (record.magic != kRecordMagic || record.size > kMostData || record.size > size_ - at_ - sizeof record)
    return false;
  data.resize(record.size);
  if (!read_whole(file_.number(), at_ + sizeof record, data.data(), data.size())) return false;
  if (record.crc != crc_of(crc_of(0, &record, offsetof(Record, crc)), data.data(), data.size())) return false;
  const bool inside = record.offset <= device_bytes_ && record.length <= device_bytes_ - record.offset;
  if (!inside || (record.size != 0 && record.size != record.length)) return false;
  at_ += sizeof record + record.size;
  return true;
}

void ImageFile::read_base(
    const std::function<void(std::uint64_t offset, std::uint32_t length, const char* bytes)>& use) {
  if (generation_ == 0) return;
  Record record{};
  std::string data;
  for (;;) {
    if (!read_record(record, data) || (record.kind != Kind::kBase && record.kind != Kind::kBaseEnd))
      fail(fmt::format("it is damaged at byte {}, within what was complete once: restore it from a copy", at_));
    if (record.kind == Kind::kBaseEnd) return;
    use(record.offset, record.length, data.empty() ? nullptr : data.data());
  }
}

bool ImageFile::next(ClientRequest& request) {
  request = {};
  Record record{};
  if (!read_record(record, request.data)) {
    // The server was killed while it wrote this. What comes now is written over it.
    dropped_ = size_ - at_;
    if (dropped_ != 0 && ftruncate(file_.number(), static_cast<off_t>(at_)) != 0) fail_by_system();
    if (lseek(file_.number(), static_cast<off_t>(at_), SEEK_SET) < 0) fail_by_system();
    size_ = at_;
    return false;
  }
  ++appended_;
  request.offset = record.offset;
  request.length = record.length;
  switch (record.kind) {
    case Kind::kWrite:
      request.op = ClientOp::kWrite;
      return true;
    case Kind::kTrim:
      request.op = ClientOp::kTrim;
      return true;
    case Kind::kZeroes:
    case Kind::kZeroesNoHole:
      request.op = ClientOp::kWriteZeroes;
      request.no_hole = record.kind == Kind::kZeroesNoHole;
      return true;
    default:
      fail(fmt::format("the record before byte {} is of no kind that this program knows", at_));
  }
}

void ImageFile::put(std::string& to, Kind kind, std::uint64_t offset, std::uint32_t length, const char* bytes,
                    std::uint32_t size) const {
  Record record{kRecordMagic, kind, offset, length, size, 0, 0};
  record.crc = crc_of(crc_of(0, &record, offsetof(Record, crc)), bytes, size);
  to.append(reinterpret_cast<const char*>(&record), sizeof record);
  if (size != 0) to.append(bytes, size);
}

void ImageFile::append(const ClientRequest& request) {
  const auto size = static_cast<std::uint32_t>(request.data.size());
  switch (request.op) {
    case ClientOp::kWrite:
      put(waiting_, Kind::kWrite, request.offset, request.length, request.data.data(), size);
      break;
    case ClientOp::kTrim:
      put(waiting_, Kind::kTrim, request.offset, request.length, nullptr, 0);
      break;
    case ClientOp::kWriteZeroes:
      put(waiting_, request.no_hole ? Kind::kZeroesNoHole : Kind::kZeroes, request.offset, request.length, nullptr, 0);
      break;
    case ClientOp::kRead:
    case ClientOp::kFlush:
    case ClientOp::kBlockStatus:
      return;
  }
  ++appended_;
  // An error comes up again when somebody asks for the data to be safe.
  if (waiting_.size() >= kWaiting && error_.empty()) (void)write_out(file_.number(), waiting_);
}

bool ImageFile::write_out(int file, std::string& bytes) {
  std::size_t at = 0;
  while (at != bytes.size()) {
    const ssize_t wrote = write(file, bytes.data() + at, bytes.size() - at);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) {
      error_ = std::error_code(errno, std::generic_category()).message();
      // The rest of the record follows when the disk takes it.
      bytes.erase(0, at);
      return false;
    }
    at += static_cast<std::size_t>(wrote);
  }
  bytes.clear();
  return true;
}

bool ImageFile::commit() {
  if (!write_out(file_.number(), waiting_)) return false;
  if (fdatasync(file_.number()) != 0) {
    error_ = std::error_code(errno, std::generic_category()).message();
    return false;
  }
  error_.clear();
  return true;
}

void ImageFile::replace(const std::function<void(const Put& put)>& fill) {
  const std::string path = path_ + ".new";
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) fail_by_system();
  const std::uint64_t generation = generation_ + 1;
  std::string bytes;
  bool good = true;
  try {
    begin(file, generation);
    fill([&](std::uint64_t offset, std::uint32_t length, const char* data) {
      put(bytes, Kind::kBase, offset, length, data, data == nullptr ? 0 : length);
      if (bytes.size() >= kWaiting) good = good && write_out(file, bytes);
    });
    put(bytes, Kind::kBaseEnd, 0, 0, nullptr, 0);
    good = good && write_out(file, bytes) && fsync(file) == 0;
    if (!good && !error_.empty()) fail(error_);
    if (!good || flock(file, LOCK_EX | LOCK_NB) != 0 || rename(path.c_str(), path_.c_str()) != 0) fail_by_system();
  } catch (...) {
    close(file);
    unlink(path.c_str());
    throw;
  }
  sync_folder_of(path_);
  file_.take(file);
  const std::string old = state_path();
  if (!old.empty()) unlink(old.c_str());
  generation_ = generation;
  appended_ = 0;
  waiting_.clear();
}

}  // namespace wordline::served
