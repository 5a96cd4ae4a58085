// SPDX-License-Identifier: Apache-2.0

@testable import DecoderPool
@testable import DecoderProtocol
import Glibc
import Jail
import Kernel
import Recipes
import Testing

@Suite struct JailTests {
    private static let manners = [
        "descriptors", "nice", "oom-score", "no-core", "open-files", "file-size", "address-space",
    ]

    private func startJailed(
        _ mode: JailPolicy.Mode, _ words: [String] = [], report events: Events? = nil
    ) async throws -> DecoderPool {
        let policy = JailPolicy(
            mode: mode, addressSpace: 2 << 30, fileSize: 500, lastDescriptor: Wire.descriptor)
        return try await startPool(words + ["jailed"] + policy.arguments, report: events) {
            $0.fileSize = 500
        }
    }

    @Test func `every measure that is required stands, and the kernel says so too`() async throws {
        let events = Events()
        let pool = try await startJailed(.require, report: events)
        let handshake = try #require(events.handshakes.first)
        let optional = ["namespaces"]
        #expect(
            handshake.jail.filter { !optional.contains($0) } == Self.manners + [
                "parent-death", "no-new-privileges", "no-capabilities", "not-dumpable", "nothing-writable",
                "no-environment", "nothing-readable", "system-calls",
            ])
        let status = contents(at: "/proc/\(handshake.process)/status").split(separator: "\n")
        for line in [
            "NoNewPrivs:\t1", "Seccomp:\t2", "CapPrm:\t0000000000000000", "CapEff:\t0000000000000000",
        ] {
            #expect(status.contains { $0 == line }, "\(line)")
        }
        #expect(contents(at: "/proc/\(handshake.process)/oom_score_adj") == "500\n")
        let limits = contents(at: "/proc/\(handshake.process)/limits").split(separator: "\n").map {
            $0.split(separator: " ").joined(separator: " ")
        }
        #expect(limits.contains("Max core file size 0 0 bytes"))
        #expect(limits.contains("Max file size 500 500 bytes"))
        #expect(limits.contains("Max open files 64 64 files"))
        #expect(limits.contains("Max address space 2147483648 2147483648 bytes"))
        #expect(niceness(of: "\(handshake.process)") == niceness(of: "self").map { min($0 + 19, 19) })
        await pool.shutDown()
    }

    @Test func `namespaces that are forbidden, as in a container, are no measure that is missing`()
        async throws
    {
        let events = Events()
        let pool = try await startJailed(.require, ["without-unshare"], report: events)
        let handshake = try #require(events.handshakes.first)
        #expect(!handshake.jail.contains("namespaces"))
        #expect(handshake.jailMissing == [])
        #expect(pool.status.missingMeasures == 0)
        await pool.shutDown()
    }

    @Test func `switched off, only manners are left`() async throws {
        let events = Events()
        let pool = try await startJailed(.off, report: events)
        let handshake = try #require(events.handshakes.first)
        #expect(handshake.jail == Self.manners + ["parent-death"])
        #expect(contents(at: "/proc/\(handshake.process)/status").contains("\nSeccomp:\t0\n"))
        await pool.shutDown()
    }

    @Test func `what binds one thread alone does not count where there are two`() async throws {
        let events = Events()
        let pool = try await startJailed(.prefer, ["with-two-threads"], report: events)
        let handshake = try #require(events.handshakes.first)
        #expect(
            handshake.jail.filter { $0 != "namespaces" } == Self.manners + [
                "parent-death", "not-dumpable", "no-environment", "system-calls",
            ])
        await pool.shutDown()
    }

    @Test func `an output can grow to the limit and no further, and the process lives on`() async throws {
        let pool = try await startJailed(.require)
        let job = try job(.fill, 900)
        #expect(try await pool.run(job).length == 500)
        #expect(contents(of: job.output).utf8.count == 500)
        #expect(pool.status.crashes == 0)
        await pool.shutDown()
    }

    @Test func `a job has its deadline's share of processor time, and the next one as much again`()
        async throws
    {
        let events = Events()
        let pool = try await startPool(
            ["jailed"]
                + JailPolicy(
                    mode: .off, addressSpace: 2 << 30, fileSize: 500, lastDescriptor: Wire.descriptor
                ).arguments, report: events
        ) {
            ($0.processes, $0.spares, $0.processorTime) = (1, 0, 3)
        }
        let process = try #require(events.handshakes.first).process
        _ = try await pool.run(job(.answer, deadline: .seconds(20)))
        // The used time with seconds rounded up: 3 × 20, and one for the beginning.
        let limit = try #require(
            contents(at: "/proc/\(process)/limits").split(separator: "\n").first {
                $0.hasPrefix("Max cpu time")
            })
        let seconds = limit.split(separator: " ").compactMap { Int($0) }.first
        #expect((61...63).contains(try #require(seconds)), "\(limit)")
        await pool.shutDown()
    }

    /// Field 19 of stat in proc(5); the second field, a name in parentheses, may contain blanks.
    private func niceness(of process: String) -> Int? {
        let fields = contents(at: "/proc/\(process)/stat").split(separator: ")").last?.split(separator: " ")
        return fields.flatMap { $0.count > 16 ? Int($0[16]) : nil }
    }
}
