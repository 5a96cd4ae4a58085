// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
internal import Synchronization

/// Closes large files, and every file on a disk that hangs, so that their last holder need not wait for close(2).
///
/// The last close(2) of a file without a name frees its blocks: for 64 MiB in 5 ms, in 45 ms once they are on the medium, and
/// whenever the file system's journal lets it. The last holder may be an event loop or the network thread, or hold a lock.
///
/// Files on a disk have one such thread and files in memory have another, because a disk may hang, and memory's room is needed
/// most while it does.
///
/// **Isolation:** a `Mutex` guards the queue of files; only the thread closes them.
final class ClosingThread: Sendable {
    private struct File: Sendable {
        let raw: Int32
        let budget: HeldBudget?
        let charged: Int
    }

    /// The size in bytes from which a file is large. close(2) of a smaller file takes 0.1 ms at most.
    static let large = 1 << 20

    static let disk = ClosingThread("closing-disk")
    static let memory = ClosingThread("closing-memory")

    private let waiting = Mutex<[File]>([])
    private let arrived = DispatchSemaphore(value: 0)
    private let isRunning = Atomic<Bool>(false)

    /// Starts the thread, which runs for ever.
    private init(_ name: String) {
        do throws(SystemError) {
            try WorkerThread(name) { [self] in run() }.detach()
            isRunning.store(true, ordering: .releasing)
        } catch {
            // Without the thread, the last holder of a file closes it.
        }
    }

    /// Takes over a descriptor and the bytes that its file is charged; the thread gives these back to the budget after close(2).
    /// Returns false if there is no thread.
    func take(_ raw: Int32, charged: Int, to budget: HeldBudget?) -> Bool {
        guard isRunning.load(ordering: .acquiring) else { return false }
        waiting.withLock { $0.append(File(raw: raw, budget: budget, charged: charged)) }
        arrived.signal()
        return true
    }

    private func run() {
        while true {
            arrived.wait()
            let files = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for file in files {
                close(file.raw)
                file.budget?.giveBack(file.charged)
            }
        }
    }
}
