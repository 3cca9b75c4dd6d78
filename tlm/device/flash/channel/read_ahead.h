// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <unordered_map>
#include <vector>

#include "models/config/config.h"
#include "models/firmware/contract/contract.h"
#include "models/nand/die.h"
#include "models/results/registry.h"
#include "models/units/quantity.h"
#include "tlm/device/flash/channel/die_queue.h"
#include "tlm/protocol/simulation_context.h"

namespace wordline::flash {

/// Reads pages before the host asks for them (channels.read_ahead). It watches the reads of the host as they reach the
/// channels: once some of them begin where the one before ended, or in its last logical page, the multi-plane pages
/// that follow in the order in which a superblock is filled are read into a buffer of its own, up to a window ahead. A
/// read that finds its page there, or on its way, does not go to its die. A read elsewhere ends the stream; one a
/// little out of order, as queues of several channels deliver them, does not.
///
/// Firmware does not see it. Content cannot be stale: a programmed page keeps its content until its block is
/// erased, and an erase drops what is held of it.
///
/// Accuracy: finding a page takes no time; its data have passed the DRAM port once and pass it again on their way out.
/// Which pages are written hardware would keep in a bit each; here the dies are asked. The window ends with the
/// superblock.
class ReadAhead {
 public:
  /// The slots of the read-ahead, beyond all of the data buffer.
  static constexpr std::uint32_t kFirstSlot = 0x80000000;

  /// A channel controller, as the read-ahead needs it.
  class Channel {
   public:
    virtual ~Channel() = default;
    /// A read of the read-ahead; arrived() when it has ended.
    virtual void read_ahead(Picoseconds at, const wl_flash_job& job) = 0;
    /// The data of a read that takes() has taken, in the buffer at `ready`.
    virtual void deliver(JobIndex job, const nand::StoredLpage* lpages, Picoseconds ready) = 0;
    /// A read that takes() has taken and that cannot be served.
    virtual void read_anyway(Picoseconds at, JobIndex job) = 0;
  };

  /// `is_written`: whether the page of a job is programmed in all planes.
  ReadAhead(const tlm_if::SimulationContext& context, const config::Config& config, const config::Layout& layout,
            std::function<bool(const wl_flash_job&)> is_written);

  [[nodiscard]] bool enabled() const { return window_ != 0; }
  /// In the order of their numbers.
  void add(Channel& channel) { channels_.push_back(&channel); }

  /// A job has arrived at its channel. True: the channel gets its data by deliver().
  bool takes(Channel& from, JobIndex index, const wl_flash_job& job, Picoseconds at);
  /// A logical page that was read ahead.
  void store(std::uint32_t slot, const nand::StoredLpage& lpage) { lpages_.at(slot - kFirstSlot) = lpage; }
  /// The end of a job of Channel::read_ahead().
  void arrived(const wl_flash_job& job, bool ok, Picoseconds at);

  /// Reads of the host that found their page, and pages that were read ahead.
  [[nodiscard]] std::uint64_t hits() const { return hits_; }
  [[nodiscard]] std::uint64_t pages() const { return pages_; }
  void register_statistics(results::Registry& registry) const;

 private:
  struct Waiting {
    Channel* channel;
    JobIndex job;
    std::uint32_t lpage;
  };
  enum class State : std::uint8_t { kFree, kReading, kHeld };
  struct Entry {
    State state = State::kFree;
    bool dropped = false;  // its block is erased: nothing may find it
    std::uint64_t page = 0;
    std::uint32_t left = 0;  // logical pages that no read has taken
    Picoseconds ready{};
    std::vector<Waiting> waiting;
  };

  [[nodiscard]] std::uint64_t page_of(const wl_flash_job& job) const;
  [[nodiscard]] wl_flash_job job_for(std::uint64_t page) const;
  void follow(std::uint64_t begin, std::uint32_t count, Picoseconds at);
  void extend(Picoseconds at);
  [[nodiscard]] std::uint32_t free_entry();
  void release(std::uint32_t entry);
  void forget(const wl_flash_job& erase);

  const tlm_if::SimulationContext& context_;
  const wl_geometry geometry_;
  const std::uint32_t window_;  // multi-plane pages
  const std::uint32_t after_;
  const bool small_pages_;
  const std::function<bool(const wl_flash_job&)> is_written_;
  std::vector<Channel*> channels_;

  std::vector<Entry> entries_;
  std::vector<nand::StoredLpage> lpages_;                           // logical pages of the entries
  std::unordered_map<std::uint64_t, std::uint32_t> entry_of_page_;  // entry of a page
  std::deque<std::uint32_t> order_;                                 // entries in the order in which they were taken
  std::uint64_t next_ = UINT64_MAX;  // logical page where the stream goes on; first: none does
  std::uint64_t issued_ = 0;         // page up to which has been read ahead
  std::uint32_t run_ = 0;            // reads that followed the one before
  std::uint64_t hits_ = 0, pages_ = 0;
};

}  // namespace wordline::flash
