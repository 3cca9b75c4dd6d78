// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/engines/block_context.h"

#include <fmt/core.h>

namespace wordline::engines {

std::byte* BlockContext::bytes(std::uint32_t offset, std::size_t count, const char* name) const {
  std::byte* const at = memory_->at(registers[offset], count);
  if (at == nullptr) no_memory(name);
  return at;
}

void BlockContext::no_memory(const char* name) const {
  error(fmt::format("ENGINES.ENABLE: no memory behind ENGINES.{}", name));
}

void BlockContext::error(const std::string& text) const {
  SC_REPORT_ERROR("wordline/engines", fmt::format("{}: {}", block_.name(), text).c_str());
}

}  // namespace wordline::engines
