// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/config/config.h"
#include "models/firmware/contract/contract.h"
#include "models/onfi/address.h"
#include "models/onfi/features.h"
#include "models/onfi/timing.h"
#include "tlm/device/flash/bus/onfi_transaction.h"
#include "tlm/device/flash/channel/read_group.h"
#include "tlm/device/flash/channel/spare_table.h"
#include "tlm/protocol/simulation_context.h"

namespace wordline::flash {

/// The wires of a channel in the controller's hands: sends segments and remembers what the next one has to wait for.
/// Who uses the wires is the arbiter's matter (bus_arbiter.h), what for the sequences'. Dies are indices within the
/// channel.
///
/// Every call announces one segment, not before `at`, and returns the transaction as the die answered it; it is valid
/// until the next call. Commands and status reads keep tRHW after the package's last output; all other
/// waits (tADL, tCCS, tRR, tDBSY) are the caller's.
class ChannelBus {
 public:
  /// `spares`: null: virtual blocks are physical ones.
  ChannelBus(const tlm_if::SimulationContext& context, OnfiInitiatorSocket& socket, const config::Config& config,
             const config::Layout& layout, const SpareTable* spares);
  ChannelBus(const ChannelBus&) = delete;
  ChannelBus& operator=(const ChannelBus&) = delete;

  /// The next segment serves the host command of `tag`. Observation only.
  void serves(std::uint16_t tag) { transaction_.tag = tag; }
  const OnfiTransaction& command(std::uint32_t die, const onfi::Cycles& cycles, Picoseconds at);
  /// The status byte of `of`'s LUN. The die may be addressed again tRHW after the end.
  const OnfiTransaction& status(std::uint32_t die, const onfi::Address& of, Picoseconds at);
  /// The status by 78h, which reports the plane of `of`, too.
  const OnfiTransaction& plane_status(std::uint32_t die, const onfi::Address& of, Picoseconds at);
  const OnfiTransaction& set_feature(std::uint32_t die, const onfi::FeatureWrite& write, Picoseconds at);
  /// The bytes of a GET FEATURES, OnfiTransaction::parameters, come out tRR after its ready_at. The die may be
  /// addressed again tRHW after their end.
  const OnfiTransaction& get_feature(std::uint32_t die, std::uint8_t feature, Picoseconds at);
  const OnfiTransaction& feature_out(std::uint32_t die, Picoseconds at);
  /// The first `lpages` logical pages of page() to the die.
  const OnfiTransaction& data_in(std::uint32_t die, std::uint32_t lpages, Picoseconds at);
  /// `lpages` logical pages from the die to page(), and their raw bit errors to errors(). `together`: see ReadErrors;
  /// null:
  /// one read by itself.
  const OnfiTransaction& data_out(std::uint32_t die, std::uint32_t lpages, Picoseconds at,
                                  const nand::ReadParameters* together);

  /// The first bytes of the spare area, selected by their column; the transaction's status has the first.
  const OnfiTransaction& mark_out(std::uint32_t die, Picoseconds at);

  /// The page of `job` in `plane`, column 0, where the job names a physical block.
  [[nodiscard]] onfi::Address untranslated(std::uint32_t die, const wl_flash_job& job, std::uint32_t plane) const {
    return {die / packages_, PlaneId(static_cast<std::uint8_t>(plane)), BlockId(job.block), PageId(job.page), 0, false};
  }
  /// The page of `job` in `plane`, column 0, in the physical block behind the job's.
  [[nodiscard]] onfi::Address address(std::uint32_t die, const wl_flash_job& job, std::uint32_t plane) const {
    return address(die, job, plane, BlockId(job.block));
  }
  /// The address of a group of reads.
  [[nodiscard]] onfi::Address address(std::uint32_t die, const ReadGroup& group, std::uint32_t plane) const {
    return address(die, group.any(), plane, group.block(plane));
  }
  /// The mode in which a block is programmed and read, of each die: with ftl.slc_cache alone.
  void set_slc_mode(std::uint32_t die, std::uint32_t block, bool on) {
    if (!slc_mode_.empty()) slc_mode_[std::size_t{die} * blocks_ + block] = on;
  }
  [[nodiscard]] bool in_slc_mode(std::uint32_t die, std::uint32_t block) const {
    return !slc_mode_.empty() && slc_mode_[std::size_t{die} * blocks_ + block];
  }
  [[nodiscard]] const onfi::AddressCodec& codec() const { return codec_; }
  /// Data of the segment under way. Of data out, until the next segment.
  [[nodiscard]] std::vector<nand::StoredLpage>& page() { return page_; }
  /// The raw bit errors of the data out sent last.
  [[nodiscard]] const ReadErrors& errors() const { return errors_; }
  [[nodiscard]] const OnfiTransaction& last() const { return transaction_; }
  /// When logical page `i` of a data out segment that began at `start` is in the controller.
  [[nodiscard]] Picoseconds arrival(Picoseconds start, std::uint32_t i) const {
    return start + timing_.data_out((i + 1) * std::uint64_t{codec_.lpage_bytes()});
  }
  [[nodiscard]] Picoseconds free_at() const { return transaction_.end; }
  /// Simulated time.
  [[nodiscard]] Picoseconds now() const { return context_.now(); }
  /// Time since the start in which the bus was idle because the next command or status had to keep tRHW.
  [[nodiscard]] Picoseconds turnaround() const { return turnaround_; }
  /// Segments of the die, and what else has made it busy since the start: when it has not changed, neither have its
  /// counters, but for what a segment began.
  [[nodiscard]] std::uint32_t activity(std::uint32_t die) const { return activity_[die]; }
  void note_activity(std::uint32_t die) { ++activity_[die]; }
  /// Whether no other die of its package was addressed since.
  [[nodiscard]] bool addressed_last(std::uint32_t die) const { return addressed_[package(die)] == die; }

 private:
  [[nodiscard]] onfi::Address address(std::uint32_t die, const wl_flash_job& job, std::uint32_t plane,
                                      BlockId block) const {
    const BlockId physical = spares_ == nullptr ? block : spares_->physical(job.die, plane, block);
    return {die / packages_,
            PlaneId(static_cast<std::uint8_t>(plane)),
            physical,
            PageId(job.page),
            0,
            in_slc_mode(die, block.value())};
  }
  [[nodiscard]] unsigned package(std::uint32_t die) const { return die % packages_; }
  [[nodiscard]] Picoseconds after_output(std::uint32_t die, Picoseconds at);
  const OnfiTransaction& send(std::uint32_t die, onfi::SegmentKind kind, const onfi::Cycles& cycles, Picoseconds at);
  const OnfiTransaction& send_data(std::uint32_t die, onfi::SegmentKind kind, std::uint32_t lpages, Picoseconds at);
  const OnfiTransaction& transport(std::uint32_t die, Picoseconds at);

  const tlm_if::SimulationContext& context_;
  OnfiInitiatorSocket& socket_;
  const SpareTable* const spares_;
  const std::uint32_t packages_;
  const std::uint32_t blocks_;  // of a die, as jobs name them
  const Picoseconds t_rhw_;
  const onfi::BusTiming timing_;
  const onfi::AddressCodec codec_;
  std::vector<std::uint32_t> addressed_;  // addressed by package: die addressed last
  std::vector<Picoseconds> output_end_;   // output end by package: end of the last output: data, status, feature
  std::vector<std::uint32_t> activity_;   // by die
  std::vector<bool> slc_mode_;            // by die and block; empty: all blocks are alike
  std::vector<nand::StoredLpage> page_;
  std::vector<ReadErrors::Lpage> error_counts_;
  ReadErrors errors_;
  OnfiTransaction transaction_;
  Picoseconds turnaround_{};
};

}  // namespace wordline::flash
