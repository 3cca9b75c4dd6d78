// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "models/data/content_store.h"
#include "models/served/client_request.h"
#include "models/served/descriptor.h"
#include "models/served/vfio_wire.h"
#include "tlm/protocol/host_memory_if.h"

namespace wordline::serve {

/// Reaches memory of a client for which there is no file.
class ClientMessagesIf {
 public:
  /// False: the client has refused, or has gone.
  virtual bool read_memory(std::uint64_t address, std::byte* to, std::size_t bytes) = 0;
  virtual bool write_memory(std::uint64_t address, const std::byte* from, std::size_t bytes) = 0;

 protected:
  ~ClientMessagesIf() = default;
};

/// Keeps beyond the end of the process what commands have done to blocks.
class BlockKeeperIf {
 public:
  /// The request has succeeded: a write, or zeros.
  virtual void append(const served::ClientRequest& request) = 0;
  /// All of them are to outlive the process now; `on_disk`: the machine, too. False: they do not.
  [[nodiscard]] virtual bool commit(bool on_disk) = 0;

 protected:
  ~BlockKeeperIf() = default;
};

/// A stretch of a client's memory. Never a signal, whatever the client does to its file: only a file that cannot shrink
/// is mapped; another one is read and written, or, where its file system cannot do that, mapped and looked at before
/// each access.
class DmaWindow {
 public:
  /// `error`: an errno, 0 for none.
  DmaWindow(const served::vfio::DmaMap& map, served::Descriptor file, int& error);
  ~DmaWindow();
  DmaWindow(const DmaWindow&) = delete;
  DmaWindow& operator=(const DmaWindow&) = delete;

  [[nodiscard]] std::uint64_t address() const { return map_.address; }
  /// The last address.
  [[nodiscard]] std::uint64_t last() const { return map_.address + (map_.size - 1); }
  /// Within the window. False: it may not, or the bytes are not there.
  bool read(std::uint64_t address, std::byte* to, std::size_t bytes, ClientMessagesIf& client) const;
  bool write(std::uint64_t address, const std::byte* from, std::size_t bytes, ClientMessagesIf& client) const;

 private:
  [[nodiscard]] bool whole() const;

  const served::vfio::DmaMap map_;
  served::Descriptor file_;      // not open: a mapping that is safe, or messages
  std::byte* mapped_ = nullptr;  // null: none
  bool has_file_ = false;
};

/// The memory of a vfio-user client as the drive's host memory: real bytes. User data become stamps on their way in,
/// and bytes again on their way out; the bytes are kept beside the drive meanwhile (data::ContentStore).
///
/// Accuracy: content only, as HostMemory. Bytes that were replaced are kept up to 16 MiB. What the drive copies becomes
/// data of the place it goes to.
///
/// Known gap: with engines.parse = off nobody hears of deallocations, whose bytes are kept until they are written
/// again.
class ClientMemory final : public host::HostMemoryIf {
 public:
  static constexpr std::size_t kMostWindows = 2048;

  explicit ClientMemory(ClientMessagesIf& client) : client_(client) {}

  /// An errno, 0 for none.
  int map(const served::vfio::DmaMap& map, served::Descriptor file);
  int unmap(const served::vfio::DmaUnmap& range);
  /// The client has gone.
  void clear() { windows_.clear(); }

  [[nodiscard]] std::size_t windows() const { return windows_.size(); }
  /// Accesses where the client has no memory, or does not let the drive.
  [[nodiscard]] std::uint64_t refused() const { return refused_; }
  /// Blocks read whose bytes were not kept.
  [[nodiscard]] std::uint64_t forgotten() const { return forgotten_; }
  [[nodiscard]] data::ContentStore& store() { return store_; }
  /// Before the first command; it outlives this object. `always`: what has ended outlives the process, without a Flush.
  void keep_in(BlockKeeperIf& keeper, bool always) {
    keeper_ = &keeper;
    always_safe_ = always;
  }
  /// Blocks that a command wrote or cleared, in pieces.
  struct Piece {
    std::uint64_t lba = 0, nlb = 0;
    bool cleared = false;
  };
  /// Of the last command with this tag, ended or not.
  [[nodiscard]] const std::vector<Piece>& pieces_of(std::uint32_t tag) { return commands_[tag].pieces; }

  // host::HostMemoryIf
  bool read(std::uint64_t address, void* to, std::size_t bytes) override;
  bool write(std::uint64_t address, const void* from, std::size_t bytes) override;
  /// False: bytes alone do not say which block they are for.
  bool read_stamps(std::uint64_t address, data::LbaStamp* to, std::uint32_t nlb) override;
  bool write_stamps(std::uint64_t address, const data::LbaStamp* from, std::uint32_t nlb) override;
  bool take_data(std::uint32_t tag, std::uint64_t lba, std::uint64_t address, data::LbaStamp* to,
                 std::uint32_t nlb) override;
  bool compare_data(std::uint64_t address, const data::LbaStamp* stamps, std::uint32_t nlb, bool& equal) override;
  bool give_data(std::uint32_t tag, std::uint64_t lba, std::uint64_t address, const data::LbaStamp* from,
                 std::uint32_t nlb) override;
  void read_begins(std::uint32_t tag) override;
  void clears(std::uint32_t tag, std::uint64_t lba, std::uint64_t nlb) override;
  void copies(std::uint32_t tag, std::uint64_t lba, data::LbaStamp* stamps, std::uint32_t nlb) override;
  bool command_ended(std::uint32_t tag, bool good, bool durable) override;
  void erased(std::uint64_t lba, std::uint64_t nlb) override;

 private:
  struct Command {
    bool ended = false;
    std::uint32_t version = 0;  // 0: nothing was written or cleared
    std::uint64_t read = 0;     // of the store; 0: it does not read
    std::vector<Piece> pieces;
  };

  template <class Part>
  bool in_windows(std::uint64_t address, std::size_t bytes, Part&& part);
  void bytes_of(const data::LbaStamp* stamps, std::uint32_t nlb, std::byte* to);
  [[nodiscard]] Command& command(std::uint32_t tag);
  [[nodiscard]] std::uint32_t begin_write(std::uint32_t tag, const Piece& piece, const char* bytes);
  void keep(const Command& command);
  void append_zeros(std::uint64_t lba, std::uint64_t nlb);

  ClientMessagesIf& client_;
  std::map<std::uint64_t, std::unique_ptr<DmaWindow>> windows_;  // by first address
  data::ContentStore store_;
  std::unordered_map<std::uint32_t, Command> commands_;  // by tag
  std::uint32_t version_ = data::kVersionFirstWrite;
  BlockKeeperIf* keeper_ = nullptr;  // null: none
  bool always_safe_ = false;
  std::uint64_t refused_ = 0, forgotten_ = 0;
};

}  // namespace wordline::serve
