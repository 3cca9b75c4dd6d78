// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace wordline::config {

/// Whether the FTL policy is `part`, or a combination with it.
[[nodiscard]] bool has_policy(std::string_view policy, std::string_view part);
/// A combination as the table of policies has it: cube+ppb is ppb+cube. Other names as they are.
[[nodiscard]] std::string_view policy_spelling(std::string_view policy);
/// Why there is no such policy, where `policy` combines policies that there are; else empty.
[[nodiscard]] std::string why_no_policy(std::string_view policy);

/// Whether keys of ftl.OWNER are for a policy: for OWNER, for those that begin with OWNER_, and for what is combined
/// with it.
[[nodiscard]] bool has_keys_of(std::string_view policy, std::string_view owner);

}  // namespace wordline::config
