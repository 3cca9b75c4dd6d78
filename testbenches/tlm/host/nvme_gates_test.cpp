// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "models/config/namespaces.h"
#include "models/engines/controller_gates.h"
#include "models/firmware/contract/contract.h"
#include "tlm/device/nvme/arbiter.h"
#include "tlm/device/nvme/nvme.h"

namespace wordline::testing::nvme_gates_test {
namespace {

static_assert(engines::detail::kQueues == host::nvme::kMaxIoQueues + 1);
static_assert(engines::detail::kVectors == host::nvme::kMaxIoQueues + 1);
static_assert(engines::detail::kNamespaces == WL_NAMESPACES);
static_assert(engines::detail::kHandles == WL_HANDLES);

std::string with_commas(double value) {
  std::string text = fmt::format("{:.0f}", value);
  for (int at = static_cast<int>(text.size()) - 3; at > 0; at -= 3) text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

/// A cell of a CSV file.
std::string cell(std::string_view text) {
  return text.find(',') == std::string_view::npos ? std::string(text) : fmt::format("\"{}\"", text);
}

TEST(NvmeGates, ThePageHasTheEstimates) {
  std::stringstream page;
  page << std::ifstream(std::string(WORDLINE_SOURCE_DIR) + "/docs/data/nvme_gates.csv").rdbuf();
  for (const engines::ControllerFeature& feature : engines::kControllerFeatures) {
    const std::string row = fmt::format("{},{},{},{}\n", cell(feature.name), cell(with_commas(feature.memory_bits)),
                                        cell(with_commas(feature.bits)), cell(with_commas(feature.gates())));
    EXPECT_NE(page.str().find(row), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace wordline::testing::nvme_gates_test
