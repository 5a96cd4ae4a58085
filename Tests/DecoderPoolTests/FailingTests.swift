// SPDX-License-Identifier: Apache-2.0

@testable import DecoderPool
@testable import DecoderProtocol
import Glibc
import Kernel
import Recipes
import Testing

@Suite(.timeLimit(.minutes(2))) struct FailingTests {
    @Test func `a hang is killed at its deadline, and answered as timed out`() async throws {
        let events = Events()
        let pool = try await startPool(report: events)
        let patient = try job(.hang, deadline: .seconds(100))
        let other = Task { try await pool.run(patient) }
        #expect(await eventually { hasBegun(patient) })
        let begin = SuspendingClock.now
        await #expect(throws: DecoderFailure.timedOut) {
            // Long enough for the machine to give the job some time; otherwise it would not be the job's
            // fault.
            try await pool.run(job(.hang, deadline: .seconds(2)))
        }
        #expect(SuspendingClock.now - begin >= .seconds(2))
        // Killed at its own deadline; the other job's is still to come.
        #expect(pool.status.timeouts == 1)
        #expect(pool.status.busy == 1)
        other.cancel()
        #expect(await other.result == .failure(.cancelled))
        _ = try await pool.run(job(.answer))
        await pool.shutDown()
        #expect(events.ends(.timedOut) == [.killed(signal: SIGKILL)])
    }

    @Test(arguments: [SIGSEGV, SIGABRT, SIGBUS])
    func `a crash is answered with its signal, and the next job is served`(signal: Int32) async throws {
        let pool = try await startPool()
        await #expect(throws: DecoderFailure.crashed(signal: signal)) {
            try await pool.run(job(.raise, Int(signal)))
        }
        #expect(try await pool.run(job(.answer)).length == 8)
        #expect(pool.status.crashes == 1)
        await pool.shutDown()
    }

    @Test(arguments: [SIGKILL, SIGTERM, SIGUSR1])
    func `a process killed from outside costs time and no answer`(signal: Int32) async throws {
        let events = Events()
        let pool = try await startPool(report: events) { ($0.processes, $0.spares) = (1, 0) }
        let held = try job(.hold)
        async let answer = pool.run(held)
        #expect(await eventually { hasBegun(held) })
        for round in 1..<JobKills.most {
            kill(try #require(events.processes.last), signal)
            #expect(await eventually { events.processes.count == round + 1 && hasBegun(held) })
            #expect(await eventually { pool.status.kills == round && pool.status.busy == 1 })
        }
        release(held)
        #expect(try await answer.length == 8)
        #expect(pool.status.crashes == 0)
        await pool.shutDown()
    }

    @Test
    func `a job that loses one process after the other ends as killed, and says nothing of its picture`()
        async throws
    {
        let pool = try await startPool { ($0.processes, $0.spares) = (1, 0) }
        for signal in [SIGKILL, SIGALRM] {
            await #expect(throws: DecoderFailure.killed) { try await pool.run(job(.raise, Int(signal))) }
        }
        #expect(pool.status.kills == 2 * JobKills.most)
        #expect(pool.status.crashes == 0)
        #expect(try await pool.run(job(.answer)).length == 8)
        await pool.shutDown()
    }

    @Test func `a kill does not renew the time that a job has, and nothing goes on after it`() throws {
        let ticket = JobTicket(id: 1, job: try job(.answer, deadline: .seconds(100)))
        let end = ticket.begin()
        for _ in 1..<JobKills.most {
            #expect(ticket.survivesKill())
            #expect(ticket.begin() == end)
        }
        #expect(!ticket.survivesKill())
        let late = JobTicket(id: 2, job: try job(.answer, deadline: .zero))
        _ = late.begin()
        #expect(!late.survivesKill())
    }

    @Test(arguments: [(1, ImagingFailure.unavailable("no memory")), (2, .encoderFailed("it gave up"))])
    func `a process that says it is unfit to work costs time and no answer, once`(
        number: Int, refusal: ImagingFailure
    ) async throws {
        let pool = try await startPool { ($0.processes, $0.spares) = (1, 0) }
        await #expect(throws: DecoderFailure.refused(refusal)) {
            try await pool.run(job(.surrender, number))
        }
        #expect(pool.status.recycled == 1)
        #expect(try await pool.run(job(.answer)).length == 8)
        await pool.shutDown()
    }

    @Test func `a job that no message carries reaches no process`() async throws {
        let pool = try await startPool { ($0.processes, $0.spares) = (1, 0) }
        var long = try job(.answer)
        // Seven bytes for each delay: the message would be truncated, perhaps to another picture's.
        (long.recipe.pages, long.recipe.delays) = (-1, Array(500_000..<500_600))
        var unread = try job(.answer)
        unread.recipe.watermark = Watermark(source: "no name")
        for refused in [long, unread] {
            await #expect(throws: DecoderFailure.unavailable("the message cannot carry the job")) {
                try await pool.run(refused)
            }
        }
        #expect(try await pool.run(job(.answer)).length == 8)
        #expect(pool.status.restarts == 0 && pool.status.crashes == 0)
        await pool.shutDown()
    }

    @Test(arguments: [Behaviour.hangUp, .sendNothing])
    func `a process that is silent for good and lives on has crashed, and was not killed from outside`(
        behaviour: Behaviour
    ) async throws {
        let events = Events()
        let pool = try await startPool(report: events) { $0.shutdownGrace = .milliseconds(100) }
        await #expect(throws: DecoderFailure.crashed(signal: nil)) { try await pool.run(job(behaviour)) }
        #expect(try await pool.run(job(.answer)).length == 8)
        #expect((pool.status.crashes, pool.status.kills) == (1, 0))
        await pool.shutDown()
        #expect(events.ends(.crashed) == [.killed(signal: SIGKILL)])
    }

    @Test(arguments: [Behaviour.talkNonsense, .answerAnother, .overstate, .leave])
    func `what is no answer to the job is a crash without a signal`(behaviour: Behaviour) async throws {
        let pool = try await startPool()
        await #expect(throws: DecoderFailure.crashed(signal: nil)) { try await pool.run(job(behaviour)) }
        #expect(try await pool.run(job(.answer)).length == 8)
        await pool.shutDown()
    }

    @Test(arguments: 1...6) func `a picture that is not what was ordered is a crash, and is not taken`(
        number: Int
    ) async throws {
        let pool = try await startPool()
        await #expect(throws: DecoderFailure.crashed(signal: nil)) {
            try await pool.run(job(.mislead, number))
        }
        #expect(pool.status.crashes == 1)
        #expect(try await pool.run(job(.mislead, 7)).length == 8)
        await pool.shutDown()
    }

    /// The decoder could change the picture while it is served to everybody.
    @Test(arguments: [Behaviour.keep, .map])
    func `a process that can still write to what it made is killed, and its answer is none`(
        behaviour: Behaviour
    ) async throws {
        let pool = try await startPool()
        for output in [nil, try unnamedFile()] {
            var job = try job(behaviour)
            if let output { job.output = output }
            await #expect(throws: DecoderFailure.crashed(signal: nil)) { try await pool.run(job) }
        }
        #expect(pool.status.crashes == 2)
        var good = try job(.answer)
        good.output = try unnamedFile()
        _ = try await pool.run(good)
        if case .one = good.output.writers {} else { Issue.record("\(good.output.writers)") }
        await pool.shutDown()
    }

    @Test func `a file that becomes another after the answer, and before it is let go, is not taken`()
        async throws
    {
        let pool = try await startPool()
        await #expect(throws: DecoderFailure.crashed(signal: nil)) { try await pool.run(job(.swap)) }
        #expect(pool.status.crashes == 1)
        await pool.shutDown()
    }

    @Test func `what a process has written behind its picture is taken away`() async throws {
        let pool = try await startPool()
        let longer = try job(.mislead, 8)
        #expect(try await pool.run(longer).length == 8)
        #expect(contents(of: longer.output) == "GIF89a:o")
        await pool.shutDown()
    }

    /// A file on a disk, if the temporary folder is on one.
    private func unnamedFile() throws -> OwnedDescriptor {
        var name = Array("/tmp/pictor-XXXXXX".utf8CString)
        let raw = mkstemp(&name)
        try #require(raw >= 0)
        unlink(name)
        return OwnedDescriptor(adopting: raw)
    }

    @Test func `a picture longer than its limit is no answer`() async throws {
        let pool = try await startPool()
        await #expect(throws: DecoderFailure.crashed(signal: nil)) {
            try await pool.run(job(.fill, 1_001, limit: 1_000))
        }
        #expect(try await pool.run(job(.fill, 1_000, limit: 1_000)).length == 1_000)
        await pool.shutDown()
    }

    @Test func `after a crash the spare takes the next job while another process is started`() async throws {
        let pool = try await startPool { $0.processes = 1 }
        #expect(await eventually { pool.status.processes == 2 })
        for round in 1...5 {
            await #expect(throws: DecoderFailure.crashed(signal: SIGSEGV)) {
                try await pool.run(job(.raise, Int(SIGSEGV)))
            }
            // No process was started between the crash and this answer, because another one was ready.
            #expect(pool.status.processes >= 1)
            _ = try await pool.run(job(.answer))
            #expect(await eventually { pool.status.processes == 2 })
            #expect(pool.status.restarts == round)
        }
        await pool.shutDown()
    }

    @Test func `an idle process that is killed is replaced before the next job`() async throws {
        let events = Events()
        let pool = try await startPool(report: events)
        #expect(await eventually { pool.status.processes == 3 })
        for process in events.processes { kill(process, SIGKILL) }
        #expect(await eventually { pool.status.restarts == 3 && pool.status.processes == 3 })
        _ = try await pool.run(job(.answer))
        #expect(pool.status.idleDeaths == 3)
        #expect(pool.status.crashes == 0)
        await pool.shutDown()
    }

    @Test func `a process that computes on when it has answered is replaced`() async throws {
        let events = Events()
        let pool = try await startPool(report: events) {
            ($0.processes, $0.spares) = (1, 0)
            $0.idleLook = .milliseconds(100)
        }
        _ = try await pool.run(job(.computeOn))
        #expect(await eventually { events.ends(.unasked) == [.killed(signal: SIGKILL)] })
        #expect(try await pool.run(job(.answer)).length == 8)
        await pool.shutDown()
        #expect(pool.status.crashes == 0 && pool.status.restarts == 1)
    }

    @Test func `a job meant for a process that dies before it reads it is served by another`() async throws {
        let events = Events()
        let pool = try await startPool(report: events) {
            $0.processes = 1
            $0.spares = 1
        }
        #expect(await eventually { pool.status.processes == 2 })
        // Stopped processes receive a job in their socket, and are killed while it is unread.
        let processes = events.processes
        for process in processes { kill(process, SIGSTOP) }
        #expect(await eventually { processes.allSatisfy(isStopped) })
        let answer = Task { try await pool.run(job(.answer)) }
        #expect(await eventually { pool.workers.contains { $0.running != nil } })
        for process in processes { kill(process, SIGKILL) }
        #expect(try await answer.value.length == 8)
        #expect(pool.status.crashes == 0)
        await pool.shutDown()
    }

    @Test func `what a process says on standard error becomes a few clean lines`() async throws {
        let events = Events()
        let pool = try await startPool(report: events)
        _ = try await pool.run(job(.talk, 100))
        await pool.shutDown()
        #expect(events.lines == (0..<8).map { "word \($0) [31m" })
    }
}

/// "T" follows the name in parentheses (proc(5), stat).
private func isStopped(_ process: Int32) -> Bool {
    contents(at: "/proc/\(process)/stat").contains(") T ")
}
