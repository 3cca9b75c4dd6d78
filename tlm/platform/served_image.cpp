// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/served_image.h"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <stdexcept>

#include "tlm/platform/snapshot_command.h"

namespace wordline::platform {

using served::ClientError;
using served::ClientOp;

namespace {

/// Before a file is made for a drive that cannot be kept in it.
std::string checked(const std::string& path, const config::Config& config) {
  check_can_be_kept(config);
  return path;
}

/// Until nothing is under way in the drive any more. False: it does not come to rest.
bool come_to_rest(tlm_if::SimulationContext& context) {
  constexpr Picoseconds kStep(10'000'000'000), kMost(100'000'000'000'000);
  for (Picoseconds waited{}; waited < kMost && !context.alarms().empty(); waited = waited + kStep)
    context.alarms().run_alone_to(context.now() + kStep);
  return context.alarms().empty();
}

}  // namespace

ServedImage::ServedImage(const std::string& path, const config::Config& config, std::uint64_t device_bytes)
    : file_(checked(path, config), device_bytes) {}

std::vector<std::string> ServedImage::settings() const {
  if (file_.generation() == 0) return {};
  return {"precondition.fill=none", "precondition.overwrites=0",
          fmt::format("precondition.file={}", std::filesystem::absolute(file_.state_path()).string())};
}

void ServedImage::fill(data::ContentStore& store) {
  file_.read_base([&](std::uint64_t offset, std::uint32_t length, const char* bytes) {
    store.begin_with(offset / served::kBlockBytes, length / served::kBlockBytes, bytes);
  });
}

bool ServedImage::next(served::ClientRequest& request) {
  if (!file_.next(request)) return false;
  ++repeated_;
  return true;
}

void ServedImage::answered(std::uint64_t /*number*/, const served::ClientRequest& request, ClientError& error,
                           std::uint64_t /*found*/, Picoseconds /*at*/) {
  if (request.client == 0) {  // it is in the file
    if (error != ClientError::kNone && request.op != ClientOp::kRead) ++not_repeated_;
    return;
  }
  if (error != ClientError::kNone) return;
  append(request);
  if ((request.op == ClientOp::kFlush || request.fua) && !commit(true)) error = ClientError::kIo;
}

bool ServedImage::commit(bool on_disk) {
  if (on_disk ? file_.commit() : file_.hand_over()) return true;
  std::cerr << fmt::format("wordline: --image: {}: a client's data are not safe, and it was told so\n", file_.error());
  return false;
}

void ServedImage::begin_in_order(data::ContentStore& store) {
  fill(store);
  served::ClientRequest request;
  if (file_.next(request)) throw std::runtime_error("--image: error: another server has changed the file: try again");
}

bool ServedImage::in_order() {
  served::ClientRequest request;
  file_.read_base([](std::uint64_t, std::uint32_t, const char*) {});
  return !file_.next(request);
}

void ServedImage::close(const data::ContentStore& store, tlm_if::SimulationContext& context, device::Drive& drive,
                        const config::Config& config, const config::Layout& layout) {
  if (file_.is_base_alone()) return;
  if (!come_to_rest(context)) {
    (void)commit(true);
    std::cerr << "wordline: --image: the drive does not come to rest: the next server repeats what was done\n";
    return;
  }
  save_snapshot_at_rest(drive, config, layout, "served to clients", file_.state_path(file_.generation() + 1));
  file_.replace([&](const served::ImageFile::Put& put) {
    store.for_each([&](std::uint64_t lba, std::uint32_t nlb, const char* bytes) {
      put(lba * served::kBlockBytes, nlb * served::kBlockBytes, bytes);
    });
  });
}

std::string ServedImage::found() const {
  std::string text;
  if (repeated_ != 0)
    text = fmt::format("the last server was not ended in order: {} requests were written again\n", repeated_);
  if (file_.dropped() != 0)
    text += fmt::format("{} bytes at the end were no whole record, and were dropped\n", file_.dropped());
  return text;
}

}  // namespace wordline::platform
