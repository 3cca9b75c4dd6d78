// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/served/vfio_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace wordline::served {
namespace {

using namespace vfio;

using Body = std::vector<std::byte>;

/// False: the body is too short for it.
template <class T>
bool load(const Body& body, T& to) {
  if (body.size() < sizeof to) return false;
  std::memcpy(&to, body.data(), sizeof to);
  return true;
}

template <class T>
void append(Body& body, const T& value) {
  const std::size_t at = body.size();
  body.resize(at + sizeof value);
  std::memcpy(body.data() + at, &value, sizeof value);
}

/// The number behind `key` in a JSON text, or nothing where it is none.
bool number_of(const std::string& json, const char* key, std::uint64_t& number) {
  std::size_t at = json.find(fmt::format("\"{}\"", key));
  if (at == std::string::npos) return false;
  at = json.find(':', at);
  if (at == std::string::npos) return false;
  at = json.find_first_not_of(" \t\r\n", at + 1);
  if (at == std::string::npos || json[at] < '0' || json[at] > '9') return false;
  number = 0;
  for (; at < json.size() && json[at] >= '0' && json[at] <= '9' && number < (1ULL << 40U); ++at)
    number = number * 10 + static_cast<unsigned>(json[at] - '0');
  return true;
}

}  // namespace

VfioReply VfioSession::error_reply(const Header& to, int error) {
  VfioReply reply;
  Header header{to.id, to.command, sizeof(Header), kTypeReply, 0};
  if (error != 0) {
    header.flags |= kError;
    header.error = static_cast<std::uint32_t>(error);
  }
  append(reply.bytes, header);
  return reply;
}

VfioReply VfioSession::take(VfioMessage&& message) {
  const Header& header = message.header;
  if (!open_ && header.command != kVersion) {
    fault_ = fmt::format("command {} came before the version was agreed upon", header.command);
    return error_reply(header, EINVAL);
  }
  Body out;
  int file = -1;
  const int error = act(message, out, file);
  if ((header.flags & kNoReply) != 0 && !closed()) return {};
  VfioReply reply = error_reply(header, error);
  if (error != 0) return reply;
  const auto size = static_cast<std::uint32_t>(sizeof(Header) + out.size());
  std::memcpy(reply.bytes.data() + offsetof(Header, size), &size, sizeof size);
  reply.bytes.insert(reply.bytes.end(), out.begin(), out.end());
  reply.file = file;
  return reply;
}

int VfioSession::act(VfioMessage& message, Body& out, int& file) {
  const Body& in = message.body;
  switch (message.header.command) {
    case kVersion:
      return version(in, out);
    case kDmaMap:
      return map(message);
    case kDmaUnmap:
      return unmap(in, out);
    case kDeviceInfo: {
      DeviceInfo info{};
      if (!load(in, info) || info.argsz < sizeof info) return EINVAL;
      append(out, DeviceInfo{sizeof info, kDeviceResets | kDeviceIsPci, kRegions, kIrqs});
      return 0;
    }
    case kRegionInfo:
      return region_info(in, out, file);
    case kIrqInfo:
      return irq_info(in, out);
    case kSetIrqs:
      return set_irqs(message);
    case kRegionRead:
      return region_read(in, out);
    case kRegionWrite:
      return region_write(in, out);
    case kDeviceReset:
      device_.reset();
      return 0;
    default:
      return ENOTSUP;
  }
}

int VfioSession::version(const Body& in, Body& out) {
  struct Version {
    std::uint16_t major, minor;
  } asked{};
  if (open_ || !load(in, asked)) {
    fault_ = open_ ? "the version was agreed upon twice" : "a VERSION without a version";
    return EINVAL;
  }
  if (asked.major != 0) {
    fault_ = fmt::format("the client speaks version {}.{}, this server 0.0 and 0.1", asked.major, asked.minor);
    return EINVAL;
  }
  if (in.size() > sizeof asked) {
    if (in.back() != std::byte{0}) {
      fault_ = "the capabilities of the client have no end";
      return EINVAL;
    }
    const std::string json(reinterpret_cast<const char*>(in.data()) + sizeof asked, in.size() - sizeof asked - 1);
    std::uint64_t most = 0;
    if (number_of(json, "max_data_xfer_size", most))
      most_data_ = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(most, 64, kMostData));
  }
  asked.minor = std::min<std::uint16_t>(asked.minor, 1);
  append(out, asked);
  const std::string mine = fmt::format(
      "{{\"capabilities\":{{\"max_msg_fds\":{},\"max_data_xfer_size\":{},\"pgsizes\":4096}}}}", kMostFiles, kMostData);
  const auto* const text = reinterpret_cast<const std::byte*>(mine.c_str());
  out.insert(out.end(), text, text + mine.size() + 1);
  open_ = true;
  return 0;
}

int VfioSession::map(VfioMessage& message) {
  DmaMap map{};
  if (!load(message.body, map) || map.argsz < sizeof map || message.files.size() > 1) return EINVAL;
  if ((map.flags & ~(kMapRead | kMapWrite)) != 0 || map.size == 0) return EINVAL;
  if (map.size - 1 > UINT64_MAX - map.address || map.size - 1 > UINT64_MAX - map.offset) return EINVAL;
  return device_.map(map, message.files.empty() ? Descriptor() : std::move(message.files[0]));
}

int VfioSession::unmap(const Body& in, Body& out) {
  DmaUnmap range{};
  if (!load(in, range) || range.argsz < sizeof range) return EINVAL;
  const bool all = range.flags == kUnmapAll && range.address == 0 && range.size == 0;
  if (!all && (range.flags != 0 || range.size == 0 || range.size - 1 > UINT64_MAX - range.address)) return EINVAL;
  append(out, range);
  return device_.unmap(range);
}

int VfioSession::region_info(const Body& in, Body& out, int& file) const {
  RegionInfo info{};
  if (!load(in, info) || info.argsz < sizeof info || info.index >= kRegions) return EINVAL;
  const std::uint32_t room = info.argsz;
  const VfioRegion region = device_.region(info.index);
  info = {sizeof info, 0, info.index, 0, region.size, 0};
  if (region.size != 0) info.flags = kRegionReads | kRegionWrites;
  if (region.file < 0) {
    append(out, info);
    return 0;
  }
  info.flags |= kRegionMaps | kRegionHasCapabilities;
  info.argsz = sizeof info + sizeof(SparseMap);
  const bool fits = room >= info.argsz;
  // Where there is no room, too: there are clients that ask again only when this is good.
  info.capabilities = sizeof info;
  append(out, info);
  if (fits) append(out, SparseMap{kSparseMap, 1, 0, 1, 0, region.mapped_from, region.mapped_bytes});
  file = region.file;
  return 0;
}

int VfioSession::irq_info(const Body& in, Body& out) const {
  IrqInfo info{};
  if (!load(in, info) || info.argsz < sizeof info || info.index >= kIrqs) return EINVAL;
  const bool msix = info.index == kMsix;
  append(out,
         IrqInfo{sizeof info, msix ? kIrqByEvent | kIrqNoResize : 0, info.index, msix ? device_.vectors().count() : 0});
  return 0;
}

int VfioSession::set_irqs(VfioMessage& message) {
  SetIrqs set{};
  if (!load(message.body, set) || set.argsz < sizeof set || set.index >= kIrqs) return EINVAL;
  const std::uint32_t data = set.flags & kDataMask, action = set.flags & ~kDataMask;
  MessageVectors& vectors = device_.vectors();
  const std::uint32_t there = set.index == kMsix ? vectors.count() : 0;
  if (set.start > there || set.count > there - set.start) return EINVAL;
  if (data != kDataNone && data != kDataBool && data != kDataEvents) return EINVAL;
  if (action != kActionMask && action != kActionUnmask && action != kActionTrigger) return EINVAL;
  if (data == kDataBool && message.body.size() - sizeof set < set.count) return EINVAL;
  if (data == kDataEvents) {
    // Without files the vectors lose what they have: so a client says -1.
    if (action != kActionTrigger) return EINVAL;
    if (!message.files.empty() && message.files.size() != set.count) return EINVAL;
    for (std::uint32_t i = 0; i != set.count; ++i) {
      Descriptor event = message.files.empty() ? Descriptor() : std::move(message.files[i]);
      if (!vectors.hook(set.start + i, std::move(event))) return EINVAL;
    }
    return 0;
  }
  if (data == kDataNone && action == kActionTrigger && set.count == 0) {
    for (std::uint32_t i = 0; i != there; ++i) (void)vectors.hook(i, Descriptor());
    return 0;
  }
  for (std::uint32_t i = 0; i != set.count; ++i) {
    if (data == kDataBool && message.body[sizeof set + i] == std::byte{0}) continue;
    if (action == kActionTrigger) {
      vectors.trigger(set.start + i);
    } else {
      vectors.mask(set.start + i, action == kActionMask);
    }
  }
  return 0;
}

bool VfioSession::within(const RegionAccess& access) const {
  if (access.region >= kRegions || access.count > kMostData) return false;
  const std::uint64_t size = device_.region(access.region).size;
  return access.offset <= size && access.count <= size - access.offset;
}

int VfioSession::region_read(const Body& in, Body& out) {
  RegionAccess access{};
  if (!load(in, access) || !within(access)) return EINVAL;
  append(out, access);
  out.resize(sizeof access + access.count);
  return device_.read(access.region, access.offset, out.data() + sizeof access, access.count);
}

int VfioSession::region_write(const Body& in, Body& out) {
  RegionAccess access{};
  if (!load(in, access) || !within(access) || in.size() - sizeof access != access.count) return EINVAL;
  append(out, access);
  return device_.write(access.region, access.offset, in.data() + sizeof access, access.count);
}

}  // namespace wordline::served
