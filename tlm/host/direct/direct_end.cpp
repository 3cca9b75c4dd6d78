// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// host.model = direct: the drive takes the driver's commands as they are.
#include "tlm/device/direct/direct_host.h"
#include "tlm/host/host_ends.h"

namespace wordline::host {
namespace {

class DirectEnd final : public HostEnd {
 public:
  explicit DirectEnd(const EndContext& context) : drive_(dynamic_cast<DirectHost&>(context.drive)) {}
  HostPathIf& path() override { return drive_; }

 private:
  DirectHost& drive_;
};

}  // namespace

std::unique_ptr<HostEnd> make_host_end_direct(const EndContext& context) {
  return std::make_unique<DirectEnd>(context);
}

}  // namespace wordline::host
