// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DecoderProtocol
internal import Glibc
internal import Kernel

/// Keeps one worker process alive and gives it jobs.
///
/// **Isolation:** immutable; `run` is the whole life of its thread.
struct Supervisor<Job: WorkerJob>: Sendable {
    /// The next task of the supervisor.
    enum Duty {
        case serve(JobTicket<Job>)
        /// Nothing, while its process has no job. `loans` is the number of jobs that the process has done for callers.
        case wait(loans: Int)
        /// The process has a former engine.
        case replace
        case leave
    }

    private struct StartFailure: Error {
        let words: String
        /// Required measures of the jail that are not available; trying again would not help.
        var lacks: [String] = []
    }

    let index: Int
    let wakeup: Wakeup
    let pool: WorkerPool<Job>

    func run() {
        var restarts = Restarts()
        while !pool.isClosing {
            do throws(StartFailure) {
                serve(try start(), &restarts)
            } catch {
                // The start was given up because the pool closes; nothing has failed.
                if pool.isClosing { break }
                let pause = restarts.pauseAfterFailure()
                pool.report(.cannotStart(error.words, retryIn: pause))
                if !error.lacks.isEmpty { pool.jailLacks(error.lacks) }
                pool.supervisorFailed(index, error.words, isFailedStart: true)
                sleep(pause)
            }
        }
        pool.supervisorEnded(index)
        // This thread may be the parent of other supervisors' processes, also in other pools.
        pool.zygote.awaitEnd()
    }

    // MARK: Starting

    /// Starts a process and waits for its handshake.
    private func start() throws(StartFailure) -> WorkerProcess {
        let settings = pool.settings
        var process: WorkerProcess
        do throws(Zygote.Failure) {
            // The deadline counts from this supervisor's turn, because another may be launching a zygote.
            process = try WorkerProcess(
                settings.kind, of: pool.zygote, measuresMemory: settings.measuresMemory, say: pool.report
            ) {
                !pool.isClosing
            } hasInput: {
                hasInput($0, until: SuspendingClock.now.advanced(by: settings.startDeadline))
            }
        } catch {
            switch error {
            case .system(let error): throw StartFailure(words: "\(pool.zygote.executable): \(error)")
            case .lost(_, let end):
                throw StartFailure(words: "no handshake from \(pool.zygote.executable): \(end)")
            }
        }
        guard let handshake = handshake(of: &process) else {
            // The zygote's other forks might fail in the same way.
            pool.zygote.retire(process.generation)
            let end = process.kill(grace: settings.shutdownGrace)
            throw StartFailure(words: "no handshake from \(pool.zygote.executable): \(end)")
        }
        guard handshake.jailLacks.isEmpty else {
            _ = process.kill(grace: settings.shutdownGrace)
            throw StartFailure(
                words: "the jail is required and lacks \(handshake.jailLacks.joined(separator: ", "))",
                lacks: handshake.jailLacks)
        }
        process.engine = handshake.engine
        pool.report(.started(handshake))
        pool.supervisorIsReady(
            index, handshake, of: process.generation, over: process.socket, memory: process.memory)
        return process
    }

    /// Waits for input; false if none comes in time, or if the pool is closing.
    private func hasInput(_ socket: WireSocket, until deadline: SuspendingClock.Instant) -> Bool {
        while !pool.isClosing {
            if socket.awaitInput(or: wakeup, milliseconds: deadline.pollTimeout) != 0 { return true }
            wakeup.clear()
            if SuspendingClock.now >= deadline { return false }
        }
        return false
    }

    /// Nil if no handshake comes in time, if another message comes, or if the pool is closing.
    private func handshake(of process: inout WorkerProcess) -> WireHandshake? {
        let deadline = SuspendingClock.now.advanced(by: pool.settings.startDeadline)
        while true {
            switch process.wait(for: wakeup, until: deadline) {
            case .woken where !pool.isClosing: continue
            case .woken, .expired: return nil
            case .readable:
                guard case .message(let bytes, _)? = try? process.socket.receive(),
                    let handshake = WireHandshake(bytes), handshake.process == process.id
                else { return nil }
                return handshake
            }
        }
    }

    /// Ends early if the pool closes.
    func sleep(_ pause: Duration) {
        let end = SuspendingClock.now.advanced(by: pause)
        while !pool.isClosing, SuspendingClock.now < end {
            wakeup.wait(milliseconds: end.pollTimeout)
        }
    }
}
