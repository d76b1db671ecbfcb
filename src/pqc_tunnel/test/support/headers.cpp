// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// Holds the precompiled headers of the tests (cmake/tests.cmake).
