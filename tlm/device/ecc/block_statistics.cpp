// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/ecc/block_statistics.h"

#include <utility>

namespace wordline::ecc {
namespace {

void add_counter(results::Registry& registry, const char* block, const char* name, results::Statistic::Read read) {
  registry.add_to_sum(results::Name("ecc.rtl.BLOCK.count.NAME", {block, name}), "as the block says",
                      "A block of your own (ecc.rtl.tier1, tier2, encoder, tap, read_retry): its counter NAME, the "
                      "port count_NAME_o, at the end of the run.",
                      std::move(read));
}

}  // namespace

void add_passages(results::Registry& registry, const char* block, results::Statistic::Read passages,
                  results::Statistic::Read clocks) {
  registry.add_to_sum(results::Name("ecc.rtl.BLOCK.codewords", {block}), "codewords",
                      "Codewords that went through the gates of this block: tier1, tier2, your own encoder; those from "
                      "the flash of your own tap. Of your own read_retry: reads of a page.",
                      std::move(passages));
  registry.add_to_sum(results::Name("ecc.rtl.BLOCK.clocks", {block}), "clocks",
                      "Clocks of that. A tier: from the last beat in to the verdict. Your encoder: from the first beat "
                      "in to the last one out, waits of source and sink included. Your tap: those that the last beat "
                      "left later than without it. Your read_retry: those in its reads.",
                      std::move(clocks));
}

void add_block_counters(results::Registry& registry, const char* block, const rtl::LoadedBlock& loaded) {
  for (std::uint32_t i = 0; i < loaded.description().status_count; ++i) {
    const wordline_rtl_status& status = loaded.description().status[i];
    if (status.kind != WORDLINE_RTL_COUNTED) continue;
    add_counter(registry, block, status.name, [&loaded, pin = status.pin] { return loaded.get(pin); });
  }
}

void explain_block_counters(results::Registry& registry) {
  add_counter(registry, "BLOCK", "NAME", [] { return std::uint64_t{0}; });
}

}  // namespace wordline::ecc
