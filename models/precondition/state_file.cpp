// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/precondition/state_file.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <ostream>

#include "models/checks/load.h"
#include "models/config/sha256.h"
#include "models/results/report.h"

namespace wordline::precondition {
namespace {

using config::Digest;

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "state files are little-endian, and are written as they lie in memory"
#endif

constexpr std::array<char, 8> kMagic = {'W', 'L', 'S', 'T', 'A', 'T', 'E', '\n'};
constexpr std::uint32_t kVersion = 3;
constexpr std::size_t kDigest = sizeof(Digest::Value);  // digest of all bytes before it

struct Header {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t origin_bytes;
  std::uint64_t file_bytes;
  Geometry geometry;
  std::uint32_t lost;
  std::uint32_t waf_thousandths;
  std::uint32_t reserved;
};
static_assert(sizeof(Header) == 72 && sizeof(Content) == 4, "the layout of the file");

struct StoredSuperblock {
  std::uint32_t number, valid, erases;
  std::uint8_t state, bad;
  std::uint16_t reserved;
};
static_assert(sizeof(StoredSuperblock) == 16, "the layout of the file");

std::uint64_t bytes_of(const Header& h) {
  return sizeof(Header) + h.origin_bytes + std::uint64_t{h.geometry.blocks} * sizeof(StoredSuperblock) +
         std::uint64_t{h.lost} * sizeof(std::uint32_t) + h.geometry.ppas() * sizeof(Content) + kDigest;
}

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw config::ConfigError(fmt::format("precondition.file = {}: error: {}", path, reason));
}

/// Reads a file piece by piece, digesting all of it.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), in_(path, std::ios::binary) {
    std::error_code error;
    if (!in_ || !std::filesystem::is_regular_file(path, error)) {
      refuse(path, fmt::format("cannot be read: {}", in_ ? "it is no file" : std::strerror(errno)));
    }
    size_ = std::filesystem::file_size(path, error);
  }
  void read(void* to, std::size_t bytes) {
    read_only(to, bytes);
    digest_.add(to, bytes);
  }
  template <class T>
  void read(std::vector<T>& to, std::size_t count) {
    to.resize(count);
    read(to.data(), count * sizeof(T));
  }
  /// The last and largest piece; it is digested in the background until check_digest().
  void read_last(std::vector<Content>& to, std::size_t count) {
    to.resize(count);
    read_only(to.data(), count * sizeof(Content));
    digesting_ = std::async(std::launch::async, [this, &to] { digest_.add(to.data(), to.size() * sizeof(Content)); });
  }
  void skip(std::uint64_t bytes) {
    std::vector<char> piece(1 << 20);
    for (; bytes != 0; bytes -= piece.size()) {
      if (bytes < piece.size()) piece.resize(bytes);
      read(piece.data(), piece.size());
    }
  }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  void check_digest() {
    if (digesting_.valid()) digesting_.get();
    const Digest::Value expected = digest_.value();
    Digest::Value found{};
    in_.read(reinterpret_cast<char*>(found.data()), kDigest);
    if (!in_ || found != expected) refuse(path_, "is damaged: its checksum does not fit its content; make it again");
  }

 private:
  void read_only(void* to, std::size_t bytes) {
    in_.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
    if (!in_) refuse(path_, "cannot be read to its end");
  }

  std::string path_;
  std::ifstream in_;
  std::uint64_t size_ = 0;
  Digest digest_;
  std::future<void> digesting_;  // ends before digest_ does
};

Header read_header(Reader& in, const std::string& path) {
  Header h{};
  if (in.size() < sizeof(Header) + kDigest) refuse(path, "is no state of a drive: wordline snapshot writes one");
  in.read(&h, sizeof(h));
  if (h.magic != kMagic) refuse(path, "is no state of a drive: wordline snapshot writes one");
  if (h.version != kVersion) {
    refuse(path, fmt::format("has version {} of the format, expected {}: make it again", h.version, kVersion));
  }
  if (in.size() != h.file_bytes) {
    refuse(path,
           fmt::format("is cut short or has grown: {} bytes, expected {}; make it again", in.size(), h.file_bytes));
  }
  return h;
}

/// Names the keys in which two drives differ.
[[noreturn]] void refuse_other(const std::string& path, const Geometry& file, const Geometry& here) {
  struct Row {
    const char* keys;
    std::uint32_t file, here;
  };
  const Row rows[] = {
      {"channels.count x channels.packages x channels.dies_per_package", file.dies, here.dies},
      {"nand.planes", file.planes, here.planes},
      {"nand.blocks_per_plane - ftl.spare_blocks", file.blocks, here.blocks},
      {"nand.cell x nand.layers x nand.wls_per_layer (pages of a block)", file.pages, here.pages},
      {"nand.page (bytes of a logical page)", file.lpage_bytes, here.lpage_bytes},
      {"nand.page (logical pages)", file.lpages_per_page, here.lpages_per_page},
      {"nand.program (pages programmed at once)", file.pages_per_program, here.pages_per_program},
      {"ftl.map_cache (map pages on flash)", file.map_pages, here.map_pages},
      {"ftl.over_provisioning (logical pages exported)", file.user_lpages, here.user_lpages},
  };
  std::string differences;
  for (const Row& row : rows) {
    if (row.file == row.here) continue;
    // What is exported follows from the rest.
    if (row.keys == std::end(rows)[-1].keys && !differences.empty()) continue;
    differences +=
        fmt::format("{}{} is {} there and {} here", differences.empty() ? "" : ", ", row.keys, row.file, row.here);
  }
  refuse(path, fmt::format("is the state of another drive: {}; make one of this drive, or set these keys alike",
                           differences));
}

}  // namespace

void save_state(const std::string& path, const DriveState& state) {
  Header h{};
  h.magic = kMagic;
  h.version = kVersion;
  h.origin_bytes = static_cast<std::uint32_t>(state.origin.size());
  h.geometry = state.geometry;
  h.lost = static_cast<std::uint32_t>(state.lost.size());
  h.waf_thousandths = state.waf_thousandths;
  h.file_bytes = bytes_of(h);
  std::vector<StoredSuperblock> superblocks;
  for (const Superblock& s : state.superblocks) {
    superblocks.push_back(
        {s.number, s.valid, s.erases, static_cast<std::uint8_t>(s.state), static_cast<std::uint8_t>(s.bad ? 1 : 0), 0});
  }
  results::write_file(path, [&](std::ostream& out) {
    Digest digest;
    const auto write = [&](const void* data, std::size_t bytes) {
      digest.add(data, bytes);
      out.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
    };
    write(&h, sizeof(h));
    write(state.origin.data(), state.origin.size());
    write(superblocks.data(), superblocks.size() * sizeof(superblocks[0]));
    write(state.lost.data(), state.lost.size() * sizeof(state.lost[0]));
    write(state.ppas.data(), state.ppas.size() * sizeof(state.ppas[0]));
    const Digest::Value value = digest.value();
    out.write(reinterpret_cast<const char*>(value.data()), kDigest);
  });
}

DriveState load_state(const std::string& path, const Geometry& expected, std::uint32_t map_page) {
  DriveState state;  // outlives the reader, which digests it in the background
  Reader in(path);
  const Header h = read_header(in, path);
  if (!(h.geometry == expected)) {
    in.skip(h.file_bytes - sizeof(Header) - kDigest);
    in.check_digest();
    refuse_other(path, h.geometry, expected);
  }
  // Counts that do not make up the size are damage; it is found before memory is taken for them.
  if (bytes_of(h) != h.file_bytes) refuse(path, "is damaged: its counts do not make up its size; make it again");
  state.geometry = h.geometry;
  state.waf_thousandths = h.waf_thousandths;
  state.origin.resize(h.origin_bytes);
  in.read(state.origin.data(), h.origin_bytes);
  std::vector<StoredSuperblock> superblocks;
  in.read(superblocks, h.geometry.blocks);
  in.read(state.lost, h.lost);
  in.read_last(state.ppas, h.geometry.ppas());
  for (const StoredSuperblock& s : superblocks) {
    state.superblocks.push_back({s.number, s.valid, s.erases, static_cast<SuperblockState>(s.state), s.bad != 0});
  }
  std::string problem = state.problem();  // means something only of a file that is sound
  for (const StoredSuperblock& s : superblocks) {
    if (s.bad > 1 || s.reserved != 0) {
      problem = fmt::format("superblock {} has a mark that this version of the format does not know", s.number);
    }
  }
  if (h.reserved != 0) problem = "the head has a mark that this version of the format does not know";
  in.check_digest();
  if (!problem.empty()) refuse(path, fmt::format("contradicts itself: {}", problem));
  const std::string apart = map_page == 0 ? "" : state.problem_of_pages(map_page);
  if (!apart.empty()) {
    refuse(path,
           fmt::format("is not of a drive with ftl.map = page: {}; make one with it, or set ftl.map = sector", apart));
  }
  return state;
}

}  // namespace wordline::precondition
