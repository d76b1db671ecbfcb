// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0
//
// The functions that liboqs-python 0.16 calls and older versions of liboqs lack, as liboqs 0.16 defines them.
// Everything else comes from liboqs itself, which this library is linked to.

#include <oqs/oqs.h>

#define OQS_OLDER_THAN(minor) (OQS_VERSION_MAJOR == 0 && OQS_VERSION_MINOR < (minor))

#if OQS_OLDER_THAN(14)
OQS_API bool OQS_SIG_supports_ctx_str(const char * alg_name);

bool OQS_SIG_supports_ctx_str(const char * alg_name)
{
  OQS_SIG * sig = OQS_SIG_new(alg_name);
  const bool supported = sig != NULL && sig->sig_with_ctx_support;
  OQS_SIG_free(sig);
  return supported;
}
#endif

#if OQS_OLDER_THAN(16)
OQS_API int OQS_SIG_STFL_keygen_and_sign_supported(void);

int OQS_SIG_STFL_keygen_and_sign_supported(void)
{
#ifdef OQS_ALLOW_STFL_KEY_AND_SIG_GEN
  return 1;
#else
  return 0;
#endif
}
#endif
