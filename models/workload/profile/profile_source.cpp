// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "models/workload/profile/arrival_times.h"
#include "models/workload/profile/page_stream.h"
#include "models/workload/profile/profile.h"
#include "models/workload/profile/size_deck.h"
#include "models/workload/text.h"

namespace wordline::workload {
namespace {

// Purposes of keyed draws.
constexpr std::uint64_t kDirection = 0x70726f66696c6501;
constexpr std::uint64_t kClass = 0x70726f66696c6502;
constexpr std::uint64_t kAlignment = 0x70726f66696c6503;
constexpr std::uint64_t kOffset = 0x70726f66696c6504;
constexpr std::uint64_t kSize = 0x70726f66696c6505;
constexpr std::uint64_t kPlace = 0x70726f66696c6506;
constexpr std::uint64_t kRanks = 0x70726f66696c6507;
constexpr std::uint64_t kArrival = 0x70726f66696c6508;

constexpr std::uint64_t kStrata = 1024;

std::uint64_t whole(double value) { return static_cast<std::uint64_t>(std::llround(value)); }

/// A queue depth from the command line takes the place of arrivals.
GeneratorParameters with_options(GeneratorParameters parameters, const LoadOptions& options) {
  if (options.trace.queue_depth != 0) {
    parameters.arrival.interarrival = 0;
    parameters.arrival.think = 0;
    parameters.arrival.queue_depth = options.trace.queue_depth;
  }
  parameters.arrival.queue_depth *= options.deeper;
  return parameters;
}

/// Reads or writes.
struct Direction {
  Stratified own;  // whether a request goes to the pages that only this direction uses
  double own_share = 1;
  SizeDeck sizes;
  std::array<PageStream, 2> streams;          // the pages of its own, those of both
  std::array<std::uint64_t, 2> first_page{};  // first page of their regions
  std::uint64_t count = 0;
};

class ProfileSource final : public Source {
 public:
  ProfileSource(const std::string& path, const Profile& profile, const LoadOptions& options)
      : parameters_(with_options(profile.generator, options)),
        seed_(keyed_hash(options.seed, kDirection)),
        direction_(kStrata, keyed_hash(options.seed, kDirection, 1)),
        alignment_(kStrata, keyed_hash(options.seed, kAlignment)),
        arrivals_(parameters_.arrival, options.speedup, keyed_hash(options.seed, kArrival)) {
    text::Errors errors(path);
    if (!open_loop() && options.speedup != 1.0) {
      errors.add("requests of a closed loop have no time between them that --speedup could divide");
    }
    edition_ = std::max(1.0, std::round(parameters_.requests * options.footprint));
    requests_ = options.requests != 0 ? options.requests : whole(edition_);
    set_up(Op::kRead, parameters_.reads, errors);
    set_up(Op::kWrite, parameters_.writes, errors);
    errors.check();
    lay_out(options, errors);
    errors.check();
    describe_ =
        fmt::format("profile {}: {} requests, {} % writes, {} in use", profile.name, text::grouped(requests_),
                    text::plain(parameters_.write_share * 100, 3),
                    text::long_bytes((region(0).pages + region(1).pages + region(2).pages) * kPageLbas * kLbaBytes));
    if (options.footprint != 1.0) describe_ += fmt::format(", footprint x {}", text::plain(options.footprint));
  }

  unsigned jobs() const override { return 1; }
  unsigned depth(unsigned /*job*/) const override {
    return open_loop() ? 0 : static_cast<unsigned>(parameters_.arrival.queue_depth);
  }
  bool open_loop() const override { return arrivals_.open_loop(); }
  bool next(unsigned job, Picoseconds now, Request& out) override;
  std::string job_name(unsigned /*job*/) const override { return "profile"; }
  std::uint64_t total_requests() const override { return requests_; }
  std::uint64_t total_bytes() const override { return 0; }
  std::string describe() const override { return describe_; }

 private:
  void set_up(Op op, const DirectionParameters& parameters, text::Errors& errors);
  void lay_out(const LoadOptions& options, text::Errors& errors);
  [[nodiscard]] const Region& region(std::size_t kind) const { return regions_[kind]; }
  [[nodiscard]] std::uint32_t offset() const;

  GeneratorParameters parameters_;
  std::uint64_t seed_;
  Stratified direction_;
  Stratified alignment_;
  ArrivalTimes arrivals_;
  double edition_ = 1;
  std::uint64_t requests_ = 0;
  std::array<Region, 3> regions_;  // read only, write only, both
  std::array<Direction, 2> directions_;
  std::string describe_;
  std::uint64_t issued_ = 0;
  std::uint64_t unflushed_ = 0;  // writes since the last FLUSH
  Picoseconds arrival_;          // arrival of the last request
};

void ProfileSource::set_up(Op op, const DirectionParameters& parameters, text::Errors& errors) {
  const double share = op == Op::kWrite ? parameters_.write_share : 1 - parameters_.write_share;
  if (share == 0) return;
  const auto i = static_cast<std::size_t>(op);
  Direction& direction = directions_[i];
  direction.own = Stratified(kStrata, keyed_hash(seed_, kClass, i));
  direction.own_share = parameters.place.own;
  try {
    direction.sizes = SizeDeck(parameters.size, keyed_hash(seed_, kSize, i));
  } catch (const std::invalid_argument& error) {
    errors.add(fmt::format("generator.{}s.{}", op_name(op), error.what()));
  }
}

/// The regions, and the streams in them.
void ProfileSource::lay_out(const LoadOptions& options, text::Errors& errors) {
  const PageParameters& pages = parameters_.pages;
  const auto used = whole(pages.used);
  const auto scaled = [&](double count) {
    return Region{count == 0 ? 0 : std::max<std::uint64_t>(1, whole(count * options.footprint)), used};
  };
  regions_ = {scaled(pages.read_only), scaled(pages.write_only), scaled(pages.both)};
  const std::array<std::uint64_t, 3> first = {0, regions_[0].span_pages(),
                                              regions_[0].span_pages() + regions_[1].span_pages()};
  const std::uint64_t span = (first[2] + regions_[2].span_pages()) * kPageLbas;
  if (span > options.drive_lbas) {
    errors.add(fmt::format("the workload needs {}, the drive has {}: use a larger drive, or --footprint {} or less",
                           text::long_bytes(span * kLbaBytes), text::long_bytes(options.drive_lbas * kLbaBytes),
                           text::plain(std::floor(options.footprint * 1000 * static_cast<double>(options.drive_lbas) /
                                                  static_cast<double>(span)) /
                                           1000,
                                       3)));
  }
  const std::array<const char*, 3> names = {"read_only", "write_only", "both"};
  for (const Op op : {Op::kRead, Op::kWrite}) {
    const auto i = static_cast<std::size_t>(op);
    const PlaceParameters& place = op == Op::kRead ? parameters_.reads.place : parameters_.writes.place;
    const double direction_share = op == Op::kWrite ? parameters_.write_share : 1 - parameters_.write_share;
    const double longest = direction_share == 0 ? 0 : directions_[i].sizes.max_nlb();
    for (std::size_t kind = 0; kind < 2; ++kind) {
      const std::size_t r = kind == 0 ? i : 2;
      const double share = direction_share * (kind == 0 ? place.own : 1 - place.own);
      if (share == 0) continue;
      if (static_cast<double>(regions_[r].span_pages()) * kPageLbas < longest + kPageLbas) {
        errors.add(
            fmt::format("generator.pages.{}: {} of pages are less than the longest request of the {}s, which has "
                        "{}; use more pages or smaller requests, or a larger --footprint",
                        names[r], text::long_bytes(regions_[r].span_pages() * kPageLbas * kLbaBytes), op_name(op),
                        text::long_bytes(static_cast<std::uint64_t>(longest) * kLbaBytes)));
        continue;
      }
      PageStream::Parameters stream;
      stream.region = regions_[r];
      stream.place = place;
      stream.requests = edition_ * share;
      stream.sweeping = directions_[i].sizes.share_from(place.drawn_below);
      stream.key = keyed_hash(seed_, kPlace, i, kind);
      stream.ranks = keyed_hash(seed_, kRanks, i, kind);
      if (kind == 1) stream.place.hottest = 0;  // one page is the hottest
      if (kind == 1 && op == Op::kRead) {
        stream.other_ranks = keyed_hash(seed_, kRanks, static_cast<std::size_t>(Op::kWrite), kind);
        stream.other_share = pages.correlation;
      }
      directions_[i].streams[kind] = PageStream(stream);
      directions_[i].first_page[kind] = first[r];
    }
  }
}

/// Blocks from the begin of a page to the begin of the next request.
std::uint32_t ProfileSource::offset() const {
  if (alignment_(issued_) >= parameters_.misaligned) return 0;
  if (parameters_.misaligned_by > 0) return static_cast<std::uint32_t>(parameters_.misaligned_by) / kLbaBytes;
  return 1 + static_cast<std::uint32_t>(keyed_hash(seed_, kOffset, issued_) % (kPageLbas - 1));
}

bool ProfileSource::next(unsigned /*job*/, Picoseconds now, Request& out) {
  out.job = 0;
  if (parameters_.arrival.flush_every > 0 && static_cast<double>(unflushed_) >= parameters_.arrival.flush_every) {
    // Flushes arrive with the write before them.
    unflushed_ = 0;
    out.op = Op::kFlush;
    out.lba = Lba(0);
    out.nlb = 0;
    out.arrival = open_loop() ? arrival_ : now;
    return true;
  }
  if (issued_ == requests_) return false;
  out.op = direction_(issued_) < parameters_.write_share ? Op::kWrite : Op::kRead;
  Direction& direction = directions_[static_cast<std::size_t>(out.op)];
  const std::size_t kind = direction.own(direction.count) < direction.own_share ? 0 : 1;
  out.nlb = direction.sizes(direction.count);
  const std::uint64_t block = direction.streams[kind].place(offset(), out.nlb);
  out.lba = Lba(direction.first_page[kind] * kPageLbas + block);
  out.arrival = arrival_ = arrivals_.next(now);
  ++direction.count;
  ++issued_;
  if (out.op == Op::kWrite) ++unflushed_;
  return true;
}

}  // namespace

std::unique_ptr<Source> make_profile_source(const std::string& path, const Profile& profile,
                                            const LoadOptions& options) {
  return std::make_unique<ProfileSource>(path, profile, options);
}

}  // namespace wordline::workload
