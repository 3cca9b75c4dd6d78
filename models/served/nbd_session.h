// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/served/client_request.h"
#include "models/served/nbd_wire.h"

namespace wordline::served {

/// The device that clients are shown.
struct Export {
  std::uint64_t bytes = 0;
  std::uint32_t block_bytes = kBlockBytes;  // requests are of multiples of it
  std::uint32_t preferred_bytes = 4096;     // and best of multiples of this
  std::string description;
};

/// The server's end of one NBD connection, without a socket: bytes of the client go in, bytes for it and its requests
/// come out. Fixed newstyle handshake; the options EXPORT_NAME, ABORT, LIST, INFO, GO, STRUCTURED_REPLY and those
/// of metadata contexts, of which there is base:allocation, all others are refused as unsupported; READ, WRITE, FLUSH,
/// TRIM, WRITE_ZEROES, BLOCK_STATUS and DISC. The one export has the empty name.
///
/// A client is not believed: lengths are checked before anything is kept, at most kMostPayload and a header are held of
/// what has come, and what cannot be skipped ends the connection.
///
/// Known gap: no TLS, no resize, no fast zero.
class NbdSession {
 public:
  /// Longest read or write. Clients that know no limits use this much at most.
  static constexpr std::uint32_t kMostPayload = 32U << 20U;
  /// Data of an option; a name has 4096 bytes at most.
  static constexpr std::uint32_t kMostOption = 16U << 10U;

  /// `device` outlives the session. The greeting is in out() at once.
  explicit NbdSession(const Export& device);

  /// The client has sent these.
  void take(std::string_view bytes) { in_.append(bytes); }

  enum class Step { kNeedsMore, kRequest, kClosed };
  /// Works through what has come, up to the next request of a client, which is in `request` then.
  [[nodiscard]] Step step(ClientRequest& request);
  /// Puts the answer of a request into out().
  void answer(const Answer& answer);

  /// Bytes for the client; the caller takes them away.
  [[nodiscard]] std::string& out() { return out_; }
  [[nodiscard]] const std::string& out() const { return out_; }
  /// The client has said that it goes, or has broken the protocol: what is under way is still answered.
  [[nodiscard]] bool closed() const { return state_ == State::kClosed; }
  /// Why the server has ended the connection; empty: it has not.
  [[nodiscard]] const std::string& fault() const { return fault_; }
  [[nodiscard]] bool transmitting() const { return state_ == State::kTransmission; }

 private:
  enum class State { kClientFlags, kOptions, kTransmission, kClosed };

  [[nodiscard]] bool has(std::size_t bytes) const { return in_.size() - at_ >= bytes; }
  [[nodiscard]] std::string_view rest() const { return std::string_view(in_).substr(at_); }
  void drop(std::size_t bytes);
  [[nodiscard]] bool client_flags();
  [[nodiscard]] bool option();
  void take_option(std::uint32_t option, std::string_view data);
  void take_contexts(std::uint32_t option, std::string_view data);
  void take_info(std::uint32_t option, std::string_view data);
  void export_name(std::string_view name);
  void reply(std::uint32_t option, std::uint32_t type, std::string_view data = {});
  // Nothing: the command was refused, and the next one may follow.
  [[nodiscard]] std::optional<Step> command(ClientRequest& request);
  [[nodiscard]] ClientError problem_of(std::uint16_t type, std::uint16_t flags, const ClientRequest& request) const;
  void end(std::string fault);
  [[nodiscard]] std::uint16_t transmission_flags() const;
  void chunk(std::uint16_t flags, std::uint16_t type, std::uint64_t cookie, std::uint32_t length);
  void answer_error(const Answer& answer);
  void answer_read(const Answer& answer);
  void answer_status(const Answer& answer);

  const Export& device_;
  State state_ = State::kClientFlags;
  bool no_zeroes_ = false;
  bool structured_ = false;
  bool allocation_ = false;  // the client has chosen base:allocation
  std::string in_;
  std::size_t at_ = 0;  // of in_ that is done with
  std::string out_;
  std::string fault_;
};

}  // namespace wordline::served
