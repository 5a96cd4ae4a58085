// SPDX-License-Identifier: Apache-2.0
//
//     daemon ── starts ──▶ zygote: links the libraries, starts the engine, reads no picture, waits
//        │                   │ forks (CLONE_PARENT)
//        └──── parent ────▶ worker: enters its jail, reads pictures
//
// The relocated pages of a hundred libraries, libvips' types and Swift's metadata are the same in all workers, some 5 MB
// in each. Forks of one process share these pages until they write to them. So a zygote process exists only to be forked,
// as in Android and Chromium. Decoders and inspectors are forks of the same zygote.
//
// Forks of one zygote share secrets: an attacker in one worker knows the addresses, the stack protector's canary and the
// hash seeds of the others. So after a crash of a worker, its zygote is replaced. Somebody who guesses addresses has only
// as many tries as there are processes, and then has to start again. Ends that are less suspicious are counted, and so are
// forks, and the zygote is replaced after a number of them, because what an attacker has learned is useless in the forks
// of another zygote.

internal import CLinux
internal import DecoderProtocol
internal import Glibc
internal import Kernel
internal import Synchronization

/// The process that the workers of all pools are forked from.
///
/// A worker is the daemon's child and not the zygote's, so the daemon waits for it, and it outlives the zygote.
///
/// **Isolation:** the process is in a `Mutex`, which is held while a worker is being forked or a zygote launched. The
/// record about it is in another, which is held only for a moment, so that the report of an end does not wait for a start.
/// To the kernel, the thread that launched a zygote is the parent of the zygote's forks too, so no supervisor's thread of
/// any pool ends before all processes have ended.
package final class Zygote: Sendable {
    enum Failure: Error {
        case system(SystemError)
        /// The zygote has ended, or was killed because it did not answer.
        case lost(pid_t, ProcessEnd)
    }

    /// A worker's process id, and the number of its zygote, counted from 1.
    struct Fork {
        let process: pid_t
        let generation: Int
    }

    /// What is known about the zygote that was launched last.
    private struct Record {
        var generation = 0
        var losses = 0
        var isRetired = false
    }

    /// The supervisors that may ask for forks.
    private struct Users {
        /// The number of supervisors that have not left.
        var supervisors = 0
        /// The number of workers at a time. A zygote is replaced after this many suspicious losses, or after four times
        /// as many forks. With fewer forks the workers would seldom come from one zygote, and share less.
        var workers = 0
        var hasEnded = false
        /// Signalled once the last supervisor has left.
        var ending: Wakeup?
    }

    private let launcher: Launcher
    private let current = Mutex<Process?>(nil)
    /// Process ids of forks that were handed out and may have ended; changed only while `current` is held.
    private let workers = Mutex<Set<pid_t>>([])
    private let record = Mutex(Record())
    private let users = Mutex(Users())

    /// Starts no process yet.
    package init(_ program: WorkerProgram) {
        pictor_heed_children()
        launcher = Launcher(executable: program.executable, arguments: program.words)
    }

    /// The path of the program.
    var executable: String { launcher.executable }

    /// Registers a pool with this many workers at a time, each with a supervisor. No pool may join once all have
    /// left.
    func join(workers: Int) throws(SystemError) {
        let ending = try Wakeup()
        users.withLock { users in
            // Cannot trap: the settings bound the numbers.
            users.supervisors += workers
            users.workers += workers
            users.ending = users.ending ?? ending
        }
    }

    /// Unregisters a supervisor that has no process and starts none any more. The last one ends the zygote.
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
                // The other threads wait too, and the first to wake has consumed the signal.
                ending?.signal()
                return
            }
            ending?.wait()
        }
    }

    /// Forks a worker. Launches a zygote first if there is none, or if it was killed.
    ///
    /// - Parameters:
    ///   - kind: the worker's work.
    ///   - socket: the worker's end.
    ///   - errors: the standard error of the worker, and of a zygote that is launched for it.
    ///   - isWanted: checked before each attempt; false if nothing may be started any more.
    ///   - hasInput: waits for input at a socket; false if the wait is given up.
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

    /// Makes sure that no further worker is forked from that zygote. Living workers are not affected.
    func retire(_ generation: Int) {
        record.withLock { record in
            if record.generation == generation { record.isRetired = true }
        }
    }

    /// Records that a worker of that zygote has ended.
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
        // Cannot trap: the settings bound the number.
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
            // The zygote could not fork, and has become the worker itself.
            current = nil
        } else {
            current?.forks += 1
        }
        return .success(Fork(process: answer.process, generation: zygote.generation))
    }

    /// The time in milliseconds that a zygote gets to end by itself.
    private static let grace: Int32 = 1_000

    /// Ends the zygote, which has no data to lose and no children. A zygote that is just forking reports the fork before it
    /// ends by itself. If it were killed at that moment, the daemon would have a child that it does not know and never waits
    /// for.
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

    /// Ends unknown forks, which exist if the zygote was killed between a fork and its answer.
    ///
    /// The launching thread has no other children than zygotes of this object and their forks, and nothing is forked
    /// meanwhile. So a child that was not handed out is a stray, for which no supervisor waits.
    private func endStrays(of zygote: Process) {
        let children = zygote.siblings.now
        let strays = workers.withLock { workers in
            // `children` cannot be used here: forks of zygotes that other threads launched are not in it, and must
            // stay known.
            workers = workers.filter { kill($0, 0) == 0 || errno != ESRCH }
            return children.subtracting(workers)
        }
        for stray in strays {
            kill(stray, SIGKILL)
            _ = ProcessEnd(waitingFor: stray)
        }
    }
}
