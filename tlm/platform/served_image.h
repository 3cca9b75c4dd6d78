// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/data/content_store.h"
#include "models/served/image_file.h"
#include "tlm/device/drive.h"
#include "tlm/serve/client_memory.h"
#include "tlm/serve/served_requests.h"

namespace wordline::platform {

/// `--image`: what clients have written, and the drive, from one server to the next.
///
/// After an end in order the next drive begins with the superblocks, the map and the wear that this one had. After the
/// end of the process by force it begins with those of the last end in order, and then writes again, before clients are
/// let in, what had been done since: what a FLUSH or FUA had promised, and as a rule more.
class ServedImage final : public serve::BlockKeeperIf, private serve::ServedListenerIf {
 public:
  /// Throws std::runtime_error, or config::ConfigError where the state of such a drive cannot be kept.
  ServedImage(const std::string& path, const config::Config& config, std::uint64_t device_bytes);

  /// What the configuration is to be set to: key=value, for a drive that begins as the last one ended.
  [[nodiscard]] std::vector<std::string> settings() const;
  /// The bytes that it begins with.
  void fill(data::ContentStore& store);
  /// Hears of all requests of clients from now on. It outlives `requests`.
  void listen_to(serve::ServedRequests& requests) { requests.listen(*this); }
  /// The last server was ended in order. Asked instead of all that follows.
  [[nodiscard]] bool in_order();
  /// The bytes of one that is in_order(), which has been asked of another object. Throws std::runtime_error.
  void begin_in_order(data::ContentStore& store);
  /// What the last server had no time to keep in order: to be written again. Before the first client.
  [[nodiscard]] bool next(served::ClientRequest& request);
  /// The end in order: lets the drive come to rest, which then holds what the store says.
  void close(const data::ContentStore& store, tlm_if::SimulationContext& context, device::Drive& drive,
             const config::Config& config, const config::Layout& layout);

  // serve::BlockKeeperIf
  void append(const served::ClientRequest& request) override { file_.append(request); }
  bool commit(bool on_disk) override;

  /// A sentence on what was found; empty: all was in order.
  [[nodiscard]] std::string found() const;
  [[nodiscard]] std::uint64_t repeated() const { return repeated_; }
  /// What could not be repeated: the drive has failed it.
  [[nodiscard]] std::uint64_t not_repeated() const { return not_repeated_; }

 private:
  void answered(std::uint64_t number, const served::ClientRequest& request, served::ClientError& error,
                std::uint64_t found, Picoseconds at) override;

  served::ImageFile file_;
  std::uint64_t repeated_ = 0, not_repeated_ = 0;
};

}  // namespace wordline::platform
