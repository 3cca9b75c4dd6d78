// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "models/served/descriptor.h"
#include "models/served/nbd_session.h"
#include "tlm/serve/nbd_connection.h"
#include "tlm/serve/request_gate.h"

namespace wordline::serve {

/// NBD clients on a UNIX socket. A thread of its own speaks with all of them; their requests go through the gate, and
/// answers may come from any thread. What a client does wrong ends its own connection and nothing else.
class NbdServer final : public AnswersIf {
 public:
  static constexpr std::size_t kMostClients = 256;
  /// Bytes read at a time: more of one client would keep the others waiting.
  static constexpr std::size_t kPiece = std::size_t{256} << 10U;

  /// Binds the socket at `path`, where nobody else may be listening; what a server that was killed has left there is
  /// replaced. Throws std::runtime_error. `gate` outlives the server.
  NbdServer(const std::string& path, const served::Export& device, RequestGate& gate);
  ~NbdServer();
  NbdServer(const NbdServer&) = delete;
  NbdServer& operator=(const NbdServer&) = delete;

  /// Clients are let in.
  void start();
  void answer(served::Answer&& answer) override;
  /// Takes no further client and no further request. Returns when no request can come through the gate any more.
  void refuse_more();
  /// Sends the answers that there are, to clients that read them, and ends all connections.
  void stop();

  /// Connections so far, at present, and those that the server has ended because the client broke the protocol.
  [[nodiscard]] std::uint64_t clients() const { return clients_; }
  [[nodiscard]] std::uint64_t connected() const { return connected_; }
  [[nodiscard]] std::uint64_t faults() const { return faults_; }
  /// The first of these; after stop().
  [[nodiscard]] const std::string& first_fault() const { return first_fault_; }

 private:
  enum class Phase : std::uint8_t { kServing, kRefusing, kStopping };

  void run();
  void accept_all();
  void take_answers();
  void serve(std::uint64_t id, std::uint32_t events);
  void close_if_over(std::uint64_t id);
  void watch(const NbdConnection& connection);
  [[nodiscard]] bool all_said() const;
  void ring();

  const std::string path_;
  const served::Export device_;
  RequestGate& gate_;
  served::Descriptor listening_;
  int poll_ = -1, bell_ = -1;
  std::thread thread_;
  std::map<std::uint64_t, std::unique_ptr<NbdConnection>> connections_;  // of the thread
  std::vector<char> piece_ = std::vector<char>(kPiece);
  bool accepting_ = true;
  std::mutex mutex_;
  std::vector<served::Answer> answers_;
  std::atomic<Phase> wanted_{Phase::kServing}, reached_{Phase::kServing};
  std::atomic<std::uint64_t> clients_{0}, connected_{0}, faults_{0};
  std::string first_fault_;
};

}  // namespace wordline::serve
