// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// rtl/engines/completion.sv, clock by clock: set the inputs, look at the outputs of this clock, then clock(). What is
/// offered stays until it is taken; the entry for the host is made of what is offered. A violated assertion of the
/// block prints its text and throws SimulationStopped.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

namespace wordline::rtl {

class Completion {
 public:
  static constexpr unsigned kQueues = 64;
  static constexpr unsigned kUnderWay = 4;

  enum class Op : std::uint8_t { kCreate, kDelete, kHead, kCoalesce, kVector, kMask, kUnmask };
  struct Command {
    Op op = Op::kCreate;
    std::uint8_t queue = 0, vector = 0;
    std::uint64_t base = 0;
    std::uint32_t value = 0;
  };
  struct Post {
    std::uint8_t queue = 0;
    std::uint16_t sq = 0, sq_head = 0, cid = 0, status = 0;
    std::uint32_t result = 0;
  };
  struct Inputs {
    bool tick = false;
    bool command_valid = false;
    Command command;
    bool post_valid = false;
    Post post;
    bool host_ready = false, host_written = false, host_error = false;
    bool message_ready = false;
  };
  struct Outputs {
    bool command_ready = false, refused = false;
    bool post_ready = false, dropped = false;
    bool host_valid = false;
    std::uint64_t host_address = 0;
    std::array<std::uint32_t, 4> host_data{};
    bool fatal = false;
    bool message_valid = false;
    std::uint8_t message_vector = 0;
    bool busy = false;
  };

  Completion();  ///< held in reset for two clocks, then ready
  ~Completion();
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;

  [[nodiscard]] Outputs outputs() const;
  void clock(const Inputs& inputs);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wordline::rtl
