// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

@Suite("A thread of fetches that stands still holds nobody for ever", .endToEnd, .timeLimit(.minutes(3)))
struct StalledFetchTests {
    private static let picture = Pictures.gradient(60, 40)

    @Test func `its fetches are given up, what is held is served, and it goes on afterwards`() throws {
        let origin = ScriptedOrigin { $0.picture(Self.picture) }
        let daemon = try DaemonUnderTest(["--origin-stall-limit", "10m"])
        #expect(try daemon.get(origin.url("/held"), "w=30").status == 200)
        let stop = try #require(StoppedThread("origin", of: daemon.pid))
        let waiting = try Connection(port: daemon.port)
        try waiting.request(DaemonUnderTest.target(origin.url("/new"), "w=30"))
        #expect(try waiting.reply().status == 503)
        let newer = try daemon.get(origin.url("/newer"), "w=30")
        #expect(newer.status == 503 && newer.text.contains("Nothing can be fetched at the moment."))
        #expect(try daemon.get(origin.url("/held"), "w=30").status == 200)
        #expect(try daemon.get(origin.url("/held"), "w=31").status == 200)
        let ready = try daemon.admin("/health/ready")
        #expect(ready.status == 503 && ready.text.contains("stands still"))
        #expect(try daemon.metric("pictor_origin_stalls_total") == 1)
        #expect(daemon.logLine(with: "fetching stands still") != nil)
        stop.resume()
        #expect(daemon.logLine(with: "fetching goes on") != nil)
        #expect(try daemon.get(origin.url("/new"), "w=30").status == 200)
        #expect(try daemon.admin("/health/ready").status == 200)
        #expect(daemon.stop() == 0)
    }

    @Test func `after its limit the daemon ends itself, to be started anew`() throws {
        let origin = ScriptedOrigin { $0.picture(Self.picture) }
        let daemon = try DaemonUnderTest(["--origin-stall-limit", "4s"])
        // Of a connection that has just answered the thread sees to soon; with nothing to do it would not be late for long.
        #expect(try daemon.get(origin.url(), "w=30").status == 200)
        let stop = try #require(StoppedThread("origin", of: daemon.pid))
        #expect(daemon.logLine(with: "stands still for good") != nil)
        stop.resume()
        #expect(daemon.exitStatus() == 70)
    }
}

/// One thread of another process, stopped as by a debugger (ptrace(2)) while the others run.
///
/// **Isolation:** the tracer is a thread of its own, as ptrace wants it; latches connect the two.
private final class StoppedThread: Sendable {
    private let (isStopped, mayGo, hasGone) = (Latch(), Latch(), Latch())

    /// Nil: there is no such thread, or the system lets nobody trace.
    init?(_ name: String, of process: Int32) {
        let folder = "/proc/\(process)/task"
        let thread = (try? FileManager.default.contentsOfDirectory(atPath: folder))?.compactMap(Int32.init)
            .first {
                (try? String(contentsOfFile: "\(folder)/\($0)/comm", encoding: .utf8)) == name + "\n"
            }
        // Variadic, and so not imported.
        typealias Trace =
            @convention(c) (Int, Int32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Int
        guard let thread, let symbol = dlsym(nil, "ptrace") else { return nil }
        let trace = unsafeBitCast(symbol, to: Trace.self)
        let (seize, interrupt, detach) = (0x4206, 0x4207, 17)
        let succeeded = Latch()
        Thread.detachNewThread { [isStopped, mayGo, hasGone] in
            if trace(seize, thread, nil, nil) == 0, trace(interrupt, thread, nil, nil) == 0 {
                var status: Int32 = 0
                // __WALL: threads too.
                waitpid(thread, &status, 0x4000_0000)
                succeeded.signal()
            }
            isStopped.signal()
            mayGo.wait()
            _ = trace(detach, thread, nil, nil)
            hasGone.signal()
        }
        isStopped.wait()
        guard succeeded.count > 0 else {
            mayGo.signal()
            return nil
        }
    }

    deinit { mayGo.signal() }

    func resume() {
        mayGo.signal()
        hasGone.wait()
    }
}
