// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Each rule of the ports, broken once: the checkers in rtl/checkers must stop the simulation.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "rtl/verilated/read_retry.h"
#include "rtl/verilated/simulation_stopped.h"

namespace wordline::testing::protocol_test {
namespace {

ecc::RetryRequest request() {
  ecc::RetryRequest r;
  r.codewords.set(3);
  return r;
}

/// What `steps` does is a violation that says `text`.
void violates(const char* text, const std::function<void(rtl::ReadRetry&)>& steps) {
  rtl::ReadRetry dut;
  ::testing::internal::CaptureStdout();
  EXPECT_THROW(steps(dut), rtl::SimulationStopped) << text;
  EXPECT_NE(::testing::internal::GetCapturedStdout().find(text), std::string::npos) << text;
}

constexpr rtl::ReadRetry::ApbTransfer kRead{false, 0, 0};
constexpr rtl::ReadRetry::ApbTransfer kWrite{true, 0, 1};

TEST(ReadRetryProtocol, Apb) {
  violates("APB: penable without psel", [](rtl::ReadRetry& dut) {
    dut.set_penable(true);
    dut.clock();
    dut.clock();
  });
  violates("APB: setup without access", [](rtl::ReadRetry& dut) {
    dut.apb_setup(kRead);
    dut.clock();
    dut.apb_idle();
    dut.clock();
    dut.clock();
  });
  violates("APB: penable after the end of a transfer", [](rtl::ReadRetry& dut) {
    dut.apb_setup(kRead);
    dut.clock();
    dut.apb_access();
    dut.clock();
    dut.clock();
    dut.clock();
  });
  violates("APB: access without setup", [](rtl::ReadRetry& dut) {
    dut.clock();
    dut.apb_setup(kRead);
    dut.set_penable(true);
    dut.clock();
    dut.clock();
  });
  violates("APB: transfer changed before its end", [](rtl::ReadRetry& dut) {
    dut.apb_setup(kWrite);
    dut.clock();
    dut.apb_setup({true, 4, 1});
    dut.apb_access();
    dut.clock();
    dut.clock();
  });
  violates("APB: transfer changed before its end", [](rtl::ReadRetry& dut) {
    dut.apb_setup(kWrite);
    dut.clock();
    dut.apb_setup({true, 0, 2});
    dut.apb_access();
    dut.clock();
    dut.clock();
  });
  violates("APB: strobes in a read", [](rtl::ReadRetry& dut) {
    dut.apb_setup(kWrite);
    dut.set_pwrite(false);
    dut.clock();
    dut.clock();
  });
}

TEST(ReadRetryProtocol, ARequestStaysUntilItIsTaken) {
  const auto busy = [](rtl::ReadRetry& dut) {
    dut.offer_request(request());
    dut.clock();
    EXPECT_FALSE(dut.request_ready());
    dut.clock();
  };
  violates("handshake: valid withdrawn before ready", [&](rtl::ReadRetry& dut) {
    busy(dut);
    dut.no_request();
    dut.clock();
    dut.clock();
  });
  violates("handshake: payload changed before ready", [&](rtl::ReadRetry& dut) {
    busy(dut);
    ecc::RetryRequest other = request();
    other.layer = 1;
    dut.offer_request(other);
    dut.clock();
    dut.clock();
  });
  for (const bool group : {false, true}) {
    violates("read retry: a request without an entry in the table of optimal references", [&](rtl::ReadRetry& dut) {
      ecc::RetryRequest beyond = request();
      if (group) {
        beyond.group = rtl::ReadRetry::kOrtGroups;
      } else {
        beyond.layer = rtl::ReadRetry::kOrtLayers;
      }
      dut.offer_request(beyond);
      dut.clock();
      dut.clock();
    });
  }
  violates("read retry: a request of no codewords", [&](rtl::ReadRetry& dut) {
    dut.offer_request({});
    dut.clock();
    dut.clock();
  });
}

TEST(ReadRetryProtocol, AnswersBelongToCommands) {
  const auto reading = [](rtl::ReadRetry& dut) {
    dut.offer_request(request());
    dut.clock();
    dut.no_request();
    dut.set_flash_ready(true);
    while (!dut.flash_valid()) dut.clock();
    dut.clock();
  };
  const auto decoding = [&](rtl::ReadRetry& dut) {
    reading(dut);
    dut.answer_flash(0, true);
    dut.clock();
    dut.no_flash_answer();
    dut.set_decode_ready(true);
    dut.clock();
  };
  violates("answer that nothing waits for", [](rtl::ReadRetry& dut) {
    dut.answer_flash(0, true);
    dut.clock();
    dut.clock();
  });
  violates("answer that nothing waits for", [&](rtl::ReadRetry& dut) {
    reading(dut);
    dut.answer_flash(1, true);  // the tag of a command to come
    dut.clock();
    dut.clock();
  });
  violates("answer that nothing waits for", [&](rtl::ReadRetry& dut) {
    reading(dut);
    dut.answer_flash(0, true);  // twice
    dut.clock();
    dut.clock();
    dut.clock();
  });
  violates("answer that nothing waits for", [&](rtl::ReadRetry& dut) {
    decoding(dut);
    dut.give_verdict(0, {4, true, true, 1, 0, 0});  // not asked for
    dut.clock();
    dut.clock();
  });
  // And the right ones are.
  rtl::ReadRetry dut;
  decoding(dut);
  dut.give_verdict(0, {3, true, true, 1, 0, 0});
  dut.clock();
  dut.no_verdict();
  for (int i = 0; i < 3; ++i) dut.clock();
  EXPECT_TRUE(dut.result_valid());
}

}  // namespace
}  // namespace wordline::testing::protocol_test
