// SPDX-License-Identifier: Apache-2.0
#include <vips/vips.h>
#include "CVips.h"
