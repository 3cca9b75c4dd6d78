// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// host.model = nvme: an NVMe controller, and the host's driver at the other end of the link.
#include "tlm/host/host_models.h"
#include "tlm/host/nvme/nvme_controller.h"
#include "tlm/host/nvme_driver/nvme_path.h"

namespace wordline::host {
namespace {

class NvmeModel final : public HostModel {
 public:
  explicit NvmeModel(const HostContext& context)
      : controller_("nvme", context.config, context.user_lpages, context.recorder),
        path_("nvme_driver", context.config.host, lpage_size_of(context.config).first_lba(context.user_lpages),
              context.memory, context.link) {
    path_.socket().bind(controller_.host_socket);
    controller_.host_interrupt.bind(path_);
  }
  HostInterface& drive() override { return controller_; }
  HostPathIf& path() override { return path_; }

 private:
  NvmeController controller_;
  NvmePath path_;
};

}  // namespace

std::unique_ptr<HostModel> make_host_model_nvme(const HostContext& context) {
  return std::make_unique<NvmeModel>(context);
}

}  // namespace wordline::host
