// SPDX-License-Identifier: Apache-2.0

internal import DecoderProtocol
internal import Glibc
internal import Kernel

extension Zygote {
    /// A running zygote.
    struct Process {
        let id: pid_t
        let socket: WireSocket
        let generation: Int
        /// The child processes of the thread that launched the zygote.
        let siblings: ChildProcesses
        var forks = 0
    }
}

extension Zygote.Process {
    /// Nil if the zygote has ended, or answers with another message.
    func fork(
        _ kind: WorkerKind, _ worker: WireSocket, _ errors: OwnedDescriptor, _ hasInput: (WireSocket) -> Bool
    ) -> WireForkReply? {
        guard
            (try? socket.send(WireForkOrder(kind).encoded, descriptors: [worker.descriptor, errors])) != nil,
            hasInput(socket), case .message(let bytes, _)? = try? socket.receive()
        else { return nil }
        return WireForkReply(bytes)
    }

    /// Ends a fork that the zygote reported just before its end, when nobody listened any more; nobody would wait for
    /// that child.
    func endUnheardFork() {
        guard socket.hasInput, case .message(let bytes, _)? = try? socket.receive(),
            let worker = WireForkReply(bytes)?.process, worker > 0, worker != id
        else { return }
        kill(worker, SIGKILL)
        _ = ProcessEnd(waitingFor: worker)
    }
}
