// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace wordline::persist_model {

/// Rules of an FTL that survives power cuts. A run breaks none of them, or one.
enum class Rule {
  kErasesAfterInvalidators,  // what made the victim's data invalid is on flash before the victim is erased
  kErasesAfterCopies,        // ... and the copies of what was valid, not only sent
  kVictimsAtRest,            // a victim's own programs have all ended
  kFlushKeepsOverwritten,    // what a FLUSH waits for stays in the buffer, even when it is written anew
  kBarrierKeepsOverwritten,  // ... and what an erase waits for
  kTombstonesMove,           // a deallocation stays on flash as long as an older copy of its page
  kTornRefused,              // a torn unit is never parsed
  kSequencesAbove,           // sequences after a mount lie above all that flash may hold
  kOpenSuperblocksClosed,    // nothing is written behind a torn unit
  kCopiesKeepSequence,       // a copy has the sequence of its original
  kSequenceWithMap,          // a write gets its sequence when the map changes, not when the command arrives
  kHalfErasedErasedAgain,    // before it is used
  kDoubtfulCopied,           // a superblock without a closing record is carried away before the host is answered
  kMountErasesLast,          // a mount erases nothing that it may still need before its copies are on flash
  kAnswersAfterErases,       // the host is answered when what a mount does not trust is erased, not while
  kErasesOnOwnRecord,        // a mount erases for the sake of a closing record that it has programmed itself
  kRecordsVouch,             // a closing record counts when every unit that it names can be read
  kClosingApart,             // a closing record shares no cells with data
  kPairsComplete,            // data are durable when no later program can destroy them
};

struct RuleName {
  Rule rule;
  std::string_view name;
};
inline constexpr std::array kRules{
    RuleName{Rule::kErasesAfterInvalidators, "erases_after_invalidators"},
    RuleName{Rule::kErasesAfterCopies, "erases_after_copies"},
    RuleName{Rule::kVictimsAtRest, "victims_at_rest"},
    RuleName{Rule::kFlushKeepsOverwritten, "flush_keeps_overwritten"},
    RuleName{Rule::kBarrierKeepsOverwritten, "barrier_keeps_overwritten"},
    RuleName{Rule::kTombstonesMove, "tombstones_move"},
    RuleName{Rule::kTornRefused, "torn_refused"},
    RuleName{Rule::kSequencesAbove, "sequences_above"},
    RuleName{Rule::kOpenSuperblocksClosed, "open_superblocks_closed"},
    RuleName{Rule::kCopiesKeepSequence, "copies_keep_sequence"},
    RuleName{Rule::kSequenceWithMap, "sequence_with_map"},
    RuleName{Rule::kHalfErasedErasedAgain, "half_erased_erased_again"},
    RuleName{Rule::kDoubtfulCopied, "doubtful_copied"},
    RuleName{Rule::kMountErasesLast, "mount_erases_last"},
    RuleName{Rule::kAnswersAfterErases, "answers_after_erases"},
    RuleName{Rule::kErasesOnOwnRecord, "erases_on_own_record"},
    RuleName{Rule::kRecordsVouch, "records_vouch"},
    RuleName{Rule::kClosingApart, "closing_apart"},
    RuleName{Rule::kPairsComplete, "pairs_complete"},
};

[[nodiscard]] constexpr std::string_view name_of(std::optional<Rule> broken) {
  for (const RuleName& r : kRules)
    if (r.rule == broken) return r.name;
  return "none";
}

}  // namespace wordline::persist_model
