// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "models/served/descriptor.h"
#include "models/served/vfio_session.h"
#include "tlm/serve/client_memory.h"

namespace wordline::serve {

/// A UNIX socket for one vfio-user client at a time. Another one that comes meanwhile is answered with EBUSY. Messages
/// come whole, with the files that were sent beside them. What breaks the framing ends the connection.
///
/// On the thread of its caller: nothing is read but in wait() and while the client is asked for its memory, and only
/// the latter waits for the client, as long as kPatience.
class VfioSocket final : public ClientMessagesIf {
 public:
  static constexpr std::chrono::seconds kPatience{60};

  /// As the socket of NbdServer. Throws std::runtime_error.
  explicit VfioSocket(const std::string& path);
  ~VfioSocket();
  VfioSocket(const VfioSocket&) = delete;
  VfioSocket& operator=(const VfioSocket&) = delete;

  /// Clients are let in.
  void start();
  /// Until something has come, or `limit` has passed; reads it. Or until there is something to read in the file
  /// `other`, which it leaves alone.
  void wait(std::chrono::microseconds limit, int other = -1);
  [[nodiscard]] std::optional<served::VfioMessage> next();
  void reply(const served::VfioReply& reply);
  /// Nothing of the client that has gone is left: the next one is let in.
  void release() { taken_ = false; }
  /// Ends the connection; empty: the client did nothing wrong.
  void hang_up(const std::string& fault);
  /// The messages that DMA_READ and DMA_WRITE may move so much with.
  void limit_data(std::uint32_t bytes) { most_data_ = bytes; }

  [[nodiscard]] bool connected() const { return client_.is_open(); }
  /// Connections so far, those that were refused because there was a client, and those ended for a fault.
  [[nodiscard]] std::uint64_t clients() const { return clients_; }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }
  [[nodiscard]] std::uint64_t faults() const { return faults_; }
  [[nodiscard]] const std::string& first_fault() const { return first_fault_; }

  // ClientMessagesIf
  bool read_memory(std::uint64_t address, std::byte* to, std::size_t bytes) override;
  bool write_memory(std::uint64_t address, const std::byte* from, std::size_t bytes) override;

 private:
  void accept_all();
  void refuse_others();
  void receive();
  void take_whole();
  [[nodiscard]] bool send(const std::vector<std::byte>& bytes, int file);
  [[nodiscard]] bool ask(std::uint16_t command, std::uint64_t address, std::size_t bytes, const std::byte* from,
                         std::byte* to);

  const std::string path_;
  served::Descriptor listening_, client_;
  bool taken_ = false;                      // by a client, which may have gone
  std::vector<served::Descriptor> others_;  // to be refused, when they have said something
  std::vector<std::byte> bytes_;            // that have come, and are no whole message
  std::vector<served::Descriptor> files_;   // that have come with them
  std::deque<served::VfioMessage> messages_;
  std::optional<served::VfioMessage> answer_;  // of the client, to what it was asked
  std::uint16_t asked_ = 0;                    // identifiers of what it was asked
  bool asking_ = false;
  std::uint32_t most_data_ = served::vfio::kMostData;
  std::uint64_t clients_ = 0, refused_ = 0, faults_ = 0;
  std::string first_fault_;
};

}  // namespace wordline::serve
