// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "schedule.h"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <stdexcept>

namespace wordline::persist_model {

// ---- text

std::string Schedule::line() const {
  std::ostringstream out;
  out << name_of(conditions.broken) << (conditions.damage.unstable ? " unstable" : " stable")
      << (conditions.damage.paired ? " paired" : " single");
  for (const Action& a : actions) out << ' ' << a.what << a.which;
  return out.str();
}

Schedule Schedule::parse(const std::string& line) {
  std::istringstream in(line);
  std::string broken, stability, pairs, word;
  in >> broken >> stability >> pairs;
  Schedule s;
  for (const RuleName& r : kRules)
    if (r.name == broken) s.conditions.broken = r.rule;
  if (broken != name_of(s.conditions.broken)) throw std::invalid_argument("no rule " + broken);
  if (stability != "stable" && stability != "unstable")
    throw std::invalid_argument("not stable or unstable: " + stability);
  if (pairs != "single" && pairs != "paired") throw std::invalid_argument("not single or paired: " + pairs);
  s.conditions.damage = {stability == "unstable", pairs == "paired"};
  while (in >> word) {
    if (word.size() < 2 || std::strchr(kActions, word[0]) == nullptr ||
        word.find_first_not_of("0123456789", 1) != std::string::npos)
      throw std::invalid_argument("no action " + word);
    s.actions.push_back({word[0], static_cast<std::uint32_t>(std::stoul(word.substr(1)))});
  }
  return s;
}

// ---- a drive

Drive::Drive(const Conditions& conditions) : conditions_(conditions), flash_(conditions.damage) {
  ftl_.emplace(flash_, conditions.broken, Dice(0));
}

void Drive::host(Action action) {
  const int lpn = static_cast<int>(action.which % kLpns);
  MapUnit content{lpn, 0, Kind::kTombstone, {}};
  if (action.what != 't') {
    ++version_;
    content = {lpn, 0, Kind::kUser, {version_, version_}};
  }
  ftl_->command(content, action.what == 'u');
}

Failure Drive::after_step() {
  for (const Ftl::Arrival& a : ftl_->arrivals()) {
    oracle_.arrived(a.content);
    if (a.force_unit_access) oracle_.force_unit_access(a.content);
  }
  oracle_.poll(*ftl_);
  if (checked_ || !ftl_->mounted()) return Failure::kNone;
  checked_ = true;
  return oracle_.check_mounted(*ftl_);
}

Failure Drive::cut(std::uint32_t key) {
  if (ftl_->mounted())
    if (const Failure f = oracle_.check_live(*ftl_); f != Failure::kNone) return f;
  ++cuts_;
  cuts_in_mount_ += ftl_->mounted() ? 0 : 1;
  Dice dice(key);
  flash_.cut(dice);
  oracle_.power_lost();
  ftl_.emplace(flash_, conditions_.broken, dice);
  checked_ = false;
  return after_step();
}

/// Without further commands, the mount and a FLUSH come to an end.
Failure Drive::become_quiet(std::uint32_t key) {
  Dice dice(key);
  std::optional<std::uint64_t> flush;
  for (int n = 0; n != 3000; ++n) {
    if (ftl_->mounted() && !flush) {
      flush = ftl_->flush();
      oracle_.flush(*flush);
    }
    if (flush && ftl_->durable(*flush)) return oracle_.check_live(*ftl_);
    const std::vector<Action> may = ftl_->steps();
    if (may.empty()) return Failure::kDead;
    (void)ftl_->step(may[dice.below(may.size())]);
    if (const Failure f = after_step(); f != Failure::kNone) return f;
  }
  return Failure::kDead;
}

Failure Drive::act(Action action) {
  switch (action.what) {
    case 'x':
      return cut(action.which);
    case 'q':
      return become_quiet(action.which);
    case 'f':
      if (ftl_->mounted()) oracle_.flush(ftl_->flush());
      return after_step();
    case 'w':
    case 'u':
    case 't':
      if (ftl_->accepts()) host(action);
      return Failure::kNone;
    default:
      if (!ftl_->step(action)) return Failure::kNone;
      return after_step();
  }
}

// ---- schedules

namespace {

std::optional<Action> host_action(const Ftl& ftl, Dice& dice) {
  const auto lpn = static_cast<std::uint32_t>(std::min(dice.below(kLpns), dice.below(kLpns)));  // some more often
  const std::uint64_t kind = dice.below(16);
  if (kind >= 14) return Action{'f', 0};
  if (!ftl.accepts()) return std::nullopt;
  return Action{kind < 11 ? 'w' : kind == 11 ? 'u' : 't', lpn};
}

/// What comes next: of the host, or of what is possible in the drive. Mounts and erases are cut more often than the
/// rest.
Action next(const Ftl& ftl, Dice& dice) {
  const auto key = static_cast<std::uint32_t>(dice.below(1000000));
  const std::vector<Action> may = ftl.steps();
  const bool erases = std::any_of(may.begin(), may.end(), [](const Action& a) { return a.what == 'e'; });
  if ((!ftl.mounted() || erases) && dice.one_in(ftl.mounted() ? 20 : 12)) return {'x', key};
  if (ftl.mounted() && dice.below(20) < 9)
    if (const auto a = host_action(ftl, dice)) return *a;
  return may.empty() ? Action{'q', key} : may[dice.below(may.size())];
}

}  // namespace

Outcome run(const Conditions& conditions, std::uint64_t seed) {
  Outcome out;
  out.schedule.conditions = conditions;
  Drive drive(conditions);
  Dice dice(seed);
  const auto act = [&](Action a) {
    out.schedule.actions.push_back(a);
    out.failure = drive.act(a);
    return out.failure == Failure::kNone;
  };
  const auto round = [&] {
    const std::uint64_t length = dice.one_in(4) ? dice.below(16) : 10 + dice.below(240);
    for (std::uint64_t i = 0; i != length; ++i)
      if (!act(next(drive.ftl(), dice))) return false;
    const auto key = static_cast<std::uint32_t>(dice.below(1000000));
    if (!act({'x', key})) return false;
    return !dice.one_in(4) || act({'q', key});
  };
  for (int n = 0; n != 3; ++n)
    if (!round()) break;
  if (out.failure == Failure::kNone) (void)act({'q', 1});
  out.cuts = drive.cuts();
  out.cuts_in_mount = drive.cuts_in_mount();
  return out;
}

Outcome replay(const Schedule& schedule) {
  Outcome out;
  out.schedule.conditions = schedule.conditions;
  Drive drive(schedule.conditions);
  for (const Action& a : schedule.actions) {
    out.schedule.actions.push_back(a);
    out.failure = drive.act(a);
    if (out.failure != Failure::kNone) break;
  }
  out.cuts = drive.cuts();
  out.cuts_in_mount = drive.cuts_in_mount();
  return out;
}

Schedule shrunk(Schedule failing) {
  failing = replay(failing).schedule;
  for (std::size_t chunk = failing.actions.size() / 2; chunk != 0;) {
    bool shorter = false;
    for (std::size_t at = 0; at < failing.actions.size();) {
      Schedule less = failing;
      const auto first = less.actions.begin() + static_cast<std::ptrdiff_t>(at);
      const std::size_t n = std::min(chunk, failing.actions.size() - at);
      less.actions.erase(first, first + static_cast<std::ptrdiff_t>(n));
      const Outcome outcome = replay(less);
      if (outcome.failure == Failure::kNone) {
        at += n;
        continue;
      }
      failing = outcome.schedule;
      shorter = true;
    }
    if (!shorter) chunk /= 2;
  }
  return failing;
}

}  // namespace wordline::persist_model
