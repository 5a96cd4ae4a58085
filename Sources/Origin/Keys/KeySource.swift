// SPDX-License-Identifier: Apache-2.0

internal import SourceURLs

/// The service that gives temporary keys of an object store to programs on this platform, and how it is asked.
package enum KeySource: Sendable, Hashable {
    /// A container's agent (Amazon ECS, "Task IAM role"; EKS Pod Identity).
    case container(url: String, authorization: Authorization)
    /// The metadata service of a machine, by its second version (Amazon EC2, "IMDSv2"), which takes no request that a
    /// page or a proxy could be led to send.
    case machine(endpoint: String)
    /// A security token service, which is shown the token that the platform keeps in a file (`AssumeRoleWithWebIdentity`).
    case webIdentity(endpoint: String, role: String, session: String, tokenFile: String)

    /// The authorization that a container's agent wants to see.
    package enum Authorization: Sendable, Hashable {
        case nothing
        case word(String)
        /// Read for each request, as it is replaced.
        case file(String)
    }

    /// Where the metadata service of machines is (RFC 3927 has it reach no farther than the machine).
    private static let machine = "http://169.254.169.254"
    /// Where agents of containers are: Amazon ECS, and EKS Pod Identity.
    private static let agents: Set<String> = [
        "169.254.170.2", "169.254.170.23", "fd00:ec2::23", "127.0.0.1", "localhost", "::1",
    ]

    /// By the names that Amazon's tools have given the variables; nil if they tell of nobody.
    /// - Parameters:
    ///   - region: whose token service is asked, unless a variable names one.
    ///   - asksMachine: true to ask the machine's metadata service where nobody else is named.
    /// - Throws: for somebody who would be asked over a network in the clear.
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
            ?? value("AWS_CONTAINER_AUTHORIZATION_TOKEN").map { .word($0) } ?? .nothing
        if let path = value("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") {
            // Without the slash it would go on with the host's name.
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

    /// The URL of a variable, if what is sent there stays on this machine or goes by TLS.
    private static func confidential(
        _ text: String?, _ variable: String
    ) throws(UnusableKeySource) -> String? {
        guard let text else { return nil }
        guard text.contains("://"), let url = try? SourceURL.parse(text), url.scheme.isWeb,
            url.scheme == .https || agents.contains(url.host)
        else { throw UnusableKeySource(variable: variable) }
        return text
    }

    /// A path is put behind it, and few servers take `//` for `/`.
    private static func withoutSlash(_ endpoint: String) -> String {
        endpoint.hasSuffix("/") ? String(endpoint.dropLast()) : endpoint
    }

    /// For people.
    package var name: String {
        switch self {
        case .container(let url, _): "the container's agent at \(url)"
        case .machine(let endpoint): "the machine's metadata service at \(endpoint)"
        case .webIdentity(let endpoint, let role, _, _): "the token service at \(endpoint) for \(role)"
        }
    }
}

/// A variable that names nobody who may be asked for keys.
package struct UnusableKeySource: Error, Sendable, Hashable {
    /// The variable's name.
    package let variable: String
}
