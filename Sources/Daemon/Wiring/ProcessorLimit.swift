// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Foundation

/// The processors that this process and its children may use together: those that it may run on (sched_getaffinity(2)), but no
/// more than the quotas of its control groups allow, which a container or a unit with CPUQuota= sets. More decoders than that
/// would share processors and memory, and would all pause whenever the quota is used up.
enum ProcessorLimit {
    /// The number of processors, at least one; a part counts as a whole one.
    static let count = whole(Self.time)

    /// Seconds of processor time that they give in a second, which a quota may bound to less than one.
    static let time = least(
        ofMachine: ofMachine, allowed: Int(pictor_allowed_processors()),
        quotas: quotas(ControlGroups.own, read: ControlGroups.read))

    static func whole(_ processors: Double) -> Int { max(1, Int(exactly: processors.rounded(.up)) ?? 1) }

    /// The processors of the machine, which is what libdispatch counts; at least one.
    static var ofMachine: Int { max(1, ProcessInfo.processInfo.activeProcessorCount) }

    /// - Parameters:
    ///   - allowed: the processors that the process may run on; 0 if unknown.
    ///   - quotas: the quotas in processors.
    static func least(ofMachine: Int, allowed: Int, quotas: [Double]) -> Double {
        (quotas + (allowed > 0 ? [Double(allowed)] : [])).reduce(Double(ofMachine), min)
    }

    /// The processors that the quotas of all control groups of the process allow.
    ///
    /// - Parameters:
    ///   - groups: the text of /proc/self/cgroup.
    ///   - read: gives a file's text; nil for a missing file.
    static func quotas(_ groups: String, read: (String) -> String?) -> [Double] {
        ControlGroups.bounding("cpu", in: groups).compactMap { group in
            let files = group.isUnified ? ["cpu.max"] : ["cpu.cfs_quota_us", "cpu.cfs_period_us"]
            // The quota is a number of microseconds of processor time within a period in microseconds; `max` and -1 mean no
            // quota.
            let words = files.compactMap { read("\(group.path)/\($0)") }.joined(separator: " ")
                .split(whereSeparator: \.isWhitespace)
            guard words.count == 2, let quota = Int(words[0]), let period = Int(words[1]), quota > 0,
                period > 0
            else { return nil }
            return Double(quota) / Double(period)
        }
    }
}
