// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/precondition/flash_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <ostream>

#include "models/checks/load.h"
#include "models/config/sha256.h"
#include "models/firmware/contract/flash_ring.h"
#include "models/firmware/contract/geometry.h"
#include "models/firmware/firmware.h"
#include "models/precondition/parity_places.h"
#include "models/results/report.h"

namespace wordline::precondition {
namespace {

using config::Digest;

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "images of flash are little-endian, and are written as they lie in memory"
#endif

constexpr std::array<char, 8> kMagic = {'W', 'L', 'F', 'L', 'A', 'S', 'H', '\n'};
constexpr std::uint32_t kWithMap = 5, kVersion = 4, kWithoutBlankPages = 2;
constexpr std::uint32_t kHalfErased = 1, kFailed = 2, kDead = 4;  // marks of a block
constexpr char kTorn = 1, kBlank = 2, kParity = 4;                // of a page

/// Of a drive with a cached map, or with map units of several logical pages, their numbers follow the header
/// (kWithMap).
struct StoredGeometry {
  std::uint32_t dies, planes, blocks, pages, lpages_per_page, pages_per_program, user_lpages, lpage_bytes;

  static StoredGeometry of(const Geometry& g) {
    return {g.dies, g.planes, g.blocks, g.pages, g.lpages_per_page, g.pages_per_program, g.user_lpages, g.lpage_bytes};
  }
  [[nodiscard]] Geometry geometry(std::uint32_t map_pages) const {
    return {dies, planes, blocks, pages, lpages_per_page, pages_per_program, user_lpages, lpage_bytes, map_pages};
  }
};

struct Header {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t origin_bytes;
  std::uint64_t file_bytes;
  StoredGeometry geometry;
  std::uint32_t mixed;
  std::uint32_t metadata;
};
static_assert(sizeof(Header) == 64 && sizeof(data::LbaStamp) == 8, "the layout of the file");
/// Stamps that the file has of a mixed logical page: all of its LBAs, of a short one eight as well.
std::size_t stored_stamps(LpageSize size) { return std::max(size.lbas(), kLbasPerHostPage); }

struct BlockHead {
  std::uint32_t erases, pages, marks;
};
struct Stored {
  std::uint64_t token;
  std::uint32_t lpn, record;
};
static_assert(sizeof(BlockHead) == 12 && sizeof(Stored) == 16, "the layout of the file");

constexpr std::uint64_t kMixedBit = std::uint64_t{1} << 63U, kMetadataBits = std::uint64_t{3} << 62U;

data::LpageToken token_of(std::uint64_t bits) {
  if ((bits & kMetadataBits) == kMetadataBits) return data::LpageToken::metadata(bits & ~kMetadataBits);
  if ((bits & kMixedBit) != 0) return data::LpageToken::mixed(bits & ~kMixedBit);
  return data::LpageToken::uniform(Lpn(static_cast<std::uint32_t>(bits >> 32U)), static_cast<std::uint32_t>(bits));
}

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw config::ConfigError(fmt::format("precondition.flash = {}: error: {}", path, reason));
}

/// What is left to read of a file that is sound.
class Rest {
 public:
  Rest(const std::string& path, const std::vector<char>& bytes) : path_(path), bytes_(bytes) {}
  template <class T>
  void take(T* to, std::size_t count) {
    if (count > (bytes_.size() - at_) / sizeof(T)) refuse(path_, "contradicts itself: it ends too early");
    if (count != 0) std::memcpy(static_cast<void*>(to), bytes_.data() + at_, count * sizeof(T));
    at_ += count * sizeof(T);
  }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }

 private:
  const std::string& path_;
  const std::vector<char>& bytes_;
  std::size_t at_ = 0;
};

void append(std::vector<char>& to, const void* from, std::size_t bytes) {
  const auto* begin = static_cast<const char*>(from);
  to.insert(to.end(), begin, begin + bytes);
}

}  // namespace

Place FlashImage::at(std::uint64_t ppa) const {
  const wl_geometry addresses = wl_geometry_of(geometry.dies, geometry.planes * geometry.lpages_per_page,
                                               geometry.pages_per_program, geometry.programs_per_superblock());
  const wl_location at = wl_locate(&addresses, static_cast<std::uint32_t>(ppa));
  const nand::BlockImage& of = block(at.die, at.lpage / geometry.lpages_per_page, at.block);
  Place found;
  if (of.half_erased) found.cells = Place::Cells::kTorn;
  if (of.half_erased || at.page >= of.pages || of.blank[at.page]) return found;
  if (of.is_parity(at.page)) return nobodys();
  found.cells = of.torn[at.page] ? Place::Cells::kTorn : Place::Cells::kWritten;
  found.stored = of.lpages[std::size_t{at.page} * geometry.lpages_per_page + at.lpage % geometry.lpages_per_page];
  return found;
}

Place FlashImage::certain_at(std::uint64_t ppa, std::uint32_t word_line_pages) const {
  const wl_geometry addresses = wl_geometry_of(geometry.dies, geometry.planes * geometry.lpages_per_page,
                                               geometry.pages_per_program, geometry.programs_per_superblock());
  const wl_location where = wl_locate(&addresses, static_cast<std::uint32_t>(ppa));
  Place found = at(ppa);
  const std::uint32_t end = where.page - where.page % word_line_pages + word_line_pages;
  if (found.cells == Place::Cells::kWritten &&
      end > block(where.die, where.lpage / geometry.lpages_per_page, where.block).pages)
    found = {Place::Cells::kTorn, {}};
  return found;
}

std::uint32_t FlashImage::newest_version() const {
  std::uint32_t newest = data::kVersionPrecondition;
  for (const nand::BlockImage& b : blocks)
    for (std::size_t i = 0; i < b.lpages.size(); ++i)
      for (const data::LbaStamp& stamp :
           pool.expand(b.is_parity(b.page_of(i)) ? data::LpageToken() : b.lpages[i].token))
        if (stamp.version() != data::kVersionStale) newest = std::max(newest, stamp.version());
  return newest;
}

bool FlashImage::uses(std::uint32_t superblock) const {
  for (std::uint32_t die = 0; die < geometry.dies; ++die)
    for (std::uint32_t plane = 0; plane < geometry.planes; ++plane)
      if (block(die, plane, superblock).is_used()) return true;
  return false;
}

namespace {

FlashScan scan_of(const FlashImage& image, const std::function<Place(std::uint64_t ppa)>& place) {
  std::vector<Superblock> superblocks(image.geometry.blocks);
  for (std::uint32_t i = 0; i < image.geometry.blocks; ++i) superblocks[i].number = i;
  return scan_flash(image.geometry, superblocks,
                    {[&](std::uint32_t superblock) { return image.uses(superblock); }, place});
}

}  // namespace

data::HeldContents contents_of(const FlashImage& image) {
  const FlashScan scan = scan_of(image, [&](std::uint64_t ppa) { return image.at(ppa); });
  std::vector<data::HeldContents::Held> held;
  for (const FlashScan::Newest& of : scan.newest)
    if (of.ppa != FlashScan::kNowhere) held.push_back({of.lpn, image.pool.expand(image.at(of.ppa).stored.token)});
  return {image.geometry.user_lpages, std::move(held)};
}

std::unordered_map<std::uint32_t, std::vector<data::LpageStamps>> contents_beside(const FlashImage& image,
                                                                                  std::uint32_t word_line_pages) {
  const FlashScan certain = scan_of(image, [&](std::uint64_t ppa) { return image.certain_at(ppa, word_line_pages); });
  const std::uint64_t size = image.geometry.superblock_lpages();
  std::unordered_map<std::uint32_t, std::vector<data::LpageStamps>> beside;
  for (std::uint64_t ppa = 0; ppa < image.geometry.ppas(); ++ppa) {
    if (ppa % size == 0 && !image.uses(static_cast<std::uint32_t>(ppa / size))) {
      ppa += size - 1;
      continue;
    }
    const Place found = image.at(ppa);
    const std::uint32_t lpn = found.stored.lpn;
    if (found.cells != Place::Cells::kWritten || lpn >= image.geometry.user_lpages) continue;
    if (image.certain_at(ppa, word_line_pages).cells == Place::Cells::kWritten) continue;
    std::vector<data::LpageStamps>& contents = beside[lpn];
    if (contents.empty()) {
      const std::uint64_t at = certain.ppa_of(lpn);
      contents.push_back(at == FlashScan::kNowhere ? data::LpageStamps{}
                                                   : image.pool.expand(image.at(at).stored.token));
    }
    const wl_slot_info record{lpn, found.stored.record};
    if (wl_spare_sequence(&record) < certain.sequence_of(lpn)) continue;
    contents.push_back(wl_spare_kind(&record) == WL_SPARE_USER ? image.pool.expand(found.stored.token)
                                                               : data::LpageStamps{});
  }
  return beside;
}

void save_flash(const std::string& path, const FlashImage& image) {
  std::vector<char> bytes(sizeof(Header));
  const std::uint32_t map_pages = image.geometry.map_pages;
  const bool with_map = map_pages != 0 || image.map_unit != 1;
  if (with_map) append(bytes, &map_pages, sizeof(map_pages));
  if (with_map) append(bytes, &image.map_unit, sizeof(image.map_unit));
  append(bytes, image.origin.data(), image.origin.size());
  const LpageSize size = LpageSize::of(Bytes(image.geometry.lpage_bytes));
  for (std::size_t i = 0; i < image.pool.mixed_count(); ++i) {
    const data::LpageStamps stamps = image.pool.expand(data::LpageToken::mixed(i));
    append(bytes, stamps.data(), stored_stamps(size) * sizeof(data::LbaStamp));
  }
  std::vector<data::LpageToken> metadata;  // in the order of the pages that have it
  for (const nand::BlockImage& b : image.blocks)
    for (std::size_t i = 0; i < b.lpages.size(); ++i)
      if (b.lpages[i].token.is_metadata() && !b.is_parity(b.page_of(i))) metadata.push_back(b.lpages[i].token);
  for (const data::LpageToken token : metadata) {
    const std::vector<std::byte>& of = image.pool.metadata(token);
    append(bytes, of.data(), of.size());
  }
  std::uint64_t placed = 0;  // metadata
  for (const nand::BlockImage& b : image.blocks) {
    const BlockHead head{b.erases, b.pages,
                         (b.half_erased ? kHalfErased : 0) | (b.failed ? kFailed : 0) | (b.dead ? kDead : 0)};
    append(bytes, &head, sizeof(head));
    for (std::size_t page = 0; page < b.torn.size(); ++page)
      bytes.push_back(static_cast<char>((b.blank[page]  ? kBlank
                                         : b.torn[page] ? kTorn
                                                        : char{0}) |
                                        (b.is_parity(page) ? kParity : char{0})));
    for (std::size_t i = 0; i < b.lpages.size(); ++i) {
      const nand::StoredLpage& l = b.lpages[i];
      const bool counts = l.token.is_metadata() && !b.is_parity(b.page_of(i));
      const data::LpageToken token = counts ? data::LpageToken::metadata(placed++) : l.token;
      const Stored stored{token.bits(), l.lpn, l.record};
      append(bytes, &stored, sizeof(stored));
    }
  }
  Header h{};
  h.magic = kMagic;
  h.version = with_map ? kWithMap : kVersion;
  h.origin_bytes = static_cast<std::uint32_t>(image.origin.size());
  h.file_bytes = bytes.size() + sizeof(Digest::Value);
  h.geometry = StoredGeometry::of(image.geometry);
  h.mixed = static_cast<std::uint32_t>(image.pool.mixed_count());
  h.metadata = static_cast<std::uint32_t>(metadata.size());
  std::memcpy(bytes.data(), &h, sizeof(h));
  Digest digest;
  digest.add(bytes.data(), bytes.size());
  const Digest::Value value = digest.value();
  append(bytes, value.data(), value.size());
  results::write_file(path,
                      [&](std::ostream& out) { out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())); });
}

FlashImage load_flash(const std::string& path, const Geometry& expected, std::uint32_t map_unit) {
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse(path, "cannot be read");
  std::vector<char> bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  Header h{};
  if (bytes.size() < sizeof(h) + sizeof(Digest::Value))
    refuse(path, "is no image of flash: wordline run --cut-power T --image writes one");
  std::memcpy(&h, bytes.data(), sizeof(h));
  if (h.magic != kMagic) refuse(path, "is no image of flash: wordline run --cut-power T --image writes one");
  if (h.version < kWithoutBlankPages || h.version > kWithMap)
    refuse(path, fmt::format("has version {} of the format, expected {}: make it again", h.version, kVersion));
  if (h.file_bytes != bytes.size()) refuse(path, "is cut short or has grown: make it again");
  Digest::Value value;
  bytes.resize(bytes.size() - value.size());
  Digest digest;
  digest.add(bytes.data(), bytes.size());
  value = digest.value();
  if (!std::equal(value.begin(), value.end(), reinterpret_cast<const unsigned char*>(bytes.data() + bytes.size())))
    refuse(path, "is damaged: its checksum does not fit its content; make it again");
  Rest rest(path, bytes);
  rest.take(&h, 1);
  std::uint32_t map_pages = 0;
  FlashImage image;
  if (h.version == kWithMap) rest.take(&map_pages, 1);
  if (h.version == kWithMap) rest.take(&image.map_unit, 1);
  image.geometry = h.geometry.geometry(map_pages);
  if (!(image.geometry == expected)) {
    refuse(path, "is of another drive: set the keys of geometry, planes, over-provisioning and map cache as they were");
  }
  if (image.map_unit != map_unit) {
    const std::uint32_t kib = h.geometry.lpage_bytes / 1024;
    refuse(path, fmt::format("is of a drive with map units of {} KiB, and here they have {} KiB: set ftl.map and "
                             "ftl.map_unit as they were",
                             image.map_unit * kib, map_unit * kib));
  }
  const LpageSize size = LpageSize::of(Bytes(h.geometry.lpage_bytes));
  image.pool = data::TokenPool(size);
  image.origin.resize(h.origin_bytes);
  rest.take(image.origin.data(), h.origin_bytes);
  for (std::uint32_t i = 0; i < h.mixed; ++i) {
    data::LpageStamps stamps{};
    rest.take(stamps.data(), stored_stamps(size));
    (void)image.pool.intern(stamps);
  }
  if (image.pool.mixed_count() != h.mixed) refuse(path, "contradicts itself: contents of one version among the others");
  std::vector<std::byte> metadata(h.geometry.lpage_bytes);
  for (std::uint32_t i = 0; i < h.metadata; ++i) {
    rest.take(metadata.data(), metadata.size());
    (void)image.pool.keep(metadata.data());
  }
  std::vector<bool> taken(h.metadata);
  image.blocks.resize(std::size_t{h.geometry.dies} * h.geometry.planes * h.geometry.blocks);
  for (nand::BlockImage& b : image.blocks) {
    BlockHead head{};
    rest.take(&head, 1);
    if (head.pages > h.geometry.pages || head.marks > (kHalfErased | kFailed | kDead))
      refuse(path, "contradicts itself: a block with more pages or other marks than there are");
    b.erases = head.erases;
    b.pages = head.pages;
    b.half_erased = (head.marks & kHalfErased) != 0;
    b.failed = (head.marks & kFailed) != 0;
    b.dead = (head.marks & kDead) != 0;
    std::vector<char> pages(head.pages);
    rest.take(pages.data(), pages.size());
    for (const char page : pages) {
      const int is = page & ~kParity;
      if (page < 0 || is > (h.version == kWithoutBlankPages ? kTorn : kBlank) || page > (kParity | kBlank))
        refuse(path, "contradicts itself: a page that is neither whole, torn nor blank");
      b.torn.push_back(is == kTorn);
      b.blank.push_back(is == kBlank);
      b.parity.push_back((page & kParity) != 0);
    }
    std::vector<Stored> stored(std::size_t{head.pages} * h.geometry.lpages_per_page);
    rest.take(stored.data(), stored.size());
    for (const Stored& s : stored) {
      const data::LpageToken token = token_of(s.token);
      if (b.is_parity(b.lpages.size() / h.geometry.lpages_per_page)) {
        b.lpages.push_back({token, s.lpn, s.record});
        continue;
      }
      if (token.is_mixed() && token.index() >= h.mixed) refuse(path, "contradicts itself: a content that is not there");
      if (token.is_metadata()) {
        if (token.index() >= h.metadata || taken[token.index()])
          refuse(path, "contradicts itself: metadata that are not there, or twice");
        taken[token.index()] = true;
      }
      b.lpages.push_back({token, s.lpn, s.record});
    }
  }
  if (rest.left() != 0) refuse(path, "contradicts itself: it goes on behind its last block");
  return image;
}

std::unique_ptr<const FlashImage> flash_image_of(const config::Config& config, const config::Layout& layout) {
  if (config.precondition.flash.empty()) return nullptr;
  return std::make_unique<const FlashImage>(
      load_flash(config.precondition.flash, geometry_of(config, layout), map_unit_of(config, layout)));
}

std::uint32_t map_unit_of(const config::Config& config, const config::Layout& layout) {
  const bool small = wl_policy_declares(config.ftl.policy).small_pages;
  return small || layout.map_page == 0 ? 1 : layout.map_page;
}

}  // namespace wordline::precondition
