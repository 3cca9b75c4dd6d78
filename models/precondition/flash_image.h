// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/data/held_contents.h"
#include "models/data/stamp.h"
#include "models/nand/die.h"
#include "models/precondition/drive_state.h"
#include "models/precondition/flash_scan.h"

namespace wordline::precondition {

/// Flash as a power cut has left it, for another process whose firmware mounts it: every block of every die with
/// content, spare records, what is torn, and its erases. Nothing that was in a memory.
struct FlashImage {
  Geometry geometry;
  std::vector<nand::BlockImage> blocks;  // by die, plane, block
  data::TokenPool pool;                  // of their tokens
  std::string origin;                    // for people
  std::uint32_t map_unit = 1;            // logical pages that count as a whole (map_unit_of)

  [[nodiscard]] const nand::BlockImage& block(std::uint32_t die, std::uint32_t plane, std::uint32_t number) const {
    return blocks[(std::size_t{die} * geometry.planes + plane) * geometry.blocks + number];
  }
  /// Whether a block of the superblock has a page that is not blank.
  [[nodiscard]] bool uses(std::uint32_t superblock) const;
  /// What a reader finds at a place of flash.
  [[nodiscard]] Place at(std::uint64_t ppa) const;
  /// The same for one who waits until word lines, of so many pages, have had all their programs: else it is as torn.
  [[nodiscard]] Place certain_at(std::uint64_t ppa, std::uint32_t word_line_pages) const;
  /// The highest version of any data in it.
  [[nodiscard]] std::uint32_t newest_version() const;
};

/// What a host reads of a drive that has mounted `image`.
[[nodiscard]] data::HeldContents contents_of(const FlashImage& image);

/// What a mount of it that is cut may leave of a logical page, beside what contents_of() says: word lines that it was
/// about to complete may be torn then. Each is no older than what lies where nothing of a mount can destroy it.
[[nodiscard]] std::unordered_map<std::uint32_t, std::vector<data::LpageStamps>> contents_beside(
    const FlashImage& image, std::uint32_t word_line_pages);

/// Little-endian: 8 bytes `WLFLASH` and a line feed; version of the format, bytes of the text, bytes of the file (8);
/// geometry as a state file has it; contents of several versions, and of metadata (counts); the text; each of these
/// contents, 64 bytes, and a logical page of bytes; each block: erases, pages up to the last that is not blank, marks
/// (1 half erased, 2 grown bad, 4 its die is dead), of each of these pages a byte (1 torn, 2 blank, from version 3 on,
/// 4 parity, from version 4 on: its tokens are XORs of tokens), of each logical page token, owner and record; SHA-256
/// of all bytes before. Version 5, of drives with map pages or with units above 1, has these two behind the header.
void save_flash(const std::string& path, const FlashImage& image);
/// Throws config::ConfigError: it is no such file, is damaged, or of a drive with another geometry than `expected`, or
/// with another map unit.
[[nodiscard]] FlashImage load_flash(const std::string& path, const Geometry& expected, std::uint32_t map_unit = 1);
/// Logical pages of ftl.map_unit, of which a mount takes the newest copy as a whole. 1 with two page sizes: what each
/// says there, follows from the geometry.
[[nodiscard]] std::uint32_t map_unit_of(const config::Config& config, const config::Layout& layout);
/// precondition.flash; null: there is none.
[[nodiscard]] std::unique_ptr<const FlashImage> flash_image_of(const config::Config& config,
                                                               const config::Layout& layout);

}  // namespace wordline::precondition
