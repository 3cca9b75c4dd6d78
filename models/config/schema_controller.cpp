// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Keys of the run, the host and the controller.
#include "models/config/assign.h"
#include "models/config/policy_names.h"
#include "models/config/schema.h"

#define FIELD(path)                                                                                                 \
  Field {                                                                                                           \
    [](Config& c, const Value& v) { assign(c.path, v); }, [](const Config& c) -> Value { return value_of(c.path); } \
  }

namespace wordline::config {
namespace {

Key names_policies(Key key) {
  key.spelling = policy_spelling;
  key.why_not = why_no_policy;
  return key;
}

}  // namespace

void add_run_keys(std::vector<Key>& keys) {
  const Key table[] = {
      {"run.seed", Kind::kInteger, "", "1", "0", "9223372036854775807",
       "Seed of all randomness: bit errors, block factors, synthetic workloads. The same seed gives the same bytes.",
       "", FIELD(run.seed)},
      {"run.ramp_time", Kind::kTime, "", "0ps", "0ps", "9000000s",
       "Time from the first request that is run but not measured: rates, latencies and busy shares begin after it. "
       "fio's ramp_time in the job file is the same; the longer one counts.",
       "", FIELD(run.ramp_time)},
      {"run.until", Kind::kString, "", "end", "", "",
       "When the run ends: \"end\" = with the workload; \"1%\" (0.1% to 50%) = as soon as the drive is steady and the "
       "95 % intervals of IOPS and of mean latencies are as narrow as that; \"snia\" = when five rounds agree as in "
       "SNIA's performance test specification. What completes before the end of the warm-up is not measured then, and "
       "jobs of fio go on beyond number_ios and size (docs/steady.md).",
       "", FIELD(run.until)},
      {"run.until_percentile", Kind::kReal, "", "0", "0", "99.99",
       "Percentile of the latency, of reads where there are some, whose interval is to be as narrow as run.until says, "
       "too; 0: none.",
       "", FIELD(run.until_percentile)},
      {"run.until_requests", Kind::kInteger, "", "20000000", "0", "1000000000000",
       "With run.until: after so many requests the run ends anyhow, and says what is missing; 0: never.", "",
       FIELD(run.until_requests)},
      choice("data.mode", "stamp", {"stamp"},
             "What is stored: stamp = address and version of every 512-byte block, checked on every read.", "",
             FIELD(data.mode)),
      only_observes({"observe.waves", Kind::kBool, "", "false", "", "",
                     "Record waves.fst and a GTKWave view into the run's folder. Slows the run, changes no result.", "",
                     FIELD(observe.waves)}),
      only_observes({"observe.waves_from", Kind::kTime, "", "0ps", "0ps", "9000000s",
                     "Simulated time at which recording begins.", "", FIELD(observe.waves_from)}),
      only_observes({"observe.waves_to", Kind::kTime, "", "0ps", "0ps", "9000000s",
                     "Simulated time at which recording ends; 0: with the run.", "", FIELD(observe.waves_to)}),
      only_observes(choice(
          "observe.nand", "microop", {"microop", "op"},
          "What is recorded of a die: microop = every pulse, verify and sense; op = one value per operation.", "",
          {[](Config& c, const Value& v) {
             c.observe.nand_microops = std::get<std::int64_t>(std::get<Scalar>(v)) == 0;
           },
           [](const Config& c) -> Value { return Scalar(std::int64_t{c.observe.nand_microops ? 0 : 1}); }})),
      only_observes({"observe.channels",
                     Kind::kInteger,
                     "",
                     "[]",
                     "0",
                     "63",
                     "Channels that are recorded, with their dies and decoders; empty: all. Host and cores are always "
                     "recorded.",
                     "",
                     FIELD(observe.channels),
                     {},
                     0,
                     64}),
      only_observes({"observe.dies",
                     Kind::kInteger,
                     "",
                     "[]",
                     "0",
                     "1023",
                     "Dies that are recorded, with the bus and the decoders of their channels; empty: all. Numbered as "
                     "in results: die d is die d / channels.count of channel d % channels.count.",
                     "",
                     FIELD(observe.dies),
                     {},
                     0,
                     64}),
      only_observes({"observe.timeline", Kind::kBool, "", "false", "", "",
                     "Write timeline.json into the run's folder: commands, cores, buses, dies and decoders as slices, "
                     "and each command's way through them as arrows (for Perfetto or chrome://tracing). Obeys "
                     "observe.waves_from, waves_to, channels and dies. Changes no result.",
                     "", FIELD(observe.timeline)}),
      needing("observe.timeline = true",
              only_observes(
                  {"observe.timeline_limit", Kind::kBytes, "", "64MiB", "64KiB", "64GiB",
                   "Size at which timeline.json ends; what comes later is left out, and the file and the summary say "
                   "so. A read takes some 6 KiB.",
                   "", FIELD(observe.timeline_limit)})),
      needing("observe.waves = true",
              only_observes(
                  {"observe.trigger", Kind::kString, "", "\"\"", "", "",
                   "Keep the waveform around slow requests alone: \"latency > 2ms\", or of one operation \"read "
                   "latency > 500us\" (read, write, trim, flush). The run finds the windows, and is simulated once "
                   "more to record them. Needs observe.waves = true. Empty: as waves_from and waves_to say.",
                   "", FIELD(observe.trigger)})),
      only_observes({"observe.trigger_before", Kind::kTime, "", "2ms", "1us", "100s",
                     "How much simulated time before the end of a slow request is kept.", "",
                     FIELD(observe.trigger_before)}),
      only_observes({"observe.trigger_after", Kind::kTime, "", "20us", "0ps", "100s",
                     "How much simulated time after it is kept.", "", FIELD(observe.trigger_after)}),
      only_observes({"observe.trigger_limit", Kind::kInteger, "windows", "4", "1", "1000",
                     "How many windows are kept at most; slow requests beyond them are counted.", "",
                     FIELD(observe.trigger_limit)}),
      choice(
          "precondition.fill", "none", {"none", "sequential", "random", "steady"},
          "State of the drive before the first request: none = fresh; sequential = every logical page written once in "
          "order (without overwrites by rule, at no cost); random = once in random order; steady = in order, then "
          "overwritten at random until write amplification is steady. Made by a logical FTL without time "
          "(docs/states.md).",
          "", FIELD(precondition.fill)),
      {"precondition.overwrites", Kind::kReal, "", "0.0", "0.0", "100.0",
       "Random writes of a logical page (4 KiB) after the fill and before the first request, in times of the exported "
       "capacity. With "
       "precondition.fill = steady, 0 = until write amplification is steady: from pass to pass of half the capacity it "
       "changes by less than 1 %, after 3 to 20 times the capacity.",
       "", FIELD(precondition.overwrites)},
      {"precondition.seed", Kind::kInteger, "", "1", "0", "9223372036854775807",
       "Seed of the order of a random fill and of overwrites. The same seed gives the same state.", "",
       FIELD(precondition.seed)},
      {"precondition.file", Kind::kString, "", "\"\"", "", "",
       "File with the state that the drive begins with, relative to the working directory: wordline snapshot writes "
       "one, and wordline run --snapshot at the end of a run. The other keys of precondition then say nothing; "
       "geometry and over-provisioning have to be those of the file. Empty: none.",
       "", FIELD(precondition.file)},
      {"precondition.flash", Kind::kString, "", "\"\"", "", "",
       "File with what a power cut has left on flash, relative to the working directory: wordline run --cut-power with "
       "--image writes one. The firmware mounts it, so it needs ftl.recovery = scan. Empty: none.",
       "", FIELD(precondition.flash)},
      {"precondition.ages",
       Kind::kRegionAge,
       "",
       "[]",
       "",
       "",
       "How long the data of the initial state have lain, by region of the logical space: \"0-50%: 90d\" is the first "
       "half of the exported capacity, 90 days old. Reads see the bit errors of that age until the data are written "
       "again. Elsewhere, and for what the run writes, nand.aging says the age. Regions do not overlap; a file with a "
       "state carries no ages.",
       "",
       FIELD(precondition.ages),
       {},
       0,
       16},
      {"precondition.wear", Kind::kBool, "", "true", "", "",
       "true = the erases that made the initial state have worn the blocks, on top of nand.aging.pe_cycles; false = "
       "every block begins with nand.aging.pe_cycles. A sequential fill by rule takes no erase.",
       "", FIELD(precondition.wear)},
  };
  keys.insert(keys.end(), std::begin(table), std::end(table));
}

void add_controller_keys(std::vector<Key>& keys) {
  const Key table[] = {
      choice("host.model", "nvme",
             {
#define HOST_MODEL(id, name, entries, text) #name,
#include "models/config/host_models.def"
#undef HOST_MODEL
             },
             "How commands of the host get into the drive."
#define HOST_MODEL(id, name, entries, text) " " #name " = " text "."
#include "models/config/host_models.def"
#undef HOST_MODEL
             ,
             "", FIELD(host.model)),
      {"host.queue_entries", Kind::kInteger, "entries", "1024", "2", "65536",
       "Entries of the I/O submission and completion queue; one less can be outstanding, more wait in the driver.",
       "NVMe base specification: 2 to 65,536", FIELD(host.queue_entries)},
      needing(
          "host.model = nvme",
          {"host.cores", Kind::kInteger, "cores", "1", "1", "63",
           "Cores of the host that submit requests and take completions. Job j of the workload runs on core j modulo "
           "their number, request i of a trace on core i modulo it.",
           "", FIELD(host.cores)}),
      needing("host.model = nvme",
              {"host.queue_pairs", Kind::kInteger, "pairs", "0", "0", "63",
               "I/O submission and completion queues, a pair each with an interrupt vector of its own. 0: one for each "
               "core. Fewer than cores are shared: core c uses pair c modulo their number.",
               "", FIELD(host.queue_pairs)}),
      needing(
          "host.model = nvme",
          {"host.completion_queues", Kind::kInteger, "queues", "0", "0", "63",
           "I/O completion queues, each with an interrupt vector of its own. 0: one for each pair. Fewer than pairs "
           "are shared: submission queue p completes in queue p modulo their number, whose entries core p modulo "
           "their number takes. Each has host.queue_entries entries; when it is full, completions wait in the "
           "drive.",
           "NVMe base specification 2.0, 3.3: several submission queues may use one completion queue",
           FIELD(host.completion_queues)}),
      needing("host.model = nvme",
              choice("host.completion", "interrupt", {"interrupt", "polling"},
                     "How the host learns of completion entries: interrupt = by messages of the drive; polling = cores "
                     "look for them, and the completion queues are created without interrupts (IEN = 0).",
                     "polling: as the poll queues of Linux, or SPDK", FIELD(host.completion))),
      needing("host.completion = polling",
              {"host.polling_period", Kind::kTime, "", "100ns", "1ns", "1ms",
               "From one look of a core at its completion queue to the next. An entry waits for the next look, half a "
               "period in the mean; then it takes host.completion_cost.",
               "assumed; a loop over a queue in the cache takes some tens of ns", FIELD(host.polling_period)}),
      {"host.turnaround", Kind::kTime, "", "1us", "0ps", "1s",
       "Host software between an interrupt and the submission that follows it. Adds to every closed-loop round.",
       "assumed; interrupt to next submission of a kernel driver", FIELD(host.turnaround)},
      needing("host.model = nvme",
              {"host.submission_cost", Kind::kTime, "", "0ps", "0ps", "1ms",
               "What a core of the host spends on each request until it is submitted. The core does one thing at a "
               "time, so this, interrupts and completions bound the requests per second of a core.",
               "0: the host costs host.turnaround alone; a few hundred ns with io_uring, 1 to 2 us with a system call "
               "each",
               FIELD(host.submission_cost)}),
      needing("host.model = nvme",
              {"host.interrupt_cost", Kind::kTime, "", "0ps", "0ps", "1ms",
               "What a core spends on each interrupt before it looks for completion entries. Then it takes all that "
               "are there, one after the other.",
               "0: completions are free; some 1 us for entry, handler and exit", FIELD(host.interrupt_cost)}),
      needing("host.model = nvme",
              {"host.completion_cost", Kind::kTime, "", "0ps", "0ps", "1ms",
               "What a core spends on each completion entry.", "0: completions are free", FIELD(host.completion_cost)}),
      needing("host.model = nvme",
              choice("host.arbitration", "round_robin", {"round_robin", "weighted"},
                     "Arbitration among submission queues that the host selects (CC.AMS): in turn, or by the weights "
                     "of their classes, the urgent class first. It shows when commands wait in the queues, with more "
                     "outstanding than nvme.tags.",
                     "NVMe base specification 3.4.4", FIELD(host.arbitration))),
      needing("host.model = nvme",
              {"host.arbitration_burst", Kind::kInteger, "", "7", "0", "7",
               "Commands that the controller takes from a queue in its turn, as a power of two; 7: no limit but "
               "nvme.fetch_burst.",
               "NVMe Features 01h, AB", FIELD(host.arbitration_burst)}),
      needing("host.arbitration = weighted", list_of({"host.weights", Kind::kInteger, "commands", "[]", "1", "256",
                                                      "Commands of the classes low, medium and high in a round; empty: "
                                                      "1 each.",
                                                      "NVMe Features 01h, LPW, MPW, HPW", FIELD(host.weights)},
                                                     0, 3)),
      needing("host.arbitration = weighted",
              list_of(choice("host.priorities", "[]", {"urgent", "high", "medium", "low"},
                             "Class of each queue pair, from the first on; those beyond the list, and all when it is "
                             "empty, are medium.",
                             "NVMe Create I/O Submission Queue, QPRIO", FIELD(host.priorities)),
                      0, 63)),
      needing("host.model = nvme",
              {"host.coalescing_entries", Kind::kInteger, "entries", "1", "1", "256",
               "Completion entries of a vector that the controller tells of by one interrupt. 1: each has its own. "
               "The host takes all entries that are there.",
               "NVMe Features 08h, THR", FIELD(host.coalescing_entries)}),
      needing("host.model = nvme", {"host.coalescing_time", Kind::kTime, "", "0ps", "0ps", "25500us",
                                    "How long the first of them waits for others at most, in whole 100 us. 0 with "
                                    "host.coalescing_entries = 1 alone.",
                                    "NVMe Features 08h, TIME", FIELD(host.coalescing_time)}),
      needing("host.model = nvme",
              choice("host.data_pointers", "prp", {"prp", "sgl"},
                     "How a command names its data in host memory. prp: by pages, in the entry and beyond two of them "
                     "in a list. sgl: by data blocks of any length, one in the entry, several in a segment; the drive "
                     "reads 16 bytes for each where an entry of a list has 8.",
                     "NVMe base specification 4.1.1 and 4.1.2, PSDT", FIELD(host.data_pointers))),
      needing(
          "host.data_pointers = sgl",
          choice("host.buffers", "scattered", {"scattered", "contiguous"},
                 "Where the pages of a request lie in host memory. scattered: anywhere, as those of programs, a data "
                 "block each. contiguous: one behind the other, as in huge pages, so that one data block names them "
                 "all. A list "
                 "of pages is as long either way.",
                 "", FIELD(host.buffers))),
      needing("nvme.protection = type1 or type2 or type3",
              choice("host.protection", "pass", {"pass", "insert"},
                     "Protection information of the run's host. pass: the host makes it for what it writes and checks "
                     "what it reads, as the controller does (PRACT 0). insert: the controller makes it, checks it and "
                     "drops it (PRACT 1).",
                     "NVM Command Set 5.2.2, PRACT", FIELD(host.protection))),
      needing("host.model = nvme",
              choice("host.submission_queues", "host", {"host", "controller"},
                     "Memory of the I/O submission queues. controller: the controller memory buffer (nvme.cmb): the "
                     "host writes each entry over the link, and the drive does not read it from host memory behind the "
                     "doorbell.",
                     "NVMe base specification 8.5", FIELD(host.submission_queues))),
      choice("host.on_error", "count", {"count", "stop"},
             "A request that the drive ends with a media error (unrecovered read, write fault): count = it is counted "
             "and the run goes on; stop = the run ends there as failed, its results and waveform are kept. Wrong data "
             "end every run.",
             "", FIELD(host.on_error)),

      {"link.bandwidth", Kind::kBandwidth, "", "7.876923GB/s", "1MB/s", "10000GB/s",
       "PCIe bandwidth of one direction after line coding. Bounds sequential transfers.",
       "PCIe 4.0 x4: 4 lanes x 16 GT/s x 128/130", FIELD(link.bandwidth)},
      {"link.latency", Kind::kTime, "", "250ns", "0ps", "1ms",
       "One way through the link, from the first bit to the last module. A read request pays it twice.",
       "assumed, from PCIe practice", FIELD(link.latency)},
      {"link.max_payload", Kind::kBytes, "", "256B", "64B", "4KiB",
       "Data bytes of one TLP. Smaller packets carry more overhead.", "PCIe Max_Payload_Size in common use",
       FIELD(link.max_payload)},
      {"link.tlp_overhead", Kind::kBytes, "", "28B", "0B", "256B",
       "Header, framing, LCRC and the share of DLLPs of one TLP. Takes bandwidth.",
       "MQSim: 20 B TLP + 6 B DLLP + 2 B physical layer", FIELD(link.tlp_overhead)},
      {"link.dma_setup", Kind::kTime, "", "0ps", "0ps", "1ms",
       "Set-up of a command's transfer of data between buffer and host, before the data with its first logical page. "
       "The engine of each direction sets up one command after the other; that of reads has moved these data before "
       "the next one.",
       "0: set up while the one before moves its data", FIELD(link.dma_setup)},
      {"link.requests_first", Kind::kBool, "", "false", "", "",
       "true: read requests of the drive (submission entries, PRP lists, data of writes) go between the TLPs of read "
       "data; false: behind data that are under way already.",
       "", FIELD(link.requests_first)},

      {"nvme.tags", Kind::kInteger, "commands", "1024", "1", "2048",
       "Commands in flight inside the controller; further ones stay in the submission queue.", "assumed",
       FIELD(nvme.tags)},
      needing("host.model = nvme",
              {"nvme.queue_tags", Kind::kInteger, "commands", "0", "0", "2048",
               "Commands of one submission queue in flight inside the controller; further ones stay in the queue, and "
               "leave the tags to others. 0: no limit but nvme.tags.",
               "MQSim (FAST'18 experiments): 16 to 1,024, called Queue_Fetch_Size", FIELD(nvme.queue_tags)}),
      {"nvme.fetch_burst", Kind::kInteger, "entries", "16", "1", "64",
       "Submission entries fetched by one read over the link. More: fewer round trips at high depth.", "assumed",
       FIELD(nvme.fetch_burst)},
      {"nvme.max_transfer_sectors", Kind::kInteger, "logical pages", "128", "2", "512",
       "Largest data transfer of one command, a power of two; longer requests are split by the driver. Logical pages "
       "have 4 KiB, with nand.page = 2KiB 2 KiB. One page of the host cannot be said: MDTS is an exponent, and 0 "
       "stands for no limit.",
       "512 KiB, in common use; one page of a PRP list holds 512", FIELD(nvme.max_transfer_lpages)},
      {"nvme.write_latency", Kind::kTime, "", "0ps", "0ps", "1s",
       "From the last byte of a write in the data buffer until the controller counts it as there: checks, a second "
       "copy "
       "against power loss. Every write waits so long, none holds up another.",
       "0: none of this", FIELD(nvme.write_latency)},
      needing(
          "host.model = nvme",
          {"nvme.ready_time", Kind::kTime, "", "0ps", "0ps", "10s",
           "From CC.EN to CSTS.RDY at least, after power on and after each reset; the firmware may take longer. The "
           "host reads CSTS until nvme.ready_timeout is over.",
           "0: ready when the firmware is; drives take some 10 ms to seconds", FIELD(nvme.ready_time)}),
      needing("host.model = nvme", {"nvme.ready_timeout", Kind::kTime, "", "10s", "500ms", "127500ms",
                                    "How long the host waits at most for CSTS.RDY, CAP.TO; whole 500 ms.",
                                    "NVMe base specification 3.1.3.1, TO", FIELD(nvme.ready_timeout)}),
      needing("host.model = nvme",
              {"nvme.never_ready", Kind::kBool, "", "false", "", "",
               "CSTS.RDY stays 0 whatever the host does: a drive that fails to come up. The run ends with the host's "
               "error when nvme.ready_timeout is over.",
               "", FIELD(nvme.never_ready)}),
      needing("host.model = nvme",
              {"nvme.cmb", Kind::kBytes, "", "0B", "0B", "256MiB",
               "Controller memory buffer, whole 4 KiB: memory of the drive that the host writes, for submission queues "
               "(host.submission_queues = controller), PRP lists and SGL segments. 0: none.",
               "NVMe base specification 8.5; drives have 0 to some hundred MiB", FIELD(nvme.cmb)}),
      needing("host.model = nvme",
              {"nvme.cmb_latency", Kind::kTime, "", "100ns", "0ps", "10us",
               "Until an entry or a list is read from the controller memory buffer, by the drive itself.",
               "assumed: SRAM or DRAM behind an interconnect", FIELD(nvme.cmb_latency)}),
      needing(
          "host.model = nvme",
          choice("nvme.lba_size", "512B", {"512B", "4KiB"},
                 "Logical block of all namespaces as the drive was formatted, FLBAS; the host's Format NVM may change "
                 "it. 4KiB: what begins or ends inside of a block cannot be said, so requests are multiples of it.",
                 "NVM Command Set 4.1.5, LBA formats 0 and 1", FIELD(nvme.lba_size))),
      needing("host.model = nvme",
              choice("nvme.metadata", "none", {"none", "separate", "interleaved"},
                     "Eight bytes of metadata with each logical block, as the drive was formatted. separate: in a "
                     "buffer of their own (MPTR). interleaved: each behind its block (FLBAS bit 4). None: the drive "
                     "offers no LBA format with metadata. Those of 512-byte blocks make codewords 24 bytes longer: "
                     "nand.spare has to hold them.",
                     "NVM Command Set 5.2 and 2.1.5", FIELD(nvme.metadata))),
      needing("nvme.metadata = separate or interleaved",
              choice("nvme.protection", "none", {"none", "type1", "type2", "type3"},
                     "The metadata are protection information (DPS): guard, application tag, reference tag, which the "
                     "controller checks and makes. none: they are the host's own.",
                     "NVM Command Set 5.2, DPS", FIELD(nvme.protection))),
      needing(
          "host.model = nvme",
          list_of({"nvme.namespaces", Kind::kReal, "", "[]", "0.000001", "1.0",
                   "Namespaces, each as a share of the exported capacity, in whole 64 KiB; the shares are 1 together. "
                   "Empty: one namespace of everything. A fio job uses the one that filename names "
                   "(/dev/nvme0n2); what names none sees them one behind the other.",
                   "NVMe Base 3.2.1; namespaces that a drive is delivered with", FIELD(nvme.namespaces)},
                  0, 32)),

      {"dram.bandwidth", Kind::kBandwidth, "", "12.8GB/s", "1MB/s", "10000GB/s",
       "Bandwidth of the data buffer's port. Every logical page passes twice: in and out.", "64 bits at 1,600 MT/s",
       FIELD(dram.bandwidth)},
      {"dram.latency", Kind::kTime, "", "60ns", "0ps", "1ms", "Latency of an access to the data buffer.",
       "tRP 18 + tRCD 18 + tCL 15 ns of SimpleSSD's LPDDR3-1600, and a controller", FIELD(dram.latency)},

      names_policies(
          choice("ftl.policy", "page_greedy",
                 {
#define WL_POLICY(identifier, name, text) name,
#include "models/firmware/policy/policies.def"
#undef WL_POLICY
                 },
                 "The policy of the FTL: where data are written, and which superblock GC empties next."
#define WL_POLICY(identifier, name, text) " " name " = " text "."
#include "models/firmware/policy/policies.def"
#undef WL_POLICY
                 " page_hot_cold has two open superblocks for the host's data and two for copies, ppb up to four (more "
                 "with ftl.ppb.half_full_blocks), agcr three, sepbit two and four, cube two and one, mpnfm two (one of "
                 "them with small pages) "
                 "and one, two combined as many as ppb or agcr among them, the others one.",
                 "", FIELD(ftl.policy))),
      choice("ftl.map", "sector", {"sector", "page"},
             "Map unit of the FTL. sector = 4 KiB, or 2 KiB with nand.page = 2KiB: logical pages of any commands share "
             "pages. page = the page of one plane: "
             "it is written and moved whole, a write of a part first gets the rest (read and modify), and what a page "
             "does not hold is false capacity (docs/map_units.md).",
             "", FIELD(ftl.map)),
      choice("ftl.read_modify", "controller", {"controller", "die"},
             "With ftl.map = page, how the rest of a page that is written in part comes along: controller = it is "
             "read, corrected and written again; die = copyback with data in, its raw bit errors are programmed again "
             "(docs/map_units.md). die is for drives of one die with one plane and nand.program = page, and for "
             "ftl.write_back = false.",
             "", FIELD(ftl.read_modify)),
      needing("ftl.map = sector: pages of the map begin at pages of flash anyway",
              {"ftl.packing", Kind::kBool, "", "true", "", "",
               "With ftl.map = sector. true: logical pages of different commands share a page; false: every write "
               "begins at a page of one plane, the rest of its last page is padded.",
               "", FIELD(ftl.packing)}),
      {"ftl.write_back", Kind::kBool, "", "true", "", "",
       "true: a write completes when its data are in the write buffer; false: when they are programmed. A program unit "
       "that is not full is then closed as soon as all data of the writes in the drive have arrived.",
       "", FIELD(ftl.write_back)},
      {"ftl.over_provisioning", Kind::kReal, "", "0.07", "0.001", "10.0",
       "Spare capacity T/U - 1: T all usable logical pages, U exported ones. More: less write amplification, less "
       "capacity.",
       "MQSim: 7 %", FIELD(ftl.over_provisioning)},
      {"ftl.gc_start_superblocks", Kind::kInteger, "superblocks", "4", "2", "65535",
       "GC (garbage collection) works while no more than this many superblocks are free.",
       "small, as GC copies against a reserve", FIELD(ftl.gc_start_superblocks)},
      {"ftl.gc_reserve_superblocks", Kind::kInteger, "superblocks", "2", "2", "65535",
       "Free superblocks that only GC may open; host writes wait. With ftl.gc_pacing the host's open "
       "superblock is one of them: pacing keeps the host from using it up, and GC goes on in it when "
       "nothing else is left.",
       "two: with less GC cannot be sure of going on", FIELD(ftl.gc_reserve_superblocks)},
      {"ftl.gc_pacing", Kind::kBool, "", "true", "", "",
       "true: when space is short, host writes and GC keep step, so many copies for each page written; "
       "false: the host writes at full speed until it waits for a whole superblock.",
       "", FIELD(ftl.gc_pacing)},
      choice("ftl.word_line_order", "horizontal", {"horizontal", "vertical", "mixed"},
             "Order in which the word lines of a superblock are written: horizontal = h-layer by h-layer; vertical = "
             "v-layer by v-layer; mixed = the first word line of every h-layer, then the others h-layer by h-layer. "
             "Other orders than horizontal need nand.program_order = mixed.",
             "Shim, SNU 2020, section 4.2", FIELD(ftl.word_line_order)),
      {"ftl.idle_after", Kind::kTime, "", "0ps", "0ps", "1000s",
       "Idle work of the FTL begins when the host has been silent for so long (up to twice as long: a timer polls at "
       "it, "
       "not every command), and ends with its next command. 0s: never.",
       "", FIELD(ftl.idle_after)},
      {"ftl.idle_free_superblocks", Kind::kInteger, "superblocks", "0", "0", "65535",
       "While the host is silent, GC goes on until so many superblocks are free, or nothing is to be "
       "won. More: bursts find free space; fewer logical pages become invalid before they are copied.",
       "", FIELD(ftl.idle_free_superblocks)},
      {"ftl.write_buffer", Kind::kBytes, "", "16MiB", "4KiB", "4GiB",
       "Data buffer for host writes. Larger: longer bursts at buffer latency.", "REF-TLC32: 16 MiB",
       FIELD(ftl.write_buffer)},
      {"ftl.power_safe", Kind::kBool, "", "true", "", "",
       "true: a write is safe once buffered and FLUSH has nothing to do, by the energy of power.hold_up, or taken at "
       "its word; false: a volatile cache that FLUSH drains.",
       "", FIELD(ftl.power_safe)},
      choice("ftl.recovery", "none", {"none", "scan"},
             "What outlives a power cut. none: the firmware cannot mount what is on flash. scan: at any instant flash "
             "has all that was promised, deallocations too, and a mount finds it by reading every page; needs "
             "ftl.power_safe = false, or power.hold_up. GC copies what is valid on flash until newer data are "
             "programmed, a "
             "deallocated logical page takes one on flash, and DRAM has 8 bytes more for each logical page.",
             "", FIELD(ftl.recovery)),
      {"ftl.checkpoint_after", Kind::kInteger, "superblocks", "0", "0", "65535",
       "With ftl.recovery = scan: a checkpoint of the map each time that so many superblocks have been closed, by the "
       "host and by GC, so that a mount after a power cut reads records of younger ones alone. It takes the place of "
       "the one before; two superblocks are kept for them, and writes wait while it is written. 0: a clean shutdown "
       "alone leaves one.",
       "", FIELD(ftl.checkpoint_after)},
      {"ftl.read_buffer", Kind::kBytes, "", "16MiB", "4KiB", "4GiB",
       "Data buffer for reads. Bounds the reads in flight.", "as many logical pages as 4,096 commands",
       FIELD(ftl.read_buffer)},
      {"ftl.gc_buffer", Kind::kBytes, "", "4MiB", "4KiB", "4GiB",
       "Data buffer of GC. Larger: more dies copy at once, up to two program operations a die; what is "
       "beyond stays unused, since superblocks on their way through the buffer cost over-provisioning.",
       "assumed", FIELD(ftl.gc_buffer)},
      {"ftl.spare_blocks", Kind::kInteger, "blocks", "0", "0", "65535",
       "Blocks of each plane, behind the others, that take the place of bad ones: factory-bad, or of which a program "
       "or "
       "an erase has failed. Where the planes must address the same block (nand.plane_blocks = same) a bad block costs "
       "a "
       "spare of every plane of its die. A bad block without a spare costs its superblock. More: less capacity.",
       "0: as before there were spares; nand.faults.bad_blocks and a few more suit a drive with bad blocks",
       FIELD(ftl.spare_blocks)},
      choice("ftl.wear_levelling", "fifo", {"fifo", "dynamic", "static"},
             "Which free superblock is used next. fifo: the one that has been free longest; dynamic: the one that was "
             "erased least. Data that are never written again stay where they are with both. static: as dynamic for "
             "the host's data; moved data go to the one that was erased most, and data at rest are moved "
             "(ftl.wear_levelling_gap).",
             "", FIELD(ftl.wear_levelling)),
      needing("ftl.wear_levelling = static: only then are data at rest moved",
              {"ftl.wear_levelling_gap", Kind::kInteger, "erases", "16", "1", "65535",
               "The superblock with data that was erased least is emptied when another one was erased so many times "
               "more. Less: erases lie closer together, and more is moved.",
               "assumed: docs/wear.md has what it costs", FIELD(ftl.wear_levelling_gap)}),
      {"ftl.read_reclaim", Kind::kInteger, "reads", "0", "0", "4294967295",
       "Read reclaim: flash reads of a superblock since it was opened, after which its data are moved. They are "
       "counted "
       "as if all went to one block, by what the firmware sends: retries are not counted. 0: never.",
       "0: as before; a block of 3D TLC survives 518,420 reads spread over it, 54,560 of one page (STRAW, ASPLOS'26)",
       FIELD(ftl.read_reclaim)},
      {"ftl.reclaim_errors", Kind::kInteger, "bits", "0", "0", "65535",
       "Bits corrected in one codeword by a read, of the host or of the patrol (ftl.patrol), with which the data of "
       "its "
       "superblock are moved. 0: never.",
       "0: as before", FIELD(ftl.reclaim_errors)},
      {"ftl.refresh_after", Kind::kReal, "days", "0.0", "0.0", "36500.0",
       "Refresh: age of data at which they are moved, by the drive's own clock, to a sixteenth of it. What the drive "
       "begins with is nand.aging.retention_days old; after a mount all ages begin anew. 0: never.",
       "0: as before", FIELD(ftl.refresh_after)},
      {"ftl.patrol", Kind::kReal, "days", "0.0", "0.0", "36500.0",
       "Time in which the patrol reads a page of every superblock with data, another one in each round; with "
       "ftl.reclaim_errors those with many errors are moved. 0: no patrol.",
       "0: as before", FIELD(ftl.patrol)},

      choice("ecc.model", "calibrated", {"calibrated", "rtl"},
             "calibrated = outcome and decode time from statistics of the bit-true decoders; rtl = decoders and "
             "read-retry controllers in gates, Verilated: slower, and visible in a waveform.",
             "", FIELD(ecc.model)),
      {"ecc.clock", Kind::kFrequency, "", "500MHz", "1MHz", "1000GHz",
       "Clock of the decoder. Decode time scales with it.", "assumed, nothing was synthesised", FIELD(ecc.clock)},
      {"ecc.max_retries", Kind::kInteger, "steps", "4", "0", "16",
       "Re-reads with shifted references before soft reads are tried.",
       "four quarters of the way from fresh to aged references", FIELD(ecc.max_retries)},
      {"ecc.max_soft", Kind::kInteger, "level", "2", "0", "2",
       "Soft reads when no reference helps: 0 = none, 1 = three reads, 2 = then seven. More: fewer logical pages lost, "
       "longer worst reads.",
       "three reads bring most of the gain (docs/ecc.md)", FIELD(ecc.max_soft)},
      choice("ecc.ort", "retry", {"off", "retry", "first"},
             "Table of optimal references, by die and h-layer: the step that worked last. retry = retries start from "
             "it; first = first reads too, for a SET FEATURES each.",
             "Shim, SNU 2020", FIELD(ecc.ort)),
      needing(
          "ecc.ort = retry or first",
          choice(
              "ecc.ort_scope", "die", {"die", "block"},
              "What an entry of the table of optimal references speaks of: die = an h-layer of a die, in all its "
              "blocks; "
              "block = an h-layer of one block, forgotten when the block is erased, and ecc.ort = first starts at the "
              "soft level that worked, too. block takes a byte per block and h-layer.",
              "block: Shim, SNU 2020, 2 B per h-layer", FIELD(ecc.ort_scope))),
      needing(
          "ecc.model = rtl",
          {"ecc.rtl_every", Kind::kInteger, "codewords", "1", "1", "1000000000",
           "With ecc.model = rtl, one codeword in so many goes through the gates, the others through the statistics.",
           "", FIELD(ecc.rtl_every)}),
      needing("ecc.model = rtl",
              only_observes(
                  {"ecc.rtl_threads", Kind::kInteger, "threads", "1", "1", "64",
                   "With ecc.model = rtl, so many codewords of a page are decoded at a time, each by a thread of the "
                   "machine that simulates. Results do not depend on it. While a waveform is recorded, and with "
                   "blocks of the user's own, one thread does all.",
                   "", FIELD(ecc.rtl_threads)})),
      needing("ecc.model = rtl", {"ecc.rtl_encoder", Kind::kBool, "", "false", "", "",
                                  "With ecc.model = rtl, the parity of the codewords that go through the gates is made "
                                  "by the encoder in gates, "
                                  "too. It takes no time of the drive: encoding overlaps the transfer to the die.",
                                  "", FIELD(ecc.rtl_encoder)}),
      {"ecc.table", Kind::kString, "", "\"\"", "", "",
       "File with decoder statistics, relative to the working directory; empty: the built-in table.", "",
       FIELD(ecc.table)},
      needing("ecc.model = rtl: the statistics decode no bits",
              {"ecc.rtl.tier1", Kind::kString, "", "\"\"", "", "",
               "With ecc.model = rtl, a shared object with a decoder of your own at the place of tier 1, made by "
               "wordline_rtl_block() of CMake (docs/own_rtl.md), relative to the working directory; empty: the shipped "
               "one. "
               "Its ports are checked in every clock, its bits against those written.",
               "", FIELD(ecc.rtl.tier1)}),
      needing("ecc.model = rtl: the statistics decode no bits",
              {"ecc.rtl.tier2", Kind::kString, "", "\"\"", "", "", "As ecc.rtl.tier1, at the place of tier 2.", "",
               FIELD(ecc.rtl.tier2)}),
      needing("ecc.model = rtl: the statistics decode no bits",
              {"ecc.rtl.encoder", Kind::kString, "", "\"\"", "", "",
               "As ecc.rtl.tier1, an encoder of your own: it makes the parity of the codewords that go through the "
               "gates, and "
               "is compared with the model's. It takes no time of the drive, as with ecc.rtl_encoder.",
               "", FIELD(ecc.rtl.encoder)}),
      needing(
          "ecc.model = rtl: the statistics decode no bits",
          {"ecc.rtl.tap", Kind::kString, "", "\"\"", "", "",
           "As ecc.rtl.tier1, a block in the data stream of each channel: between CRC and data buffer, for writes and "
           "reads. "
           "It may change the data, as encryption does; what is read has to be what was written. The clocks that it "
           "takes "
           "of a read are in the drive's time.",
           "empty: no block is there", FIELD(ecc.rtl.tap)}),
      needing(
          "ecc.model = rtl: the statistics decode no bits",
          {"ecc.rtl.read_retry", Kind::kString, "", "\"\"", "", "",
           "As ecc.rtl.tier1, a read-retry controller of your own, one for each die.", "", FIELD(ecc.rtl.read_retry)}),
      {"ecc.rtl.read_retry_check", Kind::kBool, "", "true", "", "",
       "Commands and results of the block of ecc.rtl.read_retry are compared with those of the reference in every "
       "read. "
       "false: for a controller with another strategy; its ports are checked all the same.",
       "", FIELD(ecc.rtl.read_retry_check)},
  };
  keys.insert(keys.end(), std::begin(table), std::end(table));
}

}  // namespace wordline::config

#undef FIELD
