// SPDX-License-Identifier: Apache-2.0
// Only brings libvips' compiler flags to CVips; nothing in Swift imports it.
#pragma once
#include <vips/vips.h>
