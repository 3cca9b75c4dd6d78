// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/precondition/make_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "models/config/schema.h"
#include "models/firmware/firmware.h"
#include "models/precondition/logical_ftl.h"
#include "models/units/keyed_random.h"

namespace wordline::precondition {
namespace {

using config::PreconditionFill;

constexpr double kPass = 0.5;     // a pass, in exported logical pages: write amplification is compared after each
constexpr double kSteady = 0.01;  // change of it from pass to pass that counts as none
constexpr double kLeast = 3, kMost = 20;  // overwrites until it is steady

/// Whether the drive begins in the midst of its work. Only where the firmware writes to one superblock for the host and
/// to one for GC, word line by word line: which others would be open, and where, is their policy's.
bool begins_busy(const config::Config& config) {
  const wl_declared policy = wl_policy_declares(config.ftl.policy);
  return config.precondition.fill == PreconditionFill::kSteady && policy.host_streams == 1 &&
         policy.move_streams == 1 && !policy.by_word_line && !policy.small_pages &&
         config.ftl.word_line_order == config::WordLineOrder::kHorizontal;
}

/// `map_unit`: logical pages that are mapped as one, which is a logical page to the logical FTL.
LogicalFtl::Shape shape_of(const config::Config& config, const config::Layout& layout, const Geometry& geometry,
                           std::uint32_t map_unit) {
  LogicalFtl::Shape shape;
  shape.superblocks = geometry.blocks;
  shape.superblock_lpages = geometry.superblock_lpages() / map_unit;
  shape.user_lpages = (geometry.user_lpages + map_unit - 1) / map_unit;
  // With pacing the host's open superblock is one of the reserve (models/firmware/space/superblocks.c).
  shape.reserve =
      std::max(config.ftl.gc_reserve_superblocks, 2U) - (config.ftl.pace.gc && config.ftl.fdp.handles == 0 ? 1 : 0);
  // Without pacing the host goes down to the reserve, two superblocks are open, and one is copied.
  shape.room = config.ftl.pace.gc ? std::max(config.ftl.gc_start_superblocks, shape.reserve + 1) : shape.reserve + 1;
  // With ftl.recovery the older data stay valid until the newer ones are programmed.
  if (config.ftl.write_back && config.ftl.recovery == config::Recovery::kNone) {
    const std::uint64_t held = config.ftl.write_buffer / Bytes(geometry.lpage_bytes) / map_unit;
    const std::uint64_t full = config.ftl.pace.admission == config::Admission::kMeanRate ? held * 3 / 4 : held;
    shape.buffer = static_cast<std::uint32_t>(std::min<std::uint64_t>(full, shape.user_lpages / 2));
  }
  if (geometry.map_pages != 0) {
    shape.reserve += WL_MAP_RESERVE;
    shape.room += WL_MAP_RESERVE + 1;
    shape.map = {geometry.map_pages, geometry.lpage_bytes / 4,
                 static_cast<std::uint32_t>(config.ftl.map_cache / Bytes(geometry.lpage_bytes))};
  }
  shape.victims = victims_of(config::policy_names().at(config.ftl.policy));
  if (begins_busy(config)) {
    shape.program_unit = units_at_once(config, layout) * geometry.lpages_per_program() / map_unit;
  }
  return shape;
}

/// From pages of `size` logical pages to logical pages.
void expand(DriveState& state, std::uint32_t size) {
  if (size == 1) return;
  std::vector<Content> ppas(state.ppas.size() * size);
  std::vector<std::uint32_t> valid(state.geometry.blocks, 0);
  for (std::size_t i = 0; i < ppas.size(); ++i) {
    const Content page = state.ppas[i / size];
    if (page.empty()) continue;
    const std::uint32_t lpn = page.lpn() * size + static_cast<std::uint32_t>(i % size);
    if (lpn >= state.geometry.user_lpages) continue;  // the last page need not be whole
    ppas[i] = Content::of(lpn, page.valid());
    if (page.valid()) ++valid[i / state.geometry.superblock_lpages()];
  }
  state.ppas = std::move(ppas);
  for (Superblock& s : state.superblocks) s.valid = valid[s.number];
}

}  // namespace

Recipe recipe_of(const config::Config& config, const config::Layout& layout) {
  const config::Precondition& keys = config.precondition;
  Recipe recipe;
  recipe.geometry = geometry_of(config, layout);
  recipe.map_unit = std::max(layout.map_page, 1U);
  recipe.shape = shape_of(config, layout, recipe.geometry, recipe.map_unit);
  recipe.fill = keys.fill;
  recipe.overwrites = keys.overwrites;
  recipe.seed = keys.seed;
  return recipe;
}

std::string Recipe::text() const {
  const Geometry& g = geometry;
  return fmt::format("dies {} planes {} blocks {} pages {} sectors_per_page {} pages_per_program {} user_sectors {} ",
                     g.dies, g.planes, g.blocks, g.pages, g.lpages_per_page, g.pages_per_program, g.user_lpages) +
         fmt::format(
             "sector_bytes {} unit {} superblocks {} superblock_sectors {} mapped {} reserve {} room {} victims {} "
             "program {} buffer {} ",
             g.lpage_bytes, map_unit, shape.superblocks, shape.superblock_lpages, shape.user_lpages, shape.reserve,
             shape.room, static_cast<unsigned>(shape.victims), shape.program_unit, shape.buffer) +
         fmt::format("map {} {} {} ", shape.map.pages, shape.map.entries, shape.map.frames) +
         fmt::format("fill {} overwrites {} seed {}", static_cast<unsigned>(fill), overwrites, seed);
}

Made make_state(const Recipe& recipe) {
  Made made;
  made.state.geometry = recipe.geometry;
  LogicalFtl ftl(recipe.shape);
  if (recipe.fill == PreconditionFill::kRandom) {
    ftl.fill_at_random(recipe.seed);
  } else if (recipe.fill != PreconditionFill::kNone) {
    ftl.fill_in_order();
  }
  const auto lpages = static_cast<double>(recipe.shape.user_lpages);
  const bool until_steady = recipe.fill == PreconditionFill::kSteady && recipe.overwrites == 0;
  const double most = until_steady ? kMost : recipe.overwrites;
  while (made.overwrites < most) {
    const double pass = std::min(kPass, most - made.overwrites);
    const std::uint64_t written = ftl.written(), copied = ftl.copied();
    const auto count = static_cast<std::uint64_t>(std::llround(pass * lpages));
    if (count == 0) break;
    // Each pass draws by itself.
    ftl.overwrite(count, keyed_hash(recipe.seed, static_cast<std::uint64_t>(made.overwrites / kPass)));
    made.overwrites += pass;
    const double waf = ftl.waf_since(written, copied);
    const bool steady = std::abs(waf / made.waf - 1) < kSteady;
    made.waf = waf;
    if (until_steady && steady && made.overwrites >= kLeast) break;
  }
  ftl.flush();
  if (recipe.shape.program_unit != 0) ftl.go_on_to_the_middle(recipe.seed);
  ftl.finish(made.state);
  made.state.waf_thousandths = static_cast<std::uint32_t>(std::llround(1000 * made.waf));
  expand(made.state, recipe.map_unit);
  const std::string_view fill = config::schema()
                                    .at(static_cast<std::size_t>(config::find_key("precondition.fill")))
                                    .choices.at(static_cast<std::size_t>(recipe.fill));
  made.state.origin = fmt::format("precondition.fill = {}, {} overwrites, seed {}", fill, made.overwrites, recipe.seed);
  return made;
}

}  // namespace wordline::precondition
