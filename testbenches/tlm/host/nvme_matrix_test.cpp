// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <string>

#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nvme_matrix_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;

/// A section of docs/nvme.md: what the page says of each code, "yes" or a status.
/// `placement`: of a drive with placement handles.
std::map<unsigned, std::string> table_of(const std::string& section, bool placement) {
  std::ifstream page(std::string(WORDLINE_SOURCE_DIR) + "/docs/nvme.md");
  EXPECT_TRUE(page) << "docs/nvme.md";
  const std::regex row(R"(\| ([0-9A-F]{2})h \| [^|]+ \| (yes|[0-9A-F]{3}h) \|(.*))");
  std::map<unsigned, std::string> found;
  std::string line;
  while (std::getline(page, line) && line != "## " + section) {
  }
  while (std::getline(page, line) && line.rfind("## ", 0) != 0) {
    std::smatch match;
    if (std::regex_match(line, match, row)) {
      const bool with_handles = match[3].str().find("yes with `ftl.fdp.handles`") != std::string::npos;
      const bool not_with_handles = match[3].str().find("or `ftl.fdp.handles`") != std::string::npos;
      const std::string says = !placement         ? match[2].str()
                               : with_handles     ? "yes"
                               : not_with_handles ? "109h"
                                                  : match[2].str();
      EXPECT_TRUE(found.emplace(std::stoul(match[1], nullptr, 16), says).second) << line;
    } else {
      EXPECT_TRUE(line.rfind("| ", 0) != 0 || line.find("code") != std::string::npos ||
                  section == "Log pages")  // which has a table of fields as well
          << line;
    }
  }
  EXPECT_GT(found.size(), 10U) << section;
  return found;
}

/// How the command ends; success if it stays outstanding. The firmware does all that it is asked for.
nvme::Status status_of(NvmeBench& bench, std::uint16_t qid, const nvme::SubmissionEntry& sqe) {
  bench.submit(qid, sqe);
  for (int patience = 0; patience < 8; ++patience) {
    pass(2_us);
    if (bench.has_completion(qid)) return nvme::status_of(bench.completion(qid)) & ~nvme::kDnr;
    if (!bench.has_event()) continue;
    const wl_host_event event = bench.event();
    if (event.type == WL_EVENT_ADMIN) {
      bench.answer(event, 0);
    } else {
      bench.run_job(job_of(WL_JOB_COMPLETE, event, 0, 0));
    }
  }
  return nvme::kSuccess;
}

/// Each code as the page says; one that it does not name is refused with `status`.
template <class Send>
void check(const std::string& section, nvme::Status refusal, Send&& send, bool placement = false) {
  const std::map<unsigned, std::string> table = table_of(section, placement);
  for (unsigned code = 0; code < 256; ++code) {
    const auto row = table.find(code);
    const nvme::Status status = send(static_cast<std::uint8_t>(code));
    if (row != table.end() && row->second == "yes") {
      EXPECT_NE(status, refusal) << section << ", " << code;
    } else {
      EXPECT_EQ(status, refusal) << section << ", " << code;
      const bool said = row == table.end() || std::stoul(row->second, nullptr, 16) == refusal;
      EXPECT_TRUE(said) << section << ", " << code;
    }
  }
}

TEST(NvmeMatrix, AdminCommands) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    check("Admin commands", nvme::kInvalidOpcode, [&](std::uint8_t code) {
      nvme::SubmissionEntry sqe{};
      sqe.opcode = code;
      sqe.prp1 = page;
      return status_of(bench, 0, sqe);
    });
  });
}

TEST(NvmeMatrix, IoCommands) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    check("I/O commands", nvme::kInvalidOpcode,
          [&](std::uint8_t code) { return status_of(bench, 1, io(code, 0, 8, page)); });
  });
}

TEST(NvmeMatrix, Features) {
  NvmeBench bench;
  play([&] {
    bench.enable();
    const std::uint64_t page = bench.memory.allocate();
    check("Features", nvme::kInvalidField, [&](std::uint8_t code) {
      nvme::SubmissionEntry sqe{};
      sqe.opcode = nvme::kGetFeatures;
      sqe.prp1 = page;
      sqe.cdw10 = code;
      return status_of(bench, 0, sqe);
    });
  });
}

TEST(NvmeMatrix, LogPages) {
  NvmeBench bench;
  play([&] {
    bench.enable();
    const std::uint64_t page = bench.memory.allocate();
    check("Log pages", nvme::kInvalidLogPage, [&](std::uint8_t code) {
      nvme::SubmissionEntry sqe{};
      sqe.opcode = nvme::kGetLogPage;
      sqe.prp1 = page;
      sqe.cdw10 = 127U << 16 | code;
      return status_of(bench, 0, sqe);
    });
  });
}

/// Logs 00h and 12h name exactly the codes that are there.
void expect_lists(const config::Config& config) {
  NvmeBench bench(config);
  play([&] {
    bench.enable();
    const std::uint64_t list = bench.memory.allocate(), page = bench.memory.allocate();
    const auto read = [&](std::uint8_t log, std::uint64_t to) {
      return status_of(bench, 0, admin_command(nvme::kGetLogPage, 255U << 16 | log, nvme::kEnduranceGroup << 16, to));
    };
    const auto named = [&](unsigned code) {
      std::uint32_t word = 0;
      bench.memory.read(list + code * 4, &word, sizeof word);
      return (word & 1U) != 0;
    };
    ASSERT_EQ(read(0x00, list), nvme::kSuccess);
    for (unsigned code = 0; code < 256; ++code) {
      EXPECT_EQ(read(static_cast<std::uint8_t>(code), page) != nvme::kInvalidLogPage, named(code)) << "log " << code;
    }
    ASSERT_EQ(read(0x12, list), nvme::kSuccess);
    for (unsigned code = 0; code < 256; ++code) {
      nvme::SubmissionEntry sqe = admin_command(nvme::kGetFeatures, code, nvme::kEnduranceGroup, page);
      sqe.nsid = 1;
      EXPECT_EQ(status_of(bench, 0, sqe) != nvme::kInvalidField, named(code)) << "feature " << code;
    }
  });
}

TEST(NvmeMatrix, ListsOfLogsAndFeatures) { expect_lists(nvme_bench_config()); }
TEST(NvmeMatrix, ListsOfADriveWithPlacementHandles) {
  config::Config config = nvme_bench_config();
  config.ftl.fdp = {2, config::Isolation::kInitially};
  expect_lists(config);
}
TEST(NvmeMatrix, ListsOfADriveThatIsSafeAndErasesNothing) {
  config::Config config = nvme_bench_config();
  config.ftl.power_safe = true;
  config.ftl.recovery = config::Recovery::kScan;
  expect_lists(config);
}

TEST(NvmeMatrix, WithPlacementHandles) {
  config::Config config = nvme_bench_config();
  config.ftl.fdp = {2, config::Isolation::kInitially};
  NvmeBench bench(config);
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    check(
        "I/O commands", nvme::kInvalidOpcode,
        [&](std::uint8_t code) { return status_of(bench, 1, io(code, 0, 8, page)); }, true);
    check(
        "Features", nvme::kInvalidField,
        [&](std::uint8_t code) {
          return status_of(bench, 0, admin_command(nvme::kGetFeatures, code, nvme::kEnduranceGroup, page));
        },
        true);
    check(
        "Log pages", nvme::kInvalidLogPage,
        [&](std::uint8_t code) {
          return status_of(bench, 0,
                           admin_command(nvme::kGetLogPage, 127U << 16 | code, nvme::kEnduranceGroup << 16, page));
        },
        true);
  });
}

}  // namespace
}  // namespace wordline::testing::nvme_matrix_test
