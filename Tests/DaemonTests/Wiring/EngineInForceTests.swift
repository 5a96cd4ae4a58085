// SPDX-License-Identifier: Apache-2.0

@testable import Daemon
import Synchronization
import Testing

@Suite("The engine in force is the one that took over last")
struct EngineInForceTests {
    private final class Follower: Sendable {
        private let heard = Mutex<[String]>([])
        var names: [String] { heard.withLock { $0 } }
        func hear(_ name: String) { heard.withLock { $0.append(name) } }
    }

    @Test func `it is the first decoder's, and the follower hears of each that takes over`() {
        let (engine, follower) = (EngineInForce(), Follower())
        engine.begin(with: "1")
        #expect(engine.name == "1")
        engine.follow { follower.hear($0) }
        engine.become("2")
        engine.become("3")
        #expect(engine.name == "3")
        #expect(follower.names == ["1", "2", "3"])
    }

    //   a supervisor            the start
    //   "2" takes over
    //                           the first handshake said "1"
    //                           the pipeline is there, and follows
    @Test func `one that takes over while the daemon starts is not forgotten`() {
        let (engine, follower) = (EngineInForce(), Follower())
        engine.become("2")
        engine.begin(with: "1")
        #expect(engine.name == "2")
        engine.follow { follower.hear($0) }
        #expect(follower.names == ["2"])
    }
}
