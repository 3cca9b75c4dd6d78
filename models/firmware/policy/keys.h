/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The keys of policies as the firmware has them: `struct wl_NAME_rules` from NAME.def (keys.def), words of 32 bits in
 * the boot information, which does not know what they mean.
 */
#ifndef WORDLINE_FIRMWARE_POLICY_KEYS_H
#define WORDLINE_FIRMWARE_POLICY_KEYS_H

#include <stdint.h>

#include "models/firmware/contract/boot_info.h"

#define WL_KEY(name, kind, key, unit, fallback, least, most, needs, text, source, words) words
#define WL_CHOICE(name, type, key, fallback, choices, needs, text, source, words) words
#define WL_WORD(word, value) uint32_t word;
#define WL_WORDS(word, count, value) uint32_t word[count];
#define WL_KEYS_BEGIN(policy, type) struct wl_##policy##_rules {
#define WL_KEYS_END(policy) \
  }                         \
  ;
#include "models/firmware/policy/keys.def"
#undef WL_KEY
#undef WL_CHOICE
#undef WL_KEYS_BEGIN
#undef WL_KEYS_END

struct wl_policy_keys { /* those of a policy that the drive does not have are there, too */
#define WL_KEY(name, kind, key, unit, fallback, least, most, needs, text, source, words)
#define WL_CHOICE(name, type, key, fallback, choices, needs, text, source, words)
#define WL_KEYS_BEGIN(policy, type) struct wl_##policy##_rules policy;
#define WL_KEYS_END(policy)
#include "models/firmware/policy/keys.def"
#undef WL_KEY
#undef WL_CHOICE
#undef WL_WORD
#undef WL_WORDS
#undef WL_KEYS_BEGIN
#undef WL_KEYS_END
};
/* Policies have more words than the boot information: raise WL_POLICY_WORDS. */
WL_SIZE_AT_MOST(struct wl_policy_keys, WL_POLICY_WORDS * 4);

static inline const struct wl_policy_keys* wl_policy_keys(const struct wl_boot_info* boot) {
  return (const struct wl_policy_keys*)boot->ftl.policy_words;
}

#endif
