// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "models/riscv/insn.h"

namespace wordline::riscv {

class Translator;

/// A decoded basic block: `count` instructions, then an End slot unless the last one ends the block by itself.
struct Block {
  Insn* insns = nullptr;
  Block* taken = nullptr;  // where the branch or jump went last (a branch: always goes)
  Block* fall = nullptr;   // the block at end_pc
  std::uint64_t executions = 0;
  std::uint32_t static_cycles = 0;
  std::uint32_t count = 0;
  std::uint32_t pc = 0;
  std::uint32_t end_pc = 0;
  InsnInfo* info = nullptr;
  // Of a Translator.
  bool translated = false;                         // or tried
  std::uint32_t entry = 0;                         // its translation; 0: none that begins with its first instruction
  const std::uint64_t* translated_runs = nullptr;  // executions in translated code, not in `executions`

  [[nodiscard]] std::uint64_t runs() const { return executions + (translated_runs != nullptr ? *translated_runs : 0); }
};

/// Blocks by address. Blocks live until flush(), so their links need no bookkeeping; flush() may only be called while
/// no block is held.
class BlockCache {
 public:
  /// All outlive the cache. `limit` is set to 0 when so much has been decoded that the hart must flush(): see full().
  BlockCache(const HartConfig& config, const AddressSpace& memory, std::uint64_t& limit);
  ~BlockCache();
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;

  /// From now on; it forgets what it has translated when the blocks go.
  void translate_with(std::unique_ptr<Translator> translator);
  /// Null: everything is interpreted.
  [[nodiscard]] Translator* translator() const { return translator_.get(); }
  void set_handlers(const void* const* handlers) { handlers_ = handlers; }
  /// What an instruction of a block is, the kinds that decode() does not make among them.
  [[nodiscard]] Op op_of(const Insn& insn) const;

  /// The block at `pc`; decodes it when it is not there. Always returns one: what cannot be fetched is a FetchFault.
  [[nodiscard]] Block* find(std::uint32_t pc) {
    Block* block = table_[slot(pc)];
    return block != nullptr && block->pc == pc ? block : find_slow(pc);
  }
  /// One instruction, decoded anew, valid until the next call but one; for running without a cache.
  [[nodiscard]] Block* decode_one(std::uint32_t pc);

  void flush();
  /// So many instructions have been decoded or translated that starting over is better.
  [[nodiscard]] bool full() const;
  [[nodiscard]] std::vector<BlockProfile> profile() const;
  [[nodiscard]] std::uint64_t decoded() const { return decoded_; }
  /// Blocks so far, and bytes of the host's code that there are now.
  [[nodiscard]] std::uint64_t translated() const;
  [[nodiscard]] std::size_t translated_bytes() const;

 private:
  static constexpr unsigned kTableBits = 14;
  static constexpr std::size_t kChunkSlots = 8192;
  static constexpr std::size_t kMaxSlots = std::size_t{1} << 21;  // 48 MiB
  static constexpr std::size_t kBlocksPerChunk = 1024;
  struct Chunk {
    Insn insns[kChunkSlots];
    InsnInfo info[kChunkSlots];
  };

  static std::size_t slot(std::uint32_t pc) { return (pc >> 1) & ((std::size_t{1} << kTableBits) - 1); }
  Block* find_slow(std::uint32_t pc);
  const AddressSpace::Region* code_region(std::uint32_t pc);  // null: nothing can be fetched there
  void fill(Block& block, std::uint32_t pc, unsigned limit, Insn* insns, InsnInfo* info);
  /// Decodes what is at `at`, FetchFault where nothing is; returns the length in bytes.
  static unsigned decode_at(const AddressSpace::Region* region, std::uint32_t at, Insn& insn);
  Block* new_block();
  void reserve_slots();
  void mark_lines(const Block& block);

  const HartConfig& config_;
  const AddressSpace& memory_;
  std::uint64_t& limit_;
  const void* const* handlers_ = nullptr;
  const AddressSpace::Region* last_region_ = nullptr;  // into the hart's list; forgotten at flush()
  std::vector<Block*> table_;                          // direct mapped, in front of blocks_
  std::unordered_map<std::uint32_t, Block*> blocks_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<std::unique_ptr<Block[]>> block_chunks_;
  std::size_t chunk_ = 0, chunk_used_ = kChunkSlots, used_ = 0, block_count_ = 0;
  std::vector<std::uint8_t*> marked_;
  std::unordered_map<std::uint32_t, BlockProfile> history_;  // history of flushed blocks
  std::uint64_t decoded_ = 0;
  struct Single {
    Block block;
    Insn insns[2];
    InsnInfo info[2];
  };
  Single singles_[2];
  unsigned single_ = 0;
  std::unique_ptr<Translator> translator_;
};

}  // namespace wordline::riscv
