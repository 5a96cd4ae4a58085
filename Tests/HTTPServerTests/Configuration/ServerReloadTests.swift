// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HTTPServer

@Suite("What a reload changes for clients")
struct ServerReloadTests {
    @Test func `their descriptors move with what is kept from them`() {
        var configuration = HTTPServerConfiguration(listeners: [])
        configuration.descriptorLimit = 100
        var new = configuration
        for limit in [50, 200, 0] {
            new.descriptorLimit = limit
            configuration.takeLive(from: new)
            #expect(configuration.descriptorLimit == limit)
        }
    }
}
