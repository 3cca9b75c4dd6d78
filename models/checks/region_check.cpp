// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/region_check.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "models/config/schema.h"
#include "models/units/index.h"

namespace wordline::config {
namespace {

constexpr std::string_view kPolicy = "mpnfm";
constexpr std::uint64_t kMaxLpages =
    16;  // logical pages of a page, at most: bits of a map unit's presence (contract/initial_state.h)
constexpr std::uint64_t kMaxBlocks = 65535;  // max blocks of a plane, as nand.blocks_per_plane has them

class RegionCheck {
 public:
  RegionCheck(const Config& config, std::string_view policy)
      : c_(config), g_(config.nand.geometry), r_(config.nand.region), policy_(policy) {}

  std::vector<Conflict> run() {
    if (r_.blocks_per_plane == 0) {
      absent();
      return std::move(found_);
    }
    if (policy_ != kPolicy) {
      add({"nand.region.blocks_per_plane", "ftl.policy"},
          fmt::format("nand.region.blocks_per_plane = {} with ftl.policy = {}, expected ftl.policy = mpnfm, or 0: no "
                      "other policy has two page sizes",
                      r_.blocks_per_plane, policy_));
      return std::move(found_);
    }
    shape();
    rules();
    uses();
    return std::move(found_);
  }

 private:
  void add(std::vector<std::string_view> keys, std::string text) {
    found_.push_back({std::move(keys), std::move(text)});
  }

  void absent() {
    if (policy_ == kPolicy) {
      add({"ftl.policy", "nand.region.blocks_per_plane"},
          "ftl.policy = mpnfm with nand.region.blocks_per_plane = 0, expected blocks with smaller pages: it places "
          "data by the size of pages");
    }
    static const NandRegion defaults = [] {
      Config c{};
      for (const Key& key : schema()) {
        if (table_of(key.name) == "nand.region") key.set(c, default_value(key));
      }
      return c.nand.region;
    }();
    const auto unused = [this](std::string_view key) {
      add({key, "nand.region.blocks_per_plane"},
          fmt::format("{} has no effect with nand.region.blocks_per_plane = 0, expected blocks that it speaks of",
                      key));
    };
    if (r_.page != defaults.page) unused("nand.region.page");
    if (r_.pages_per_block != defaults.pages_per_block) unused("nand.region.pages_per_block");
  }

  void shape() {
    const Layout l = layout_of(c_);
    const std::uint64_t lpage = l.lpage.bytes();
    if (c_.ftl.logical_page != LogicalPageSize::kAuto) {
      add({"ftl.logical_page", "nand.region.blocks_per_plane"},
          "ftl.logical_page with nand.region, expected ftl.logical_page = auto: a small page is one logical page");
    } else if (r_.page.count() != lpage) {
      add({"nand.region.page"},
          fmt::format("nand.region.page is {} bytes, expected 2 KiB or 4 KiB: a small page is one logical page",
                      r_.page.count()));
    } else if (g_.page <= r_.page) {
      add({"nand.region.page", "nand.page"},
          fmt::format("nand.region.page is {} bytes and nand.page {}, expected a smaller page in nand.region",
                      r_.page.count(), g_.page.count()));
    } else if (g_.page.count() > kMaxLpages * lpage) {
      add({"nand.page", "nand.region.page"},
          fmt::format("nand.page is {} bytes with nand.region.page = {}, expected at most {}: a page has up to {} "
                      "logical pages, which are as long as a small page",
                      g_.page.count(), r_.page.count(), kMaxLpages * lpage, kMaxLpages));
    }
    if (r_.pages_per_block > l.pages_per_block) {
      add({"nand.region.pages_per_block", "nand.layers", "nand.wls_per_layer", "nand.cell"},
          fmt::format(
              "nand.region.pages_per_block is {}, expected at most {}, which the other blocks have, or 0 for as "
              "many",
              r_.pages_per_block, l.pages_per_block));
    } else if (r_.pages_per_block % l.pages_per_program != 0) {
      add({"nand.region.pages_per_block", "nand.program", "nand.cell"},
          fmt::format("nand.region.pages_per_block is {}, expected a multiple of {}: that many pages are programmed at "
                      "once",
                      r_.pages_per_block, l.pages_per_program));
    }
    if (c_.nand.blocks_per_plane() > kMaxBlocks) {
      add({"nand.region.blocks_per_plane", "nand.blocks_per_plane"},
          fmt::format("nand.blocks_per_plane and nand.region.blocks_per_plane are {} together, expected at most {}",
                      c_.nand.blocks_per_plane(), kMaxBlocks));
    }
  }

  void rules() {
    const FtlMpnfm& mpnfm = c_.ftl.mpnfm;
    if (mpnfm.threshold.count() % kLbaBytes != 0) {
      add({"ftl.mpnfm.threshold"}, fmt::format("ftl.mpnfm.threshold is {} bytes, expected a multiple of {}",
                                               mpnfm.threshold.count(), kLbaBytes));
    } else if (mpnfm.threshold > g_.page) {
      add({"ftl.mpnfm.threshold", "nand.page"},
          fmt::format("ftl.mpnfm.threshold is {} bytes, expected at most nand.page = {}: longer commands fill large "
                      "pages",
                      mpnfm.threshold.count(), g_.page.count()));
    }
    // One superblock is open, and one is closed while `gc_start_blocks` are free.
    if (r_.blocks_per_plane < mpnfm.gc_start_blocks + 2) {
      add({"nand.region.blocks_per_plane", "ftl.mpnfm.gc_start_blocks"},
          fmt::format(
              "nand.region.blocks_per_plane = {} with ftl.mpnfm.gc_start_blocks = {}, expected at least {}: one "
              "is open, and one is full before GC begins",
              r_.blocks_per_plane, mpnfm.gc_start_blocks, mpnfm.gc_start_blocks + 2));
    }
  }

  /// `key` has a value that two page sizes do not go with.
  void refuse(std::string_view key, std::string_view text) {
    add({key, "ftl.policy"}, fmt::format("ftl.policy = mpnfm with {}", text));
  }

  void uses() {
    if (c_.ftl.map != MapUnit::kPage) {
      refuse("ftl.map",
             "ftl.map = sector, expected ftl.map = page: data move between pages of the two sizes by the "
             "large page");
    } else if (c_.ftl.map_unit != MapUnitSize::kOfPlane) {
      refuse("ftl.map_unit",
             "ftl.map_unit other than page, expected ftl.map_unit = page: data move between pages of the two sizes by "
             "the large page");
    }
    if (c_.ftl.pace.gc) {
      refuse("ftl.gc_pacing",
             "ftl.gc_pacing = true, expected ftl.gc_pacing = false: the pace is that of one free pool");
    }
    if (c_.ftl.pace.admission != Admission::kFree) {
      refuse("ftl.admission", "ftl.admission = mean_rate, expected ftl.admission = free: each size has a buffer");
    }
    if (c_.ftl.spare_blocks != 0) {
      refuse("ftl.spare_blocks",
             fmt::format("ftl.spare_blocks = {}, expected 0: a spare block has one of the two page sizes",
                         c_.ftl.spare_blocks));
    }
    if (c_.ftl.word_line_order != WordLineOrder::kHorizontal) {
      refuse("ftl.word_line_order",
             "ftl.word_line_order other than horizontal, expected horizontal: the two kinds of blocks may differ in "
             "their pages");
    }
    const Precondition& p = c_.precondition;
    if (p.begins_with_state()) {
      add({"precondition.fill", "precondition.overwrites", "precondition.file", "ftl.policy"},
          "ftl.policy = mpnfm with a drive that begins used, expected precondition.fill = none or sequential, without "
          "precondition.overwrites and precondition.file: initial states have one page size");
    }
  }

  const Config& c_;
  const NandGeometry& g_;
  const NandRegion& r_;
  const std::string_view policy_;
  std::vector<Conflict> found_;
};

}  // namespace

std::vector<Conflict> region_conflicts(const Config& config, std::string_view policy) {
  return RegionCheck(config, policy).run();
}

}  // namespace wordline::config
