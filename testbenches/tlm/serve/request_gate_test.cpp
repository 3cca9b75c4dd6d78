// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/serve/request_gate.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace wordline::serve::request_gate_test {
namespace {

using namespace std::chrono_literals;

served::ClientRequest request_of(std::uint64_t client, std::uint64_t cookie) {
  served::ClientRequest request;
  request.client = client;
  request.cookie = cookie;
  return request;
}

TEST(RequestGate, LosesNothingAndKeepsEachClientsOrder) {
  constexpr std::uint64_t kClients = 4, kEach = 5000;
  RequestGate gate;
  std::vector<std::thread> clients;
  for (std::uint64_t client = 0; client != kClients; ++client)
    clients.emplace_back([&gate, client] {
      for (std::uint64_t i = 0; i != kEach; ++i) gate.push(request_of(client, i));
    });
  std::deque<served::ClientRequest> got;
  while (got.size() < kClients * kEach) {
    gate.wait_until(RequestGate::Clock::now() + 10s);
    ASSERT_TRUE(gate.take(got));
  }
  for (std::thread& client : clients) client.join();
  std::vector<std::uint64_t> next(kClients);
  for (const served::ClientRequest& request : got) EXPECT_EQ(request.cookie, next[request.client]++);
  EXPECT_TRUE(gate.empty());
  EXPECT_FALSE(gate.take(got));
}

TEST(RequestGate, SleepsUntilSomethingComes) {
  RequestGate gate;
  const auto begin = RequestGate::Clock::now();
  gate.wait_until(begin + 20ms);
  EXPECT_GE(RequestGate::Clock::now() - begin, 20ms);
  for (const bool request : {true, false}) {
    std::thread other([&] {
      std::this_thread::sleep_for(5ms);
      if (request) {
        gate.push(request_of(1, 1));
      } else {
        gate.wake();
      }
    });
    const auto again = RequestGate::Clock::now();
    gate.wait_until(again + 60s);
    EXPECT_LT(RequestGate::Clock::now() - again, 30s);
    other.join();
    std::deque<served::ClientRequest> got;
    EXPECT_EQ(gate.take(got), request);
  }
}

}  // namespace
}  // namespace wordline::serve::request_gate_test
