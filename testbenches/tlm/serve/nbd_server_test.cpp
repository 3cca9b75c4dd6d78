// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The server's thread and sockets, with a memory in place of the drive on another thread.
#include "tlm/serve/nbd_server.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "models/served/nbd_wire.h"

namespace wordline::serve::nbd_server_test {
namespace {

using namespace served::nbd;
using served::ClientOp;

constexpr std::uint64_t kDevice = 4U << 20U;

/// A socket of a client, closed with it.
class Peer {
 public:
  explicit Peer(const std::string& path) : socket_(socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("nobody listens");
  }
  ~Peer() { close(socket_); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  void say(const std::string& bytes) const {
    ASSERT_EQ(send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  /// So many bytes, or fewer when the server closes.
  [[nodiscard]] std::string hear(std::size_t count) const {
    std::string bytes(count, '\0');
    const ssize_t got = recv(socket_, bytes.data(), count, MSG_WAITALL);
    bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return bytes;
  }
  void begin() const {
    (void)hear(18);
    std::string bytes;
    put<std::uint32_t>(bytes, kFixedNewstyle | kNoZeroes);
    put<std::uint64_t>(bytes, kOptionMagic);
    put<std::uint32_t>(bytes, kOptExportName);
    put<std::uint32_t>(bytes, 0);
    say(bytes);
    EXPECT_EQ(hear(10).size(), 10U);
  }
  static std::string command(std::uint16_t type, std::uint64_t offset, std::uint32_t length, std::uint64_t cookie) {
    std::string bytes;
    put<std::uint32_t>(bytes, kRequestMagic);
    put<std::uint16_t>(bytes, 0);
    put<std::uint16_t>(bytes, type);
    put<std::uint64_t>(bytes, cookie);
    put<std::uint64_t>(bytes, offset);
    put<std::uint32_t>(bytes, length);
    return bytes;
  }

 private:
  const int socket_;
};

class NbdServerTest : public ::testing::Test {
 protected:
  NbdServerTest() {
    std::string name = std::filesystem::temp_directory_path().string() + "/nbd_server_test.XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for the test");
    folder = name;
    device.bytes = kDevice;
    server = std::make_unique<NbdServer>(path(), device, gate);
    server->start();
    memory_thread = std::thread([this] { be_memory(); });
  }
  ~NbdServerTest() override {
    over = true;
    gate.wake();
    memory_thread.join();
    server.reset();
    std::filesystem::remove_all(folder);
  }
  [[nodiscard]] std::string path() const { return folder + "/s"; }

  void be_memory() {
    std::string memory(kDevice, '\0');
    std::deque<served::ClientRequest> requests;
    while (!over) {
      gate.wait_until(RequestGate::Clock::now() + std::chrono::milliseconds(10));
      gate.take(requests);
      for (; !requests.empty(); requests.pop_front()) {
        const served::ClientRequest& request = requests.front();
        served::Answer answer;
        answer.client = request.client;
        answer.cookie = request.cookie;
        answer.op = request.op;
        answer.cost = served::cost_of(request.op, request.length);
        if (request.op == ClientOp::kWrite) memory.replace(request.offset, request.length, request.data);
        if (request.op == ClientOp::kRead) answer.data = memory.substr(request.offset, request.length);
        ++served_requests;
        server->answer(std::move(answer));
      }
    }
  }

  std::string folder;
  served::Export device;
  RequestGate gate;
  std::unique_ptr<NbdServer> server;
  std::atomic<bool> over{false};
  std::atomic<unsigned> served_requests{0};
  std::thread memory_thread;
};

TEST_F(NbdServerTest, ServesManyClientsAtOnce) {
  constexpr unsigned kClients = 8, kRounds = 100;
  std::vector<std::thread> clients;
  std::atomic<unsigned> good{0};
  for (unsigned number = 0; number != kClients; ++number)
    clients.emplace_back([this, number, &good] {
      const Peer peer(path());
      peer.begin();
      const std::uint64_t at = number * 65536;
      for (unsigned round = 0; round != kRounds; ++round) {
        const std::string data(4096, static_cast<char>(number * 16 + round));
        peer.say(Peer::command(kCmdWrite, at, 4096, round) + data + Peer::command(kCmdRead, at, 4096, round));
        good += peer.hear(32 + 4096).substr(32) == data;
      }
    });
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(good, kClients * kRounds);
  EXPECT_EQ(server->clients(), kClients);
  EXPECT_EQ(server->faults(), 0U);
}

TEST_F(NbdServerTest, AClientThatGoesIsNotWaitedFor) {
  for (int i = 0; i != 50; ++i) {
    const Peer peer(path());
    peer.begin();
    peer.say(Peer::command(kCmdRead, 0, 1U << 20U, 1) + Peer::command(kCmdWrite, 0, 4096, 2) + "half of its data");
  }
  const Peer peer(path());
  peer.begin();
  peer.say(Peer::command(kCmdRead, 0, 512, 3));
  EXPECT_EQ(peer.hear(16 + 512).substr(16), std::string(512, '\0'));
  EXPECT_EQ(server->faults(), 0U);
}

TEST_F(NbdServerTest, EndsConnectionsThatBreakTheProtocol) {
  const Peer good(path());
  good.begin();
  {
    const Peer bad(path());
    bad.begin();
    bad.say(std::string(kRequestBytes, 'x'));
    EXPECT_EQ(bad.hear(1), "");
  }
  good.say(Peer::command(kCmdFlush, 0, 0, 4));
  EXPECT_EQ(good.hear(16).size(), 16U);
  EXPECT_EQ(server->faults(), 1U);
  server->stop();
  EXPECT_NE(server->first_fault().find("a request begins with 0x78787878"), std::string::npos);
}

TEST_F(NbdServerTest, TakesNothingMoreAndSaysWhatItOwes) {
  const Peer peer(path());
  peer.begin();
  peer.say(Peer::command(kCmdRead, 0, 4096, 1));
  EXPECT_EQ(peer.hear(16 + 4096).size(), 16U + 4096U);
  server->refuse_more();
  const unsigned before = served_requests;
  peer.say(Peer::command(kCmdRead, 0, 4096, 2));
  server->stop();
  EXPECT_EQ(peer.hear(1), "");
  EXPECT_EQ(served_requests, before);
  EXPECT_EQ(server->connected(), 0U);
}

TEST_F(NbdServerTest, ASecondServerFindsThePlaceTaken) {
  EXPECT_THROW(NbdServer(path(), device, gate), std::runtime_error);
  const Peer peer(path());  // the first goes on
  peer.begin();
}

}  // namespace
}  // namespace wordline::serve::nbd_server_test
