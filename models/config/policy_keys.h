// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/units/quantity.h"

/// Keys of single policies: a struct for each file that models/firmware/policy/keys.def names.
namespace wordline::config {

/// Types of the keys' fields, by the kind that a row says.
namespace policy_key {
using Integer = std::uint32_t;
using Real = double;
using Bool = bool;
using Bytes = wordline::Bytes;
using Voltage = Millivolts;
using Time = Picoseconds;
}  // namespace policy_key

#define WL_ONE(id, word) id,
#define WL_KEY(name, kind, key, unit, fallback, least, most, needs, text, source, words) policy_key::kind name;
#define WL_CHOICE(name, type, key, fallback, choices, needs, text, source, words) \
  enum class type : std::uint8_t { choices };                                     \
  type name;
#define WL_KEYS_BEGIN(policy, type) struct type {
#define WL_KEYS_END(policy) \
  }                         \
  ;
#include "models/firmware/policy/keys.def"
#undef WL_ONE
#undef WL_KEY
#undef WL_CHOICE
#undef WL_KEYS_BEGIN
#undef WL_KEYS_END

/// [ftl.NAME] for each of them
struct PolicyKeys {
#define WL_KEY(name, kind, key, unit, fallback, least, most, needs, text, source, words)
#define WL_CHOICE(name, type, key, fallback, choices, needs, text, source, words)
#define WL_KEYS_BEGIN(policy, type) type policy;
#define WL_KEYS_END(policy)
#include "models/firmware/policy/keys.def"
#undef WL_KEY
#undef WL_CHOICE
#undef WL_KEYS_BEGIN
#undef WL_KEYS_END
};

}  // namespace wordline::config
