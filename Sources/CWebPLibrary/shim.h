// SPDX-License-Identifier: Apache-2.0
// Only brings libwebp's compiler flags to CEncoders; nothing in Swift imports it.
#pragma once
#include <webp/encode.h>
