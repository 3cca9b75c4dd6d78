// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a run records of a slot, for benches of blocks of the user's own: each line against the C++ reference, and one
// wrong bit in it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <utility>

#include "models/ecc/code/ldpc_code.h"
#include "models/ecc/decoders/codeword_bits.h"
#include "models/ecc/decoders/min_sum_decoder.h"
#include "models/firmware/contract/contract.h"
#include "models/onfi/commands.h"
#include "testbenches/system/run_drive.h"

namespace wordline::testing::own_rtl_recording_test {
namespace {

using Lines = std::vector<nlohmann::json>;
constexpr const char* kSmall = "configs/ssds/small.toml";

/// The lines without the first one, which is of the file.
Lines lines_of(const std::string& path, const std::string& slot) {
  std::ifstream file(path);
  std::string text;
  std::getline(file, text);
  EXPECT_EQ(nlohmann::json::parse(text), (nlohmann::json{{"slot", slot}, {"version", 1}}));
  Lines lines;
  while (std::getline(file, text)) lines.push_back(nlohmann::json::parse(text));
  return lines;
}

std::vector<std::uint64_t> beats_of(const nlohmann::json& text) {
  std::istringstream words(text.get<std::string>());
  std::vector<std::uint64_t> beats;
  for (std::uint64_t beat; words >> std::hex >> beat;) beats.push_back(beat);
  return beats;
}

/// "": the codeword is one, so many bits are wrong in what was read of it, and it holds `data`.
std::string problem_of_codeword(const nlohmann::json& line, const nlohmann::json& data) {
  const std::vector<std::uint64_t> in = beats_of(line["in"]), right = beats_of(line["right"]);
  if (in.size() != ecc::kStreamBeats || right.size() != ecc::kStreamBeats) return "beats are missing";
  ecc::CodeBits bits;
  unsigned errors = 0;
  for (unsigned i = 0; i < ecc::kStreamBeats; ++i) {
    bits[i / 4].word[i % 4] = right[i];
    errors += static_cast<unsigned>(__builtin_popcountll(in[i] ^ right[i]));
  }
  if (!ecc::LdpcCode::instance().is_codeword(bits)) return "it is no codeword";
  if (errors != line["errors"]) return "another number of bits is wrong";
  if (data["page"] != line["page"] || data["half"] != line["half"]) return "the data are of another codeword";
  // What the encoder of the model makes of the data, the logical page number and the half.
  const std::vector<std::uint64_t> user = beats_of(data["data"]);
  const std::uint64_t page = line["page"];
  const unsigned half = line["half"];
  ecc::CodewordBytes bytes{};
  const auto store = [&](std::size_t at, std::uint64_t word) {
    for (unsigned byte = 0; byte < 8; ++byte) bytes.at(at + byte) = static_cast<std::uint8_t>(word >> 8 * byte);
  };
  for (std::size_t beat = 0; beat < user.size(); ++beat) store(8 * beat, user[beat]);
  store(8 * user.size(), page);
  bytes.at(8 * user.size() + 8) = static_cast<std::uint8_t>(half);
  ecc::encode_codeword(bytes, ecc::codeword_address(page, half));
  return ecc::unpack(bytes.data()) == bits ? "" : "its data are others";
}

/// "": the answer follows from map and states.
std::string problem_of_lookup(const nlohmann::json& line) {
  const auto numbers = [&](const char* name) { return line[name].get<std::vector<std::uint64_t>>(); };
  const std::uint64_t lpn = line["lpn"];
  const std::vector<std::uint64_t> states = numbers("states");
  const std::size_t pages = states.size() / 3;
  if (pages == 0) return "there is no logical page";
  if (line["write"] == 1) {
    const std::vector<std::uint64_t> opened = numbers("opened");
    for (std::size_t i = 0; i < pages; ++i) {
      const std::uint64_t times = (line["lpages"].get<std::uint64_t>() - i + 1023) / 1024;
      if (opened.at(i) != states[3 * i] + times) return "a write is not counted";
    }
    return {};
  }
  bool written = false;
  for (std::size_t i = 0; i < pages; ++i) {
    const std::uint64_t entry = numbers("map").at(lpn % 16 + i);
    const std::uint64_t value = entry != 0 ? entry : line["map_initial"] == 1 ? lpn + i + 3 : 1;
    if (numbers("values").at(i) != value) return "a map entry is another one";
    if (numbers("changes").at(i) != states[3 * i + 2]) return "a count of changes is another one";
    written = written || states[3 * i] != states[3 * i + 1];
  }
  return line["written"] == (written ? 1 : 0) ? "" : "a write is under way, or none";
}

TEST(OwnRtlRecording, CodewordsAndDataAreThoseOfTheReference) {
  const std::string folder = scratch_folder(), codewords = folder + "/codewords", data = folder + "/data",
                    encoded = folder + "/encoded";
  const auto run = run_drive({"configs/ssds/retry.toml",
                              "[r]\nrw=randread\nbs=4k\nnumber_ios=20\n",
                              {"ecc.model=rtl", "ecc.rtl_threads=2", "cpu.model=native"},
                              {"--record-block", "ecc_decoder=" + codewords, "--record-block", "stream_tap=" + data,
                               "--record-block", "ecc_encoder=" + encoded}});
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  const Lines decoder = lines_of(codewords, "ecc_decoder"), encoder = lines_of(encoded, "ecc_encoder");
  const Lines tap = lines_of(data, "stream_tap");
  ASSERT_GT(decoder.size(), 20U);
  ASSERT_EQ(encoder.size(), tap.size());
  for (const nlohmann::json& line : decoder) {
    const auto same = [&](const nlohmann::json& other) { return other["right"] == line["right"]; };
    ASSERT_NE(std::find_if(encoder.begin(), encoder.end(), same), encoder.end());
    EXPECT_EQ(line["right"].get<std::string>().rfind(encoder.front()["in"].get<std::string>(), 0) == 0,
              line["right"] == encoder.front()["right"]);
  }
  // A codeword that goes to tier 2 with soft bits has no line there, and its data have one.
  std::size_t at = 0, wrong_bits = 0;
  for (const nlohmann::json& line : decoder) {
    while (at < tap.size() && (tap[at]["page"] != line["page"] || tap[at]["half"] != line["half"])) ++at;
    ASSERT_LT(at, tap.size());
    EXPECT_EQ(problem_of_codeword(line, tap[at++]), "");
    wrong_bits += line["errors"].get<std::size_t>();
  }
  EXPECT_GT(wrong_bits, 100U);
  const nlohmann::json good = decoder.front();
  for (const char* name : {"in", "right"}) {
    nlohmann::json bad = good;
    std::string text = bad[name];
    text[100] = text[100] == '0' ? '1' : '0';
    bad[name] = text;
    EXPECT_NE(problem_of_codeword(bad, tap.front()), "") << name;
  }
  nlohmann::json bad = tap.front();
  std::string text = bad["data"];
  text[100] = text[100] == '0' ? '1' : '0';
  bad["data"] = text;
  EXPECT_EQ(problem_of_codeword(good, tap.front()), "");
  EXPECT_EQ(problem_of_codeword(good, bad), "its data are others");
}

ecc::CodeBits bits_of(const nlohmann::json& text) {
  ecc::CodeBits bits{};
  const std::vector<std::uint64_t> beats = beats_of(text);
  for (unsigned i = 0; i < beats.size(); ++i) bits[i / 4].word[i % 4] = beats[i];
  return bits;
}

// What goes into tier 2 by hard bits and with soft ones: the reference decodes it to what was written, or gives it up.
TEST(OwnRtlRecording, SoftCodewordsAreDecodedByTheReference) {
  const std::string file = scratch_folder() + "/soft";
  const auto run = run_drive({"configs/ssds/retry.toml",
                              "[r]\nrw=randread\nbs=4k\nnumber_ios=12\n",
                              {"ecc.model=rtl", "cpu.model=native"},
                              {"--record-block", "ecc_soft_decoder=" + file}});
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  const Lines lines = lines_of(file, "ecc_soft_decoder");
  EXPECT_EQ(lines.size(), run.result["ecc"]["rtl"]["tier2"]["codewords"].get<std::size_t>());
  ecc::MinSumDecoder reference;
  std::array<unsigned, 3> by_planes{};
  unsigned decoded = 0;
  for (const nlohmann::json& line : lines) {
    const ecc::CodeBits right = bits_of(line["right"]);
    EXPECT_TRUE(ecc::LdpcCode::instance().is_codeword(right));
    ecc::CodeBits bits = bits_of(line["in"]), rel0{}, rel1{};
    unsigned planes = 0, errors = 0;
    for (auto& [name, plane] : {std::pair{"rel0", &rel0}, std::pair{"rel1", &rel1}}) {
      if (!line.contains(name)) continue;
      *plane = bits_of(line[name]);
      ++planes;
    }
    for (unsigned i = 0; i < ecc::kStreamBeats; ++i)
      errors += static_cast<unsigned>(__builtin_popcountll(bits[i / 4].word[i % 4] ^ right[i / 4].word[i % 4]));
    EXPECT_EQ(line["errors"], errors);
    const auto llr = line["llr"].get<ecc::LlrTable>();
    ++by_planes.at(planes);
    if (!reference.decode(bits, rel0, rel1, llr).ok) continue;
    ++decoded;
    EXPECT_EQ(bits, right);
  }
  EXPECT_GT(by_planes[0], 10U);
  EXPECT_GT(by_planes[1] + by_planes[2], 0U);
  EXPECT_EQ(decoded + run.result["ecc"]["rtl"]["tier2"]["given_up"].get<unsigned>(), lines.size());
}

TEST(OwnRtlRecording, LookupsAreThoseOfTheReferenceWithGatesAndWithout) {
  for (const char* model : {"model", "rtl"}) {
    const std::string file = scratch_folder() + "/" + model;
    const auto run = run_drive({kSmall,
                                "[m]\nrw=randrw\nbs=16k\niodepth=4\nnumber_ios=300\nnorandommap\n",
                                {"cpu.model=native", "precondition.fill=sequential", "engines.l2p=on", "engines.job=on",
                                 "engines.completion=on", std::string("engines.model=") + model},
                                {"--record-block", "engine_l2p=" + file}});
    EXPECT_EQ(run.result["check"]["mismatches"], 0);
    const Lines lines = lines_of(file, "engine_l2p");
    EXPECT_GE(lines.size(), 300U);
    bool reads = false, writes = false;
    for (const nlohmann::json& line : lines) {
      EXPECT_EQ(problem_of_lookup(line), "") << line;
      nlohmann::json bad = line;
      const bool is_write = line["write"] == 1;
      (is_write ? writes : reads) = true;
      bad[is_write ? "opened" : "values"][0] = bad[is_write ? "opened" : "values"][0].get<std::uint64_t>() ^ 1U;
      EXPECT_NE(problem_of_lookup(bad), "") << bad;
    }
    EXPECT_TRUE(reads && writes);
  }
}

/// "": no superblock that may be collected has fewer valid pages, nor as few and an earlier turn.
std::string problem_of_search(const nlohmann::json& line) {
  const auto heads = line["heads"].get<std::vector<std::uint64_t>>();
  const std::size_t superblocks = line["superblocks"], from = line["from"];
  if (heads.size() != 2 * superblocks) return "heads are missing";
  std::uint64_t fewest = ~std::uint64_t{0}, found = WL_LPN_NONE;
  for (std::size_t i = 0; i < superblocks; ++i) {
    const std::size_t at = (from + i) % superblocks;
    if ((heads[2 * at + 1] & 0xff) != WL_SUPERBLOCK_SEARCHED || heads[2 * at] >= fewest) continue;
    fewest = heads[2 * at];
    found = at;
  }
  return line["superblock"] == found ? "" : "it finds another superblock";
}

TEST(OwnRtlRecording, SearchesAreThoseOfAPlainSearch) {
  const std::string file = scratch_folder() + "/searches";
  const auto run =
      run_drive({kSmall,
                 "[w]\nrw=randwrite\nbs=4k\niodepth=16\nnumber_ios=6000\nnorandommap\n",
                 {"cpu.model=native", "precondition.fill=sequential", "precondition.overwrites=1", "engines.victim=on"},
                 {"--record-block", "engine_victim=" + file}});
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  const Lines lines = lines_of(file, "engine_victim");
  EXPECT_GT(lines.size(), 5U);
  for (const nlohmann::json& line : lines) {
    EXPECT_EQ(problem_of_search(line), "") << line;
    nlohmann::json bad = line;
    bad["superblock"] = bad["superblock"].get<std::uint64_t>() ^ 1U;
    EXPECT_NE(problem_of_search(bad), "") << bad;
  }
}

/// "": a read or a write as the entry has it, of the namespace of the table.
std::string problem_of_entry(const nlohmann::json& line) {
  const auto entry = line["entry"].get<std::vector<std::uint64_t>>(),
             table = line["table"].get<std::vector<std::uint64_t>>();
  if (line["status"] != 0) return "it is refused";
  const std::uint64_t opcode = entry.at(0) & 0xff, shift = table.at(0) >> 32, nlb = (entry.at(12) & 0xffff) + 1;
  const std::uint64_t slba = entry.at(11) << 32 | entry.at(10), first = table.at(2 * entry.at(1) - 1) + (slba << shift);
  if (line["op"] != opcode || line["first"] != first || line["blocks"] != nlb << shift) return "it is another command";
  const std::uint64_t lpage = line["lpage_shift"], end = first + (nlb << shift) + (1U << lpage) - 1;
  if (line["lpn"] != first >> lpage || line["lpages"] != (end >> lpage) - (first >> lpage)) return "it has other pages";
  const std::uint64_t pages = ((entry.at(6) & 0xfff) + (nlb << shift) * 512 + 4095) / 4096;
  return line["pages"] == std::min<std::uint64_t>(pages, 3) ? "" : "it has other host pages";
}

TEST(OwnRtlRecording, EntriesAreThoseOfThePlainRules) {
  const std::string file = scratch_folder() + "/entries";
  const auto run = run_drive({kSmall,
                              "[m]\nrw=randrw\nbs=2560\niodepth=4\nnumber_ios=200\nnorandommap\n",
                              {"cpu.model=native", "precondition.fill=sequential"},
                              {"--record-block", "engine_parse=" + file}});
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  const Lines lines = lines_of(file, "engine_parse");
  EXPECT_GE(lines.size(), 200U);
  for (const nlohmann::json& line : lines) {
    EXPECT_EQ(problem_of_entry(line), "") << line;
    for (const char* field : {"first", "lpages", "op"}) {
      nlohmann::json bad = line;
      bad[field] = bad[field].get<std::uint64_t>() ^ 1U;
      EXPECT_NE(problem_of_entry(bad), "") << field << bad;
    }
  }
}

/// "": the cycles at the pins are those of the segment, and its data are as long as it says.
std::string problem_of_segment(const nlohmann::json& line) {
  const auto kind = static_cast<onfi::SegmentKind>(line["kind"].get<unsigned>());
  const bool page = kind == onfi::SegmentKind::kDataIn || kind == onfi::SegmentKind::kDataOut;
  std::vector<std::uint64_t> cycles;
  if (!page && kind != onfi::SegmentKind::kFeatureOut) {
    cycles.push_back(0x100 | line["opcode"].get<std::uint64_t>());
    for (unsigned i = 0; i < line["addresses"].get<unsigned>(); ++i)
      cycles.push_back(0x200 | (line["address"].get<std::uint64_t>() >> 8 * i & 0xff));
    if (line["confirm"] != 0) cycles.push_back(0x100 | line["confirm"].get<std::uint64_t>());
  }
  if (line["cycles"] != cycles) return "it has other cycles";
  const std::size_t digits = line["data"].get<std::string>().size();
  const std::uint64_t bytes = kind == onfi::SegmentKind::kStatus ? 1 : page ? line["bytes"].get<std::uint64_t>() : 0;
  if (kind != onfi::SegmentKind::kFeatureOut && digits != 2 * bytes) return "it has more data, or less";
  return line["registers"].size() == 19 ? "" : "registers are missing";
}

TEST(OwnRtlRecording, SegmentsAreThoseOfTheChannel) {
  const std::string file = scratch_folder() + "/segments";
  const auto run =
      run_drive({kSmall,
                 "[m]\nrw=randrw\nbs=16k\niodepth=4\nnumber_ios=400\nnorandommap\n",
                 {"channels.model=rtl", "channels.count=1", "cpu.model=native", "precondition.fill=sequential"},
                 {"--record-block", "flash_sequencer=" + file}});
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  const Lines lines = lines_of(file, "flash_sequencer");
  EXPECT_EQ(run.result["flash"]["rtl"]["segments"], lines.size());
  std::array<unsigned, onfi::kSegmentKinds> kinds{};
  for (const nlohmann::json& line : lines) {
    EXPECT_EQ(problem_of_segment(line), "") << line;
    ++kinds.at(line["kind"].get<std::size_t>());
    nlohmann::json bad = line;
    bad["cycles"].push_back(0x100);
    EXPECT_NE(problem_of_segment(bad), "");
  }
  for (const auto kind : {onfi::SegmentKind::kCommand, onfi::SegmentKind::kDataIn, onfi::SegmentKind::kDataOut,
                          onfi::SegmentKind::kStatus})
    EXPECT_GT(kinds.at(static_cast<std::size_t>(kind)), 3U);
}

TEST(OwnRtlRecording, WhatCannotBeRecordedIsRefused) {
  const std::string job = scratch_file("job.fio", "[r]\nrw=randread\nbs=4k\nnumber_ios=2\n");
  const auto says = [&](const std::vector<std::string>& more, int code, const std::string& text) {
    std::vector<std::string> arguments{"run", kSmall, "--workload", job, "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const CommandResult result = wordline(arguments);
    EXPECT_EQ(result.exit_code, code) << result.output;
    EXPECT_NE(result.output.find(text), std::string::npos) << text << "\nin: " << result.output;
  };
  const std::string file = scratch_folder() + "/file";
  says({"--record-block", "apb_block=" + file}, 2, "expected SLOT=FILE with one of the slots ecc_decoder");
  says({"--record-block", "ecc_decoder"}, 2, "expected SLOT=FILE");
  says({"--record-block", "ecc_decoder=" + file}, 2, "nothing goes into it, expected ecc.model = rtl");
  says({"--record-block", "engine_l2p=" + file}, 2, "nothing goes into it, expected engines.l2p = on");
  says({"--record-block", "flash_sequencer=" + file}, 2, "nothing goes into it, expected channels.model = rtl");
  says({"--record-block", "engine_l2p=/nowhere/file", "--set", "engines.l2p=on", "--set", "engines.job=on", "--set",
        "engines.completion=on"},
       1, "the file cannot be made");
  // Nothing is on flash, so nothing is decoded.
  says({"--set", "ecc.model=rtl", "--record-block", "ecc_decoder=" + file}, 1, "nothing went into the block");
}

}  // namespace
}  // namespace wordline::testing::own_rtl_recording_test
