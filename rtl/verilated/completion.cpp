// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/verilated/completion.h"

#include "Vcompletion.h"
#include "Vcompletion___024root.h"
#include "rtl/verilated/verilated_engine.h"

namespace wordline::rtl {

namespace {

struct Pins {
  using Ports = Completion;

  static void drive(Vcompletion& top, const Completion::Inputs& inputs) {
    top.tick_i = inputs.tick ? 1 : 0;
    top.command_valid_i = inputs.command_valid ? 1 : 0;
    top.command_op_i = static_cast<std::uint8_t>(inputs.command.op);
    top.command_queue_i = inputs.command.queue;
    top.command_vector_i = inputs.command.vector;
    top.command_base_i = inputs.command.base;
    top.command_value_i = inputs.command.value;
    top.post_valid_i = inputs.post_valid ? 1 : 0;
    top.post_queue_i = inputs.post.queue;
    top.post_sq_i = inputs.post.sq;
    top.post_sq_head_i = inputs.post.sq_head;
    top.post_cid_i = inputs.post.cid;
    top.post_status_i = inputs.post.status;
    top.post_result_i = inputs.post.result;
    top.host_ready_i = inputs.host_ready ? 1 : 0;
    top.host_written_i = inputs.host_written ? 1 : 0;
    top.host_error_i = inputs.host_error ? 1 : 0;
    top.message_ready_i = inputs.message_ready ? 1 : 0;
  }
  static Completion::Outputs seen(const Vcompletion& top) {
    Completion::Outputs out;
    out.command_ready = top.command_ready_o != 0;
    out.refused = top.refused_o != 0;
    out.post_ready = top.post_ready_o != 0;
    out.dropped = top.dropped_o != 0;
    out.host_valid = top.host_valid_o != 0;
    out.host_address = top.host_address_o;
    for (unsigned i = 0; i < 4; ++i) out.host_data[i] = top.host_data_o[i];
    out.fatal = top.fatal_o != 0;
    out.message_valid = top.message_valid_o != 0;
    out.message_vector = top.message_vector_o;
    out.busy = top.busy_o != 0;
    return out;
  }
};

}  // namespace

struct Completion::Impl : VerilatedEngine<Vcompletion, Pins> {};

Completion::Completion() : impl_(std::make_unique<Impl>()) {}
Completion::~Completion() = default;

Completion::Outputs Completion::outputs() const { return impl_->outputs(); }
void Completion::clock(const Inputs& inputs) { impl_->clock(inputs); }

}  // namespace wordline::rtl
