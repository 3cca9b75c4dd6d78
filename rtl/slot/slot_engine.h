// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// An engine of somebody else's (docs/own_rtl.md), whichever it is: its ports, checked in every clock. What is offered
/// stays as it is until it is taken; nothing is offered in reset; a memory is asked within a request only, and no more
/// often than there are credits; busy stays high until all has come; something happens. What is wrong is a SlotError
/// that names the request and the clock. What a request is, and which answer belongs to it, is for slot_engines.h;
/// whether the answer is right is for the drive.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rtl/slot/loaded_block.h"
#include "rtl/slot/port_window.h"

namespace wordline::rtl {

class SlotEngine {
 public:
  static constexpr unsigned kLimit = 100'000;  ///< clocks in which something has to happen

  /// Where the value of a port is kept: an integer, or, of more than 64 bits, words.
  struct Place {
    void* value;
    unsigned bits;
    bool is_input;
  };

  virtual ~SlotEngine() = default;
  SlotEngine(const SlotEngine&) = delete;
  SlotEngine& operator=(const SlotEngine&) = delete;

  [[nodiscard]] const LoadedBlock& block() const { return block_; }
  /// From now on everything inside goes into the file, as LoadedBlock::trace().
  bool trace(const std::string& file) { return block_.trace(file); }
  /// "request 3, clock 41": of the one that was taken last, from 1 on; clocks count from the start of the reset.
  [[nodiscard]] std::string where() const;
  void write_window(const std::string& path) const { window_.write(path, block_.description().top); }

 protected:
  /// Throws SlotError when the block does not fit the slot. `noun`: what a request is called.
  SlotEngine(const std::string& path, const Slot& slot, const char* noun);

  /// Places in the order of the slot's ports, the clock left out. Before the first tick().
  void bind(std::vector<Place> places) { places_ = std::move(places); }
  /// The ports `name`_valid_o, `name`_ready_i, and what lies between: outputs `name`_..._o.
  void add_offer(const std::string& name);
  /// A port to memory, which has an offer of this name: so many answers are to come at most, `of_a_request` each time.
  void add_memory(const std::string& name, unsigned credits, unsigned of_a_request = 1) {
    memories_.push_back({name, credits, of_a_request});
  }
  /// Answers that a memory has yet to give.
  [[nodiscard]] unsigned open(std::size_t memory) const { return memories_[memory].open; }

  /// Two clocks of the reset. Throws SlotError that names the file.
  template <class Step>
  void reset(Step step) {
    try {
      for (int clock = 0; clock < 2; ++clock) step();
    } catch (const SlotError& error) {
      throw SlotError(block_.path() + ": in reset: " + error.what());
    }
  }
  /// A clock: inputs from their places, outputs into them, the checks, the rising edge.
  void tick();
  [[nodiscard]] const char* noun() const { return noun_; }
  [[nodiscard]] std::uint64_t inside() const { return inside_; }

  /// The outputs have their values of this clock.
  virtual void look() = 0;
  /// What else is wrong in this clock; "": nothing.
  [[nodiscard]] virtual std::string problem() const = 0;
  struct Happened {
    bool taken = false, ended = false;    // a request
    bool moved = false;                   // at a port that has no offer
    std::vector<unsigned> answered = {};  // by memory: answers that came
  };
  /// What this clock brings, which is in order.
  virtual Happened happened() = 0;
  [[nodiscard]] virtual bool in_reset() const = 0;
  [[nodiscard]] virtual bool offered() const = 0;  ///< a request is offered

 private:
  struct Offer {
    std::string name;
    LoadedBlock::Handle valid, ready;
    std::vector<LoadedBlock::Handle> payload;
    bool held = false;                    // it was high, and nothing has taken it
    std::vector<std::uint32_t> before{};  // words of the payload then
  };
  struct Memory {
    std::string name;
    unsigned credits;
    unsigned of_a_request;
    unsigned open = 0;
  };

  void evaluate();
  [[nodiscard]] std::vector<std::uint32_t> words_of(const Offer& offer) const;
  [[nodiscard]] std::string offers_problem() const;
  [[nodiscard]] std::string memories_problem() const;
  [[nodiscard]] const Offer& offer_of(const Memory& memory) const;
  void follow();
  [[noreturn]] void fail(const std::string& what) const;

  LoadedBlock block_;
  const char* const noun_;
  std::vector<LoadedBlock::Handle> pins_;   // in the order of the places
  std::vector<LoadedBlock::Handle> shown_;  // of at most 64 bits, and what the block reports of itself
  PortWindow window_;
  std::vector<Place> places_;
  std::vector<Offer> offers_;
  std::vector<Memory> memories_;
  bool was_reset_ = false;
  std::uint64_t at_ = 0;  // this clock
  std::uint64_t requests_ = 0, inside_ = 0;
  unsigned still_ = 0;  // clocks without anything at a port
};

}  // namespace wordline::rtl
