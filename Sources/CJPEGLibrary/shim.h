// SPDX-License-Identifier: Apache-2.0
// Only brings libjpeg's compiler flags to CEncoders; nothing in Swift imports it.
#pragma once
#include <stddef.h>
#include <stdio.h>
#include <jpeglib.h>
