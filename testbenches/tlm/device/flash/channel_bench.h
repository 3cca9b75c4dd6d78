// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "models/onfi/address.h"
#include "tlm/device/flash/bus/onfi_bus.h"
#include "tlm/device/flash/bus/timing_checker.h"
#include "tlm/device/flash/die/nand_die.h"

namespace wordline::testing {

/// What the untouched cells of die `die` hold: logical page and place told apart, version 1.
[[nodiscard]] nand::StoredLpage filled_lpage(DieId die, const nand::LpageAddress& at);

/// Channel 0 of a drive with a hand in the controller's place: bus, dies and timing checker, all bound.
class ChannelBench : public sc_core::sc_module, public flash::ReadyBusyIf {
 public:
  /// `fill`: blocks below 4 hold filled_lpage(), the others are erased.
  explicit ChannelBench(const config::Config& config, tlm_if::RecorderIf* recorder = nullptr,
                        const sc_core::sc_module_name& name = "bench");

  const config::Config config;
  const config::Layout layout;
  flash::OnfiInitiatorSocket socket{"controller"};
  flash::TimingChecker checker;
  flash::OnfiBus bus;
  std::vector<std::unique_ptr<flash::NandDie>> dies;
  const onfi::AddressCodec codec;

  struct Ready {
    unsigned die;
    Picoseconds at;
  };
  std::vector<Ready> readies;
  void ready(unsigned die, Picoseconds at) override;

  /// Sends a segment that starts at `at` (now or later) and returns it with its response.
  flash::OnfiTransaction send(flash::OnfiTransaction transaction, Picoseconds at);
  flash::OnfiTransaction command(unsigned die, const onfi::Cycles& cycles, Picoseconds at);
  flash::OnfiTransaction status(unsigned die, Picoseconds at);
  flash::OnfiTransaction data_out(unsigned die, nand::StoredLpage* lpages, std::uint32_t count, Picoseconds at);
  flash::OnfiTransaction data_in(unsigned die, nand::StoredLpage* lpages, std::uint32_t count, Picoseconds at);
  /// A unit of all planes from `page` on, everything at the earliest legal time; the transaction of its confirm (10h or
  /// 15h).
  flash::OnfiTransaction program(unsigned die, BlockId block, PageId page, std::vector<nand::StoredLpage>& lpages,
                                 Picoseconds at, std::uint8_t confirm = onfi::kProgramConfirm);
  /// Waits (in a process) until `at`, all that happens at that time included.
  void until(Picoseconds at);
};

/// Status of a die that is ready and has not failed: E0h.
inline constexpr std::uint8_t kIdleStatus = onfi::kNotProtected | onfi::kReady | onfi::kArrayReady;

[[nodiscard]] inline onfi::Address at(std::uint8_t plane, std::uint32_t block, std::uint32_t page,
                                      std::uint32_t lpage = 0, std::uint32_t lun = 0) {
  return {lun, PlaneId(plane), BlockId(block), PageId(page), lpage * 4648};
}

/// Logical page `i` of what the tests write.
[[nodiscard]] inline nand::StoredLpage written(std::uint32_t i) {
  return {data::LpageToken::uniform(Lpn(5000 + i), 2), 5000 + i};
}
/// A unit of all planes with logical pages written(0), written(1), ...
[[nodiscard]] std::vector<nand::StoredLpage> unit(const ChannelBench& bench);

}  // namespace wordline::testing
