// SPDX-License-Identifier: Apache-2.0
//
//     daemon ── starts ──▶ zygote: links the libraries, starts the engine, reads no picture, waits
//        │                   │ forks (CLONE_PARENT)
//        └──── parent ────▶ worker: enters its jail, reads pictures
//
// The relocated pages of a hundred libraries, libvips' types and Swift's metadata are the same in all workers of a pool,
// some 5 MB in each. Forks of one process share them until they write to them; so each pool has a process that does
// nothing but fork, as Android and Chromium have.
//
// What is shared is also known: a worker that is taken over knows the addresses, the stack protector's canary and the
// hash seeds of the others. So after a worker has crashed no other comes of the same zygote: who guesses at addresses has
// as many tries as there are processes, and then starts anew.

internal import DecoderProtocol
internal import Glibc
internal import Kernel
internal import Synchronization

/// The process that a pool's workers are forked from.
///
/// A worker is the daemon's child and not the zygote's: the daemon waits for it, and it outlives the zygote.
///
/// **Isolation:** the process in a `Mutex`, which is held while a worker is being forked. The kernel takes the thread that
/// launched a zygote for the parent of the zygote's forks too, so no supervisor's thread ends before all processes have.
final class Zygote: Sendable {
    enum Failure: Error {
        case system(SystemError)
        /// It has ended, or was killed because it did not answer.
        case lost(pid_t, ProcessEnd)
    }

    fileprivate struct Process {
        let id: pid_t
        let socket: WireSocket
    }

    private let launcher: Launcher
    private let current = Mutex<Process?>(nil)

    init(_ launcher: Launcher) { self.launcher = launcher }

    /// Forks a worker; launches a zygote first if there is none, or somebody has killed it.
    ///
    /// - Parameters:
    ///   - socket: the worker's end.
    ///   - errors: the standard error of the worker, and of a zygote that is launched for it.
    ///   - hasInput: waits; false if the wait is given up.
    /// - Returns: the worker's process id.
    func fork(
        socket: WireSocket, errors: OwnedDescriptor, hasInput: (WireSocket) -> Bool
    ) throws(Failure) -> pid_t {
        let worker = current.withLock { current -> Result<pid_t, Failure> in
            if let zygote = current {
                if let worker = zygote.fork(socket, errors, hasInput) { return take(worker, &current) }
                _ = Self.end(&current)
            }
            do throws(SystemError) {
                let zygote = try launch(errors)
                current = zygote
                if let worker = zygote.fork(socket, errors, hasInput) { return take(worker, &current) }
                return .failure(.lost(zygote.id, Self.end(&current)))
            } catch {
                return .failure(.system(error))
            }
        }
        return try worker.get()
    }

    /// The next worker comes of another zygote. Those that live stay as they are.
    func retire() { current.withLock { _ = Self.end(&$0) } }

    private func launch(_ errors: OwnedDescriptor) throws(SystemError) -> Process {
        let (ours, theirs) = try WireSocket.pair()
        return Process(
            id: try launcher.launch(socket: theirs.descriptor.raw, errors: errors.raw), socket: ours)
    }

    private func take(_ worker: pid_t, _ current: inout Process?) -> Result<pid_t, Failure> {
        guard worker > 0 else { return .failure(.system(SystemError("fork", code: EAGAIN))) }
        // It could not fork, and is the worker now.
        if worker == current?.id { current = nil }
        return .success(worker)
    }

    /// It has nothing to lose, and no children.
    private static func end(_ current: inout Process?) -> ProcessEnd {
        guard let zygote = current else { return .unknown }
        current = nil
        kill(zygote.id, SIGKILL)
        return ProcessEnd(waitingFor: zygote.id)
    }
}

extension Zygote.Process {
    /// Nil if it has ended, or says something else.
    fileprivate func fork(
        _ worker: WireSocket, _ errors: OwnedDescriptor, _ hasInput: (WireSocket) -> Bool
    ) -> pid_t? {
        guard (try? socket.send(WireFork().encoded, descriptors: [worker.descriptor, errors])) != nil,
            hasInput(socket), case .message(let bytes, _)? = try? socket.receive()
        else { return nil }
        return WireForked(bytes)?.process
    }
}
