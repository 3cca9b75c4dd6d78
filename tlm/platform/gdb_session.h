// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/riscv/gdb_packets.h"
#include "models/riscv/gdb_server.h"
#include "tlm/device/drive.h"

namespace wordline::platform {

/// A gdb on a TCP connection to localhost, for the cores of a drive. While a core is halted its process does not return
/// to the kernel, so simulated time and everything else stand still. Accuracy: models/riscv/gdb_server.h.
class GdbSession {
 public:
  /// Says on standard error where it listens and waits for gdb. The cores halt before their first instruction. Throws
  /// std::runtime_error when the port cannot be had.
  GdbSession(device::Drive& drive, std::uint16_t port);
  ~GdbSession();
  GdbSession(const GdbSession&) = delete;
  GdbSession& operator=(const GdbSession&) = delete;

  /// Now and then while the cores run: has gdb asked to interrupt them?
  void poll();
  /// The run is over and was right: reports that to gdb. Without it, the destructor says that the run failed.
  void finished() { ended(0); }

 private:
  void accept_from(std::uint16_t port);
  void serve(const std::string& stop_reply);
  void ended(unsigned exit_code);
  void send(const std::string& bytes);
  void send_packet(const std::string& payload);
  bool receive(bool wait);  // false: gdb has gone
  void disconnect();

  int connection_ = -1;
  bool first_ = true;
  std::string last_;
  riscv::GdbPackets packets_;
  riscv::GdbServer server_;
};

}  // namespace wordline::platform
