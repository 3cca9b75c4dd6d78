// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <systemc>
#include <vector>

#include "models/data/stamp.h"
#include "tlm/device/mover/data_path.h"
#include "tlm/device/mover/host_dma.h"

namespace wordline::host {

/// Data of writes that come from host memory that takes time (HostMemoryIf::dma()): what has come so far of each
/// transfer. Where host memory answers at once, DataPath reserves the whole way in one step instead.
///
/// Time: each logical page is asked for by a request of its own, all at once; its data pass over link and DRAM port
/// when the memory has answered all of it. Transfers of one command are handed on in the order in which they began.
class IncomingData final : private DmaAccess::Client {
 public:
  class UserIf {
   public:
    /// All of the transfer's data have a time; it began at `from`.
    virtual void data_came(std::uint32_t transfer, const DataPath::Times& times, Picoseconds from) = 0;

   protected:
    ~UserIf() = default;
  };

  IncomingData(DataPath& path, sc_core::sc_port<HostLinkIf>& link, HostDma& dma, UserIf& user)
      : path_(path), link_(link), dma_(dma), user_(user) {}

  /// Begins to bring the data of `job` from `from` on; data_came() follows. `index`: of the transfer, a small number.
  void begin(std::uint32_t index, const wl_host_job& job, const HostCommand& command, Picoseconds from);
  /// Logical page `i` of a transfer that came; null: host memory did not have it.
  [[nodiscard]] const data::LpageStamps* content(std::uint32_t index, std::uint32_t i) const {
    const Lpage& lpage = transfers_[index].lpages[i];
    return lpage.good ? &lpage.content : nullptr;
  }
  /// The data of a transfer that came into its slots. False: as DataPath::move_in().
  [[nodiscard]] bool move_in(std::uint32_t index, const wl_host_job& job, const HostCommand& command);

 private:
  struct Lpage {
    data::LpageStamps content{};
    std::uint64_t bytes = 0;
    std::uint32_t left = 0;  // stretches that host memory has not answered
    bool good = true;
    Picoseconds answered{};
  };
  struct Transfer {
    std::deque<Lpage> lpages;  // they stay where they are while accesses are in flight
    wl_host_job job{};
    const HostCommand* command = nullptr;
    std::uint32_t left = 0;  // logical pages
    Picoseconds from{}, setup{}, end{};
  };

  /// kind: the logical page of the transfer, index: the transfer.
  void dma_ended(const DmaAccess& access, bool good, Picoseconds at) override;

  DataPath& path_;
  sc_core::sc_port<HostLinkIf>& link_;
  HostDma& dma_;
  UserIf& user_;
  std::deque<Transfer> transfers_;
  std::vector<std::deque<std::uint32_t>> order_;  // transfers under way by tag
};

}  // namespace wordline::host
