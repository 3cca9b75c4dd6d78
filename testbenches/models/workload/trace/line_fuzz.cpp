// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/models/workload/trace/line_fuzz.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <optional>
#include <regex>
#include <utility>

#include "models/units/keyed_random.h"
#include "models/workload/text.h"
#include "models/workload/trace/formats.h"
#include "testbenches/models/workload/trace/scratch_trace.h"

namespace wordline::workload {
namespace {

/// What the second parser reads from a line.
struct Expected {
  Op op;
  std::uint64_t lba, nlb;
};

using Parts = std::smatch;
using Second = std::optional<Expected> (*)(const Parts&);

struct Subject {
  TraceFormat format;
  const char* columns;
  std::vector<std::string> lines;
  std::regex request;     // a line that may be a request
  Second second;          // whether it is, and which
  std::regex no_request;  // a line that the format has besides requests and need not count
};

/// A regular expression in which ~ is a blank as the formats know it; \s has others, too.
std::regex pattern(std::string text, std::regex::flag_type flags = std::regex::ECMAScript) {
  for (std::size_t at = text.find('~'); at != std::string::npos; at = text.find('~')) text.replace(at, 1, "[ \\t]");
  return std::regex(text, flags);
}

std::optional<std::uint64_t> whole(const std::string& digits) {
  errno = 0;
  const std::uint64_t value = std::strtoull(digits.c_str(), nullptr, 10);
  if (errno == ERANGE) return std::nullopt;
  return value;
}

/// Numbers of the parts `at`, all of which must fit 64 bits.
std::optional<std::vector<std::uint64_t>> numbers(const Parts& parts, std::initializer_list<std::size_t> at) {
  std::vector<std::uint64_t> values;
  for (const std::size_t i : at) {
    const auto value = whole(parts[i].str());
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

/// Whether "12.345", times 10^digits, fits 64 bits.
bool fits(const std::string& number, unsigned digits) {
  const auto point = number.find('.');
  std::string all = number.substr(0, point);
  std::string fraction = point == std::string::npos ? "" : number.substr(point + 1);
  fraction.resize(digits, '0');
  return whole(all).has_value() && whole(all + fraction).has_value();
}

std::optional<Expected> bytes(Op op, std::uint64_t offset, std::uint64_t size) {
  if (size == 0 || offset % 512 != 0 || size % 512 != 0) return std::nullopt;
  return Expected{op, offset / 512, size / 512};
}

Op op_of(const std::string& word) { return word[0] == 'R' || word[0] == 'r' ? Op::kRead : Op::kWrite; }

/// As docs/workloads.md lists them; nothing: no word of a request with an extent.
std::optional<Op> op_of_column(const std::string& word) {
  static const std::regex kReads("r|read|rd|load|readio|diskread|(0x)?(08|28|a8|88)", std::regex::icase);
  static const std::regex kWrites("w|write|wr|store|writeio|diskwrite|(0x)?(0a|2a|aa|8a)", std::regex::icase);
  static const std::regex kTrims("d|t|trim|discard|unmap|deallocate|(0x)?42", std::regex::icase);
  static const std::regex kFlags("F?([RWD])E?F?A?S?M?");
  std::smatch flags;
  if (std::regex_match(word, kReads)) return Op::kRead;
  if (std::regex_match(word, kWrites)) return Op::kWrite;
  if (std::regex_match(word, kTrims)) return Op::kTrim;
  if (!std::regex_match(word, flags, kFlags)) return std::nullopt;
  return flags[1] == "R" ? Op::kRead : flags[1] == "W" ? Op::kWrite : Op::kTrim;
}

const std::regex kNothing("(?!)");

std::vector<Subject> subjects() {
  std::vector<Subject> all;
  all.push_back({TraceFormat::kMsr,
                 "",
                 {"128166372003061629,hm,1,Read,383496192,32768,413", "128166372016382155,web,0,Write,512,1024,99"},
                 pattern(R"(~*(\d+)~*,[^,]*,~*(\d+)~*,~*(Read|READ|read|Write|WRITE|write)~*,~*(\d+)~*,)"
                         R"(~*(\d+)~*,~*(\d+)~*)"),
                 [](const Parts& p) -> std::optional<Expected> {
                   const auto n = numbers(p, {1, 2, 4, 5, 6});
                   return n ? bytes(op_of(p[3].str()), (*n)[2], (*n)[3]) : std::nullopt;
                 },
                 kNothing});
  all.push_back({TraceFormat::kSpc,
                 "",
                 {"0,20941264,8192,W,0.551706", "1, 3436288, 15872, r, 1.250720, 0x123,5.99,test"},
                 pattern(R"(~*(\d+)~*,~*(\d+)~*,~*(\d+)~*,~*([RrWw])~*,~*(\d+|\d+\.\d+)~*(,[\s\S]*)?)"),
                 [](const Parts& p) -> std::optional<Expected> {
                   const auto n = numbers(p, {1, 2, 3});
                   if (!n || (*n)[2] == 0 || !fits(p[5].str(), 12)) return std::nullopt;
                   return Expected{op_of(p[4].str()), (*n)[1], (*n)[2] / 512 + ((*n)[2] % 512 != 0 ? 1 : 0)};
                 },
                 kNothing});
  all.push_back({TraceFormat::kAlibaba,
                 "",
                 {"0,R,126703661056,4096,1577808000000046", "12,W,512,77824,1577808000000426"},
                 pattern(R"(~*(\d+)~*,~*([RW])~*,~*(\d+)~*,~*(\d+)~*,~*(\d+)~*)"),
                 [](const Parts& p) -> std::optional<Expected> {
                   const auto n = numbers(p, {1, 3, 4, 5});
                   return n ? bytes(op_of(p[2].str()), (*n)[1], (*n)[2]) : std::nullopt;
                 },
                 kNothing});
  all.push_back({TraceFormat::kSystor,
                 "",
                 {"1456135200.013118000,0.000160,R,4,126703661056,4096", "1456135200.5,0.1,W,0,512,77824",
                  "1456135200.5,,,4,0,512"},
                 pattern(R"(~*(\d+|\d+\.\d+)~*,[^,]*,~*([RW])~*,~*(\d+)~*,~*(\d+)~*,~*(\d+)~*)"),
                 [](const Parts& p) -> std::optional<Expected> {
                   const auto n = numbers(p, {3, 4, 5});
                   if (!n || !fits(p[1].str(), 6)) return std::nullopt;
                   return bytes(op_of(p[2].str()), (*n)[1], (*n)[2]);
                 },
                 kNothing});
  all.push_back({TraceFormat::kTencent,
                 "",
                 {"1538323200,12910952,128,0,1063", "1538323201,32,8,1,1064"},
                 pattern(R"(~*(\d+)~*,~*(\d+)~*,~*(\d+)~*,~*([01])~*,~*(\d+)~*)"),
                 [](const Parts& p) -> std::optional<Expected> {
                   const auto n = numbers(p, {1, 2, 3, 5});
                   if (!n || (*n)[2] == 0) return std::nullopt;
                   return Expected{p[4].str() == "0" ? Op::kRead : Op::kWrite, (*n)[1], (*n)[2]};
                 },
                 kNothing});
  all.push_back({TraceFormat::kMqsim,
                 "",
                 {"938513000 4 264719034 16 0", "939044000 6 238240490 128 1"},
                 pattern(R"(~*(\d+)~+(\d+)~+(\d+)~+(\d+)~+([01])~*)"),
                 [](const Parts& p) -> std::optional<Expected> {
                   const auto n = numbers(p, {1, 2, 3, 4});
                   if (!n || (*n)[3] == 0) return std::nullopt;
                   return Expected{p[5].str() == "1" ? Op::kRead : Op::kWrite, (*n)[2], (*n)[3]};
                 },
                 kNothing});
  all.push_back({TraceFormat::kDisksim,
                 "",
                 {"0.25 0 100 8 1", "1938.513000 12 264719034 16 0"},
                 pattern(R"(~*(\d+|\d+\.\d+)~+(\d+)~+(\d+)~+(\d+)~+(\d+)~*)"),
                 [](const Parts& p) -> std::optional<Expected> {
                   const auto n = numbers(p, {2, 3, 4, 5});
                   if (!n || (*n)[2] == 0 || !fits(p[1].str(), 9)) return std::nullopt;
                   return Expected{(*n)[3] % 2 == 1 ? Op::kRead : Op::kWrite, (*n)[1], (*n)[2]};
                 },
                 kNothing});
  all.push_back({TraceFormat::kColumns,
                 "time_us,device,op,offset_sectors,size_bytes",
                 {"17.5,sda,Read,1000,4096", "18,sdb,w,8,512", "19,sdb,FWFS,8,512", "20,sdb,discard,8,512"},
                 pattern(R"(~*(\d+|\d+\.\d+)~*,[^,]*,~*([A-Za-z0-9]+)~*,~*(\d+)~*,~*(\d+)~*)"),
                 [](const Parts& p) -> std::optional<Expected> {
                   const auto n = numbers(p, {3, 4});
                   const auto op = op_of_column(p[2].str());
                   if (!n || !op || !fits(p[1].str(), 3) || (*n)[0] > UINT64_MAX / 512) return std::nullopt;
                   return bytes(*op, (*n)[0] * 512, (*n)[1]);
                 },
                 kNothing});
  all.push_back({TraceFormat::kBlkparse,
                 "",
                 {"8,16   5        2     0.000001850 18615  Q   R 1444645666 + 256 [java]",
                  "259,0    11       67     1.200001850 1  Q  FWS 8 + 16 [my app]",
                  "8,16   5        4     0.000008750 18615  D   N [java]"},
                 pattern(R"(~*(\d+),(\d+)~+(\d+)~+(\d+)~+(\d+|\d+\.\d+)~+(\d+)~+Q~+F?([RWD])[RWDNFASMBPVEU]*~+)"
                         R"((\d+)~+\+~+(\d+)(~[\s\S]*)?)"),
                 [](const Parts& p) -> std::optional<Expected> {
                   const auto n = numbers(p, {1, 2, 3, 4, 6, 8, 9});
                   if (!n || !fits(p[5].str(), 9) || (*n)[6] == 0) return std::nullopt;
                   return Expected{p[7].str() == "D" ? Op::kTrim : op_of(p[7].str()), (*n)[5], (*n)[6]};
                 },
                 pattern("(CPU|Total|Reads|Read|PC Read|IO|Timer|Events|Throughput|Skips|Input)[\\s\\S]*")});
  all.push_back(
      {TraceFormat::kIolog,
       "",
       {"30 /dev/a add", "736 /dev/a trim 0 2147483648", "752 /dev/a write 512 4096", "760 /dev/b read 0 512"},
       pattern(R"((\d+)~+([^ \t]+)~+(read|write|trim)~+(\d+)~+(\d+))"),
       [](const Parts& p) -> std::optional<Expected> {
         const auto n = numbers(p, {1, 4, 5});
         if (!n || (*n)[2] == 0 || (*n)[1] > UINT64_MAX - 512 || (*n)[2] > UINT64_MAX - 512 - (*n)[1]) {
           return std::nullopt;
         }
         const std::uint64_t first = (*n)[1] / 512;
         const Op op = p[3].str() == "trim" ? Op::kTrim : op_of(p[3].str());
         return Expected{op, first, ((*n)[1] + (*n)[2] - 1) / 512 - first + 1};
       },
       pattern(R"(\d+~+[^ \t]+~+(add|open|close))")});
  all.push_back({TraceFormat::kCapture,
                 "",
                 {"q 81408187 1 2 read 4096 8192", "q 81408999 2 3 write 0 4096 fua", "q 9 3 2 trim 512 1024"},
                 pattern(R"(q~+(\d+)~+(\d+)~+(\d+)~+(read|write|trim)~+(\d+)~+(\d+)(~+(fua|nohole)){0,2})"),
                 [](const Parts& p) -> std::optional<Expected> {
                   const auto n = numbers(p, {1, 2, 3, 5, 6});
                   if (!n || (*n)[4] == 0 || (*n)[3] % 512 != 0 || (*n)[4] % 512 != 0) return std::nullopt;
                   const Op op = p[4].str() == "trim" ? Op::kTrim : op_of(p[4].str());
                   return Expected{op, (*n)[3] / 512, (*n)[4] / 512};
                 },
                 pattern(R"((wordline|drive|r|a|e)(~[\s\S]*)?)")});
  return all;
}

class Fuzzer {
 public:
  explicit Fuzzer(std::uint64_t seed) : seed_(seed) {}

  void line(const Subject& subject, LineParser& parser);
  void file(const Subject& subject);

  FuzzResult result_;

 private:
  std::uint64_t below(std::uint64_t n) { return mix64(seed_ ^ mix64(++draws_)) % n; }
  std::string damaged(std::string line);
  void fail(const Subject& subject, const std::string& line, const std::string& why) {
    if (result_.failures.size() < 10) {
      result_.failures.push_back(fmt::format("{}: '{}': {}", name_of(subject.format).key, line, why));
    }
  }

  std::uint64_t seed_;
  std::uint64_t draws_ = 0;
};

std::string Fuzzer::damaged(std::string line) {
  static const std::string kLikely = "0123456789,. \t-+:;[]RWQDNFrw/eEx\"'\\";
  for (std::uint64_t n = below(4); n != 0 && !line.empty(); --n) {
    const std::size_t at = below(line.size());
    switch (below(9)) {
      case 0:
        line[at] = static_cast<char>(below(256));
        break;
      case 1:
        line[at] = kLikely[below(kLikely.size())];
        break;
      case 2:
        line.erase(at, 1 + below(4));
        break;
      case 3:
        line.insert(at, 1, kLikely[below(kLikely.size())]);
        break;
      case 4:
        line.insert(at, below(22), static_cast<char>('0' + below(10)));
        break;
      case 5:
        line.erase(at);
        break;
      case 6:
        line.insert(at, line.substr(below(line.size()), below(12)));
        break;
      case 7: {  // a whole number by one at an end of what is allowed
        static const std::vector<std::string> kEnds{"0", "1", "511", "18446744073709551615", "18446744073709551616"};
        const std::size_t first = line.find_first_of("0123456789", at);
        if (first == std::string::npos) break;
        const std::size_t end = std::min(line.find_first_not_of("0123456789", first), line.size());
        line.replace(first, end - first, kEnds[below(kEnds.size())]);
        break;
      }
      default:
        std::swap(line[at], line[below(line.size())]);
    }
  }
  for (char& c : line) c = c == '\n' ? ' ' : c;
  return std::string(text::trimmed(line));
}

void Fuzzer::line(const Subject& subject, LineParser& parser) {
  const std::string line = damaged(subject.lines[below(subject.lines.size())]);
  if (line.empty()) return;
  const auto counted = [&parser] {
    return std::accumulate(parser.left_out().begin(), parser.left_out().end(), std::uint64_t{0},
                           [](std::uint64_t sum, const auto& what) { return sum + what.second; });
  };
  const std::uint64_t before = counted();
  TraceRecord record;
  const auto verdict = parser.parse(line, record);
  ++result_.lines;

  Parts parts;
  std::optional<Expected> expected;
  if (std::regex_match(line, parts, subject.request)) expected = subject.second(parts);
  switch (verdict) {
    case LineParser::Verdict::kRequest:
      ++result_.requests;
      if (record.op == Op::kFlush) break;  // has no numbers
      if (!expected) {
        fail(subject, line, "taken for a request");
      } else if (record.op != expected->op || record.lba != expected->lba || record.nlb != expected->nlb) {
        fail(subject, line, fmt::format("read as {} LBA {} blocks {}", op_name(record.op), record.lba, record.nlb));
      }
      break;
    case LineParser::Verdict::kWrong:
      ++result_.refused;
      if (expected) fail(subject, line, "refused: " + parser.problem());
      if (parser.problem().empty()) fail(subject, line, "refused without a reason");
      break;
    case LineParser::Verdict::kNone:
      ++result_.left_out;
      if (expected) fail(subject, line, "a request that was left out");
      if (counted() != before + 1 && !std::regex_match(line, subject.no_request)) fail(subject, line, "vanished");
      break;
  }
}

void Fuzzer::file(const Subject& subject) {
  std::string content = subject.format == TraceFormat::kIolog ? "fio version 3 iolog\n" : "";
  std::size_t lines = 0;
  for (; lines < 20; ++lines) content += subject.lines[lines % subject.lines.size()] + "\n";
  for (; lines < 30; ++lines) content += damaged(subject.lines[below(subject.lines.size())]) + "\n";
  content = content.substr(below(4) == 0 ? below(content.size()) : 0);
  const ScratchFile file("fuzz.trace", content);
  LoadOptions options = drive_of(std::uint64_t{1} << 40U);
  options.trace.columns = subject.columns;
  try {
    const auto source = load_workload(file.path(), options);
    if (all(*source).size() != source->total_requests()) fail(subject, content, "another number of requests");
  } catch (const WorkloadError& error) {
    for (const std::string& line : error.errors()) {
      if (line.find(": error: ") == std::string::npos && line.find("more errors") == std::string::npos) {
        fail(subject, content, "an error without its place: " + line);
      }
    }
  }
}

}  // namespace

FuzzResult fuzz_lines(std::uint64_t lines, std::uint64_t seed) {
  const std::vector<Subject> all = subjects();
  std::vector<std::unique_ptr<LineParser>> parsers;
  for (const Subject& subject : all) {
    parsers.push_back(make_line_parser(subject.format, subject.columns));
    // The first line of a file may be a header, and of an I/O log must be.
    TraceRecord record;
    const bool log = subject.format == TraceFormat::kIolog;
    (void)parsers.back()->parse(log ? "fio version 3 iolog" : subject.lines[0], record);
  }
  Fuzzer fuzzer(seed);
  for (std::uint64_t i = 0; i < lines; ++i) {
    fuzzer.line(all[i % all.size()], *parsers[i % all.size()]);
    if (i % 997 == 0) fuzzer.file(all[i / 997 % all.size()]);
  }
  return fuzzer.result_;
}

}  // namespace wordline::workload
