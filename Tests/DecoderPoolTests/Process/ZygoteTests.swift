// SPDX-License-Identifier: Apache-2.0

@testable import DecoderPool
@testable import DecoderProtocol
import Glibc
import Kernel
import Recipes
import Testing

/// Without randomisation, as under a debugger, addresses do not distinguish forks of different zygotes.
private let isRandomised = contents(at: "/proc/sys/kernel/randomize_va_space").hasPrefix("2")

@Suite(.timeLimit(.minutes(2))) struct ZygoteTests {
    @Test func `workers are forks of one process, and children of the daemon`() async throws {
        let events = Events()
        let pool = try await startPool(report: events)
        #expect(await eventually { pool.status.processes == 3 })
        let workers = events.processes
        #expect(Set(workers.map(layout)).count == 1)
        let zygote = try #require(findZygote(of: workers))
        for worker in workers { #expect(children.contains(worker)) }
        #expect(contents(at: "/proc/\(zygote)/comm") == "pictor-zygote\n")
        for worker in workers { #expect(contents(at: "/proc/\(worker)/comm") == "pictor-decoder\n") }
        await pool.shutDown()
        for process in workers + [zygote] { #expect(kill(process, 0) == -1) }
    }

    @Test func `a replacement is a fork of the same process`() async throws {
        let events = Events()
        let pool = try await startPool(report: events) { $0.recycleAfter = 1 }
        #expect(await eventually { pool.status.processes == 3 })
        _ = try await pool.run(job(.answer))
        #expect(await eventually { pool.status.processes == 3 })
        #expect(events.processes.count == 4)
        // The processes that live.
        #expect(Set(events.processes.map(layout)).subtracting([""]).count == 1)
        await pool.shutDown()
    }

    @Test(.enabled(if: isRandomised, "all processes have the same addresses"))
    func `after a crash no other worker has the addresses of the one that crashed`() async throws {
        let events = Events()
        let pool = try await startPool(report: events)
        #expect(await eventually { pool.status.processes == 3 })
        let (before, old) = (events.processes, layout(of: events.processes[0]))
        let zygote = try #require(findZygote(of: before))
        await #expect(throws: DecoderFailure.crashed(signal: SIGSEGV)) {
            try await pool.run(job(.raise, Int(SIGSEGV)))
        }
        #expect(await eventually { pool.status.processes == 3 })
        let replacement = try #require(Set(events.processes).subtracting(before).first)
        #expect(layout(of: replacement) != old)
        #expect(kill(zygote, 0) == -1)
        // The processes that did not crash go on.
        #expect(before.count { layout(of: $0) == old } == 2)
        await pool.shutDown()
    }

    @Test func `a zygote that is killed costs no worker, and the next worker has another`() async throws {
        let events = Events()
        let pool = try await startPool(report: events) { $0.recycleAfter = 2 }
        #expect(await eventually { pool.status.processes == 3 })
        let workers = events.processes
        kill(try #require(findZygote(of: workers)), SIGKILL)
        for _ in 0..<2 { _ = try await pool.run(job(.answer)) }
        #expect(await eventually { pool.status.processes == 3 && events.processes.count == 4 })
        #expect(pool.status.crashes == 0)
        #expect(pool.status.idleDeaths == 0)
        #expect(pool.status.failedStarts == 0)
        #expect(workers.count { kill($0, 0) == 0 } == 2)
        await pool.shutDown()
    }

    @Test func `a zygote that is killed before it tells of a fork leaves no process behind`() async throws {
        let before = Set(children)
        let events = Events()
        let mark = try MemoryFile.empty()
        let pool = try await startPool(
            ["answers-no-fork-once", "/proc/\(getpid())/fd/\(mark.raw)"], report: events)
        #expect(await eventually { pool.status.processes == 3 })
        #expect(contents(of: mark) == "\0")
        // Three workers and their zygote.
        #expect(Set(children).subtracting(before).count == 4)
        #expect(Set(children).isSuperset(of: events.processes))
        #expect(pool.status.crashes == 0)
        _ = try await pool.run(job(.answer))
        await pool.shutDown()
        #expect(Set(children).subtracting(before).isEmpty)
    }

    @Test func `a pool that ends while it starts others leaves no process behind, not even an ended one`()
        async throws
    {
        let before = Set(children)
        for round in 0..<64 {
            let events = Events()
            let pool = try await startPool(report: events) { ($0.processes, $0.spares) = (4, 4) }
            // Processes are forked one after the other, so when one has started, the next is still being
            // started.
            await events.have(started: 1 + round % 8)
            await pool.shutDown()
            #expect(Set(children).subtracting(before).isEmpty, "round \(round)")
        }
    }

    @Test func `zygotes come and go by all threads, and a process that has a job lives on`() async throws {
        for round in 0..<4 {
            let pool = try await startPool { ($0.processes, $0.spares) = (3, 0) }
            let given = try job(.hold)
            let held = Task { try await pool.run(given) }
            #expect(await eventually { hasBegun(given) })
            // A crash ends a zygote, and the process's supervisor launches the next one; two supervisors do so in
            // turn.
            for turn in 0..<12 {
                let other = try job(.hold)
                let busy = turn % 4 < 2 ? Task { try await pool.run(other) } : nil
                if busy != nil { #expect(await eventually { hasBegun(other) }) }
                await #expect(throws: DecoderFailure.crashed(signal: SIGSEGV)) {
                    try await pool.run(job(.raise, Int(SIGSEGV)))
                }
                #expect(await eventually { pool.status.processes == 3 })
                release(other)
                _ = try await busy?.value
            }
            release(given)
            #expect(try await held.value.length == 8, "round \(round)")
            #expect(pool.status.crashes == 12, "round \(round)")
            await pool.shutDown()
        }
    }

    @Test(.enabled(if: isRandomised, "all processes have the same addresses"))
    func `two that crash cost one zygote, whichever comes first`() async throws {
        let events = Events()
        let pool = try await startPool(report: events)
        #expect(await eventually { pool.status.processes == 3 })
        let first = layout(of: events.processes[0])
        await #expect(throws: DecoderFailure.crashed(signal: SIGSEGV)) {
            try await pool.run(job(.raise, Int(SIGSEGV)))
        }
        #expect(await eventually { pool.status.processes == 3 })
        let second = layout(of: try #require(events.processes.last))
        #expect(second != first)
        // The replacement, which became ready last, is busy, so the next job gets a process of the first
        // zygote.
        let held = try job(.hold)
        async let answer = pool.run(held)
        #expect(await eventually { hasBegun(held) })
        await #expect(throws: DecoderFailure.crashed(signal: SIGSEGV)) {
            try await pool.run(job(.raise, Int(SIGSEGV)))
        }
        #expect(await eventually { pool.status.processes == 3 })
        #expect(events.processes.map(layout).sorted() == ["", "", first, second, second].sorted())
        release(held)
        _ = try await answer
        await pool.shutDown()
    }

    @Test func `a zygote whose forks do not start is replaced`() async throws {
        let events = Events()
        let spoiler = try MemoryFile.empty()
        let pool = try await startPool(
            ["spoiled-by", "/proc/\(getpid())/fd/\(spoiler.raw)"], report: events
        ) { $0.recycleAfter = 1 }
        #expect(await eventually { pool.status.processes == 3 })
        ftruncate(spoiler.raw, 1)
        _ = try await pool.run(job(.answer))
        #expect(await eventually { pool.status.processes == 3 })
        #expect(pool.status.failedStarts == 1)
        await pool.shutDown()
    }

    @Test(.enabled(if: isRandomised, "all processes have the same addresses"))
    func `four forks for each process, and a zygote is replaced`() async throws {
        let events = Events()
        let pool = try await startPool(report: events) {
            ($0.processes, $0.spares, $0.recycleAfter) = (1, 0, 1)
        }
        var layouts: [String] = []
        for count in 1...9 {
            #expect(await eventually { pool.status.processes == 1 && events.processes.count == count })
            layouts.append(layout(of: events.processes[count - 1]))
            _ = try await pool.run(job(.answer))
        }
        for range in [0..<4, 4..<8] { #expect(Set(layouts[range]).count == 1) }
        #expect(Set(layouts).count == 3)
        #expect(!layouts.contains(""))
        await pool.shutDown()
    }

    @Test(.enabled(if: isRandomised, "all processes have the same addresses"))
    func `jobs that hang and are given up replace a zygote after as many as there are processes`()
        async throws
    {
        let events = Events()
        let pool = try await startPool(report: events) { $0.processes = 1 }
        #expect(await eventually { pool.status.processes == 2 })
        let first = layout(of: events.processes[0])
        for abandoned in 1...2 {
            let job = try job(.hang)
            let task = Task { try await pool.run(job) }
            #expect(await eventually { hasBegun(job) })
            task.cancel()
            #expect(await eventually { events.processes.count == 2 + abandoned })
            let replacement = try #require(events.processes.last)
            #expect((layout(of: replacement) == first) == (abandoned < 2))
        }
        #expect(pool.status.abandoned == 2)
        await pool.shutDown()
    }

    @Test func `pools of one zygote share it, and the last of them ends it`() async throws {
        let before = Set(children)
        let zygote = double()
        let events = Events()
        let decoders = try await startPool(of: zygote, report: events)
        #expect(await eventually { decoders.status.processes == 3 })
        var settings = WorkerPoolSettings()
        (settings.kind, settings.processes, settings.spares) = (.inspector, 2, 0)
        let inspectors = try await InspectorPool.start(settings, of: zygote) { events.add($0) }.pool
        #expect(await eventually { inspectors.status.processes == 2 })
        #expect(Set(events.processes.map(layout)).count == 1)
        #expect(Set(children).subtracting(before).count == 6)
        let names = events.processes.map { contents(at: "/proc/\($0)/comm") }
        #expect(names.filter { $0 == "pictor-decoder\n" }.count == 3)
        #expect(names.filter { $0 == "pictor-inspect\n" }.count == 2)

        // The thread that launched the zygote belongs to the pool that ends first, and is the parent of the
        // other pool's processes.
        await decoders.shutDown()
        #expect(Set(children).subtracting(before).count == 3)
        #expect(inspectors.status.idleDeaths == 0 && inspectors.status.processes == 2)
        kill(try #require(events.processes.last), SIGKILL)
        #expect(await eventually { inspectors.status.idleDeaths == 1 && inspectors.status.processes == 2 })
        await inspectors.shutDown()
        #expect(Set(children).subtracting(before).isEmpty)
    }

    @Test(arguments: ["with-two-threads", "with-shared-memory", "without-clone"])
    func `a process that must not fork is the worker itself`(word: String) async throws {
        let events = Events()
        let pool = try await startPool([word], report: events)
        #expect(await eventually { pool.status.processes == 3 })
        #expect(pool.status.failedStarts == 0)
        if isRandomised { #expect(Set(events.processes.map(layout)).count == 3) }
        for _ in 0..<3 { _ = try await pool.run(job(.answer)) }
        await pool.shutDown()
        for process in events.processes { #expect(kill(process, 0) == -1) }
    }

    /// The address of the program; empty for a process that has ended.
    private func layout(of process: Int32) -> String {
        contents(at: "/proc/\(process)/maps").split(separator: " ").first.map(String.init) ?? ""
    }

    /// The only child that is no worker and has the same layout.
    private func findZygote(of workers: [Int32]) -> Int32? {
        let layouts = Set(workers.map(layout))
        return children.first { !workers.contains($0) && layouts.contains(layout(of: $0)) }
    }

    /// The child processes of all threads.
    private var children: [Int32] {
        guard let tasks = opendir("/proc/self/task") else { return [] }
        defer { closedir(tasks) }
        var found: [Int32] = []
        while let entry = readdir(tasks) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            found += contents(at: "/proc/self/task/\(name)/children").split(separator: " ").compactMap {
                Int32($0)
            }
        }
        return found
    }
}
