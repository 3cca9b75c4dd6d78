// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <tlm>

#include "models/ecc/code/codeword.h"
#include "models/nand/die.h"
#include "models/onfi/commands.h"
#include "models/onfi/timing.h"
#include "models/units/quantity.h"

namespace wordline::flash {

/// Extension of a data out: the raw bit errors in the bytes that it carries. Logical pages are tokens and never hold a
/// wrong bit, so the number of wrong bits travels beside them, from the die to the decoder of the channel. An initiator
/// that does not decode leaves OnfiTransaction::errors null; all other segments ignore it.
///
/// Evaluated when the segment is announced, for the page in the cache register as it stands at `start`. That holds to
/// the end of the data, because no operation of the array is committed before the next segment of the die.
struct ReadErrors {
  /// The bit errors of one logical page, by codeword: 0 where the page is erased, at most ecc::kCodewordBits.
  using Lpage = std::array<unsigned, ecc::kMostCodewords>;

  // Request.
  Lpage* lpages = nullptr;  // lpage_count entries, written during the call
  /// Soft decoding: the senses that the controller has put together from several reads of this page, one after the
  /// other with shifted references, of which this data out brings the last. Null: nothing to combine, no `soft`.
  const nand::ReadParameters* together = nullptr;

  // Response; the same for all logical pages, which lie in one page of one plane.
  bool programmed = false;   // not erased: false, and the logical pages hold no data that a decoder could use
  std::uint32_t erases = 0;  // P/E count of the block
  nand::SoftChannel soft;    // soft with `together`: its bins, and how likely a bit is right or wrong in each
};

/// One use of a channel's wires. The initiator owns it, fills the first part and may reuse it as soon as
/// nb_transport_fw has returned; nothing is allocated.
struct OnfiTransaction {
  onfi::SegmentKind kind = onfi::SegmentKind::kCommand;
  std::uint16_t die = 0;  // index within the channel: chip enable = die % packages, LUN = die / packages
  onfi::Cycles cycles;    // unused by data segments
  /// Data segments: lpage_count * the codec's lpage_bytes(); data out of a factory mark: onfi::kMarkBytes.
  std::uint32_t bytes = 0;
  /// Data in: read from here; data out: written here. During the call, whatever time the segment takes.
  nand::StoredLpage* lpages = nullptr;
  std::uint32_t lpage_count = 0;
  ReadErrors* errors = nullptr;          // data out: filled in by the die, unless null
  std::uint16_t tag = 0xffff;            // host command that a read serves, WL_NO_TAG: none. Observation only.
  onfi::FeatureParameters parameters{};  // SET FEATURES: to the die; kFeatureOut: from the die

  // Response.
  bool ok = false;          // false: the die did not obey (it has reported why)
  std::uint8_t status = 0;  // kStatus: the status register; data out without logical pages: the first byte
  Picoseconds start{};      // the bus is in use in [start, end)
  Picoseconds end{};
  /// When a segment makes its die busy for a time that is known at once (tDBSY, tFEAT, tRST; READ CACHE and CACHE
  /// PROGRAM: the wait for the array included), the time at which the die is ready again; no ready() callback follows.
  /// 0 for all others: an array operation ends with ReadyBusyIf::ready().
  Picoseconds ready_at{};
  /// READ CACHE and CACHE PROGRAM: the array works on behind a ready die until then (SR[5], ARDY), unless it is
  /// suspended. Nothing announces it.
  Picoseconds array_ready_at{};
};

/// Protocol of the channel: one call per segment.
///
/// nb_transport_fw(transaction, tlm::BEGIN_REQ, delay) starts the segment at now + delay and returns TLM_COMPLETED with
/// `delay` = its end, counted from now; the bus is free from then on. Nothing is sent backwards, and no event is spent:
/// an initiator that has something to do at the end notifies itself. It may announce segments that lie ahead (a
/// program's command, data and confirm in one go) as long as they do not overlap and come in order of time.
struct OnfiProtocol {
  using tlm_payload_type = OnfiTransaction;
  using tlm_phase_type = tlm::tlm_phase;
};

/// The controller's end of a channel. Has the empty backward path built in.
class OnfiInitiatorSocket : public tlm::tlm_initiator_socket<8, OnfiProtocol>,
                            private tlm::tlm_bw_transport_if<OnfiProtocol> {
 public:
  explicit OnfiInitiatorSocket(const char* name) : tlm::tlm_initiator_socket<8, OnfiProtocol>(name) {
    this->m_export.bind(*this);
  }

 private:
  tlm::tlm_sync_enum nb_transport_bw(OnfiTransaction&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

/// An observer of the wires of one channel: the timing checker. Dies are indices within the channel.
class BusSnoopIf {
 public:
  virtual ~BusSnoopIf() = default;
  /// A segment takes the bus in [start, end). Called when it is announced, before the die acts on it. Of the response
  /// only `start` and `end` are known.
  virtual void segment(const OnfiTransaction& transaction) = 0;
  /// R/B_n of a die rises (`ready`) or falls at `at`, which is not before the present.
  virtual void ready_busy(unsigned die, bool ready, Picoseconds at) = 0;
  /// R/B_n is low and will rise at `at`, unless a suspend or RESET comes before; ready_busy() follows then.
  virtual void rise_expected(unsigned /*die*/, Picoseconds /*at*/) {}
};

/// A die as the bus sees it.
class DieIf : virtual public sc_core::sc_interface {
 public:
  /// Acts on a segment; `start` and `end` are set, the rest of the response is to be filled in.
  virtual void segment(OnfiTransaction& transaction) = 0;
};

/// R/B_n of the dies of one channel as the controller sees it.
class ReadyBusyIf : virtual public sc_core::sc_interface {
 public:
  /// The array operation (read, program, erase) of die `die` (index within the channel) has just ended, or stopped when
  /// it was suspended (SR[2] is set): at = now.
  virtual void ready(unsigned die, Picoseconds at) = 0;
};

}  // namespace wordline::flash
