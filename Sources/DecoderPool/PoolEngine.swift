// SPDX-License-Identifier: Apache-2.0
//
// A new zygote links the libraries that are installed at that time, which may have been upgraded since the daemon started.
// Keys contain the engine's name, so two engines must not serve one pool:
//
//     zygote 1: libvips 8.14    the packages are upgraded    zygote 2: libvips 8.16
//     workers A, B                                           worker C says so
//                                                            jobs are keyed by 8.16 from now on
//     A is idle: replaced by a fork of zygote 2
//     B finishes its job, which is keyed by 8.14, and is then replaced

/// The engine for the keys of a pool's jobs, which is the newest zygote's, and the processes with another engine.
struct PoolEngine {
    /// The newest engine; nil before the first handshake.
    private var newest: (name: String, generation: Int)?
    /// Supervisors whose process has another engine.
    private var outdated: Set<Int> = []

    /// The engine that this one replaces; nil if this is the first or the same engine, or that of an older
    /// zygote.
    func former(to name: String, of generation: Int) -> String? {
        guard let newest, generation > newest.generation, name != newest.name else { return nil }
        return newest.name
    }

    /// Records the engine of a supervisor's process.
    ///
    /// - Parameter others: the other supervisors that have a process.
    mutating func take(_ name: String, of generation: Int, by supervisor: Int, others: [Int]) {
        outdated.remove(supervisor)
        if former(to: name, of: generation) != nil {
            outdated.formUnion(others)
        } else if let newest, name != newest.name {
            outdated.insert(supervisor)
            return
        }
        newest = (name, max(generation, newest?.generation ?? 0))
    }

    /// Whether the supervisor's process may not take jobs any more.
    func isOutdated(_ supervisor: Int) -> Bool { outdated.contains(supervisor) }
}
