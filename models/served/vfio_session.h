// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/served/descriptor.h"
#include "models/served/message_vectors.h"
#include "models/served/vfio_wire.h"

namespace wordline::served {

/// A region of a device as a client sees it.
struct VfioRegion {
  std::uint64_t size = 0;  // 0: there is none
  int file = -1;           // of which a part can be mapped; -1: none can
  std::uint64_t mapped_from = 0, mapped_bytes = 0;
};

/// A device behind the protocol. Functions return an errno, 0 for none.
class VfioDeviceIf {
 public:
  [[nodiscard]] virtual VfioRegion region(std::uint32_t index) const = 0;
  /// Accesses lie within the region.
  virtual int read(std::uint32_t region, std::uint64_t offset, std::byte* to, std::uint32_t count) = 0;
  virtual int write(std::uint32_t region, std::uint64_t offset, const std::byte* from, std::uint32_t count) = 0;
  /// The client's memory. Without a file it is reached by messages.
  virtual int map(const vfio::DmaMap& map, Descriptor file) = 0;
  virtual int unmap(const vfio::DmaUnmap& range) = 0;
  virtual void reset() = 0;
  [[nodiscard]] virtual MessageVectors& vectors() = 0;

 protected:
  ~VfioDeviceIf() = default;
};

/// A message from a client, whole.
struct VfioMessage {
  vfio::Header header;
  std::vector<std::byte> body;
  std::vector<Descriptor> files;
};

/// What is to be sent; empty bytes: nothing.
struct VfioReply {
  std::vector<std::byte> bytes;
  int file = -1;  // the device's, sent beside it
};

/// The device's end of a vfio-user connection without the socket: a message in, a reply out. A message that is wrong in
/// itself gets an error; only one before the version, or a version that is not spoken, ends the connection.
class VfioSession {
 public:
  /// `device` outlives it.
  explicit VfioSession(VfioDeviceIf& device) : device_(device) {}

  [[nodiscard]] VfioReply take(VfioMessage&& message);

  /// The version has been agreed upon.
  [[nodiscard]] bool open() const { return open_; }
  /// The connection is to be ended; why.
  [[nodiscard]] bool closed() const { return !fault_.empty(); }
  [[nodiscard]] const std::string& fault() const { return fault_; }
  /// Data that the client takes in one message.
  [[nodiscard]] std::uint32_t most_data() const { return most_data_; }

  [[nodiscard]] static VfioReply error_reply(const vfio::Header& to, int error);

 private:
  using Body = std::vector<std::byte>;
  int act(VfioMessage& message, Body& out, int& file);
  int version(const Body& in, Body& out);
  int map(VfioMessage& message);
  int unmap(const Body& in, Body& out);
  int region_info(const Body& in, Body& out, int& file) const;
  int irq_info(const Body& in, Body& out) const;
  int set_irqs(VfioMessage& message);
  int region_read(const Body& in, Body& out);
  int region_write(const Body& in, Body& out);
  [[nodiscard]] bool within(const vfio::RegionAccess& access) const;

  VfioDeviceIf& device_;
  bool open_ = false;
  std::uint32_t most_data_ = vfio::kMostData;
  std::string fault_;
};

}  // namespace wordline::served
