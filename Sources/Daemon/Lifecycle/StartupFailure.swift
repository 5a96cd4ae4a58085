// SPDX-License-Identifier: Apache-2.0

internal import DecoderPool
internal import DecoderProtocol
internal import Jail

/// Why the daemon does not start, where the room that failed has no such words itself.
package struct StartupFailure: Error, CustomStringConvertible {
    package let description: String
    /// Trying again is of no use until somebody changes a setting or the machine.
    package let isLasting: Bool

    /// - Parameter kind: of worker process.
    init(starting kind: String, _ failure: DecoderFailure) {
        switch failure {
        case .jailLacks(let measures):
            isLasting = true
            description = Self.sentence(on: measures)
        case .unavailable(let words):
            isLasting = false
            description = "No \(kind) can be started: \(words)."
        default:
            isLasting = false
            description = "No \(kind) can be started: \(failure)."
        }
    }

    /// One sentence: what is missing, and what to do.
    static func sentence(on measures: [String]) -> String {
        var remedies: [String] = []
        for remedy in measures.map(Jail.remedy) where !remedies.contains(remedy) { remedies.append(remedy) }
        return
            "decoder.jail is require, and this machine does not permit \(measures.joined(separator: ", ")): "
            + (remedies + ["or set decoder.jail to prefer, which makes pictures without"]).joined(
                separator: "; ")
            + "."
    }
}
