// SPDX-License-Identifier: Apache-2.0

import Operator
import TestSupport
import Testing

@Suite("What a warming tells of a picture that is not there", .timeLimit(.minutes(1)))
struct WarmServiceTests {
    private func result(at address: String) async throws -> WarmService.Result {
        var results: [WarmService.Result] = []
        let service = WarmService(address, accept: "", connections: 1, rate: nil)
        await service.run(["/img?a"]) { results.append($0) }
        try #require(results.count == 1)
        return results[0]
    }

    @Test func `where nobody answers, the address is told and no status`() async throws {
        let folder = TemporaryFolder()
        let address = "unix:\(folder.path)/none"
        let result = try await result(at: address)
        #expect(!result.isGood && result.status == 0)
        #expect(result.line == "/img?a: nobody answers at \(address): connect: No such file or directory")
    }

    @Test func `an answer that is no HTTP is told as such`() async throws {
        let server = ScriptedOrigin { peer in
            peer.send("+PONG\r\n")
            peer.close()
        }
        let address = "127.0.0.1:\(server.port)"
        let result = try await result(at: address)
        #expect(!result.isGood && result.status == 0)
        #expect(result.line == "/img?a: \(address) gives no HTTP answer")
    }

    @Test func `a daemon that goes away while it puts a picture off has no status`() async throws {
        let requests = Latch()
        let server = ScriptedOrigin { peer in
            requests.signal()
            if requests.count > 1 { return peer.reset() }
            peer.answer("503 Busy", fields: ["Retry-After: 0"])
            peer.close()
        }
        let address = "127.0.0.1:\(server.port)"
        let result = try await result(at: address)
        #expect(!result.isGood && result.status == 0)
        #expect(result.line == "/img?a: nobody answers at \(address): recv: Connection reset by peer")
    }

    @Test func `a refusal is told by its status and code`() async throws {
        let server = ScriptedOrigin { peer in
            peer.answer("404 Not Found", body: Array(#"{"error":"origin_status"}"#.utf8))
            peer.close()
        }
        let result = try await result(at: "127.0.0.1:\(server.port)")
        #expect(result.line == "/img?a: 404 origin_status")
    }
}
