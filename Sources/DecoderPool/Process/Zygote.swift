// SPDX-License-Identifier: Apache-2.0
//
//     daemon ── starts ──▶ zygote: links the libraries, starts the engine, reads no picture, waits
//        │                   │ forks (CLONE_PARENT)
//        └──── parent ────▶ worker: enters its jail, reads pictures
//
// The relocated pages of a hundred libraries, libvips' types and Swift's metadata are the same in all workers,
// some 5 MB in each. Forks of one process share them until they write to them; so there is a process that does
// nothing but fork, as Android and Chromium have. Decoders and inspectors come of the same one.
//
// Shared secrets are known to all: a worker that is taken over knows the addresses, the stack protector's canary and the
// hash seeds of the others. So after a worker has crashed no other comes of the same zygote: who guesses at addresses has
// as many tries as there are processes, and then starts anew. Ends that may be a guess and may be none are counted, and so
// are forks, since what was found out is of no use to the forks of another zygote.

internal import CLinux
internal import DecoderProtocol
internal import Glibc
internal import Kernel
internal import Synchronization

/// The process that the workers of all pools are forked from.
///
/// A worker is the daemon's child and not the zygote's: the daemon waits for it, and it outlives the zygote.
///
/// **Isolation:** the process in a `Mutex`, which is held while a worker is being forked or a zygote launched; the
/// knowledge about it in another, which is held for a moment only, so that the report of an end does not wait for a start.
/// The kernel takes the thread that launched a zygote for the parent of the zygote's forks too, so no supervisor's thread,
/// of whatever pool, ends before all processes have.
package final class Zygote: Sendable {
    enum Failure: Error {
        case system(SystemError)
        /// The zygote has ended, or was killed because it did not answer.
        case lost(pid_t, ProcessEnd)
    }

    /// A worker's process id, and which zygote it came of: they are numbered from 1.
    struct Fork {
        let process: pid_t
        let generation: Int
    }

    fileprivate struct Process {
        let id: pid_t
        let socket: WireSocket
        let generation: Int
        /// The child processes of the thread that launched it.
        let siblings: ChildProcesses
        var forks = 0
    }

    /// The state of the zygote that was launched last.
    private struct Record {
        var generation = 0
        var losses = 0
        var isRetired = false
    }

    /// Those who may ask for forks.
    private struct Users {
        /// Supervisors that have not left.
        var supervisors = 0
        /// Workers at a time. Of so many losses, or four times as many forks, a zygote is replaced. With fewer forks the
        /// workers would seldom be of one zygote, and share less.
        var workers = 0
        var hasEnded = false
        /// Signalled at the end.
        var ending: Wakeup?
    }

    private let launcher: Launcher
    private let current = Mutex<Process?>(nil)
    /// Forks that were handed out, and that may have ended; changed only while `current` is held.
    private let workers = Mutex<Set<pid_t>>([])
    private let record = Mutex(Record())
    private let users = Mutex(Users())

    /// Starts nothing yet.
    package init(_ program: WorkerProgram) {
        pictor_heed_children()
        launcher = Launcher(executable: program.executable, arguments: program.words)
    }

    /// Path of the program.
    var executable: String { launcher.executable }

    /// A pool begins that has so many workers at a time, each with a supervisor. None may begin once all have left.
    func join(workers: Int) throws(SystemError) {
        let ending = try Wakeup()
        users.withLock { users in
            // Cannot trap: the settings bound them.
            users.supervisors += workers
            users.workers += workers
            users.ending = users.ending ?? ending
        }
    }

    /// A supervisor has no process any more, and starts none. The last to leave ends the zygote.
    func leave() {
        let isLast = users.withLock { users in
            users.supervisors -= 1
            return users.supervisors == 0
        }
        guard isLast else { return }
        current.withLock { _ = end(&$0) }
        let ending = users.withLock { users in
            users.hasEnded = true
            return users.ending
        }
        ending?.signal()
    }

    /// Waits until the last supervisor of all pools has left.
    func awaitEnd() {
        while true {
            let (hasEnded, ending) = users.withLock { ($0.hasEnded, $0.ending) }
            if hasEnded {
                // The others wait for it too, and the first to wake has taken the signal.
                ending?.signal()
                return
            }
            ending?.wait()
        }
    }

    /// Forks a worker; launches a zygote first if there is none, or somebody has killed it.
    ///
    /// - Parameters:
    ///   - kind: the worker's work.
    ///   - socket: the worker's end.
    ///   - errors: the standard error of the worker, and of a zygote that is launched for it.
    ///   - isWanted: asked before each attempt; false: nothing is started any more.
    ///   - hasInput: waits; false if the wait is given up.
    func fork(
        _ kind: WorkerKind, socket: WireSocket, errors: OwnedDescriptor, isWanted: () -> Bool,
        hasInput: (WireSocket) -> Bool
    ) throws(Failure) -> Fork {
        let fork = current.withLock { current -> Result<Fork, Failure> in
            guard isWanted() else { return .failure(.system(SystemError("fork", code: ECANCELED))) }
            if let zygote = current {
                if mayFork(zygote), let answer = zygote.fork(kind, socket, errors, hasInput) {
                    return take(answer, of: zygote, &current)
                }
                _ = end(&current)
            }
            guard isWanted() else { return .failure(.system(SystemError("fork", code: ECANCELED))) }
            do throws(SystemError) {
                let zygote = try launch(errors)
                current = zygote
                if let answer = zygote.fork(kind, socket, errors, hasInput) {
                    return take(answer, of: zygote, &current)
                }
                return .failure(.lost(zygote.id, end(&current)))
            } catch {
                return .failure(.system(error))
            }
        }
        return try fork.get()
    }

    /// No other worker comes of that zygote. Those that live stay as they are.
    func retire(_ generation: Int) {
        record.withLock { record in
            if record.generation == generation { record.isRetired = true }
        }
    }

    /// A worker of that zygote has ended.
    func lost(_ generation: Int, _ reason: DecoderEvent.Reason) {
        let limit = users.withLock(\.workers)
        switch reason.suspicion {
        case .none: break
        case .slight:
            record.withLock { record in
                guard record.generation == generation else { return }
                record.losses += 1
                if record.losses >= limit { record.isRetired = true }
            }
        case .grave: retire(generation)
        }
    }

    private func mayFork(_ zygote: Process) -> Bool {
        // Cannot trap: the settings bound it.
        zygote.forks < 4 * users.withLock(\.workers) && !record.withLock(\.isRetired)
    }

    private func launch(_ errors: OwnedDescriptor) throws(SystemError) -> Process {
        let (ours, theirs) = try WireSocket.pair()
        let process = try launcher.launch(socket: theirs.descriptor.raw, errors: errors.raw)
        let generation = record.withLock { record in
            record = Record(generation: record.generation + 1)
            return record.generation
        }
        return Process(id: process, socket: ours, generation: generation, siblings: ChildProcesses())
    }

    private func take(
        _ answer: WireForkReply, of zygote: Process, _ current: inout Process?
    ) -> Result<Fork, Failure> {
        guard answer.process > 0 else { return .failure(.system(SystemError("clone", code: answer.error))) }
        workers.withLock { _ = $0.insert(answer.process) }
        if answer.process == zygote.id {
            // It could not fork, and is the worker now.
            current = nil
        } else {
            current?.forks += 1
        }
        return .success(Fork(process: answer.process, generation: zygote.generation))
    }

    /// Milliseconds that a zygote has to end by itself.
    private static let grace: Int32 = 1_000

    /// It has nothing to lose, and no children. A zygote that is forking tells of the fork before it ends by itself. If it were
    /// killed at that moment, the daemon would have a child that it does not know of and never waits for.
    private func end(_ current: inout Process?) -> ProcessEnd {
        guard let zygote = current else { return .unknown }
        current = nil
        zygote.socket.endSending()
        zygote.socket.awaitEnd(milliseconds: Self.grace)
        kill(zygote.id, SIGKILL)
        let end = ProcessEnd(waitingFor: zygote.id)
        zygote.endUnheardFork()
        endStrays(of: zygote)
        return end
    }

    /// Ends forks that nobody knows of: the zygote was killed between a fork and its answer.
    ///
    /// The launching thread has no children but zygotes of this object and their forks, and none is forked meanwhile. So a
    /// child that was not handed out is a stray, and no supervisor waits for it.
    private func endStrays(of zygote: Process) {
        let children = zygote.siblings.now
        let strays = workers.withLock { workers in
            // Not by `children`: those of zygotes that other threads launched are not among them, and must stay known.
            workers = workers.filter { kill($0, 0) == 0 || errno != ESRCH }
            return children.subtracting(workers)
        }
        for stray in strays {
            kill(stray, SIGKILL)
            _ = ProcessEnd(waitingFor: stray)
        }
    }
}

extension Zygote.Process {
    /// Nil if it has ended, or says something else.
    fileprivate func fork(
        _ kind: WorkerKind, _ worker: WireSocket, _ errors: OwnedDescriptor, _ hasInput: (WireSocket) -> Bool
    ) -> WireForkReply? {
        guard
            (try? socket.send(WireForkOrder(kind).encoded, descriptors: [worker.descriptor, errors])) != nil,
            hasInput(socket), case .message(let bytes, _)? = try? socket.receive()
        else { return nil }
        return WireForkReply(bytes)
    }

    /// It has ended, and may have said before that it forked, when nobody listened any more: the fork is a child that
    /// nobody would wait for.
    fileprivate func endUnheardFork() {
        guard socket.hasInput, case .message(let bytes, _)? = try? socket.receive(),
            let worker = WireForkReply(bytes)?.process, worker > 0, worker != id
        else { return }
        kill(worker, SIGKILL)
        _ = ProcessEnd(waitingFor: worker)
    }
}
