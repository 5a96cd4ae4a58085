// SPDX-License-Identifier: Apache-2.0

import Glibc
@testable import HTTPServer
import Testing

@Suite("The descriptor for telling a client that none is left")
struct ReserveTests {
    @Test func `one that was lost is taken anew when clients are accepted again`() throws {
        let state = ServerState(HTTPServerConfiguration(listeners: []), handler: TestHandler())
        var loop = try EventLoop(LoopParts(listeners: []), state: state)
        close(loop.reserve)
        loop.reserve = -1
        loop.startAccepting()
        let taken = loop.reserve
        #expect(taken >= 0)
        // A second call opens no further descriptor.
        loop.startAccepting()
        let kept = loop.reserve
        #expect(kept == taken)
    }
}
