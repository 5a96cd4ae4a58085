// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Foundation

/// The processors that this process and its children may use together: those that it may run on (sched_getaffinity(2)),
/// and no more than the quotas of its control groups come to, which a container or a unit with CPUQuota= sets. With more
/// decoders than that each gets a part of a processor, a part of the memory, and stands still while the quota is spent.
enum ProcessorLimit {
    /// One at least.
    static let count: Int = least(
        ofMachine: ofMachine, allowed: Int(pictor_allowed_processors()),
        quotas: quotas(ControlGroups.own, read: ControlGroups.read))

    /// The processors of the machine, of which the threads of libdispatch know alone. One at least.
    static var ofMachine: Int { max(1, ProcessInfo.processInfo.activeProcessorCount) }

    /// - Parameters:
    ///   - allowed: 0 if that is not known.
    ///   - quotas: processors, each one at least.
    static func least(ofMachine: Int, allowed: Int, quotas: [Int]) -> Int {
        (quotas + (allowed > 0 ? [allowed] : [])).reduce(ofMachine, min)
    }

    /// The processors that the quotas of all control groups of the process allow; a part counts as a whole one.
    ///
    /// - Parameters:
    ///   - groups: the text of /proc/self/cgroup.
    ///   - read: gives a file's text; nil for a missing file.
    static func quotas(_ groups: String, read: (String) -> String?) -> [Int] {
        ControlGroups.bounding("cpu", in: groups).compactMap { group in
            let files = group.isUnified ? ["cpu.max"] : ["cpu.cfs_quota_us", "cpu.cfs_period_us"]
            // Microseconds of processor time, and of the time for which they are given; `max` and -1 are no quota.
            let words = files.compactMap { read("\(group.path)/\($0)") }.joined(separator: " ")
                .split(whereSeparator: \.isWhitespace)
            guard words.count == 2, let quota = Int(words[0]), let period = Int(words[1]), quota > 0,
                period > 0
            else { return nil }
            return (quota - 1) / period + 1
        }
    }
}
