// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Origin

@Suite("What a reload changes for fetches")
struct LiveConfigurationTests {
    @Test func `more fetches have more lookups, and those under way keep theirs`() {
        var configuration = OriginConfiguration()
        (configuration.transferLimit, configuration.lookupLimit) = (100, 200)
        var new = configuration
        (new.transferLimit, new.lookupLimit) = (300, 400)
        configuration.takeLive(from: new)
        #expect(configuration.transferLimit == 300 && configuration.lookupLimit == 400)
        (new.transferLimit, new.lookupLimit) = (50, 60)
        configuration.takeLive(from: new)
        #expect(configuration.transferLimit == 300 && configuration.lookupLimit == 400)
    }
}
