# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# The algorithms of the cipher-suite registry, under the names by which liboqs builds them.

set(LIBOQS_VENDOR_ALWAYS
  KEM_ml_kem_512 KEM_ml_kem_768 KEM_ml_kem_1024
  KEM_classic_mceliece_348864 KEM_classic_mceliece_460896 KEM_classic_mceliece_8192128
  SIG_ml_dsa_44 SIG_ml_dsa_65 SIG_ml_dsa_87
  SIG_falcon_512 SIG_falcon_1024)
# Of 0.12 to 0.15.
set(LIBOQS_VENDOR_FORMER
  KEM_hqc_128 KEM_hqc_192 KEM_hqc_256
  KEM_frodokem_640_aes KEM_frodokem_976_aes KEM_frodokem_1344_aes
  SIG_sphincs_sha2_128s_simple SIG_sphincs_sha2_128f_simple
  SIG_sphincs_sha2_192s_simple SIG_sphincs_sha2_192f_simple
  SIG_sphincs_sha2_256s_simple SIG_sphincs_sha2_256f_simple)
# From 0.16 on. FrodoKEM as it was is eFrodoKEM there.
set(LIBOQS_VENDOR_PRESENT
  KEM_hqc_1 KEM_hqc_3 KEM_hqc_5
  KEM_efrodokem_640_aes KEM_efrodokem_976_aes KEM_efrodokem_1344_aes
  SIG_slh_dsa_pure_sha2_128s SIG_slh_dsa_pure_sha2_128f
  SIG_slh_dsa_pure_sha2_192s SIG_slh_dsa_pure_sha2_192f
  SIG_slh_dsa_pure_sha2_256s SIG_slh_dsa_pure_sha2_256f)

# ML-DSA's AVX2 code of these versions accepts signatures that FIPS 204 refuses: it leaves out the bound
# on z and mishandles a hint (pq-crystals/dilithium#113). The portable code is right, and fast enough.
set(LIBOQS_VENDOR_FAULTY SIG_ml_dsa_44_avx2 SIG_ml_dsa_65_avx2 SIG_ml_dsa_87_avx2)

# Sets RESULT to the faulty implementations which the liboqs headers in INCLUDE_DIR announce.
function(liboqs_vendor_faulty_implementations INCLUDE_DIR RESULT)
  set(faulty "")
  file(STRINGS "${INCLUDE_DIR}/oqs/oqsconfig.h" enabled REGEX "^#define OQS_ENABLE_SIG_.*_avx2 1")
  foreach(name IN LISTS LIBOQS_VENDOR_FAULTY)
    if(enabled MATCHES "OQS_ENABLE_${name} ")
      list(APPEND faulty "${name}")
    endif()
  endforeach()
  set(${RESULT} ${faulty} PARENT_SCOPE)
endfunction()

# Sets RESULT to those of the other arguments which the liboqs headers in INCLUDE_DIR do not announce.
function(liboqs_vendor_missing_algorithms INCLUDE_DIR RESULT)
  set(config "${INCLUDE_DIR}/oqs/oqsconfig.h")
  set(missing ${ARGN})
  if(EXISTS "${config}")
    file(STRINGS "${config}" enabled REGEX "^#define OQS_ENABLE_(KEM|SIG)_[a-z0-9_]+ 1")
    foreach(line IN LISTS enabled)
      string(REGEX REPLACE "^#define OQS_ENABLE_([A-Za-z0-9_]+) 1.*" "\\1" name "${line}")
      list(REMOVE_ITEM missing "${name}")
    endforeach()
  endif()
  set(${RESULT} ${missing} PARENT_SCOPE)
endfunction()
