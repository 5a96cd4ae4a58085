// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
internal import Synchronization

/// Closes large files, and all on a disk that hangs, behind whoever lets go of them last.
///
/// The last close(2) of a file without a name frees its blocks: for 64 MiB in 5 ms, in 45 ms once they are on the medium, and
/// whenever the file system's journal lets it. The last holder may be an event loop or the network thread, or hold a lock.
///
/// There is one for files on a disk, which may hang, and one for those in memory, whose room is needed most while it does.
///
/// **Isolation:** a `Mutex` around what waits; the thread alone closes.
final class ClosingThread: Sendable {
    private struct File: Sendable {
        let raw: Int32
        let budget: HeldBudget?
        let charged: Int
    }

    /// Bytes from which a file is large. Smaller ones take 0.1 ms at most.
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
            // Without it, files are closed where they are let go of.
        }
    }

    /// Takes a descriptor over, and what its file is charged, which is given back once it is closed. False without a thread.
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
