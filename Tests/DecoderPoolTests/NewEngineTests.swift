// SPDX-License-Identifier: Apache-2.0

@testable import DecoderPool
@testable import DecoderProtocol
import Glibc
import Kernel
import Recipes
import Testing

@Suite("The libraries are upgraded while the daemon runs", .timeLimit(.minutes(2)))
struct NewEngineTests {
    /// A pool whose zygotes have another engine once `upgrade` is not empty.
    private func start(
        _ upgrade: OwnedDescriptor, report events: Events,
        _ change: (inout WorkerPoolSettings) -> Void = { _ in }
    ) async throws -> DecoderPool {
        try await startPool(
            ["upgraded-by", "/proc/\(getpid())/fd/\(upgrade.raw)"], report: events, change)
    }

    private func keyed(_ job: DecoderJob, by engine: String) -> DecoderJob {
        var job = job
        job.engine = engine
        return job
    }

    /// A zygote is replaced after a crash.
    private func crash(_ pool: DecoderPool) async throws {
        await #expect(throws: DecoderFailure.crashed(signal: SIGSEGV)) {
            try await pool.run(job(.raise, Int(SIGSEGV)))
        }
    }

    @Test func `a job that is keyed by another engine is made by no process`() async throws {
        let (events, upgrade) = (Events(), try MemoryFile.empty())
        let pool = try await start(upgrade, report: events)
        for (engine, isMade) in [("double 1", true), ("double 2", false), ("double 1", true)] {
            let given = keyed(try job(.answer), by: engine)
            if isMade {
                #expect(try await pool.run(given).length == 8)
            } else {
                await #expect(throws: DecoderFailure.otherEngine) { try await pool.run(given) }
            }
        }
        #expect(pool.status.answered == 2)
        #expect(events.newEngines.isEmpty)
        await pool.shutDown()
    }

    @Test func `a new zygote's engine is told, and processes of the former one are replaced`() async throws {
        let (events, upgrade) = (Events(), try MemoryFile.empty())
        let pool = try await start(upgrade, report: events)
        #expect(await eventually { pool.status.processes == 3 })
        ftruncate(upgrade.raw, 1)
        // As long as no zygote is replaced, nothing changes.
        #expect(try await pool.run(keyed(job(.answer), by: "double 1")).length == 8)
        try await crash(pool)
        #expect(await eventually { pool.status.processes == 3 && events.handshakes.count == 6 })
        let engines = events.handshakes.map(\.engine)
        #expect(engines.prefix(3).allSatisfy { $0 == "double 1" })
        #expect(engines.suffix(3).allSatisfy { $0 == "double 2" })
        #expect(events.newEngines == ["double 2"])
        #expect(events.ends(.recycled).count == 2)
        #expect(pool.status.recycled == 2)
        #expect(try await pool.run(keyed(job(.answer), by: "double 2")).length == 8)
        await #expect(throws: DecoderFailure.otherEngine) {
            try await pool.run(keyed(job(.answer), by: "double 1"))
        }
        await pool.shutDown()
    }

    //   zygote 1            zygote 2
    //   a job is begun
    //                       another process crashes: an engine is new
    //   its answer counts
    //   is replaced
    @Test func `a process of the former engine ends its job, and takes no other`() async throws {
        let (events, upgrade) = (Events(), try MemoryFile.empty())
        let pool = try await start(upgrade, report: events)
        #expect(await eventually { pool.status.processes == 3 })
        let given = keyed(try job(.hold), by: "double 1")
        let held = Task { try await pool.run(given) }
        #expect(await eventually { hasBegun(given) })
        ftruncate(upgrade.raw, 1)
        try await crash(pool)
        // Replacements of the crashed process, and of the idle one.
        #expect(await eventually { pool.status.processes == 3 && events.handshakes.count == 5 })
        #expect(pool.status.busy == 1)
        release(given)
        #expect(try await held.value.length == 8)
        #expect(await eventually { pool.status.processes == 3 && events.handshakes.count == 6 })
        #expect(events.handshakes.suffix(3).allSatisfy { $0.engine == "double 2" })
        #expect(events.newEngines == ["double 2"])
        await pool.shutDown()
    }

    @Test func `a job without a key is made by any process`() async throws {
        let (events, upgrade) = (Events(), try MemoryFile.empty())
        let pool = try await start(upgrade, report: events)
        #expect(await eventually { pool.status.processes == 3 })
        ftruncate(upgrade.raw, 1)
        try await crash(pool)
        #expect(await eventually { events.newEngines == ["double 2"] })
        #expect(try await pool.run(job(.answer)).length == 8)
        await pool.shutDown()
    }

    /// The result of a handshake.
    private struct Change: Equatable {
        /// The replaced engine.
        let former: String?
        /// Supervisors that have to replace their process.
        let idle: [Int]
    }

    //   zygote 1     zygote 2
    //   forks
    //                forks
    //                handshake: engine 2 takes over
    //   handshake: too late
    @Test func `a late handshake of an older zygote takes nothing over`() throws {
        var state = PoolState<DecoderJob>(processes: 2, spares: 1, queueLimit: 2)
        let socket = try WireSocket.pair().0
        func greet(_ supervisor: Int, _ engine: String, of generation: Int) -> Change {
            let (former, idle) = state.takeEngine(engine, of: generation, by: supervisor)
            // A job that is planned after the report is refused by no process.
            for other in idle { #expect(state.isToReplace(other)) }
            state.handshake(
                supervisor, WireHandshake(engine: engine, process: 1, jail: []), over: socket)
            return Change(former: former, idle: idle)
        }
        #expect(greet(0, "1", of: 1) == Change(former: nil, idle: []))
        #expect(greet(1, "2", of: 2) == Change(former: "1", idle: [0]))
        #expect(greet(2, "1", of: 1) == Change(former: nil, idle: []))
        #expect(state.status.processes == 1)
        #expect(state.isToReplace(0) && !state.isToReplace(1) && state.isToReplace(2))
        #expect(greet(0, "2", of: 2) == Change(former: nil, idle: []))
        #expect(greet(2, "2", of: 3) == Change(former: nil, idle: []))
        #expect(state.status.processes == 3)
        // A zygote with the libraries of the one before the last.
        #expect(greet(1, "1", of: 4) == Change(former: "2", idle: [0, 2]))
    }
}

extension PoolState {
    /// True for a process that may not take jobs any more.
    fileprivate func isToReplace(_ supervisor: Int) -> Bool {
        if case .replace = duty(of: supervisor) { true } else { false }
    }
}
