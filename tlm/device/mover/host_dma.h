// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <systemc>
#include <unordered_map>
#include <vector>

#include "models/data/stamp.h"
#include "models/units/pool.h"
#include "tlm/device/mover/agenda.h"
#include "tlm/device/mover/controller_memory.h"
#include "tlm/protocol/host_dma_if.h"
#include "tlm/protocol/host_link_if.h"
#include "tlm/protocol/host_memory_if.h"

namespace wordline::host {

/// The drive's accesses of host memory over the link, whether that memory answers at once or takes time. With one that
/// answers at once, an access ends within the call that begins it.
///
/// Order is that of PCI Express (Base 2.4.1) as far as a host can see it: reads in flight pass each other, and a
/// completion entry never lies in host memory before its data do. Since a memory behind a socket may end writes in any
/// order, write_behind() begins when the data writes of its command have ended; a command is named by its queue and
/// identifier, as the host names it.
///
/// Accuracy: a read's request, the memory's time and the data one after the other; writes are posted. Known gap: any
/// number of accesses may be in flight, a device has a limit (tags and credits of PCI Express).
class HostDma final : private DmaAccess::Client {
 public:
  /// A stretch of host memory, and where in the drive its bytes are.
  template <class Bytes>
  struct Stretch {
    std::uint64_t address;
    Bytes* at;
    std::size_t bytes;
  };
  using Piece = Stretch<void>;
  using Source = Stretch<const void>;

  HostDma(Agenda& agenda, sc_core::sc_port<HostLinkIf>& link, sc_core::sc_port<HostMemoryIf>& memory)
      : agenda_(agenda), link_(link), memory_(memory) {}

  [[nodiscard]] static constexpr std::uint32_t name_of(std::uint16_t queue, std::uint16_t id) {
    return std::uint32_t{queue} << 16 | id;
  }

  /// Null: host memory answers at once.
  [[nodiscard]] HostDmaIf* slow() {
    if (!is_known_) slow_ = memory_->dma();
    is_known_ = true;  // it stays what it is: asked several times in a command
    return slow_;
  }

  /// Reads of addresses that `own` has are of the drive's own memory, and pass no link.
  void find_in(const ControllerMemory& own) { own_ = &own; }
  [[nodiscard]] bool has_own() const { return own_ != nullptr; }
  [[nodiscard]] bool has_own(std::uint64_t address) const { return own_ != nullptr && own_->has(address); }

  /// The host has no power: what comes from its memory from now on is not there.
  void host_is_gone() { host_gone_ = true; }
  [[nodiscard]] bool host_gone() const { return host_gone_; }

  /// Reads the pieces, not before `earliest`; one request on the link for all. The access ends when the last byte is
  /// there.
  void read(Picoseconds earliest, const Piece* pieces, unsigned count, const DmaAccess& access);
  /// Writes the pieces, which arrive at host memory at `arrives`. The access ends when the memory has them. They are
  /// copied. `command`: as name_of() has it.
  void write(std::uint32_t command, Picoseconds arrives, const Source* pieces, unsigned count, const DmaAccess& access);
  /// As write(), of data that no completion entry follows.
  void write_apart(Picoseconds arrives, const Source& piece, const DmaAccess& access);
  /// Only with slow(): user data, `nlb` stamps, which arrive at `arrives`. They are copied.
  void write_stamps(std::uint32_t command, Picoseconds arrives, std::uint64_t address, const data::LbaStamp* from,
                    std::uint32_t nlb, const DmaAccess& access);
  static constexpr std::size_t kBehindBytes = 16;
  using BehindBytes = std::array<std::byte, kBehindBytes>;
  /// Who writes something behind the data of a command: what it is may depend on whether host memory has taken these.
  class BehindIf {
   public:
    /// The write `index` begins: the data of its command have ended.
    [[nodiscard]] virtual BehindBytes bytes_behind(std::uint32_t index) = 0;

   protected:
    ~BehindIf() = default;
  };
  /// Writes what has arrived now, behind the data of the command. `access.index` names it for `source`.
  void write_behind(std::uint32_t command, std::uint64_t address, BehindIf& source, const DmaAccess& access);

 private:
  enum class Kind : std::uint32_t { kRead, kWrite, kBehind, kApart };
  /// An access under way.
  struct Record {
    DmaAccess access{};
    std::uint64_t bytes = 0;    // of a read
    std::uint32_t left = 0;     // pieces
    std::uint32_t command = 0;  // of a write
    bool ended = false;         // a write of data, kept until the entry behind it begins
    bool good = true;
    Picoseconds last{};  // last of the answers so far
  };
  struct Behind {
    std::uint64_t address;
    BehindIf* source;
    DmaAccess access;
  };
  /// Writes of one command.
  struct Posted {
    std::vector<std::uint32_t> writes;  // records of data
    std::deque<Behind> behind;
  };

  void dma_ended(const DmaAccess& access, bool good, Picoseconds at) override;
  std::uint32_t begin_writes(std::uint32_t command, Picoseconds arrives, std::uint32_t left, const DmaAccess& access);
  void go_on(std::uint32_t command);
  /// Bytes of a write.
  [[nodiscard]] std::vector<std::byte>& bytes_of(std::uint32_t record) {
    if (bytes_.size() <= record) bytes_.resize(record + 1U);
    return bytes_[record];
  }

  Agenda& agenda_;
  sc_core::sc_port<HostLinkIf>& link_;
  sc_core::sc_port<HostMemoryIf>& memory_;
  HostDmaIf* slow_ = nullptr;
  const ControllerMemory* own_ = nullptr;
  bool is_known_ = false;
  bool host_gone_ = false;
  Pool<Record> records_;
  std::unordered_map<std::uint32_t, Posted> posted_;  // by command, while there is something
  // What accesses point to while they last: it stays where it is, by index of the record.
  std::deque<std::array<data::LbaStamp, kLbasPerHostPage>> stamps_;
  std::deque<std::vector<std::byte>> bytes_;
};

}  // namespace wordline::host
