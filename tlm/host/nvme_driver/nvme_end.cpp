// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// host.model = nvme: the host's driver of an NVMe controller at the other end of the link.
#include "tlm/device/nvme/nvme_controller.h"
#include "tlm/host/host_ends.h"
#include "tlm/host/nvme_driver/nvme_path.h"

namespace wordline::host {
namespace {

class NvmeEnd final : public HostEnd {
 public:
  explicit NvmeEnd(const EndContext& context)
      : path_("nvme_driver", context.context, context.config,
              lpage_size_of(context.config).first_lba(context.user_lpages), context.memory, context.cores,
              context.link) {
    auto& controller = dynamic_cast<NvmeController&>(context.drive);
    path_.socket().bind(controller.host_socket);
    controller.host_interrupt.bind(path_);
    path_.count_fetched_by([&controller](std::uint32_t qid) { return controller.fetched(qid); });
  }
  HostPathIf& path() override { return path_; }

 private:
  NvmePath path_;
};

}  // namespace

std::unique_ptr<HostEnd> make_host_end_nvme(const EndContext& context) { return std::make_unique<NvmeEnd>(context); }

}  // namespace wordline::host
