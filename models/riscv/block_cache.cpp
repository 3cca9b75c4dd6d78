// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/riscv/block_cache.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "models/riscv/translate/translator.h"

namespace wordline::riscv {

BlockCache::BlockCache(const HartConfig& config, const AddressSpace& memory, std::uint64_t& limit)
    : config_(config), memory_(memory), limit_(limit), table_(std::size_t{1} << kTableBits) {}

BlockCache::~BlockCache() = default;

void BlockCache::translate_with(std::unique_ptr<Translator> translator) { translator_ = std::move(translator); }

bool BlockCache::full() const { return used_ > kMaxSlots || (translator_ != nullptr && translator_->full()); }

std::uint64_t BlockCache::translated() const { return translator_ == nullptr ? 0 : translator_->blocks(); }

std::size_t BlockCache::translated_bytes() const { return translator_ == nullptr ? 0 : translator_->bytes(); }

const AddressSpace::Region* BlockCache::code_region(std::uint32_t pc) {
  if (last_region_ != nullptr && pc - last_region_->memory.base < last_region_->memory.size - 1) return last_region_;
  const AddressSpace::Region* region = memory_.find(pc, 2);
  if (region == nullptr || !region->memory.executable) return nullptr;
  return last_region_ = region;
}

unsigned BlockCache::decode_at(const AddressSpace::Region* region, std::uint32_t at, Insn& insn) {
  const std::uint32_t offset = region != nullptr ? at - region->memory.base : 0;
  const std::uint32_t left = region != nullptr && offset < region->memory.size ? region->memory.size - offset : 0;
  std::uint16_t half = 0;
  if (left >= 2) std::memcpy(&half, region->memory.host + offset, 2);
  if (left < 2 || ((half & 3u) == 3u && left < 4)) {
    insn = Insn{};
    insn.op = Op::kFetchFault;
    insn.imm = left < 2 ? at : at + 2;  // the half that is not there
    return 2;
  }
  if ((half & 3u) != 3u) {
    insn = decode(expand_compressed(half), at, half);
    return 2;
  }
  std::uint32_t word = 0;
  std::memcpy(&word, region->memory.host + offset, 4);
  insn = decode(word, at, word);
  return 4;
}

void BlockCache::fill(Block& block, std::uint32_t pc, unsigned limit, Insn* insns, InsnInfo* info) {
  const CycleCosts& costs = config_.costs;
  block.pc = pc;
  block.insns = insns;
  block.info = info;
  const AddressSpace::Region* region = code_region(pc);
  std::uint32_t at = pc, cycles = 0;
  unsigned n = 0;
  bool ended = false;
  while (n < limit && !ended) {
    Insn& insn = insns[n];
    const unsigned length = decode_at(region, at, insn);
    const Op op = insn.op;
    info[n] = InsnInfo{static_cast<std::uint16_t>(at - pc), static_cast<std::uint16_t>(n), cycles, 0};
    cycles += static_cycles(op, costs);
    ended = ends_block(op);
    at += length;
    ++n;
    // Looking forward, and not back, gives the same sum however the code is cut into blocks.
    if (costs.load_use != 0 && is_load(op)) {
      Insn next;
      (void)decode_at(region, at, next);
      if (reads(next, insn.rd)) cycles += costs.load_use;
    }
    const Op variant = config_.trap_misaligned ? aligned_only(op) : op;
    insn.handler =
        handlers_[static_cast<unsigned>(variant == Op::kCsr ? observation_only(insn, config_.observation) : variant)];
    insn.slice = 0;
  }
  if (!ended) {
    insns[n] = Insn{};
    insns[n].handler = handlers_[static_cast<unsigned>(Op::kEnd)];
    info[n] = InsnInfo{static_cast<std::uint16_t>(at - pc), static_cast<std::uint16_t>(n), cycles, 0};
  }
  block.count = n;
  block.static_cycles = cycles;
  block.end_pc = at;
}

Op BlockCache::op_of(const Insn& insn) const {
  const auto* end = handlers_ + static_cast<unsigned>(Op::kCount);
  return static_cast<Op>(std::find(handlers_, end, insn.handler) - handlers_);
}

Block* BlockCache::decode_one(std::uint32_t pc) {
  Single& single = singles_[single_ ^= 1];
  fill(single.block, pc, 1, single.insns, single.info);
  return &single.block;
}

Block* BlockCache::find_slow(std::uint32_t pc) {
  if (const auto known = blocks_.find(pc); known != blocks_.end()) return table_[slot(pc)] = known->second;
  reserve_slots();
  Chunk& chunk = *chunks_[chunk_];
  Block* block = new_block();
  fill(*block, pc, kMaxBlock, chunk.insns + chunk_used_, chunk.info + chunk_used_);
  chunk_used_ += block->count + 1;
  used_ += block->count + 1;
  ++decoded_;
  if (full()) limit_ = 0;  // it flushes before the next block
  mark_lines(*block);
  blocks_.emplace(pc, block);
  return table_[slot(pc)] = block;
}

void BlockCache::reserve_slots() {
  if (chunk_used_ + kMaxBlock + 1 <= kChunkSlots) return;
  chunk_ = used_ == 0 ? 0 : chunk_ + 1;
  if (chunk_ == chunks_.size()) chunks_.push_back(std::make_unique<Chunk>());
  chunk_used_ = 0;
}

Block* BlockCache::new_block() {
  const std::size_t chunk = block_count_ / kBlocksPerChunk;
  if (chunk == block_chunks_.size()) block_chunks_.push_back(std::make_unique<Block[]>(kBlocksPerChunk));
  Block& block = block_chunks_[chunk][block_count_++ % kBlocksPerChunk];
  block = Block{};
  return &block;
}

void BlockCache::mark_lines(const Block& block) {
  const AddressSpace::Region* region = code_region(block.pc);
  if (region == nullptr) return;
  const std::uint32_t first = block.pc - region->memory.base;
  // A load's cost may depend on the instruction behind the block.
  const std::uint32_t behind = config_.costs.load_use != 0 ? 4 : 0;
  const std::uint32_t last = std::min(first + (block.end_pc - block.pc) + behind, region->memory.size) - 1;
  for (std::uint32_t line = first >> kLineShift; line <= last >> kLineShift; ++line) {
    std::uint8_t& mark = region->code_lines[line];
    if (mark == 0) marked_.push_back(&mark);
    mark = 1;
  }
}

void BlockCache::flush() {
  last_region_ = nullptr;
  for (const auto& entry : blocks_) {
    const Block& block = *entry.second;
    if (block.runs() == 0) continue;
    BlockProfile& sum =
        history_.emplace(block.pc, BlockProfile{block.pc, block.count, block.static_cycles, 0}).first->second;
    sum.executions += block.runs();
  }
  for (std::uint8_t* mark : marked_) *mark = 0;
  marked_.clear();
  blocks_.clear();
  std::fill(table_.begin(), table_.end(), nullptr);
  chunk_ = 0;
  chunk_used_ = kChunkSlots;
  used_ = 0;
  block_count_ = 0;
  if (translator_ != nullptr) translator_->forget();
}

std::vector<BlockProfile> BlockCache::profile() const {
  auto sums = history_;
  for (const auto& entry : blocks_) {
    const Block& block = *entry.second;
    if (block.runs() == 0) continue;
    sums.emplace(block.pc, BlockProfile{block.pc, block.count, block.static_cycles, 0}).first->second.executions +=
        block.runs();
  }
  std::vector<BlockProfile> result;
  result.reserve(sums.size());
  for (const auto& entry : sums) result.push_back(entry.second);
  std::sort(result.begin(), result.end(), [](const BlockProfile& a, const BlockProfile& b) { return a.pc < b.pc; });
  return result;
}

}  // namespace wordline::riscv
