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

    package static let none = FallbackGrammar(names: [])

    package func fallback(in target: RequestTarget) -> Delivery.Fallback? {
        target.query.flatMap { Delivery.fallback(in: $0, names: names) }
    }
}
