// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// A Verilated block with one 64-bit AXI4-Stream in and one out, clock by clock. Set the inputs, look at the ready and
/// valid of this clock, then clock(): what was both ready and valid has moved. Outputs come from registers, so inputs
/// do not change them before clock(); run() does not rely on that where the block says so (Pins::settle). A violated
/// assertion of the block prints its text and throws SimulationStopped.
///
/// Or burst by burst, with run(): time then passes only in whole bursts, so a SystemC module needs one event for a
/// packet, not one for each clock. The clock of an idle block may stand still; it is not seen.
/// Not seen: the insides of a block, but for status(); anything between two edges.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace wordline::rtl {

/// One value of a block that a waveform may show.
struct StatusSignal {
  const char* name;
  unsigned bits;
  std::uint64_t value;
};

class AxiStreamBlock {
 public:
  virtual ~AxiStreamBlock();
  AxiStreamBlock(const AxiStreamBlock&) = delete;
  AxiStreamBlock& operator=(const AxiStreamBlock&) = delete;

  void offer(std::uint64_t data, bool last) {  ///< a beat at the input, until withdrawn by nothing_offered()
    *pins_.s_axis_tvalid = 1;
    *pins_.s_axis_tdata = data;
    *pins_.s_axis_tlast = last ? 1 : 0;
  }
  void nothing_offered() {
    *pins_.s_axis_tvalid = 0;
    *pins_.s_axis_tlast = 0;
  }
  [[nodiscard]] bool input_ready() const { return *pins_.s_axis_tready != 0; }

  void set_output_ready(bool ready) { *pins_.m_axis_tready = ready ? 1 : 0; }
  [[nodiscard]] bool output_valid() const { return *pins_.m_axis_tvalid != 0; }
  [[nodiscard]] std::uint64_t output_data() const { return *pins_.m_axis_tdata; }
  [[nodiscard]] bool output_last() const { return *pins_.m_axis_tlast != 0; }

  [[nodiscard]] bool busy() const {
    return *pins_.busy != 0;
  }  ///< while false, and nothing is offered, it may stand still
  void clock();
  void reset();
  [[nodiscard]] std::uint64_t clocks() const { return clocks_; }  ///< since the block was made, resets included

  struct Burst {
    std::uint64_t clocks;
    unsigned beats_in;
    unsigned beats_out;
    bool packet_out;  // the last of beats_out was the last of its packet
  };

  /// Clocks on, with a source and a sink that are always ready, until something happens: the input packet is in, the
  /// last beat of an output packet or beat number `room` came out, the block is idle with nothing to do, or `limit`
  /// clocks passed. `in` is the rest of one packet (`beats` may be 0); `out` takes up to `room` beats. Nothing is
  /// offered afterwards, so call again with the rest of the packet.
  Burst run(const std::uint64_t* in, unsigned beats, std::uint64_t* out, unsigned room, std::uint64_t limit);

  /// What a waveform may show of the block, in a fixed order. Handshakes first, then what the block adds.
  [[nodiscard]] std::vector<StatusSignal> status() const;
  /// Called after every clock, in bursts too. None costs nothing; tracing the block's insides would cost ten times its
  /// time.
  void on_clock(std::function<void()> observer) { observer_ = std::move(observer); }
  /// In bursts source and sink wait at times from now on, the same ones for the same seed (1 or more).
  void wait_at_times(std::uint32_t seed) { waits_ = seed; }

 protected:
  struct Pins {
    std::uint8_t* rst_n;
    std::uint64_t* s_axis_tdata;
    std::uint8_t* s_axis_tvalid;
    std::uint8_t* s_axis_tlast;
    std::uint8_t* s_axis_tready;
    std::uint64_t* m_axis_tdata;
    std::uint8_t* m_axis_tvalid;
    std::uint8_t* m_axis_tlast;
    std::uint8_t* m_axis_tready;
    std::uint8_t* busy;
    void (*clock)(void* top);  // a falling and a rising edge
    void* top;
    void (*settle)(void* top) = nullptr;  // void for a block whose outputs may follow its inputs within a clock
  };

  AxiStreamBlock() = default;
  void connect(const Pins& pins) { pins_ = pins; }  ///< once, by the constructor of the block, which then resets
  virtual void add_status(std::vector<StatusSignal>& signals) const = 0;

 private:
  void settle() {
    if (pins_.settle != nullptr) pins_.settle(pins_.top);
  }
  /// A number by chance for this clock.
  std::uint32_t next_wait();

  Pins pins_{};
  std::uint64_t clocks_ = 0;
  std::uint32_t waits_ = 0;  // state of its random numbers; 0: nobody waits
  std::function<void()> observer_;
};

}  // namespace wordline::rtl
