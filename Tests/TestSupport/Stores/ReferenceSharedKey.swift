// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Azure's Shared Key as the blob service checks it (Microsoft, "Authorize with Shared Key"), written for the tests alone: from the
/// bytes of a request's head, with a SHA-256 of its own, so that it shares nothing with the signer under test.
package struct ReferenceSharedKey: Sendable {
    package var account: String
    /// In base64, as Azure gives it.
    package var key: String

    package init(account: String, key: String) {
        self.account = account
        self.key = key
    }

    /// Why the request is refused, as Azure says it; nil if it is well signed.
    package func refusal(of head: String) -> String? {
        let lines = head.components(separatedBy: "\r\n")
        let words = lines[0].components(separatedBy: " ")
        guard words.count == 3 else { return "InvalidUri" }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() where !line.isEmpty {
            let colon = line.firstIndex(of: ":") ?? line.startIndex
            let name = line[..<colon].lowercased()
            guard fields[name] == nil else { return "InvalidHeaderValue" }
            fields[name] = line[colon...].dropFirst().trimmingCharacters(in: .whitespaces)
        }
        guard let version = fields["x-ms-version"], version >= "2015-02-21" else {
            return "UnsupportedHeader"
        }
        guard let given = fields["authorization"] else { return "NoAuthenticationInformation" }
        guard fields["x-ms-date"]?.hasSuffix(" GMT") == true else { return "InvalidAuthenticationInfo" }

        var text = words[0] + "\n"
        for name in [
            "content-encoding", "content-language", "content-length", "content-md5", "content-type", "date",
            "if-modified-since", "if-match", "if-none-match", "if-unmodified-since", "range",
        ] {
            text += (fields[name] ?? "") + "\n"
        }
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) where name.hasPrefix("x-ms-") {
            text += "\(name):\(value)\n"
        }
        let target = words[1].components(separatedBy: "?")
        text += "/\(account)\(target[0])"
        let parameters = target.dropFirst().joined().components(separatedBy: "&").filter { !$0.isEmpty }
        for parameter in parameters.sorted() {
            let pair = parameter.components(separatedBy: "=")
            text += "\n\(pair[0].lowercased()):\(pair[1].removingPercentEncoding ?? "?")"
        }
        let secret = Data(base64Encoded: key).map { Array($0) } ?? []
        let code = Data(ReferenceHash.code(Array(text.utf8), key: secret)).base64EncodedString()
        return given == "SharedKey \(account):\(code)" ? nil : "AuthenticationFailed"
    }
}
