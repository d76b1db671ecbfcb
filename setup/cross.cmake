# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# CMake's toolchain file of ./dev cross, which exports these variables: Debian's compiler, the libraries in a folder, and an
# emulator for what is built. Programs name this folder for their libraries: with the emulator's own option (-L) each path
# that exists in it would lead there, such as / and /dev.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR $ENV{PQC_CROSS_CPU})
set(CMAKE_SYSROOT $ENV{PQC_CROSS_SYSROOT})
set(CMAKE_C_COMPILER $ENV{PQC_CROSS_GNU}-gcc)
set(CMAKE_CXX_COMPILER $ENV{PQC_CROSS_GNU}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE $ENV{PQC_CROSS_GNU})
set(CMAKE_CROSSCOMPILING_EMULATOR $ENV{PQC_CROSS_EMULATOR})
string(CONCAT CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,--dynamic-linker=$ENV{PQC_CROSS_SYSROOT}/lib/$ENV{PQC_CROSS_LOADER} "
  "-Wl,--disable-new-dtags,-rpath,$ENV{PQC_CROSS_SYSROOT}/lib/$ENV{PQC_CROSS_GNU}")
set(CMAKE_FIND_ROOT_PATH $ENV{PQC_CROSS_SYSROOT} $ENV{PQC_CROSS_STAGE})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} $ENV{PQC_CROSS_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} $ENV{PQC_CROSS_SYSROOT}/usr/lib/$ENV{PQC_CROSS_GNU}/pkgconfig:$ENV{PQC_CROSS_SYSROOT}/usr/share/pkgconfig)
