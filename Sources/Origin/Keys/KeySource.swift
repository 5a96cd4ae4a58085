// SPDX-License-Identifier: Apache-2.0

internal import SourceURLs

/// The service that issues temporary keys for an object store to programs on this platform.
package enum KeySource: Sendable, Hashable {
    /// A container's agent (Amazon ECS, "Task IAM role"; EKS Pod Identity).
    case container(url: String, authorization: Authorization)
    /// The metadata service of a machine, in its second version (Amazon EC2, "IMDSv2"), which rejects requests that a page or a
    /// proxy could be tricked into sending.
    case machine(endpoint: String)
    /// A security token service, which gets the token that the platform keeps in a file (`AssumeRoleWithWebIdentity`).
    case webIdentity(endpoint: String, role: String, session: String, tokenFile: String)

    /// The authorization that a container's agent expects.
    package enum Authorization: Sendable, Hashable {
        case nothing
        /// The value of the field: a word, or a scheme and a word (`Basic …`).
        case value(String)
        /// The path of a file with the value, which is read for each request because the platform replaces it.
        case file(String)
    }

    /// Where the metadata service of machines is (a link-local address, RFC 3927).
    private static let machine = "http://169.254.169.254"
    /// Addresses of agents of containers: Amazon ECS, and EKS Pod Identity.
    private static let agents: Set<String> = [
        "169.254.170.2", "169.254.170.23", "fd00:ec2::23", "127.0.0.1", "localhost", "::1",
    ]

    /// Reads the variables that Amazon's tools use; nil if they name no source.
    /// - Parameters:
    ///   - region: the region of the token service, unless a variable names one.
    ///   - asksMachine: true to use the machine's metadata service if no other source is named.
    /// - Throws: if a source would be asked over a network without encryption.
    package init?(
        _ environment: [String: String], region: String, asksMachine: Bool
    ) throws(UnusableKeySource) {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        if let file = value("AWS_WEB_IDENTITY_TOKEN_FILE"), let role = value("AWS_ROLE_ARN") {
            self = .webIdentity(
                endpoint: try Self.confidential(value("AWS_ENDPOINT_URL_STS"), "AWS_ENDPOINT_URL_STS")
                    .map(Self.withoutSlash) ?? AmazonService.tokens.url(in: region),
                role: role, session: value("AWS_ROLE_SESSION_NAME") ?? "pictor", tokenFile: file)
            return
        }
        let authorization: Authorization =
            value("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE").map { .file($0) }
            ?? value("AWS_CONTAINER_AUTHORIZATION_TOKEN").map { .value($0) } ?? .nothing
        if let path = value("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") {
            // Without the slash, the path would extend the host's name.
            guard path.hasPrefix("/") else {
                throw UnusableKeySource(variable: "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")
            }
            self = .container(url: "http://169.254.170.2" + path, authorization: authorization)
        } else if let url = try Self.confidential(
            value("AWS_CONTAINER_CREDENTIALS_FULL_URI"), "AWS_CONTAINER_CREDENTIALS_FULL_URI")
        {
            self = .container(url: url, authorization: authorization)
        } else if asksMachine {
            let endpoint = value("AWS_EC2_METADATA_SERVICE_ENDPOINT")
            self = .machine(endpoint: endpoint.map(Self.withoutSlash) ?? Self.machine)
        } else {
            return nil
        }
    }

    /// The URL in a variable, if requests to it stay on this machine or use TLS.
    private static func confidential(
        _ text: String?, _ variable: String
    ) throws(UnusableKeySource) -> String? {
        guard let text else { return nil }
        guard text.contains("://"), let url = try? SourceURL.parse(text), url.scheme.isWeb,
            url.scheme == .https || agents.contains(url.host)
        else { throw UnusableKeySource(variable: variable) }
        return text
    }

    /// A path is appended, and few servers take `//` for `/`.
    private static func withoutSlash(_ endpoint: String) -> String {
        endpoint.hasSuffix("/") ? String(endpoint.dropLast()) : endpoint
    }

    /// The name of the source, for people.
    package var name: String {
        switch self {
        case .container(let url, _): "the container's agent at \(url)"
        case .machine(let endpoint): "the machine's metadata service at \(endpoint)"
        case .webIdentity(let endpoint, let role, _, _): "the token service at \(endpoint) for \(role)"
        }
    }
}

/// A variable that names a source which must not be asked for keys.
package struct UnusableKeySource: Error, Sendable, Hashable {
    /// The variable's name.
    package let variable: String
}
