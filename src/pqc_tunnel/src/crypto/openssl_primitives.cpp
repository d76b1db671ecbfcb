// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <string>
#include <string_view>

#include "primitives.hpp"
#include "secret.hpp"

// The algorithms and their parameters are found by name at run time: what was compiled with OpenSSL 3.0 uses them where
// a newer one is installed.

namespace pqc_tunnel
{
namespace
{

template <auto function>
struct Free
{
  template <class T>
  void operator()(T * object) const
  {
    function(object);
  }
};
using EvpKey = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using EvpKeyContext = std::unique_ptr<EVP_PKEY_CTX, Free<EVP_PKEY_CTX_free>>;
using EvpDigestContext = std::unique_ptr<EVP_MD_CTX, Free<EVP_MD_CTX_free>>;

// Removes the errors that OpenSSL notes for this thread meanwhile: others would take them for theirs.
class NoErrors
{
public:
  NoErrors() { ERR_set_mark(); }
  ~NoErrors() { ERR_pop_to_mark(); }
  NoErrors(const NoErrors &) = delete;
  NoErrors & operator=(const NoErrors &) = delete;
};

OSSL_PARAM octets(const char * name, ByteView bytes)
{
  // OpenSSL only reads it.
  return OSSL_PARAM_construct_octet_string(
    name, const_cast<std::uint8_t *>(bytes.data()), bytes.size());
}

SecretBytes draw(RandomSource & random, std::size_t size)
{
  SecretBytes bytes(size);
  random.fill(bytes.span());
  return bytes;
}

// Generates from a seed, as FIPS 203, 204 and 205 prescribe.
bool generate(
  const std::string & name, const SecretBytes & seed, MutableBytes public_key,
  MutableBytes secret_key)
{
  const NoErrors scope;
  const EvpKeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, name.c_str(), nullptr));
  const OSSL_PARAM params[] = {octets("seed", seed.view()), OSSL_PARAM_construct_end()};
  EVP_PKEY * made = nullptr;
  const bool done = context && EVP_PKEY_keygen_init(context.get()) == 1 &&
                    EVP_PKEY_CTX_set_params(context.get(), params) == 1 &&
                    EVP_PKEY_generate(context.get(), &made) == 1;
  const EvpKey key(made);
  const auto read = [&key](const char * part, MutableBytes out) {
    std::size_t size = 0;
    return EVP_PKEY_get_octet_string_param(key.get(), part, out.data(), out.size(), &size) == 1 &&
           size == out.size();
  };
  return done && read(OSSL_PKEY_PARAM_PUB_KEY, public_key) &&
         read(OSSL_PKEY_PARAM_PRIV_KEY, secret_key);
}

// Null if the key is none.
EvpKey read_key(const std::string & name, const char * part, ByteView bytes)
{
  const EvpKeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, name.c_str(), nullptr));
  OSSL_PARAM params[] = {octets(part, bytes), OSSL_PARAM_construct_end()};
  const bool is_private = part == std::string_view(OSSL_PKEY_PARAM_PRIV_KEY);
  EVP_PKEY * key = nullptr;
  if (context && EVP_PKEY_fromdata_init(context.get()) == 1) {
    EVP_PKEY_fromdata(
      context.get(), &key, is_private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, params);
  }
  return EvpKey(key);
}

class OpensslKem final : public KemPrimitive
{
public:
  explicit OpensslKem(const char * name) : name_(name) {}

  bool keygen(
    MutableBytes public_key, MutableBytes secret_key, RandomSource & random) const override
  {
    constexpr std::size_t seed_size = 64;  // d and z of FIPS 203
    return generate(name_, draw(random, seed_size), public_key, secret_key);
  }

  bool encapsulate(
    MutableBytes ciphertext, MutableBytes shared_secret, ByteView public_key,
    RandomSource & random) const override
  {
    const NoErrors scope;
    const EvpKey key = read_key(name_, OSSL_PKEY_PARAM_PUB_KEY, public_key);
    if (!key) {
      return false;
    }
    const SecretBytes message = draw(random, 32);  // m of FIPS 203
    const OSSL_PARAM params[] = {octets("ikme", message.view()), OSSL_PARAM_construct_end()};
    const EvpKeyContext context(EVP_PKEY_CTX_new_from_pkey(nullptr, key.get(), nullptr));
    std::size_t size = ciphertext.size();
    std::size_t secret_size = shared_secret.size();
    return context && EVP_PKEY_encapsulate_init(context.get(), params) == 1 &&
           EVP_PKEY_encapsulate(
             context.get(), ciphertext.data(), &size, shared_secret.data(), &secret_size) == 1;
  }

  bool decapsulate(
    MutableBytes shared_secret, ByteView ciphertext, ByteView secret_key) const override
  {
    const NoErrors scope;
    const EvpKey key = read_key(name_, OSSL_PKEY_PARAM_PRIV_KEY, secret_key);
    const EvpKeyContext context(
      key ? EVP_PKEY_CTX_new_from_pkey(nullptr, key.get(), nullptr) : nullptr);
    std::size_t size = shared_secret.size();
    return context && EVP_PKEY_decapsulate_init(context.get(), nullptr) == 1 &&
           EVP_PKEY_decapsulate(
             context.get(), shared_secret.data(), &size, ciphertext.data(), ciphertext.size()) == 1;
  }

private:
  std::string name_;
};

class OpensslSignature final : public SignaturePrimitive
{
public:
  explicit OpensslSignature(const char * name) : name_(name), by_hash_(name_.starts_with("SLH-DSA"))
  {
  }

  bool keygen(
    MutableBytes public_key, MutableBytes secret_key, RandomSource & random) const override
  {
    const std::size_t seed_size = by_hash_ ? secret_key.size() / 4 * 3 : random_size;
    return generate(name_, draw(random, seed_size), public_key, secret_key);
  }

  std::size_t sign(
    MutableBytes signature, ByteView message, ByteView secret_key,
    RandomSource & random) const override
  {
    const NoErrors scope;
    const EvpKey key = read_key(name_, OSSL_PKEY_PARAM_PRIV_KEY, secret_key);
    const EvpDigestContext context(EVP_MD_CTX_new());
    if (!key || !context) {
      return 0;
    }
    // The variants with random bytes of FIPS 204 and 205 (rnd and addrnd).
    const SecretBytes hedge = draw(random, by_hash_ ? secret_key.size() / 4 : random_size);
    const OSSL_PARAM params[] = {octets("test-entropy", hedge.view()), OSSL_PARAM_construct_end()};
    std::size_t size = signature.size();
    const bool done =
      EVP_DigestSignInit_ex(context.get(), nullptr, nullptr, nullptr, nullptr, key.get(), params) ==
        1 &&
      EVP_DigestSign(context.get(), signature.data(), &size, message.data(), message.size()) == 1;
    return done ? size : 0;
  }

  bool verify(ByteView message, ByteView signature, ByteView public_key) const override
  {
    const NoErrors scope;
    const EvpKey key = read_key(name_, OSSL_PKEY_PARAM_PUB_KEY, public_key);
    const EvpDigestContext context(EVP_MD_CTX_new());
    return key && context &&
           EVP_DigestVerifyInit_ex(
             context.get(), nullptr, nullptr, nullptr, nullptr, key.get(), nullptr) == 1 &&
           EVP_DigestVerify(
             context.get(), signature.data(), signature.size(), message.data(), message.size()) ==
             1;
  }

private:
  static constexpr std::size_t random_size = 32;  // of FIPS 204

  std::string name_;
  bool by_hash_;
};

}  // namespace

bool openssl_has(const char * name, bool signature)
{
  const NoErrors scope;
  if (signature) {
    const std::unique_ptr<EVP_SIGNATURE, Free<EVP_SIGNATURE_free>> found(
      EVP_SIGNATURE_fetch(nullptr, name, nullptr));
    return found != nullptr;
  }
  const std::unique_ptr<EVP_KEM, Free<EVP_KEM_free>> found(EVP_KEM_fetch(nullptr, name, nullptr));
  return found != nullptr;
}

std::unique_ptr<KemPrimitive> make_openssl_kem(const char * name)
{
  return std::make_unique<OpensslKem>(name);
}

std::unique_ptr<SignaturePrimitive> make_openssl_signature(const char * name)
{
  return std::make_unique<OpensslSignature>(name);
}

}  // namespace pqc_tunnel
