// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Keys of single policies of the FTL, from the file of each: ftl.ppb is of the policy ppb. With another policy they
// have no effect, and `check` refuses values beside the defaults.
#include "models/config/assign.h"
#include "models/config/schema.h"

namespace wordline::config {

void add_policy_keys(std::vector<Key>& keys) {
#define WL_ONE(id, word) word,
#define SET(name) [](Config& c, const Value& v) { assign(of(c).name, v); }
#define SAME(name) [](const Config& a, const Config& b) { return of(a).name == of(b).name; }
#define WL_KEY(name, kind, key, unit, fallback, least, most, text, source, words) \
  keys.push_back({key, Kind::k##kind, unit, fallback, least, most, text, source, SET(name), {}, 0, 0, SAME(name)});
#define WL_CHOICE(name, type, key, fallback, ones, text, source, words)              \
  keys.push_back({key, Kind::kEnum, "", fallback, "", "", text, source, SET(name)}); \
  keys.back().choices = {ones};                                                      \
  keys.back().same = SAME(name);
#define WL_KEYS_BEGIN(policy, type) \
  {                                 \
    static constexpr auto of = [](auto& c) -> auto& { return c.ftl.policy; };
#define WL_KEYS_END(policy) }
#include "models/firmware/policy/keys.def"
#undef WL_ONE
#undef SET
#undef SAME
#undef WL_KEY
#undef WL_CHOICE
#undef WL_KEYS_BEGIN
#undef WL_KEYS_END
}

bool is_default(std::string_view key, const Config& config) {
  static const Config defaults = [] {
    Config c{};
    for (const Key& row : schema()) {
      if (row.same != nullptr) row.set(c, default_value(row));
    }
    return c;
  }();
  return schema().at(static_cast<std::size_t>(find_key(key))).same(config, defaults);
}

}  // namespace wordline::config
