// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/verilated/read_retry.h"

#include <algorithm>
#include <stdexcept>

#include "Vread_retry.h"
#include "rtl/verilated/verilated_top.h"

namespace wordline::rtl {
namespace {

constexpr unsigned kLongestWait = 1000;  // clocks of a transfer
constexpr unsigned kWords = ecc::kRetryCodewords / 32;

ecc::CodewordMask mask_of(const std::uint32_t* words) {
  ecc::CodewordMask mask;
  for (unsigned i = kWords; i-- > 0;) mask = mask << 32 | ecc::CodewordMask(words[i]);
  return mask;
}

void put(std::uint32_t* words, const ecc::CodewordMask& mask) {
  static const ecc::CodewordMask kWord(0xffffffffU);
  for (unsigned i = 0; i < kWords; ++i) words[i] = static_cast<std::uint32_t>((mask >> (32 * i) & kWord).to_ulong());
}

template <class Pin>
Pin& place_of(Pin& pin) {
  return pin;
}
template <std::size_t words>
std::uint32_t* place_of(VlWide<words>& pin) {
  return pin.data();
}

struct Model : VerilatedTop<Vread_retry> {};

class ShippedDoor final : public ReadRetryDoor {
 public:
  explicit ShippedDoor(std::unique_ptr<Model> model) : ReadRetryDoor(pins_of(model->top)), model_(std::move(model)) {}

 private:
  static ReadRetryPins pins_of(Vread_retry& top) {
    return {
#define WORDLINE_PORT(name, bits, direction) place_of(top.name),
#include "rtl/verilated/read_retry_ports.def"
#undef WORDLINE_PORT
    };
  }
  void evaluate() override { model_->top.eval(); }
  void clock() override {
    // The falling edge first: an edge is seen only by a model that was evaluated at the level before it.
    model_->top.clk_i = 0;
    model_->top.eval();
    model_->top.clk_i = 1;
    model_->top.eval();
  }

  std::unique_ptr<Model> model_;
};

}  // namespace

ReadRetry::ReadRetry() : ReadRetry(std::make_unique<ShippedDoor>(std::make_unique<Model>())) {}
ReadRetry::ReadRetry(std::unique_ptr<ReadRetryDoor> door) : door_(std::move(door)) { reset(); }
ReadRetry::~ReadRetry() = default;

void ReadRetry::clock() {
  door_->clock();
  ++clocks_;
  if (observer_) observer_();
}

std::vector<StatusSignal> ReadRetry::status() const {
  const ReadRetryPins& top = door_->pins;
  std::vector<StatusSignal> signals{{"state", 5, top.state_o},
                                    {"request_valid", 1, top.request_valid_i},
                                    {"request_ready", 1, top.request_ready_o},
                                    {"abort", 1, top.abort_read_i},
                                    {"flash_valid", 1, top.flash_valid_o},
                                    {"flash_ready", 1, top.flash_ready_i},
                                    {"flash_op", 2, top.flash_op_o},
                                    {"flash_tag", 4, top.flash_tag_o},
                                    {"flash_step", 4, top.flash_step_o},
                                    {"flash_soft_read", 3, top.flash_soft_read_o},
                                    {"flash_answer_valid", 1, top.flash_answer_valid_i},
                                    {"flash_answer_ok", 1, top.flash_answer_ok_i},
                                    {"decode_valid", 1, top.decode_valid_o},
                                    {"decode_ready", 1, top.decode_ready_i},
                                    {"decode_op", 2, top.decode_op_o},
                                    {"decode_level", 2, top.decode_level_o},
                                    {"decode_codewords", 8, mask_of(top.decode_codewords_o).count()},
                                    {"verdict_valid", 1, top.verdict_valid_i},
                                    {"verdict_codeword", 7, top.verdict_codeword_i},
                                    {"verdict_ok", 1, top.verdict_ok_i},
                                    {"result_valid", 1, top.result_valid_o},
                                    {"result_ready", 1, top.result_ready_i},
                                    {"result_code", 3, top.result_code_o},
                                    {"irq", 1, top.irq_o}};
  door_->add_status(signals);
  return signals;
}

void ReadRetry::reset() {
  no_request();
  set_abort(false);
  set_flash_ready(false);
  no_flash_answer();
  set_decode_ready(false);
  no_verdict();
  set_result_ready(false);
  apb_idle();
  door_->pins.rst_ni = 0;
  clock();
  clock();
  door_->pins.rst_ni = 1;
}

ecc::RetryState ReadRetry::state() const { return static_cast<ecc::RetryState>(door_->pins.state_o); }
bool ReadRetry::irq() const { return door_->pins.irq_o != 0; }

// ---- request, abort, result ---------------------------------------------------------------------------------------

void ReadRetry::offer_request(const ecc::RetryRequest& request) {
  const ReadRetryPins& top = door_->pins;
  top.request_valid_i = 1;
  top.request_tag_i = request.tag;
  top.request_die_i = request.die;
  top.request_address_i = request.address;
  top.request_group_i = request.group;
  top.request_layer_i = request.layer;
  top.request_page_type_i = request.page_type;
  top.request_sensed_i = request.sensed ? 1 : 0;
  put(top.request_codewords_i, request.codewords);
}

void ReadRetry::no_request() { door_->pins.request_valid_i = 0; }
bool ReadRetry::request_ready() const { return door_->pins.request_ready_o != 0; }
void ReadRetry::set_abort(bool abort) { door_->pins.abort_read_i = abort ? 1 : 0; }

void ReadRetry::set_result_ready(bool ready) { door_->pins.result_ready_i = ready ? 1 : 0; }
bool ReadRetry::result_valid() const { return door_->pins.result_valid_o != 0; }

ecc::RetryResult ReadRetry::result() const {
  const ReadRetryPins& top = door_->pins;
  return {top.result_tag_o, static_cast<ecc::RetryCode>(top.result_code_o), mask_of(top.result_failed_o),
          top.result_status_o};
}

// ---- flash channel controller -------------------------------------------------------------------------------------

void ReadRetry::set_flash_ready(bool ready) { door_->pins.flash_ready_i = ready ? 1 : 0; }
bool ReadRetry::flash_valid() const { return door_->pins.flash_valid_o != 0; }
unsigned ReadRetry::flash_tag() const { return door_->pins.flash_tag_o; }
unsigned ReadRetry::flash_die() const { return door_->pins.flash_die_o; }
std::uint32_t ReadRetry::flash_address() const { return door_->pins.flash_address_o; }
unsigned ReadRetry::flash_page_type() const { return door_->pins.flash_page_type_o; }

ecc::FlashCommand ReadRetry::flash_command() const {
  const ReadRetryPins& top = door_->pins;
  ecc::FlashCommand command;
  command.op = static_cast<ecc::FlashOp>(top.flash_op_o);
  command.step = top.flash_step_o;
  for (unsigned r = 0; r < ecc::kRetryTableReferences; ++r) {
    command.offsets[r] = static_cast<std::int8_t>(top.flash_offsets_o[r / 4] >> (8 * (r % 4)));
  }
  command.soft_read = top.flash_soft_read_o;
  command.soft_offset = static_cast<std::int8_t>(top.flash_soft_offset_o);
  command.codewords = mask_of(top.flash_codewords_o);
  return command;
}

void ReadRetry::answer_flash(unsigned tag, bool ok) {
  door_->pins.flash_answer_valid_i = 1;
  door_->pins.flash_answer_tag_i = static_cast<std::uint8_t>(tag % kTags);
  door_->pins.flash_answer_ok_i = ok ? 1 : 0;
}

void ReadRetry::no_flash_answer() { door_->pins.flash_answer_valid_i = 0; }

// ---- decoders -----------------------------------------------------------------------------------------------------

void ReadRetry::set_decode_ready(bool ready) { door_->pins.decode_ready_i = ready ? 1 : 0; }
bool ReadRetry::decode_valid() const { return door_->pins.decode_valid_o != 0; }
unsigned ReadRetry::decode_tag() const { return door_->pins.decode_tag_o; }

ecc::DecodeCommand ReadRetry::decode_command() const {
  const ReadRetryPins& top = door_->pins;
  ecc::DecodeCommand command;
  command.op = static_cast<ecc::DecodeOp>(top.decode_op_o);
  command.level = top.decode_level_o;
  command.max_iterations = top.decode_max_iterations_o;
  for (unsigned i = 0; i < 4; ++i) command.llr[i] = static_cast<std::uint8_t>(top.decode_llr_o >> (3 * i) & 7);
  command.codewords = mask_of(top.decode_codewords_o);
  return command;
}

void ReadRetry::give_verdict(unsigned tag, const ecc::CodewordVerdict& verdict) {
  const ReadRetryPins& top = door_->pins;
  top.verdict_valid_i = 1;
  top.verdict_tag_i = static_cast<std::uint8_t>(tag % kTags);
  top.verdict_codeword_i = static_cast<std::uint8_t>(verdict.codeword);
  top.verdict_ok_i = verdict.ok ? 1 : 0;
  top.verdict_crc_ok_i = verdict.crc_ok ? 1 : 0;
  top.verdict_iterations_i = static_cast<std::uint8_t>(verdict.iterations);
  top.verdict_corrected_i = static_cast<std::uint16_t>(verdict.corrected);
  top.verdict_weight_i = static_cast<std::uint16_t>(std::min(verdict.weight, ecc::kMaxSyndromeWeight));
}

void ReadRetry::no_verdict() { door_->pins.verdict_valid_i = 0; }

// ---- APB ----------------------------------------------------------------------------------------------------------

void ReadRetry::apb_idle() {
  door_->pins.psel_i = 0;
  door_->pins.penable_i = 0;
}

void ReadRetry::apb_setup(const ApbTransfer& transfer) {
  const ReadRetryPins& top = door_->pins;
  top.psel_i = 1;
  top.penable_i = 0;
  top.pwrite_i = transfer.write ? 1 : 0;
  top.paddr_i = static_cast<std::uint16_t>(transfer.address & 0xfff);
  top.pwdata_i = transfer.data;
  top.pstrb_i = transfer.write ? transfer.strobes : 0;
}

void ReadRetry::apb_access() {
  door_->pins.penable_i = 1;
  door_->evaluate();  // no edge: the outputs follow
}

void ReadRetry::set_penable(bool enable) { door_->pins.penable_i = enable ? 1 : 0; }
void ReadRetry::set_pwrite(bool write) { door_->pins.pwrite_i = write ? 1 : 0; }
bool ReadRetry::apb_ready() const { return door_->pins.pready_o != 0; }
bool ReadRetry::apb_error() const { return door_->pins.pslverr_o != 0; }
std::uint32_t ReadRetry::apb_data() const { return door_->pins.prdata_o; }

ReadRetry::ApbAnswer ReadRetry::apb(const ApbTransfer& transfer) {
  apb_setup(transfer);
  clock();
  apb_access();
  for (unsigned waited = 0; !apb_ready(); ++waited) {
    if (waited == kLongestWait) throw std::runtime_error("pready_o stays low");
    clock();
    door_->evaluate();
  }
  const ApbAnswer answer{apb_error(), apb_data()};
  clock();
  apb_idle();
  return answer;
}

}  // namespace wordline::rtl
