// SPDX-License-Identifier: Apache-2.0

internal import DecoderProtocol
internal import Jail

/// A reason why the daemon does not start, for failures that have no message of their own.
package struct StartupFailure: Error, CustomStringConvertible {
    /// A sentence for people.
    package let description: String
    /// True if a restart cannot help until somebody changes a setting or the machine.
    package let isLasting: Bool

    /// - Parameter kind: the kind of worker process.
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

    /// A sentence with the missing measures and the remedies.
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
