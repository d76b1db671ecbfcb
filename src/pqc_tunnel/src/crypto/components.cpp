// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "components.hpp"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include <memory>

#include "aead.hpp"

namespace pqc_tunnel
{
namespace
{

// Returns the version of OpenSSL's FIPS provider; empty unless OpenSSL must use it for everything.
std::string fips_provider()
{
  if (EVP_default_properties_is_fips_enabled(nullptr) == 0) {
    return "";
  }
  const std::unique_ptr<OSSL_PROVIDER, decltype(&OSSL_PROVIDER_unload)> provider(
    OSSL_PROVIDER_try_load(nullptr, "fips", 1), &OSSL_PROVIDER_unload);
  char * version = nullptr;
  OSSL_PARAM wanted[] = {
    OSSL_PARAM_construct_utf8_ptr(OSSL_PROV_PARAM_VERSION, &version, 0),
    OSSL_PARAM_construct_end()};
  return provider && OSSL_PROVIDER_get_params(provider.get(), wanted) == 1 && version != nullptr
           ? version
           : "";
}

}  // namespace

std::vector<Component> components(const Suite & suite)
{
  const std::string provider = fips_provider();
  const std::string openssl =
    provider.empty() ? version(Library::openssl) : "the FIPS provider " + provider + " of OpenSSL";
  const bool in_module = !provider.empty();
  const auto component = [&](auto algorithm) {
    const Implementation * const serving = implementation(algorithm);
    const bool by_openssl = serving != nullptr && serving->library == Library::openssl;
    return Component{
      std::string(display_name(algorithm)), by_openssl ? openssl : version(Library::liboqs),
      by_openssl && in_module};
  };
  const std::string sealing = library_of(suite.aead);
  const bool by_openssl = sealing.empty();
  const std::string hash = suite.level == SecurityLevel::l5 ? "SHA-384" : "SHA-256";
  return {
    component(suite.kem),
    component(suite.signature),
    {std::string(display_name(suite.aead)), by_openssl ? openssl : sealing,
     by_openssl && in_module},
    {hash + " and SHA-512", openssl, in_module},
    {"random numbers", "Linux"},
  };
}

std::string serving_text()
{
  std::string of_openssl;
  std::string of_liboqs;
  const auto add = [&](const auto & algorithms) {
    for (const auto algorithm : algorithms) {
      if (const Implementation * const serving = implementation(algorithm)) {
        std::string & list = serving->library == Library::openssl ? of_openssl : of_liboqs;
        list += (list.empty() ? "" : ", ") + std::string(display_name(algorithm));
      }
    }
  };
  add(all_kems());
  add(all_signatures());
  return (of_openssl.empty() ? "" : version(Library::openssl) + " serves " + of_openssl + "; ") +
         version(Library::liboqs) + " serves " + of_liboqs + ".";
}

std::string validation_text(const std::vector<Component> & components)
{
  std::string inside;
  std::string outside;
  for (const Component & one : components) {
    std::string & list = one.in_fips_module ? inside : outside;
    list += (list.empty() ? "" : ", ") + one.algorithm + " (" + one.library + ")";
  }
  return (inside.empty() ? "No component is in a FIPS module"
                         : "In a FIPS module, whose certificate counts: " + inside) +
         (outside.empty() ? "." : "; not validated: " + outside + ".");
}

}  // namespace pqc_tunnel
