// SPDX-License-Identifier: Apache-2.0

@testable import DecoderPool
@testable import DecoderProtocol
import Glibc
import Kernel
import Recipes
import Synchronization
import Testing

@Suite("A process that the machine gives little time tells nothing of its picture", .timeLimit(.minutes(2)))
struct HeldUpTests {
    private func pool(_ events: Events) async throws -> DecoderPool {
        try await startPool(report: events) { ($0.processes, $0.spares) = (1, 0) }
    }

    @Test func `a job in a process that somebody has stopped is answered as overloaded`() async throws {
        let events = Events()
        let pool = try await pool(events)
        kill(try #require(events.processes.last), SIGSTOP)
        await #expect(throws: DecoderFailure.overloaded) {
            try await pool.run(job(.answer, deadline: .milliseconds(200)))
        }
        #expect(pool.status.timeouts == 1)
        #expect(try await pool.run(job(.answer)).length == 8)
        await pool.shutDown()
        #expect(events.ends(.heldUp) == [.killed(signal: SIGKILL)])
    }

    @Test func `a job that is stopped before half of its time is answered as overloaded`() async throws {
        let events = Events()
        let pool = try await pool(events)
        let process = try #require(events.processes.last)
        let long = try job(.compute, 20_000, deadline: .seconds(8))
        let answer = Task { try await pool.run(long) }
        // If the machine gives the process less than that until the deadline, the answer is the same.
        _ = await eventually { processorTime(of: process) > 0.5 || pool.status.timeouts > 0 }
        kill(process, SIGSTOP)
        await #expect(throws: DecoderFailure.overloaded) { try await answer.value }
        await pool.shutDown()
        #expect(events.ends(.heldUp) == [.killed(signal: SIGKILL)])
    }

    @Test func `a job whose other thread gets little time is answered as overloaded`() async throws {
        let events = Events()
        let pool = try await pool(events)
        await #expect(throws: DecoderFailure.overloaded) {
            try await pool.run(job(.computeAside, deadline: .seconds(4)))
        }
        await pool.shutDown()
        #expect(events.ends(.heldUp) == [.killed(signal: SIGKILL)])
    }

    @Test func `a job can count on its share of a processor, and on no more than it may use`() {
        var settings = WorkerPoolSettings()
        settings.processorTime = 8
        #expect(settings.promisedTime(until: .seconds(20)) == .seconds(20))
        // As a quota of half a processor for one decoder.
        settings.share = 0.5
        #expect(settings.promisedTime(until: .seconds(20)) == .seconds(10))
        // As an inspector.
        (settings.share, settings.processorTime) = (1, 0.25)
        #expect(settings.promisedTime(until: .seconds(20)) == .seconds(5))
    }

    @Test func `a job in a process that others keep from the processor is answered as overloaded`()
        async throws
    {
        let busy = try BusyThreads()
        defer { busy.end() }
        // A processor may still be idle for a moment and run the process, because other programs share the
        // machine.
        for _ in 0..<5 {
            let events = Events()
            let pool = try await pool(events)
            #expect(busy.starve(try #require(events.processes.last)))
            let failure = await #expect(throws: DecoderFailure.self) {
                try await pool.run(job(.compute, 10_000, deadline: .milliseconds(500)))
            }
            await pool.shutDown()
            guard failure != .timedOut else { continue }
            #expect(failure == .overloaded && events.ends(.heldUp) == [.killed(signal: SIGKILL)])
            return
        }
        Issue.record("in five rounds the process had the time of a processor")
    }

    @Test func `only time that others used up, or that nobody gave, is a reason to ask once more`() {
        let spent = ProcessEnd.killed(signal: SIGXCPU)
        #expect(ExchangeLoss.timedOut.mayPass(.killed(signal: SIGKILL), after: false))
        #expect(ExchangeLoss.heldUp.mayPass(.killed(signal: SIGKILL), after: false))
        #expect(ExchangeLoss.vanished.mayPass(spent, after: true))
        #expect(!ExchangeLoss.vanished.mayPass(spent, after: false))
        #expect(!ExchangeLoss.vanished.mayPass(.killed(signal: SIGSEGV), after: true))
        #expect(!ExchangeLoss.nonsense.mayPass(.killed(signal: SIGKILL), after: true))
    }
}

/// Seconds of processor time that a process has used; 0 if it is gone.
private func processorTime(of process: pid_t) -> Double {
    var clock = clockid_t()
    var used = timespec()
    guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &used) == 0 else { return 0 }
    return Double(used.tv_sec) + Double(used.tv_nsec) / 1e9
}

/// A thread for each processor that computes without end, so that a process of the class SCHED_IDLE gets next to nothing
/// (sched(7)).
private final class BusyThreads: Sendable {
    private static let idle: Int32 = 5
    private let haveEnded = Atomic(false)

    init() throws {
        for _ in 0...sysconf(Int32(_SC_NPROCESSORS_ONLN)) {
            try WorkerThread("rival") { [self] in while !haveEnded.load(ordering: .relaxed) {} }.detach()
        }
    }

    func end() { haveEnded.store(true, ordering: .relaxed) }

    func starve(_ process: pid_t) -> Bool {
        var priority = sched_param()
        return sched_setscheduler(process, Self.idle, &priority) == 0
    }
}
