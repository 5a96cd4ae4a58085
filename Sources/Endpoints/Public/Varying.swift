// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

extension Fields {
    /// Adds names to `Vary` that it does not have (RFC 9110 §12.5.5).
    mutating func vary(by names: [String]) {
        var varying = (combined("Vary") ?? "").split(separator: ",").map { String($0.drop { $0 == " " }) }
        for name in names where !varying.contains(where: { Fields.same($0, name) }) { varying.append(name) }
        set("Vary", varying.joined(separator: ", "))
    }
}
