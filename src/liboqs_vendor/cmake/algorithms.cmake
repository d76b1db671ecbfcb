# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# The 23 algorithms of the cipher-suite registry, under the names liboqs 0.12 to 0.15 builds them by.

set(LIBOQS_VENDOR_ALGORITHMS
  KEM_ml_kem_512 KEM_ml_kem_768 KEM_ml_kem_1024
  KEM_hqc_128 KEM_hqc_192 KEM_hqc_256
  KEM_classic_mceliece_348864 KEM_classic_mceliece_460896 KEM_classic_mceliece_8192128
  KEM_frodokem_640_aes KEM_frodokem_976_aes KEM_frodokem_1344_aes
  SIG_ml_dsa_44 SIG_ml_dsa_65 SIG_ml_dsa_87
  SIG_falcon_512 SIG_falcon_1024
  SIG_sphincs_sha2_128s_simple SIG_sphincs_sha2_128f_simple
  SIG_sphincs_sha2_192s_simple SIG_sphincs_sha2_192f_simple
  SIG_sphincs_sha2_256s_simple SIG_sphincs_sha2_256f_simple)

# Sets RESULT to the algorithms which the liboqs headers in INCLUDE_DIR do not announce.
function(liboqs_vendor_missing_algorithms INCLUDE_DIR RESULT)
  set(config "${INCLUDE_DIR}/oqs/oqsconfig.h")
  set(missing ${LIBOQS_VENDOR_ALGORITHMS})
  if(EXISTS "${config}")
    file(STRINGS "${config}" enabled REGEX "^#define OQS_ENABLE_(KEM|SIG)_[a-z0-9_]+ 1")
    foreach(line IN LISTS enabled)
      string(REGEX REPLACE "^#define OQS_ENABLE_([A-Za-z0-9_]+) 1.*" "\\1" name "${line}")
      list(REMOVE_ITEM missing "${name}")
    endforeach()
  endif()
  set(${RESULT} ${missing} PARENT_SCOPE)
endfunction()
