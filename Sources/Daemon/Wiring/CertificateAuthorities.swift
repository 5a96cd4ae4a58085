// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Kernel
internal import Origin
internal import Settings

/// The certificate authorities that are trusted for origins: the system's and those of `origin.certificate-authorities`. They are
/// in one file, because libcurl reads one.
struct CertificateAuthorities: Sendable {
    /// The authorities' certificates, in memory.
    let bundle: AuthorityBundle

    /// Nil if libcurl's default authorities suffice.
    /// - Parameter system: a file that replaces the system's authorities, as OpenSSL reads it from `SSL_CERT_FILE`.
    /// - Throws: if a file cannot be read, or holds no certificate.
    init?(_ settings: Settings, system: String?) throws(UnusableSetting) {
        let named = system.flatMap { $0.isEmpty ? nil : $0 }
        guard named != nil || !settings.origin.certificateAuthorities.isEmpty else { return nil }
        let files =
            named.map { [($0, "SSL_CERT_FILE")] }
            ?? (SystemAuthorities.path.map { [($0, Self.key)] } ?? []).filter {
                FileManager.default.fileExists(atPath: $0.0)
            }
        try self.init(files + settings.origin.certificateAuthorities.map { ($0, Self.key) })
    }

    private static let key = "origin.certificate-authorities"

    /// Only the authorities in these files.
    /// - Parameter key: the setting that names the files.
    init(_ paths: [String], key: String) throws(UnusableSetting) { try self.init(paths.map { ($0, key) }) }

    private init(_ files: [(path: String, key: String)]) throws(UnusableSetting) {
        var mistakes: [String] = []
        func read(_ path: String, _ key: String) -> Data {
            do {
                let text = try Data(smallFile: path)
                if text.firstRange(of: Data("-----BEGIN CERTIFICATE-----".utf8)) == nil {
                    mistakes.append("\(key): \(path) holds no certificate in PEM")
                }
                // The line feed makes the next file begin on a line of its own.
                return text + Data("\n".utf8)
            } catch {
                mistakes.append("\(key): \(path) cannot be read: \(error.fileReason)")
                return Data()
            }
        }
        var text = Data()
        for file in files { text += read(file.path, file.key) }
        guard mistakes.isEmpty else { throw UnusableSetting(mistakes) }
        do throws(SystemError) {
            bundle = try AuthorityBundle(Array(text))
        } catch {
            throw UnusableSetting(["\(files.last?.key ?? Self.key): no file in memory: \(error)"])
        }
    }
}

extension Settings {
    /// The authorities by the settings and this process's environment.
    var certificateAuthorities: CertificateAuthorities? {
        get throws(UnusableSetting) {
            try CertificateAuthorities(self, system: ProcessInfo.processInfo.environment["SSL_CERT_FILE"])
        }
    }
}
