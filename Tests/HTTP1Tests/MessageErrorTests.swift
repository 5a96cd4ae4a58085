// SPDX-License-Identifier: Apache-2.0

import HTTP1
import Testing

@Suite("Whoever is refused is told by the status that RFC 9110 §15 has for it")
struct MessageErrorTests {
    private static let statuses: [MessageError: Int] = [
        .badRequestLine: 400, .badTarget: 400, .badVersion: 400, .badField: 400, .foldedField: 400,
        .missingHost: 400,
        .badHost: 400, .badContentLength: 400, .badTransferEncoding: 400, .badChunk: 400, .badTrailer: 400,
        .headTimedOut: 408, .bodyTimedOut: 408, .bodyTooLarge: 413, .targetTooLong: 414,
        .expectationFailed: 417,
        .tooManyConnectionsOfClient: 429, .headTooLarge: 431, .tooManyFields: 431, .methodNotImplemented: 501,
        .unknownTransferCoding: 501, .tooManyConnections: 503, .versionNotSupported: 505,
    ]

    @Test(arguments: MessageError.allCases)
    func `each mistake has its status`(error: MessageError) {
        #expect(error.status == Self.statuses[error])
    }

    @Test func `only what is too much, or not ours, is no bad request`() {
        let others = MessageError.allCases.filter { $0.status != 400 }
        #expect(others.count == 12)
        #expect(others.allSatisfy { (408...505).contains($0.status) })
    }
}
