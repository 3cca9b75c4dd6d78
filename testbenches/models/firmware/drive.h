// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "block_oracle.h"
#include "drive_admin.h"
#include "drive_engines.h"
#include "drive_host_buffer.h"
#include "models/data/power_promises.h"
#include "models/firmware/context.h"
#include "models/firmware/host/nvme.h"
#include "models/precondition/drive_state.h"
#include "models/riscv/hart.h"
#include "models/units/keyed_random.h"
#include "nand_model.h"
#include "slot_use.h"
#include "states.h"

namespace wordline::testing {

struct Command {
  std::uint8_t opcode = WL_OP_READ;
  std::uint64_t slba = 0;
  std::uint32_t blocks = 0;
  bool fua = false;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> ranges;  // deallocate
  /// Write: from this block on the host has no memory, so that they never come.
  std::uint32_t gone_from = UINT32_MAX;
  /// Write, on a drive with placement handles: which; -1: any.
  int handle = -1;
};

/// The firmware with simple hardware around it: no time, but a random order. In each step one actor goes on: a core
/// polls, one DMA job ends, one flash job starts or its completion arrives, one command is handed over. Jobs of one tag
/// end in order, jobs of a die as a channel controller may order them: reads overtake. Every read is checked, as is
/// that no slot is read while it changes (SlotUse); and, at the end of every FLUSH of a volatile buffer, that flash
/// holds all that was written before it (native only). With boot.engines the engines are one more actor (DriveEngines).
class Drive {
 public:
  /// Who goes on when several can: anyone; or dies do something only when nobody else can; or hardware has always done
  /// all it was asked before a core goes on; or cores have always done all they can before anything happens.
  enum class Order { kAny, kFlashLast, kHardwareFirst, kCoresFirst };
  Order order = Order::kAny;

  /// `image`: ELF to run on RV32IMAC harts; empty: the firmware compiled into the test. With an image there is no
  /// access to the firmware's context: firmware(), buffered() and idle() are for the native one. `spares`: the table of
  /// spare blocks as an earlier boot has left it; empty: all are free. `state`: that it begins with, instead of
  /// boot.preconditioned.
  Drive(const wl_boot_info& boot, std::uint64_t seed, const std::string& image = "",
        const std::vector<std::uint16_t>& spares = {}, const precondition::DriveState* state = nullptr);

  std::uint16_t submit(const Command& command);  // needs has_tag(); returns it
  [[nodiscard]] bool has_tag() const { return !free_tags_.empty(); }
  [[nodiscard]] std::size_t in_flight() const { return boot_.host_tags - free_tags_.size(); }
  /// One actor goes on. Throws when nothing can although commands are in flight, or when none of them ends for long.
  void step();
  /// Until all commands are complete, and then until nothing happens any more.
  void drain();
  void settle();
  /// Time passes: only the TIMER block has any.
  void pass(std::uint32_t microseconds);
  /// Submits and waits for this one; returns its status.
  std::uint16_t run(const Command& command);

  /// An admin command; waits for the answer, while what was under way goes on. `abort`: tag of the command to abort.
  DriveAdmin::Answer run_admin(const wl_sqe& sqe, std::uint16_t abort = WL_NO_TAG);
  DriveAdmin& admin() { return admin_; }
  DriveHostBuffer& host_buffer() { return host_buffer_; }
  /// The controller has been reset, and a self-test begun before.
  DriveAdmin::Answer tell_of_reset();
  /// The host shuts the drive down (CC.SHN = 01b). Until admin().answer is there it goes on; no command is under way.
  void begin_shutdown();

  [[nodiscard]] bool idle() const { return wl_firmware_idle(fw_); }
  [[nodiscard]] const struct wl_firmware_statistics& statistics() const {
    return *reinterpret_cast<const struct wl_firmware_statistics*>(hal_.tcm + WL_FIRMWARE_CONTEXT_OFFSET);
  }
  [[nodiscard]] std::uint64_t instructions() const;
  [[nodiscard]] riscv::TagCosts tag_costs(std::uint32_t core) const { return harts_.at(core)->tag_costs(); }
  [[nodiscard]] std::uint32_t buffered() const;
  [[nodiscard]] const wl_firmware& firmware() const { return *fw_; }
  NandModel& nand() { return nand_; }

  // ---- power cuts: with boot.ftl.recovery, natively
  /// Hears of each write, and of what is promised to outlive a cut.
  data::PowerPromises* promises = nullptr;
  /// Power fails: of each die the program or erase that comes next has not begun, or stays half done. What is left.
  [[nodiscard]] NandModel cut_power();
  /// The drive is switched on with what another has left. Before the first step.
  void put_in(NandModel flash, std::uint32_t version);
  [[nodiscard]] std::uint32_t version() const { return version_; }
  /// Of promises.
  [[nodiscard]] std::uint64_t now() const { return now_; }
  /// The host is answered.
  [[nodiscard]] bool mounted() const { return ready_; }
  /// What a read of the block would return now, if it is in no buffer.
  [[nodiscard]] std::uint64_t on_flash(std::uint64_t lba);
  /// From now on reads are checked against this.
  void begins_with(std::uint64_t lba, std::uint64_t content) { oracle_.start_with(lba, content); }

  [[nodiscard]] const std::byte* tcm() const { return reinterpret_cast<const std::byte*>(tcm_.data()); }
  [[nodiscard]] const std::byte* dram() const { return reinterpret_cast<const std::byte*>(dram_.data()); }
  [[nodiscard]] const DriveEngines& engines() const { return *engines_; }
  [[nodiscard]] std::uint64_t random() { return keyed_hash(seed_, ++draws_); }
  std::map<std::uint16_t, std::uint64_t> errors;  // completions by status other than success
  std::uint64_t reads_checked = 0;
  std::uint64_t lpages_found_on_flash = 0;  // by checks of a FLUSH
  std::uint64_t copies = 0;                 // of slots
  /// What a die measures of a program that succeeded and asks for a report; `set`: its parameters, null for the
  /// device's own. Not set: dies measure nothing.
  std::function<wl_program_report(const wl_flash_job& job, const wl_program_set* set)> measure;

 private:
  struct Tag {
    Command command;
    bool busy = false;
    std::uint64_t submitted = 0;
    std::uint32_t notifying = 0;
    std::vector<std::uint64_t> data;  // by block
    std::vector<bool> moved;
    std::deque<wl_host_job> jobs;
    std::uint16_t status = 0;
    bool failed = false;  // blocks have not come
  };
  struct Core {
    bool asleep = false;
    bool found_nothing = false;  // others go on between the poll and the sleep
    std::uint32_t pending = 0;
    std::uint32_t enabled = 0;
  };
  /// The registers as a hart reaches them.
  class Registers : public riscv::Bus {
   public:
    explicit Registers(Drive& drive) : drive_(drive) {}
    bool read(std::uint32_t address, unsigned size, std::uint32_t& value) override;
    bool write(std::uint32_t address, unsigned size, std::uint32_t value) override;

   private:
    Drive& drive_;
  };
  struct HardRing {
    std::uint32_t base = 0, size = 0, doorbell = 0;
  };

  /// What DATA or NEXT of the MAP port is now.
  [[nodiscard]] std::uint32_t& map_word(std::uint32_t offset);
  static void write32(void* self, std::uint32_t offset, std::uint32_t value);
  static std::uint32_t read32(void* self, std::uint32_t offset);
  void raise(unsigned source);
  template <class Entry>
  void push(const HardRing& ring, const Entry& entry);
  template <class Entry>
  bool pop(const HardRing& ring, Entry* entry);

  void start_harts(const std::string& image);
  [[nodiscard]] std::uint32_t hardware_actors() const {
    return 4U + (engines_ == nullptr ? 0 : 1) + (boot_.ftl.host_pages == 0 ? 0 : 1);
  }
  bool step_one_of(std::uint32_t begin, std::uint32_t end);
  bool step_core(std::uint32_t core);
  bool step_hart(std::uint32_t core);
  [[nodiscard]] bool at_rest() const;
  bool step_command();
  bool step_dma();
  bool step_flash();
  [[nodiscard]] NandModel::Metadata metadata_of(std::uint32_t slot);
  void report(const wl_flash_job& job, const wl_flash_completion& done);
  bool step_completion();
  bool step_copy();
  void make_engines();
  void push_command(std::uint16_t tag, std::uint8_t flags);
  void add_job(const wl_host_job& job);
  void begin_content(std::uint64_t lba, std::uint64_t content, std::uint64_t submitted);
  void take_jobs();
  void do_job(std::uint16_t tag, const wl_host_job& job);
  [[nodiscard]] bool comes(const Tag& tag, std::uint32_t lpage) const;
  void end_of_write(const Tag& tag);
  void complete(std::uint16_t tag, std::uint16_t status);
  void check_flushed(std::uint64_t submitted);
  std::uint64_t oldest_read() const;

  wl_boot_info boot_;
  std::uint64_t seed_;
  std::uint64_t draws_ = 0;
  static constexpr std::uint64_t kPatience = 10'000'000;  // steps
  std::uint64_t now_ = 0;
  std::uint64_t last_end_ = 0;  // of a command
  std::uint32_t version_ = 1;
  std::vector<std::uint64_t> tcm_, dram_;
  std::vector<std::uint32_t> map_;  // behind the MAP port
  std::uint32_t map_word_ = 0;
  NandModel nand_;
  BlockOracle oracle_;
  wl_hal hal_{};
  DriveAdmin admin_{hal_};
  DriveHostBuffer host_buffer_{hal_, [this] { return random(); }};
  wl_firmware* fw_ = nullptr;
  std::vector<Core> cores_;
  Registers registers_{*this};
  std::vector<std::byte> itcm_;
  std::vector<std::unique_ptr<riscv::Hart>> harts_;
  HardRing events_, host_jobs_, completions_;
  std::vector<HardRing> channels_;
  std::uint32_t slot_table_ = 0;
  std::uint32_t metadata_table_ = 0, metadata_first_ = 0, metadata_count_ = 0;
  std::uint32_t program_sets_ = 0, program_reports_ = 0;
  std::uint32_t microseconds_ = 1000;
  std::uint32_t compare_ = 0;
  std::vector<Sector> slots_;
  SlotUse slot_use_;
  std::vector<Tag> tags_;
  std::vector<std::uint16_t> free_tags_;
  std::deque<std::uint16_t> arrived_;
  bool dsm_busy_ = false;
  bool ready_ = false;  // the firmware has set up its rings
  std::vector<std::uint16_t> dma_tags_;
  std::vector<std::deque<wl_flash_job>> dies_;
  struct Finished {
    wl_flash_completion completion;
    wl_flash_job job;
  };
  std::vector<Finished> finished_;
  std::unique_ptr<DriveEngines> engines_;  // null: none
};

}  // namespace wordline::testing
