// SPDX-License-Identifier: Apache-2.0

package import RequestGrammar

/// How a dialect's URLs say where to send a client that cannot have its picture.
package struct FallbackGrammar: Sendable {
    /// Parameters that say it; the first that is there counts.
    var names: [String]
    /// It leads anywhere while the settings name no hosts.
    var isOpen = false
    /// A request whose fallback leads where it may not is refused, whether the fallback is needed or not.
    var isChecked = false

    /// URLs of the dialect name no fallback.
    package static let none = FallbackGrammar(names: [])

    /// Nil where no parameter of `names` is there, or the first of them cannot be read.
    package func fallback(in target: RequestTarget) -> Delivery.Fallback? {
        target.query.flatMap { Delivery.fallback(in: $0, names: names) }
    }
}
