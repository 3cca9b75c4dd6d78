// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/policy_words.h"

#include <cmath>
#include <cstring>
#include <type_traits>

#include "models/checks/boot_info.h"
#include "models/firmware/policy/keys.h"

namespace wordline::config {
namespace {

template <class T>
std::uint32_t word_of(T value) {
  return static_cast<std::uint32_t>(value);
}
template <class Tag, class Rep>
std::uint32_t word_of(Quantity<Tag, Rep> value) {
  return static_cast<std::uint32_t>(value.count());
}

}  // namespace

Millivolts PolicyDrive::step(double times) const { return agcr_step(times, ispp_step); }

void set_policy_words(wl_boot_info& info, const Config& config, const Layout& layout) {
  const std::uint32_t map_unit = wl_boot_map_unit(&info);
  const PolicyDrive drive{layout.lpage.bytes(), (info.user_lpages + map_unit - 1) / map_unit, config.nand.region.page,
                          config.nand.ispp.step};
  struct wl_policy_keys words {};
#define WL_KEY(name, kind, key, unit, fallback, least, most, needs, text, source, words) words
#define WL_CHOICE(name, type, key, fallback, choices, needs, text, source, words) words
#define WL_WORD(word, value) rules.word = word_of(value);
#define WL_WORDS(word, count, value) \
  for (std::uint32_t i = 0; i < (count); ++i) rules.word[i] = word_of(value);
#define WL_KEYS_BEGIN(policy, type)       \
  {                                       \
    using Keys [[maybe_unused]] = type;   \
    const Keys& keys = config.ftl.policy; \
    struct wl_##policy##_rules& rules = words.policy;
#define WL_KEYS_END(policy) }
#include "models/firmware/policy/keys.def"
#undef WL_KEY
#undef WL_CHOICE
#undef WL_WORD
#undef WL_WORDS
#undef WL_KEYS_BEGIN
#undef WL_KEYS_END
  std::memcpy(info.ftl.policy_words, &words, sizeof(words));
}

}  // namespace wordline::config
