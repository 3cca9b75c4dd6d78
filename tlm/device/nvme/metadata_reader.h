// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/device/mover/agenda.h"
#include "tlm/device/mover/host_data_mover.h"
#include "tlm/device/nvme/nvme.h"

namespace wordline::host::nvme {

/// The one descriptor of the SGL segment to which MPTR of a command with PSDT 10b points (Base 3.3.3.1). It is read by
/// a request of its own, behind what the data pointer needs.
class MetadataReader final : private Agenda::Client, private DmaAccess::Client {
 public:
  class UserIf {
   public:
    /// Null: host memory did not have it.
    virtual void metadata_descriptor(std::uint32_t tag, const SglDescriptor* descriptor) = 0;

   protected:
    ~UserIf() = default;
  };

  MetadataReader(HostDataMover& mover, Agenda& agenda, UserIf& user)
      : mover_(mover), agenda_(agenda), user_(user), descriptors_(mover.commands().size()) {}

  void read(std::uint32_t tag, std::uint64_t address) {
    const HostDma::Piece piece{address, &descriptors_[tag], sizeof(SglDescriptor)};
    mover_.dma().read(agenda_.now(), &piece, 1, {this, 0, tag});
  }

 private:
  enum class Kind : std::uint32_t { kRead };  // index: tag, value: whether host memory had it
  void dma_ended(const DmaAccess& access, bool good, Picoseconds at) override {
    agenda_.schedule(at, *this, Kind::kRead, access.index, good ? 1 : 0);
  }
  void act(const Agenda::Action& action) override {
    user_.metadata_descriptor(action.index, action.value != 0 ? &descriptors_[action.index] : nullptr);
  }

  HostDataMover& mover_;
  Agenda& agenda_;
  UserIf& user_;
  std::vector<SglDescriptor> descriptors_;  // by tag
};

}  // namespace wordline::host::nvme
