// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// host.model = direct: one class is both ends.
#include "tlm/host/direct/direct_host.h"
#include "tlm/host/host_models.h"

namespace wordline::host {
namespace {

class DirectModel final : public HostModel {
 public:
  explicit DirectModel(const HostContext& context)
      : host_("direct", context.config, context.user_lpages, context.recorder) {}
  HostInterface& drive() override { return host_; }
  HostPathIf& path() override { return host_; }

 private:
  DirectHost host_;
};

}  // namespace

std::unique_ptr<HostModel> make_host_model_direct(const HostContext& context) {
  return std::make_unique<DirectModel>(context);
}

}  // namespace wordline::host
