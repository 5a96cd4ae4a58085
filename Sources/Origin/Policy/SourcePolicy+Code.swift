// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Clients
internal import Hashing

extension SourcePolicy {
    /// A code of all rules. Equal rules give the same code in any order, even after a restart.
    var code: String {
        let lists: [[String]] = [
            allowedHosts.map(\.text), deniedHosts.map(\.text), allowedURLs.map(\.text),
            deniedURLs.map(\.text),
            addresses.allowed.map(\.code), addresses.denied.map(\.code), [addresses.ports.text],
            ["\(addresses.allowsPrivate)"],
        ]
        let text = lists.map { $0.sorted().joined(separator: " ") }.joined(separator: "\n")
        return SHA256.digest(of: text.utf8).hex
    }
}
