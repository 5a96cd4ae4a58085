// SPDX-License-Identifier: Apache-2.0
//
// A zygote that is launched anew links the libraries that are installed by then, and they may have been upgraded since the
// daemon started. Results are keyed by the engine that made them, so no two engines serve one pool:
//
//     zygote 1: libvips 8.14    the packages are upgraded    zygote 2: libvips 8.16
//     workers A, B                                           worker C says so
//                                                            jobs are keyed by 8.16 from now on
//     A is idle: replaced by a fork of zygote 2
//     B makes its job, which is keyed by 8.14, and is replaced then

/// The engine that a pool's jobs are to be keyed by, which is the newest zygote's, and the processes that have another.
struct PoolEngine {
    /// Nil before the first handshake.
    private var newest: (name: String, generation: Int)?
    /// Supervisors whose process has another.
    private var outdated: Set<Int> = []

    /// The engine that this one takes the place of; nil if it is the first, the same, or an older zygote's.
    func former(to name: String, of generation: Int) -> String? {
        guard let newest, generation > newest.generation, name != newest.name else { return nil }
        return newest.name
    }

    /// A supervisor's process has named its engine.
    ///
    /// - Parameter others: supervisors that have a process as well.
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

    /// Whether the supervisor's process may take no job any more.
    func isOutdated(_ supervisor: Int) -> Bool { outdated.contains(supervisor) }
}
