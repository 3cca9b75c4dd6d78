// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/precondition/state_image.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <ostream>
#include <stdexcept>

#include "models/precondition/file_identity.h"
#include "models/results/report.h"

namespace wordline::precondition {
namespace {

using config::Digest;

constexpr std::array<char, 8> kMagic = {'W', 'L', 'I', 'M', 'A', 'G', 'E', '\n'};
constexpr std::uint32_t kVersion = 2;
constexpr std::uint64_t kPage = WL_INITIAL_TABLE_ALIGN;

std::uint64_t aligned(std::uint64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

struct Header {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t map_page;
  std::uint64_t file_bytes;
  Geometry geometry;
  std::uint32_t waf_thousandths;
  std::array<std::uint32_t, 2> reserved;
  StateImage::Key key;
  Digest::Value body;    // digest of all bytes behind the header
  Digest::Value header;  // digest of all bytes of the header before
};
static_assert(sizeof(Header) == 168, "no gaps, which would be digested");

struct StoredSuperblock {
  std::uint32_t number, valid, erases;
  std::uint8_t state, bad;
  std::uint16_t reserved;
};
static_assert(sizeof(StoredSuperblock) == 16, "no gaps, which would be written");

/// Where the sections begin, each at a page of the file.
struct Sections {
  explicit Sections(const Geometry& geometry, std::uint32_t map_page) : sizes(boot_table_sizes(geometry, map_page)) {
    superblocks = aligned(sizeof(Header));
    boot_superblocks = superblocks + aligned(std::uint64_t{geometry.blocks} * sizeof(StoredSuperblock));
    owners = boot_superblocks + aligned(sizes.superblocks);
    map = owners + aligned(sizes.owners);
    presence = map + aligned(sizes.map);
    ppas = presence + aligned(sizes.presence);
    end = ppas + aligned(geometry.ppas() * sizeof(Content));
  }

  BootTableSizes sizes;
  std::uint64_t superblocks, boot_superblocks, owners, map, presence, ppas, end;
};

Digest::Value digest_of(const void* data, std::size_t bytes) {
  Digest digest;
  digest.add(data, bytes);
  return digest.value();
}

/// Writes sections one behind the other, and digests them.
class SectionWriter {
 public:
  explicit SectionWriter(std::ostream& out) : out_(out) {}
  template <class T>
  void write(const std::vector<T>& section) {
    static constexpr std::array<char, kPage> kZeros{};
    const std::size_t bytes = section.size() * sizeof(T);
    piece(section.data(), bytes);
    piece(kZeros.data(), aligned(bytes) - bytes);
  }
  [[nodiscard]] Digest::Value digest() { return digest_.value(); }

 private:
  void piece(const void* data, std::size_t bytes) {
    digest_.add(data, bytes);
    out_.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
  }

  std::ostream& out_;
  Digest digest_;
};

std::string boot_of_host() {
  std::ifstream in("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(in, id);
  return id;
}

}  // namespace

void StateImage::write(const std::string& path, const Key& key, const DriveState& state, std::uint32_t map_page) {
  const Sections at(state.geometry, map_page);
  std::vector<StoredSuperblock> superblocks;
  for (const Superblock& s : state.superblocks) {
    superblocks.push_back(
        {s.number, s.valid, s.erases, static_cast<std::uint8_t>(s.state), static_cast<std::uint8_t>(s.bad ? 1 : 0), 0});
  }
  std::vector<std::uint32_t> owners(at.sizes.owners / sizeof(std::uint32_t)), map(at.sizes.map / sizeof(std::uint32_t));
  std::vector<wl_presence> presence(at.sizes.presence / sizeof(wl_presence));
  std::vector<wl_initial_superblock> boot_superblocks(state.superblocks.size());
  fill_boot_tables(state, map_page,
                   {owners.data(), map.data(), map_page == 0 ? nullptr : presence.data(), boot_superblocks.data()});
  Header header{};
  header.magic = kMagic;
  header.version = kVersion;
  header.map_page = map_page;
  header.file_bytes = at.end;
  header.geometry = state.geometry;
  header.waf_thousandths = state.waf_thousandths;
  header.key = key;
  results::write_file(path, [&](std::ostream& out) {
    out.seekp(static_cast<std::streamoff>(at.superblocks));
    SectionWriter writer(out);
    writer.write(superblocks);
    writer.write(boot_superblocks);
    writer.write(owners);
    writer.write(map);
    writer.write(presence);
    writer.write(state.ppas);
    header.body = writer.digest();
    header.header = digest_of(&header, offsetof(Header, header));
    out.seekp(0);
    out.write(reinterpret_cast<const char*>(&header), sizeof(header));
  });
}

StateImage::StateImage(const std::string& path, const Key& key) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (file_ < 0) throw std::runtime_error(fmt::format("cannot be read: {}", std::strerror(errno)));
  try {
    map_whole(key);
  } catch (...) {
    if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
    ::close(file_);
    throw;
  }
}

StateImage::~StateImage() {
  ::munmap(const_cast<std::byte*>(data_), size_);
  ::close(file_);
}

void StateImage::map_whole(const Key& key) {
  struct stat status {};
  if (::fstat(file_, &status) != 0) throw std::runtime_error(fmt::format("cannot be read: {}", std::strerror(errno)));
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size < sizeof(Header)) throw std::runtime_error("is no image of a state");
  void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file_, 0);
  if (at == MAP_FAILED) throw std::runtime_error(fmt::format("cannot be mapped: {}", std::strerror(errno)));
  data_ = static_cast<const std::byte*>(at);
  size_ = size;
  Header header{};
  std::memcpy(&header, data_, sizeof(header));
  if (header.magic != kMagic) throw std::runtime_error("is no image of a state");
  if (header.version != kVersion) {
    throw std::runtime_error(fmt::format("has version {} of the format, expected {}", header.version, kVersion));
  }
  if (header.header != digest_of(&header, offsetof(Header, header))) {
    throw std::runtime_error("is damaged: the checksum of its header does not fit");
  }
  if (header.key != key) throw std::runtime_error("is the state of another drive");
  if (header.file_bytes != size || Sections(header.geometry, header.map_page).end != size) {
    throw std::runtime_error(fmt::format("is cut short or has grown: {} bytes, expected {}", size, header.file_bytes));
  }
}

void StateImage::check() const {
  const std::uint64_t begin = aligned(sizeof(Header));
  ::madvise(const_cast<std::byte*>(data_), size_, MADV_SEQUENTIAL);
  const Digest::Value found = digest_of(data_ + begin, size_ - begin);
  ::madvise(const_cast<std::byte*>(data_), size_, MADV_NORMAL);
  if (found != reinterpret_cast<const Header*>(data_)->body) {
    throw std::runtime_error("is damaged: its checksum does not fit its content");
  }
}

std::string StateImage::identity() const {
  const std::string boot = boot_of_host(), file = file_identity(file_);
  return boot.empty() || file.empty() ? "" : fmt::format("checked: {} host {}\n", file, boot);
}

const Geometry& StateImage::geometry() const { return reinterpret_cast<const Header*>(data_)->geometry; }
std::uint32_t StateImage::map_page() const { return reinterpret_cast<const Header*>(data_)->map_page; }
std::uint32_t StateImage::waf_thousandths() const { return reinterpret_cast<const Header*>(data_)->waf_thousandths; }

std::vector<Superblock> StateImage::superblocks() const {
  const auto* stored = reinterpret_cast<const StoredSuperblock*>(data_ + Sections(geometry(), map_page()).superblocks);
  std::vector<Superblock> superblocks;
  superblocks.reserve(geometry().blocks);
  for (std::uint32_t i = 0; i < geometry().blocks; ++i) {
    const StoredSuperblock& s = stored[i];
    superblocks.push_back({s.number, s.valid, s.erases, static_cast<SuperblockState>(s.state), s.bad != 0});
  }
  return superblocks;
}

const Content* StateImage::ppas() const {
  return reinterpret_cast<const Content*>(data_ + Sections(geometry(), map_page()).ppas);
}
const std::uint32_t* StateImage::map() const {
  return reinterpret_cast<const std::uint32_t*>(data_ + Sections(geometry(), map_page()).map);
}
const wl_presence* StateImage::presence() const {
  return reinterpret_cast<const wl_presence*>(data_ + Sections(geometry(), map_page()).presence);
}

void StateImage::place(const BootTables& tables) const {
  const Sections at(geometry(), map_page());
  map_over(tables.owners, at.owners, at.sizes.owners);
  map_over(tables.map, at.map, at.sizes.map);
  if (tables.presence != nullptr) map_over(tables.presence, at.presence, at.sizes.presence);
  map_over(tables.superblocks, at.boot_superblocks, at.sizes.superblocks);
}

void StateImage::map_over(void* to, std::uint64_t offset, std::uint64_t bytes) const {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  if (reinterpret_cast<std::uintptr_t>(to) % page != 0 || offset % page != 0 || kPage % page != 0) {
    std::memcpy(to, data_ + offset, bytes);
    return;
  }
  if (::mmap(to, aligned(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file_,
             static_cast<off_t>(offset)) == MAP_FAILED) {
    throw std::runtime_error(
        fmt::format("the image of the state cannot be mapped into DRAM: {}", std::strerror(errno)));
  }
}

}  // namespace wordline::precondition
