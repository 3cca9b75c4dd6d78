// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Keys of the run, the host, NVMe and DRAM.
#include "models/config/assign.h"
#include "models/config/schema.h"

namespace wordline::config {
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
             "What is stored: stamp = address and version of every 512-byte block, checked on every read. wordline "
             "serve keeps "
             "the bytes of its clients beside them.",
             "", FIELD(data.mode)),
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
      only_observes(
          {"observe.trigger_before", Kind::kTime, "", "2ms", "1us", "100s",
           "How much simulated time before the end of a slow request is kept at least: the request itself is, whole.",
           "", FIELD(observe.trigger_before)}),
      only_observes({"observe.trigger_after", Kind::kTime, "", "20us", "0ps", "100s",
                     "How much simulated time after it is kept.", "", FIELD(observe.trigger_after)}),
      only_observes({"observe.trigger_limit", Kind::kInteger, "windows", "4", "1", "1000",
                     "How many windows are kept at most, around the slowest; slow requests beyond them are counted.",
                     "", FIELD(observe.trigger_limit)}),
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
      needing("host.model = nvme",
              {"host.hmb", Kind::kBytes, "", "128MiB", "0B", "1GiB",
               "Host memory that a drive which asks for some (nvme.hmb) gets at most, whole 4 KiB. 0: none.",
               "Linux: max_host_mem_size_mb of the nvme module", FIELD(host.hmb)}),
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
       "are those of ftl.logical_page; up to 2 MiB in all. One page of the host cannot be said: MDTS is an exponent, "
       "and 0 stands for no limit.",
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
      needing(
          "host.model = nvme",
          {"nvme.completion_time", Kind::kTime, "", "14ns", "0ps", "1ms",
           "Time of a completion entry in the controller, one entry after the other. With engines.model = rtl it is "
           "that of the gates. 0: entries take no time.",
           "rtl/engines/completion.sv at 500 MHz: 7 clocks of an entry with its message", FIELD(nvme.completion_time)}),
      needing("host.model = nvme",
              {"nvme.coalescing_ticks", Kind::kBool, "", "false", "", "",
               "Coalescing times (host.coalescing_time) end at a multiple of 100 us, the first behind them, as the one "
               "counter of the gates has them (engines.model = rtl). false: each to the picosecond.",
               "", FIELD(nvme.coalescing_ticks)}),
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
          {"nvme.hmb", Kind::kBytes, "", "0B", "0B", "1GiB",
           "Host memory buffer that the drive asks for (HMPRE), whole 4 KiB: with ftl.map_cache, copies of map pages "
           "lie there (docs/map_cache.md). It gets host.hmb at most. 0: none.",
           "NVMe base specification 8.9; DRAM-less drives ask for 16 to 64 MiB", FIELD(nvme.hmb)}),
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
  };
  keys.insert(keys.end(), std::begin(table), std::end(table));
}

}  // namespace wordline::config
