// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "models/config/config.h"
#include "models/nand/array_geometry.h"
#include "models/nand/plan.h"
#include "models/nand/program_parameters.h"
#include "models/nand/read_parameters.h"
#include "models/nand/region_ages.h"
#include "models/nand/stored_lpage.h"
#include "models/units/index.h"

namespace wordline::nand {

struct Device;

inline constexpr std::size_t kMaxPlanes = 16;  // max planes of a die: nand.planes

/// The block that an operation addresses in each plane.
struct BlockByPlane : std::array<BlockId, kMaxPlanes> {
  BlockByPlane() : array{} {}
  BlockByPlane(BlockId block) : array{} { fill(block); }  // NOLINT(google-explicit-constructor): the same in all
};

/// Content of logical pages no operation has touched since the start of the run (a preconditioned drive); {} where
/// erased.
using Fill = std::function<StoredLpage(DieId die, const LpageAddress& at)>;

/// kFail: the device gave up, what the FAIL bit reports: a bad block, or one that has worn out. kRefused: the command
/// breaks a rule of use (page programmed already, not the next page of the block, block not erased after an interrupted
/// erase); nothing was changed.
enum class OperationStatus : std::uint8_t { kOk, kFail, kRefused };

/// What a die measures while it programs a word line.
struct ProgramReport {
  PassWindows windows;  // loops in which the first and the last cell of each state passed, from the default Vstart on
  double ber_ep1 = 0;   // errors per cell between erased and P1, right after the program at default references
};
/// The numbers of planes that were programmed together, from those of each plane: they share pulses and verifies, and
/// their layers differ in speed. The first cell of all of them, the last, and the worst errors.
[[nodiscard]] ProgramReport together(const ProgramReport& a, const ProgramReport& b);

/// Codewords of a page that follow each other, by number in the page, and their length.
struct Codewords {
  unsigned first, count, bits;
};

/// A block as power has left it, for another run. Its data count as written at the beginning of that run.
struct BlockImage {
  std::uint32_t erases = 0;
  std::uint32_t pages = 0;          // up to the last that is not blank
  bool half_erased = false;         // nothing can be read or programmed before an erase
  bool failed = false;              // grown bad
  bool dead = false;                // its die has failed as a whole; what is below is in its cells all the same
  std::vector<bool> torn;           // by page
  std::vector<bool> blank;          // by page; in mixed order there may be some before the last one that is not
  std::vector<bool> parity;         // by page: the XOR of pages of other dies; empty: none is
  std::vector<StoredLpage> lpages;  // of these pages, as many in small pages as in the others, unless half erased

  /// A page of it is not blank, or cannot be read.
  [[nodiscard]] bool is_used() const { return pages != 0 || half_erased || dead; }
  [[nodiscard]] bool is_parity(std::size_t page) const { return !parity.empty() && parity[page]; }
  /// What it has `lpage` places behind the first: of a page of that.
  [[nodiscard]] std::size_t page_of(std::size_t lpage) const { return lpage / (lpages.size() / pages); }
};

/// Which blocks a die has given up.
enum class BlockHealth : std::uint8_t { kGood, kFactoryBad, kGrownBad };

/// What a NAND die is, without a clock: blocks and pages with their content, rules of use, the plan of each array
/// operation, the raw bit errors of each read. The SystemC die asks for a plan, lets its time pass, then commits.
///
/// Memory: a block materialises on its first program or erase; at most 80 bytes per written 16 KiB page. What is not
/// default (parameters, torn word lines) costs four bytes per word line of the blocks that have it.
///
/// Blocks of nand.region are the last ones. Their pages are shorter, and programs and erases of them take less time;
/// the planes of a program or an erase address blocks of one kind.
///
/// Reads disturb all pages of the block; pages next to a word line that most reads go to, 9.5 times as much.
///
/// Failures: keyed by flash address and P/E count, so a block fails in the same operation in every run. Once a program
/// or erase of a block has failed, every later erase of it fails too. Known gaps: a plan is that of all planes, so it
/// does not say which will fail; reads of an interrupted word line give a rate of 0.25, whatever the moment of the
/// interruption; BER_EP1 carries no counting noise.
class Die {
 public:
  /// One of the dies of `device`, which was made of the same configuration.
  Die(std::shared_ptr<const Device> device, const config::Nand& nand, const config::Layout& layout, DieId id,
      std::uint64_t seed, Fill fill);
  /// By itself. `ages`: of what the fill holds.
  Die(const config::Nand& nand, const config::Layout& layout, DieId id, std::uint64_t seed, Fill fill,
      const RegionAges& ages = {});
  ~Die();
  Die(const Die&) = delete;
  Die& operator=(const Die&) = delete;

  /// Erases of a block before the run, on top of nand.aging.pe_cycles. Before its first operation.
  void start_with_erases(PlaneId plane, BlockId block, std::uint32_t erases);
  /// The fill has left the block open behind its first `pages`, and programming goes on there. Before the first
  /// operation on the block.
  void start_open(PlaneId plane, BlockId block, std::uint32_t pages);
  /// The block as another run has left it. Before the first operation on the block.
  void start_as(PlaneId plane, BlockId block, const BlockImage& image);
  [[nodiscard]] BlockImage image(PlaneId plane, BlockId block) const;
  /// Time of the run, for the age of data (nand.aging.page_age), which is nand.aging.acceleration times as long. Time
  /// only moves forward. `fails`: from now on nothing can be read from the die, blank pages included, and its programs
  /// and erases fail.
  void set_time(Picoseconds now, bool fails = false);

  // ---- plans: how long, and which micro-operations ------------------------------------------------------------------
  /// Read of one page (the same page of every selected plane senses together): precharge, senses by page type,
  /// discharge. Every sense of `parameters` costs t_sense.
  [[nodiscard]] Plan plan_read(BlockId block, PageId page, const ReadParameters& parameters = {}) const;
  /// Program of one program unit (page, or word line in one shot) starting at `page`. Throws as program_scheme() does.
  /// In SLC mode, which only devices have whose word lines are programmed in one shot, a unit is the first page of the
  /// word line alone. The first program of a block after its erase decides about all others.
  /// A program or erase that is going to fail takes all its loops.
  [[nodiscard]] Plan plan_program(BlockId block, PageId page, const ProgramParameters& parameters = {}) const;
  [[nodiscard]] Plan plan_erase(BlockId block) const;

  // ---- commits: what the operation did, when its time is over, with the parameters of its plan --------------------
  /// Counts the read (read disturb) of page `page` in the planes of `plane_mask`, of a block in each.
  void commit_read(std::uint32_t plane_mask, const BlockByPlane& blocks, PageId page,
                   const ReadParameters& parameters = {});
  /// Stores a program unit: `lpages` holds an entry for each logical page of a page of this block, planes of a page
  /// first, then pages. When a plane fails, its pages of the program unit are used up and unreadable. A fine pass
  /// (ProgramPass) needs the coarse one before it and the same data.
  OperationStatus commit_program(std::uint32_t plane_mask, const BlockByPlane& blocks, PageId page,
                                 const StoredLpage* lpages, const ProgramParameters& parameters = {});
  OperationStatus commit_erase(std::uint32_t plane_mask, const BlockByPlane& blocks);
  /// The planes that failed, as bits, in the last operation that ended with kFail.
  [[nodiscard]] std::uint32_t failed_planes() const;

  // ---- interrupted operations: power loss or RESET, `elapsed` after the start ----------------------------
  /// The word line can no longer be read, with all its pages, also those of earlier programs (paired pages), and its
  /// pages are used up until the erase. Nothing happens before the first pulse (elapsed 0); from the end on it is a
  /// commit's work.
  void interrupt_program(std::uint32_t plane_mask, const BlockByPlane& blocks, PageId page, Picoseconds elapsed,
                         const ProgramParameters& parameters = {});
  /// The block can neither be read nor programmed until it is erased.
  void interrupt_erase(std::uint32_t plane_mask, const BlockByPlane& blocks, Picoseconds elapsed);
  void interrupt_read(std::uint32_t plane_mask, const BlockByPlane& blocks, PageId page, Picoseconds elapsed,
                      const ReadParameters& parameters = {});

  // ---- what is in the array ----------------------------------------------------------------------------------------
  /// Content as it was programmed; {} where erased or lost.
  [[nodiscard]] StoredLpage lpage(const LpageAddress& at) const {
    StoredLpage stored;
    lpages(at, 1, &stored);
    return stored;
  }
  /// As lpage(), of `count` logical pages of one page.
  void lpages(const LpageAddress& first, std::uint32_t count, StoredLpage* stored) const;
  /// It has been programmed in SLC mode: it is read so, too.
  [[nodiscard]] bool in_slc_mode(PlaneId plane, BlockId block) const;
  /// Not erased: programmed, or left half way by an interrupted operation.
  [[nodiscard]] bool programmed(PlaneId plane, BlockId block, PageId page) const;
  /// False where an interrupted or failed operation left cells anywhere.
  [[nodiscard]] bool readable(PlaneId plane, BlockId block, PageId page) const;
  /// h-layer of a page.
  [[nodiscard]] unsigned layer(PageId page) const;
  /// Factory marks, and blocks of which a program or erase has failed.
  [[nodiscard]] BlockHealth health(PlaneId plane, BlockId block) const;
  /// The program report of the word line of `page`. Throws std::logic_error when it is not programmed.
  [[nodiscard]] ProgramReport program_report(PlaneId plane, BlockId block, PageId page) const;

  // ---- raw bit errors ------------------------------------------------------------------------------------------
  /// Raw bit error rate of the page at reference step `step` of the retry table (0 = default references).
  [[nodiscard]] double rber(PlaneId plane, BlockId block, PageId page, unsigned step) const;
  /// The bit error rate with shifted references. Of soft senses, the one in the middle (the lower of two) decides.
  [[nodiscard]] double rber(PlaneId plane, BlockId block, PageId page, const ReadParameters& parameters) const;
  /// Bit errors of codeword `codeword` (0 .. 2 * logical pages - 1) of `bits` bits in this read; keyed by flash
  /// address, P/E count, read count and references, so that repeating the run repeats the errors.
  [[nodiscard]] unsigned bit_errors(PlaneId plane, BlockId block, PageId page, unsigned codeword, unsigned bits,
                                    unsigned step) const;
  [[nodiscard]] unsigned bit_errors(PlaneId plane, BlockId block, PageId page, unsigned codeword, unsigned bits,
                                    const ReadParameters& parameters) const;
  /// The bit errors of several codewords: an entry of `errors` for each.
  void bit_errors(PlaneId plane, BlockId block, PageId page, const Codewords& codewords,
                  const ReadParameters& parameters, unsigned* errors) const;
  /// What the senses of `parameters` say of a bit of this page.
  [[nodiscard]] SoftChannel soft_channel(PlaneId plane, BlockId block, PageId page,
                                         const ReadParameters& parameters) const;

  /// Of operations that have ended or were interrupted: time, and time for each of their planes.
  struct ArrayTime {
    Picoseconds time{}, by_plane{};
  };
  struct Counters {
    std::uint64_t page_reads = 0, programs = 0, erases = 0;  // operations, multi-plane counted once
    std::uint64_t lpages_programmed = 0;
    std::uint64_t failures = 0;     // programs and erases that ended with kFail
    std::uint64_t interrupted = 0;  // operations cut short
    Picojoules energy{};            // energy of all operations; the three below sum to it
    Picojoules read_energy{}, program_energy{}, erase_energy{};
    ArrayTime read_time, program_time, erase_time;
  };
  [[nodiscard]] const Counters& counters() const;
  /// With those before the run.
  [[nodiscard]] std::uint32_t erase_count(PlaneId plane, BlockId block) const;
  [[nodiscard]] std::size_t memory_bytes() const;

  /// Where the bytes of metadata are that its pages hold: erases drop them. It outlives the die; null: nobody asks.
  data::TokenPool* metadata = nullptr;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wordline::nand
