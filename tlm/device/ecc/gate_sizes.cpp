// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/ecc/gate_sizes.h"

#include <map>
#include <sstream>
#include <string>

#include "ecc/gate_sizes_builtin.h"

namespace wordline::ecc {
namespace {

std::map<std::string, GateSize, std::less<>> read_table() {
  std::map<std::string, GateSize, std::less<>> sizes;
  std::istringstream table(kBuiltinGateSizes);
  for (std::string line; std::getline(table, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream row(line);
    std::string top;
    GateSize size;
    row >> top >> size.gates >> size.flip_flops >> size.memory_bits >> size.longest_path;
    sizes[top] = size;
  }
  return sizes;
}

void add(results::Registry& registry, const char* block, const char* top, std::uint64_t instances, Picoseconds period) {
  const GateSize* const size = gate_size(top);
  if (size == nullptr) return;
  const auto one = [&](const char* path, const char* unit, const char* text, std::uint64_t value) {
    registry.add(results::Name(path, {block}), unit, text, [value] { return value; });
  };
  one("ecc.rtl.size.BLOCK.instances", "blocks",
      "Blocks of this kind in the drive, one for each channel (tier1, tier2, encoder) or die (read_retry). The shipped "
      "ones only; sizes by scripts/sizes, an estimate.",
      instances);
  one("ecc.rtl.size.BLOCK.gates", "gates", "Two-input gates of one block, without its memories.", size->gates);
  one("ecc.rtl.size.BLOCK.flip_flops", "flip-flops", "Flip-flops of one block.", size->flip_flops);
  one("ecc.rtl.size.BLOCK.gate_equivalents", "GE", "NAND2 equivalents of one block: gates + 4 x flip-flops.",
      size->gates + 4 * size->flip_flops);
  one("ecc.rtl.size.BLOCK.memory_bits", "bits", "Bits of the memories of one block.", size->memory_bits);
  one("ecc.rtl.size.BLOCK.longest_path", "gates", "Gates on its longest path between two flip-flops.",
      size->longest_path);
  one("ecc.rtl.size.BLOCK.gate_ps", "ps",
      "What a gate of that path may take, wires included, for the block to keep ecc.clock: the period by their number.",
      static_cast<std::uint64_t>(period.count()) / size->longest_path);
}

}  // namespace

const GateSize* gate_size(std::string_view top) {
  static const auto sizes = read_table();
  const auto found = sizes.find(top);
  return found == sizes.end() ? nullptr : &found->second;
}

void register_gate_sizes(results::Registry& registry, const config::Ecc& config, std::uint64_t channels,
                         std::uint64_t dies, bool retries) {
  const Picoseconds period = cycles_time(1, config.clock);
  if (config.rtl.tier1.empty()) add(registry, "tier1", "ldpc_bit_flip_decoder", channels, period);
  if (config.rtl.tier2.empty()) add(registry, "tier2", "ldpc_min_sum_decoder", channels, period);
  if (config.rtl_encoder && config.rtl.encoder.empty()) add(registry, "encoder", "ldpc_encoder", channels, period);
  if (retries && config.rtl.read_retry.empty()) add(registry, "read_retry", "read_retry", dies, period);
}

}  // namespace wordline::ecc
