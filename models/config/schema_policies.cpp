// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Keys of single policies of the FTL, from the file of each: ftl.ppb is of the policy ppb. With another policy they
// have no effect, and `check` refuses values beside the defaults.
#include "models/config/assign.h"
#include "models/config/schema.h"

namespace wordline::config {

void add_policy_keys(std::vector<Key>& keys) {
#define POLICY_FIELD(name)                                            \
  Field {                                                             \
    [](Config& c, const Value& v) { assign(of(c).name, v); },         \
        [](const Config& c) -> Value { return value_of(of(c).name); } \
  }
#define WL_ONE(id, word) word,
#define WL_KEY(name, kind, key, unit, fallback, least, most, needs, text, source, words) \
  keys.push_back(                                                                        \
      {key, Kind::k##kind, unit, fallback, least, most, text, source, POLICY_FIELD(name), {}, 0, 0, needs, kPolicy});
#define WL_CHOICE(name, type, key, fallback, ones, needs, text, source, words) \
  keys.push_back(                                                              \
      {key, Kind::kEnum, "", fallback, "", "", text, source, POLICY_FIELD(name), {ones}, 0, 0, needs, kPolicy});
#define WL_KEYS_BEGIN(policy, type)                                           \
  {                                                                           \
    static constexpr auto of = [](auto& c) -> auto& { return c.ftl.policy; }; \
    constexpr std::string_view kPolicy = #policy;
#define WL_KEYS_END(policy) }
#include "models/firmware/policy/keys.def"
#undef POLICY_FIELD
#undef WL_ONE
#undef WL_KEY
#undef WL_CHOICE
#undef WL_KEYS_BEGIN
#undef WL_KEYS_END
}

}  // namespace wordline::config
