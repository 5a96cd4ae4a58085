// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics

/// Wednesday, 2025-01-01T00:00:00Z, the present time of most tests.
let now = Timestamp(seconds: 1_735_689_600)
