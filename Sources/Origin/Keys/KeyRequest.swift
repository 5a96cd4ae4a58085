// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Foundation
internal import HTTPSemantics
internal import Kernel

/// Requests keys from a source.
package struct KeyRequest {
    /// How many seconds the metadata service's session is valid; this is the most that the service grants.
    private static let session = "21600"
    /// The most bytes of a token in a file.
    private static let longestToken = 64 << 10

    private let transfer: BlockingTransfer

    private init(_ transfer: BlockingTransfer) { self.transfer = transfer }

    /// Requests the source's present keys. Blocks for at most 15 seconds.
    /// - Throws: if the source gives none; the message contains no secret.
    package static func keys(
        from source: KeySource, _ authorities: AuthorityBundle?
    ) throws(TransferFailure) -> TemporaryKeys {
        guard
            let transfer = BlockingTransfer(
                limits: (connect: 2, total: 5), authorities: authorities, isOver: { false })
        else { throw TransferFailure("libcurl cannot be had") }
        return try KeyRequest(transfer).keys(from: source)
    }

    private func keys(from source: KeySource) throws(TransferFailure) -> TemporaryKeys {
        let keys =
            switch source {
            case .container(let url, let authorization):
                TemporaryKeys(document: try answer("GET", url, try fields(authorization)))
            case .machine(let endpoint): try machineKeys(endpoint)
            case .webIdentity(let endpoint, let role, let session, let tokenFile):
                try identityKeys(endpoint, role, session, try token(in: tokenFile))
            }
        guard let keys else { throw TransferFailure("the answer has no keys") }
        return keys
    }

    private func machineKeys(_ endpoint: String) throws(TransferFailure) -> TemporaryKeys? {
        let token = try answer(
            "PUT", endpoint + "/latest/api/token",
            [Fields.Field("X-aws-ec2-metadata-token-ttl-seconds", Self.session)])
        let fields = [Fields.Field("X-aws-ec2-metadata-token", try word(token))]
        let roles = endpoint + "/latest/meta-data/iam/security-credentials/"
        let names = try answer("GET", roles, fields).prefix { $0 != UInt8(ascii: "\n") }
        let role = try word(Array(names))
        return TemporaryKeys(document: try answer("GET", roles + PercentEscape.encode(role), fields))
    }

    private func identityKeys(
        _ endpoint: String, _ role: String, _ session: String, _ token: String
    ) throws(TransferFailure) -> TemporaryKeys? {
        let parameters = [
            ("Action", "AssumeRoleWithWebIdentity"), ("Version", "2011-06-15"), ("RoleArn", role),
            ("RoleSessionName", session), ("WebIdentityToken", token),
        ]
        let form = parameters.map { "\($0)=\(PercentEscape.encode($1))" }.joined(separator: "&")
        return TemporaryKeys(
            xml: try answer(
                "POST", endpoint + "/", [Fields.Field("Content-Type", "application/x-www-form-urlencoded")],
                body: Array(form.utf8)))
    }

    private func fields(_ authorization: KeySource.Authorization) throws(TransferFailure) -> [Fields.Field] {
        let value: [UInt8]
        switch authorization {
        case .nothing: return []
        case .value(let text): value = Array(text.utf8)
        case .file(let path): value = try line(of: path)
        }
        let words = value.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.allSatisfy(Self.isWord) else {
            throw TransferFailure("the authorization for the agent is no value of a field")
        }
        return [Fields.Field("Authorization", String(decoding: value, as: UTF8.self))]
    }

    private func token(in path: String) throws(TransferFailure) -> String { try word(try line(of: path)) }

    /// The first line of a file, without its end.
    private func line(of path: String) throws(TransferFailure) -> [UInt8] {
        guard let file = FileHandle(forReadingAtPath: path),
            let bytes = try? file.read(upToCount: Self.longestToken)
        else { throw TransferFailure("\(path) cannot be read") }
        return Array(bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
    }

    /// The bytes as a word whose characters may be in a field or a path.
    private func word(_ bytes: [UInt8]) throws(TransferFailure) -> String {
        guard Self.isWord(bytes[...]) else { throw TransferFailure("the answer is no word") }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isWord(_ bytes: ArraySlice<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { (0x21...0x7E).contains($0) }
    }

    private func answer(
        _ method: String, _ url: String, _ fields: [Fields.Field], body: [UInt8] = []
    ) throws(TransferFailure) -> [UInt8] {
        let sent = method == "GET" ? nil : Body.bytes(ImmutableBytes(body))
        let status = try transfer.perform(method, url, fields, body: sent)
        guard status == 200 else { throw transfer.refusal(status) }
        return transfer.answer
    }
}
