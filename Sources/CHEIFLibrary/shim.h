// SPDX-License-Identifier: Apache-2.0
// Only brings libheif's compiler flags to CEncoders; nothing in Swift imports it.
#pragma once
#include <libheif/heif.h>
