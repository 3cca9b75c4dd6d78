// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#define OPENSSL_SUPPRESS_DEPRECATED  // of SHA256_Init() and the like, which look for no providers (config/sha256.cpp)
#include "models/precondition/digest.h"

#include <openssl/sha.h>

#include <stdexcept>

namespace wordline::precondition {
namespace {

void require(bool good) {
  if (!good) throw std::runtime_error("OpenSSL refuses SHA-256; check the providers in its openssl.cnf");
}

}  // namespace

Digest::Digest() : context_(std::make_unique<SHA256_CTX>()) { require(SHA256_Init(context_.get()) == 1); }
Digest::~Digest() = default;

void Digest::add(const void* data, std::size_t bytes) { require(SHA256_Update(context_.get(), data, bytes) == 1); }

Digest::Value Digest::value() {
  Value value{};
  static_assert(sizeof(value) == SHA256_DIGEST_LENGTH);
  require(SHA256_Final(value.data(), context_.get()) == 1);
  return value;
}

}  // namespace wordline::precondition
