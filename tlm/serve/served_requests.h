// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/data/content_store.h"
#include "models/served/client_request.h"
#include "models/workload/source.h"
#include "tlm/host/driver/request_client_if.h"
#include "tlm/protocol/simulation_context.h"
#include "tlm/serve/request_gate.h"

namespace wordline::serve {

/// Hears of all requests, in the order in which the drive gets them and answers them.
class ServedListenerIf {
 public:
  virtual void arrived(std::uint64_t /*number*/, const served::ClientRequest& /*request*/, Picoseconds /*at*/) {}
  /// Before the client hears of it, who may be told of an error instead. `found`: names what a read has found, the same
  /// whenever that is the same.
  virtual void answered(std::uint64_t number, const served::ClientRequest& request, served::ClientError& error,
                        std::uint64_t found, Picoseconds at) = 0;

 protected:
  ~ServedListenerIf() = default;
};

/// What clients ask for as the workload of a host driver: gives it their requests, keeps the bytes for which its stamps
/// stand, and answers.
///
/// WRITE_ZEROES, unless it wants no hole, deallocates the whole 4 KiB pages of its range and writes zeros to the rest.
/// A deallocation with FUA ends with a FLUSH. A trim leaves alone what is no whole page.
///
/// Accuracy: a request begins when the simulation takes it. With host.cores above 1 the connections are spread over
/// the cores, as threads would be.
class ServedRequests final : public workload::Source, public host::RequestClientIf {
 public:
  /// `cores`: of the host. All outlive this object.
  /// `whole_bytes`: what is deallocated begins and ends at multiples of it.
  ServedRequests(tlm_if::SimulationContext& context, data::ContentStore& store, unsigned cores, AnswersIf* answers,
                 std::uint64_t whole_bytes = 4096);

  /// Before the first request; it outlives this object.
  void listen(ServedListenerIf& listener) { listeners_.push_back(&listener); }
  /// The drive holds data that were there before: what was never written is no hole.
  void is_filled() { filled_ = true; }
  /// The drive gets the request now; the driver is to be told. A block status is answered at once, without the drive.
  void take(served::ClientRequest&& request);
  /// Requests that are not answered.
  [[nodiscard]] std::size_t open() const { return records_.size(); }
  /// One of them concerns these bytes.
  [[nodiscard]] bool concerns(std::uint64_t offset, std::uint64_t length) const;
  /// Answers all that are open: the drive will not.
  void give_up();

  struct Counters {
    std::uint64_t answered = 0, failed = 0;  // with an error
    std::uint64_t forgotten = 0;             // blocks read whose bytes were not kept
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }

  // workload::Source
  [[nodiscard]] unsigned jobs() const override { return static_cast<unsigned>(queues_.size()); }
  [[nodiscard]] unsigned depth(unsigned /*job*/) const override { return kPlaces; }
  [[nodiscard]] bool open_loop() const override { return false; }
  [[nodiscard]] bool from_outside() const override { return true; }
  bool next(unsigned job, Picoseconds now, workload::Request& out) override;
  [[nodiscard]] Picoseconds resume(unsigned /*job*/) const override { return kFromOutside; }
  [[nodiscard]] bool paced() const override { return true; }
  [[nodiscard]] std::uint64_t total_requests() const override { return 0; }
  [[nodiscard]] std::uint64_t total_bytes() const override { return 0; }
  [[nodiscard]] std::string describe() const override { return "requests of clients"; }

  // host::RequestClientIf
  void begins(workload::Op op, std::uint64_t tag, std::uint64_t slba, std::uint64_t nlb,
              std::uint32_t version) override;
  void found(std::uint64_t tag, std::uint64_t lba, const data::LbaStamp* stamps, std::uint32_t nlb) override;
  void ended(workload::Op op, std::uint64_t tag, std::uint64_t slba, std::uint64_t nlb, std::uint32_t version,
             bool succeeded) override;
  void request_ended(std::uint64_t tag, host::CommandStatus status, Picoseconds at) override;

 private:
  static constexpr unsigned kPlaces = 4096;  // of a job: requests beyond wait in the host

  struct Record {
    served::ClientRequest request;
    unsigned parts = 0;  // requests to the driver that have not ended
    bool then_flush = false;
    served::ClientError error = served::ClientError::kNone;
    std::uint64_t read = 0;  // of the store; 0: none has begun
    std::uint64_t found = 0;
    std::string data;        // of a read
    std::vector<bool> hole;  // of a read: block by block
  };

  void answer_status(const served::ClientRequest& request);
  void add_part(std::uint64_t tag, Record& record, workload::Op op, std::uint64_t offset, std::uint64_t length);
  void add_zeroes(std::uint64_t tag, Record& record);
  void finish(std::uint64_t tag, Record& record, Picoseconds at);

  tlm_if::SimulationContext& context_;
  const std::uint64_t whole_bytes_;
  data::ContentStore& store_;
  AnswersIf* const answers_;                           // null: nobody waits for them
  std::vector<std::deque<workload::Request>> queues_;  // by job
  std::unordered_map<std::uint64_t, Record> records_;
  std::vector<ServedListenerIf*> listeners_;
  std::uint64_t tags_ = 0;
  Counters counters_;
  bool filled_ = false;
};

}  // namespace wordline::serve
