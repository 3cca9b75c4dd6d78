// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "flash.h"
#include "rules.h"

namespace wordline::persist_model {

/// What happens next: a letter, and a number that says which one of several, or is the key of what is drawn.
struct Action {
  char what;
  std::uint32_t which;
};
/// The host's: w write, u write with FUA, t deallocate, f FLUSH. The data of a command: a arrive. Firmware's: p program
/// of the host's data, v victim, g gather its data, h program them, c closing record, z erase, m a step of the mount.
/// Flash's: d a program ends, e an erase ends. x: power fails. q: no command comes until all is done.
inline constexpr const char* kActions = "wutfapvghczmdexq";

/// The protocol of an FTL that survives power cuts, without time. Every map unit on flash says its logical page, its
/// sequence number and its kind; a mount reads all of them, and the highest sequence is what the page holds.
/// Deallocations are map units, too (tombstones). The last unit of a superblock is its closing record, programmed when
/// all others have ended.
///
/// A die programs one unit at a time; different dies end in any order.
class Ftl {
 public:
  /// Mounts what is on flash: reads all of it. The steps that follow (m) change flash, and may be cut.
  Ftl(Flash& flash, std::optional<Rule> broken, Dice dice);

  [[nodiscard]] bool mounted() const { return mount_.done; }
  /// Steps of firmware and flash that may come next.
  [[nodiscard]] std::vector<Action> steps() const;
  /// False: it is not the time for it, nothing changed.
  bool step(Action action);

  // ---- the host
  [[nodiscard]] bool accepts() const;
  void command(const MapUnit& content, bool force_unit_access);
  /// The sequence that durable() is asked for.
  std::uint64_t flush();
  /// All data that had arrived when `sequence` was the last one are on flash.
  [[nodiscard]] bool durable(std::uint64_t sequence) const;
  struct Arrival {
    MapUnit content;
    bool force_unit_access;
  };
  /// Data that have arrived since the last call.
  std::vector<Arrival> arrivals() { return std::exchange(arrivals_, {}); }
  /// Content of a page; zeros where it holds nothing, nothing where it cannot be read.
  [[nodiscard]] std::optional<std::array<int, 2>> read(int lpn) const;

 private:
  enum class State : std::uint8_t { kFree, kOpen, kFull, kClosing, kClosed, kVictim, kErasing, kDoubtful };
  struct Place {
    std::uint64_t sequence = 0;  // 0: the page holds nothing
    int unit = -1;               // -1: in the buffer, or on its way to flash
  };
  struct Copy {
    MapUnit content;
    int from = -1;
  };
  struct Program {
    Stream stream = Stream::kHost;
    int unit = -1;
    Unit content;
    std::array<int, kMapUnits> from{};
  };
  struct Confirmation {
    int superblock;
    std::vector<std::uint64_t> replaces;
  };
  struct Mount {
    bool done = false;
    bool sealed = false;
    std::vector<int> discard, doubtful;
    std::vector<Confirmation> confirm;
    std::vector<std::uint64_t> replaces;
    std::deque<Copy> copies;
  };

  [[nodiscard]] bool broken(Rule rule) const { return broken_ == rule; }
  [[nodiscard]] State& state(int superblock) { return states_[static_cast<std::size_t>(superblock)]; }
  [[nodiscard]] State state(int superblock) const { return states_[static_cast<std::size_t>(superblock)]; }
  [[nodiscard]] Place& map(int lpn) { return map_[static_cast<std::size_t>(lpn)]; }
  [[nodiscard]] const Place& map(int lpn) const { return map_[static_cast<std::size_t>(lpn)]; }
  [[nodiscard]] int& open(Stream s) { return open_[static_cast<std::size_t>(s)]; }
  [[nodiscard]] int open(Stream s) const { return open_[static_cast<std::size_t>(s)]; }
  [[nodiscard]] int& cursor(int superblock) { return cursor_[static_cast<std::size_t>(superblock)]; }
  [[nodiscard]] std::uint64_t& opened(int superblock) { return opened_[static_cast<std::size_t>(superblock)]; }
  [[nodiscard]] int cursor(int superblock) const { return cursor_[static_cast<std::size_t>(superblock)]; }
  [[nodiscard]] int count(State wanted) const;

  // mount
  struct Found {
    std::vector<std::optional<Unit>> units;
    std::array<bool, kSuperblocks> closed{}, by_mount{}, readable{};
    std::array<std::uint64_t, kSuperblocks> opened{};
    std::set<std::uint64_t> replaced;  // by a superblock of a mount, the copies are complete
    std::array<std::vector<std::uint64_t>, kSuperblocks> replaces;
    [[nodiscard]] bool is_replaced(int superblock) const {
      const auto s = static_cast<std::size_t>(superblock);
      return readable[s] && replaced.count(opened[s]) != 0;
    }
  };
  [[nodiscard]] Found read_all(Dice dice) const;
  void sort_superblocks(const Found& found);
  void find_newest(const Found& found);
  void doubt(int superblock, const Found& found);
  [[nodiscard]] int unit_to_confirm(int superblock) const;
  void continue_open(const Found& found);
  [[nodiscard]] bool may_mount_step() const;
  void mount_step();
  void end_mount();

  // space
  [[nodiscard]] bool has_room(int superblock) const;
  [[nodiscard]] int next_unit(int unit) const;
  [[nodiscard]] bool die_busy(int unit) const;
  [[nodiscard]] int superblock_for(Stream stream) const;
  [[nodiscard]] bool may_program(Stream stream) const;
  void program(Stream stream, const std::vector<Copy>& content);
  void ended(const Program& p);
  [[nodiscard]] bool programs_in(int superblock) const;
  [[nodiscard]] bool half_pairs(Stream stream) const;

  // host
  void arrive(std::size_t n);
  [[nodiscard]] bool kept(const MapUnit& m) const;
  [[nodiscard]] bool somebody_waits() const { return !flushes_.empty() || barrier_ != 0; }
  [[nodiscard]] bool may_program_host() const;
  void program_host();

  // collection
  [[nodiscard]] bool valid(const MapUnit& m, int unit) const;
  [[nodiscard]] int valid_in(int superblock) const;
  [[nodiscard]] bool may_choose(int superblock) const;
  [[nodiscard]] bool may_choose_victim() const;
  void choose_victim();
  void gather();
  [[nodiscard]] bool may_program_copies() const;
  void program_copies();
  [[nodiscard]] bool may_erase_victim() const;
  [[nodiscard]] int to_close() const;
  void close(int superblock, int unit, const std::vector<std::uint64_t>& replaces);
  void settle();

  Flash& flash_;
  std::optional<Rule> broken_;
  std::uint64_t sequence_ = 1;
  std::array<Place, kLpns> map_{};
  std::array<State, kSuperblocks> states_{};
  std::array<int, kSuperblocks> cursor_{};
  std::array<std::uint64_t, kSuperblocks> opened_{};
  std::uint64_t openings_ = 0;
  std::array<int, kStreams> open_{-1, -1, -1};
  struct Command {
    MapUnit content;
    bool force_unit_access;
  };
  std::deque<Command> commands_;
  std::vector<Arrival> arrivals_;
  std::deque<MapUnit> buffer_;
  std::vector<std::uint64_t> flushes_;
  std::vector<Program> programs_;
  std::vector<Program> half_;  // ended, while what shares their cells has not
  int victim_ = -1;
  std::uint64_t barrier_ = 0;  // the victim is erased when all up to it is durable; 0: not known yet
  std::deque<Copy> moves_;
  std::vector<Copy> gathered_;
  Mount mount_;
};

}  // namespace wordline::persist_model
