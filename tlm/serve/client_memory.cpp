// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/serve/client_memory.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace wordline::serve {
namespace {

using served::vfio::kMapRead;
using served::vfio::kMapWrite;

constexpr std::uint64_t kPage = 4096;

bool on_huge_pages(int file) {
  struct statfs where {};
  return fstatfs(file, &where) == 0 && static_cast<unsigned long>(where.f_type) == HUGETLBFS_MAGIC;
}

}  // namespace

DmaWindow::DmaWindow(const served::vfio::DmaMap& map, served::Descriptor file, int& error)
    : map_(map), file_(std::move(file)), has_file_(file_.is_open()) {
  error = 0;
  if (!has_file_) return;
  struct stat about {};
  const int mode = fcntl(file_.get(), F_GETFL);
  const bool regular = fstat(file_.get(), &about) == 0 && S_ISREG(about.st_mode) && mode >= 0;
  if (!regular || map.offset % kPage != 0 || map.size % kPage != 0 || map.address % kPage != 0) {
    error = EINVAL;
  } else if (!whole()) {
    error = ERANGE;
  } else if (((map.flags & kMapWrite) != 0 && (mode & O_ACCMODE) != O_RDWR) || (mode & O_ACCMODE) == O_WRONLY) {
    error = EACCES;
  }
  if (error != 0) return;
  const int seals = fcntl(file_.get(), F_GET_SEALS);
  const bool stays = seals >= 0 && (seals & F_SEAL_SHRINK) != 0;
  if (!stays && !on_huge_pages(file_.get())) return;
  const int allowed = PROT_READ | ((map.flags & kMapWrite) != 0 ? PROT_WRITE : 0);
  void* const at = mmap(nullptr, map.size, allowed, MAP_SHARED, file_.get(), static_cast<off_t>(map.offset));
  if (at == MAP_FAILED) {
    error = errno;
    return;
  }
  mapped_ = static_cast<std::byte*>(at);
  if (stays) file_.close();
}

DmaWindow::~DmaWindow() {
  if (mapped_ != nullptr) munmap(mapped_, map_.size);
}

/// The file has all of the window, now.
bool DmaWindow::whole() const {
  struct stat about {};
  if (fstat(file_.get(), &about) != 0 || about.st_size < 0) return false;
  const auto size = static_cast<std::uint64_t>(about.st_size);
  return map_.size <= size && map_.offset <= size - map_.size;
}

bool DmaWindow::read(std::uint64_t address, std::byte* to, std::size_t bytes, ClientMessagesIf& client) const {
  if ((map_.flags & kMapRead) == 0) return false;
  if (!has_file_) return client.read_memory(address, to, bytes);
  const std::uint64_t at = address - map_.address;
  if (mapped_ != nullptr) {
    if (file_.is_open() && !whole()) return false;
    std::memcpy(to, mapped_ + at, bytes);
    return true;
  }
  const ssize_t got = pread(file_.get(), to, bytes, static_cast<off_t>(map_.offset + at));
  return got >= 0 && static_cast<std::size_t>(got) == bytes;
}

bool DmaWindow::write(std::uint64_t address, const std::byte* from, std::size_t bytes, ClientMessagesIf& client) const {
  if ((map_.flags & kMapWrite) == 0) return false;
  if (!has_file_) return client.write_memory(address, from, bytes);
  const std::uint64_t at = address - map_.address;
  if (mapped_ != nullptr) {
    if (file_.is_open() && !whole()) return false;
    std::memcpy(mapped_ + at, from, bytes);
    return true;
  }
  // A file that has shrunk is not made longer again.
  if (!whole()) return false;
  const ssize_t put = pwrite(file_.get(), from, bytes, static_cast<off_t>(map_.offset + at));
  return put >= 0 && static_cast<std::size_t>(put) == bytes;
}

int ClientMemory::map(const served::vfio::DmaMap& map, served::Descriptor file) {
  if (windows_.size() >= kMostWindows) return ENOSPC;
  const std::uint64_t last = map.address + (map.size - 1);
  const auto behind = windows_.upper_bound(last);
  if (behind != windows_.begin() && std::prev(behind)->second->last() >= map.address) return EEXIST;
  int error = 0;
  auto window = std::make_unique<DmaWindow>(map, std::move(file), error);
  if (error == 0) windows_.emplace(map.address, std::move(window));
  return error;
}

int ClientMemory::unmap(const served::vfio::DmaUnmap& range) {
  if (range.size == 0) {  // all
    windows_.clear();
    return 0;
  }
  const std::uint64_t last = range.address + (range.size - 1);
  const auto begin = windows_.lower_bound(range.address), end = windows_.upper_bound(last);
  // A window is taken away whole, or not at all.
  if (begin != windows_.begin() && std::prev(begin)->second->last() >= range.address) return EINVAL;
  if (begin == end) return ENOENT;
  if (std::prev(end)->second->last() > last) return EINVAL;
  windows_.erase(begin, end);
  return 0;
}

/// Calls part(window, address, offset, bytes) for what lies in each window, while it says true.
template <class Part>
bool ClientMemory::in_windows(std::uint64_t address, std::size_t bytes, Part&& part) {
  std::size_t done = 0;
  while (done != bytes) {
    const std::uint64_t at = address + done;
    auto found = windows_.upper_bound(at);
    const bool any = at >= address && found != windows_.begin() && (--found)->second->last() >= at;
    if (any) {
      const std::size_t here =
          static_cast<std::size_t>(std::min<std::uint64_t>(bytes - done - 1, found->second->last() - at)) + 1;
      if (part(*found->second, at, done, here)) {
        done += here;
        continue;
      }
    }
    ++refused_;
    return false;
  }
  return true;
}

bool ClientMemory::read(std::uint64_t address, void* to, std::size_t bytes) {
  auto* const into = static_cast<std::byte*>(to);
  std::memset(into, 0, bytes);
  return in_windows(address, bytes,
                    [&](const DmaWindow& window, std::uint64_t at, std::size_t offset, std::size_t count) {
                      return window.read(at, into + offset, count, client_);
                    });
}

bool ClientMemory::write(std::uint64_t address, const void* from, std::size_t bytes) {
  const auto* const out = static_cast<const std::byte*>(from);
  return in_windows(address, bytes,
                    [&](const DmaWindow& window, std::uint64_t at, std::size_t offset, std::size_t count) {
                      return window.write(at, out + offset, count, client_);
                    });
}

bool ClientMemory::read_stamps(std::uint64_t /*address*/, data::LbaStamp* to, std::uint32_t nlb) {
  std::fill_n(to, nlb, data::LbaStamp{});
  ++refused_;
  return false;
}

void ClientMemory::bytes_of(const data::LbaStamp* stamps, std::uint32_t nlb, std::byte* to) {
  for (std::uint32_t i = 0; i != nlb; ++i) {
    const auto got = store_.get(stamps[i], reinterpret_cast<char*>(to) + i * kLbaBytes);
    if (got == data::ContentStore::Found::kForgotten) ++forgotten_;
  }
}

bool ClientMemory::write_stamps(std::uint64_t address, const data::LbaStamp* from, std::uint32_t nlb) {
  std::array<std::byte, kPage> bytes;
  bytes_of(from, nlb, bytes.data());
  return write(address, bytes.data(), std::size_t{nlb} * kLbaBytes);
}

ClientMemory::Command& ClientMemory::command(std::uint32_t tag) {
  Command& found = commands_[tag];
  if (found.ended) found = {};
  return found;
}

/// Returns the version under which the store has them. Null: zeros, or nothing.
std::uint32_t ClientMemory::begin_write(std::uint32_t tag, const Piece& piece, const char* bytes) {
  Command& command = this->command(tag);
  if (command.version == 0) command.version = version_++;
  if (piece.cleared) {
    store_.begin_trim(command.version, piece.lba, piece.nlb);
  } else {
    store_.begin_write(command.version, piece.lba, piece.nlb, bytes);
  }
  command.pieces.push_back(piece);
  return command.version;
}

bool ClientMemory::take_data(std::uint32_t tag, std::uint64_t lba, std::uint64_t address, data::LbaStamp* to,
                             std::uint32_t nlb) {
  std::array<std::byte, kPage> bytes;
  if (!read(address, bytes.data(), std::size_t{nlb} * kLbaBytes)) return false;
  const std::uint32_t version = begin_write(tag, {lba, nlb, false}, reinterpret_cast<const char*>(bytes.data()));
  for (std::uint32_t i = 0; i != nlb; ++i) to[i] = data::LbaStamp(Lba(lba + i), version);
  return true;
}

bool ClientMemory::give_data(std::uint32_t tag, std::uint64_t lba, std::uint64_t address, const data::LbaStamp* from,
                             std::uint32_t nlb) {
  // Whoever reads again reads the same, after a restart of the server, too.
  if (const auto found = commands_.find(tag); found != commands_.end() && found->second.read != 0)
    for (std::uint32_t i = 0; i != nlb; ++i) store_.settle(found->second.read, lba + i, from[i]);
  return write_stamps(address, from, nlb);
}

bool ClientMemory::compare_data(std::uint64_t address, const data::LbaStamp* stamps, std::uint32_t nlb, bool& equal) {
  std::array<std::byte, kPage> here, held;
  const std::size_t bytes = std::size_t{nlb} * kLbaBytes;
  if (!read(address, here.data(), bytes)) return false;
  bytes_of(stamps, nlb, held.data());
  equal = std::memcmp(here.data(), held.data(), bytes) == 0;
  return true;
}

void ClientMemory::read_begins(std::uint32_t tag) {
  Command& command = this->command(tag);
  if (command.read != 0) store_.end_read(command.read);
  command.read = store_.begin_read();
}

void ClientMemory::clears(std::uint32_t tag, std::uint64_t lba, std::uint64_t nlb) {
  (void)begin_write(tag, {lba, nlb, true}, nullptr);
}

void ClientMemory::copies(std::uint32_t tag, std::uint64_t lba, data::LbaStamp* stamps, std::uint32_t nlb) {
  for (std::uint32_t i = 0; i != nlb; ++i) {
    if (stamps[i].is_zero() || stamps[i] == data::kMarked) {
      clears(tag, lba + i, 1);
      continue;
    }
    std::array<std::byte, kLbaBytes> bytes;
    bytes_of(&stamps[i], 1, bytes.data());
    stamps[i] = data::LbaStamp(Lba(lba + i),
                               begin_write(tag, {lba + i, 1, false}, reinterpret_cast<const char*>(bytes.data())));
  }
}

bool ClientMemory::command_ended(std::uint32_t tag, bool good, bool durable) {
  const auto found = commands_.find(tag);
  bool changed = false;
  if (found != commands_.end() && !found->second.ended) {
    Command& command = found->second;
    command.ended = true;
    for (const Piece& piece : command.pieces) store_.end(command.version, piece.lba, piece.nlb, good);
    if (command.read != 0) store_.end_read(command.read);
    changed = !command.pieces.empty();
    if (good && keeper_ != nullptr) keep(command);
  } else if (found != commands_.end()) {
    found->second.pieces.clear();  // those of another command
  }
  if (!good || keeper_ == nullptr) return true;
  return !(durable || (always_safe_ && changed)) || keeper_->commit(durable);
}

/// Pieces that lie one behind the other go together.
void ClientMemory::keep(const Command& command) {
  constexpr std::uint32_t kMost = 1U << 20U;
  served::ClientRequest request;
  request.op = served::ClientOp::kWrite;
  const auto append = [&] {
    if (request.length != 0) keeper_->append(request);
    request.length = 0;
    request.data.clear();
  };
  for (const Piece& piece : command.pieces) {
    const std::uint64_t offset = piece.lba * served::kBlockBytes;
    if (piece.cleared || offset != request.offset + request.length || request.length >= kMost) append();
    if (piece.cleared) {
      append_zeros(piece.lba, piece.nlb);
      continue;
    }
    if (request.length == 0) request.offset = offset;
    const auto bytes = static_cast<std::uint32_t>(piece.nlb * served::kBlockBytes);
    request.data.resize(request.length + bytes);
    for (std::uint64_t i = 0; i != piece.nlb; ++i)
      (void)store_.get(data::LbaStamp(Lba(piece.lba + i), command.version),
                       request.data.data() + request.length + i * served::kBlockBytes);
    request.length += bytes;
  }
  append();
}

void ClientMemory::append_zeros(std::uint64_t lba, std::uint64_t nlb) {
  constexpr std::uint64_t kMost = (1ULL << 30U) / served::kBlockBytes;
  served::ClientRequest request;
  request.op = served::ClientOp::kWriteZeroes;
  for (const std::uint64_t end = lba + nlb; lba != end; lba += request.length / served::kBlockBytes) {
    request.offset = lba * served::kBlockBytes;
    request.length = static_cast<std::uint32_t>(std::min(end - lba, kMost) * served::kBlockBytes);
    keeper_->append(request);
  }
}

void ClientMemory::erased(std::uint64_t lba, std::uint64_t nlb) {
  store_.begin_trim(version_, lba, nlb);
  store_.end(version_++, lba, nlb, true);
  if (keeper_ == nullptr) return;
  append_zeros(lba, nlb);
  (void)keeper_->commit(true);
}

}  // namespace wordline::serve
