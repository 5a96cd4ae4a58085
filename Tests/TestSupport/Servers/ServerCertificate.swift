// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A certificate that nobody but itself vouches for, and its key, as PEM files in a folder.
package struct ServerCertificate: Sendable {
    /// Path.
    package let certificate: String
    /// Path.
    package let key: String

    /// - Parameter name: whom it is for, as openssl(1) spells it.
    package init(in folder: String, for name: String = "IP:127.0.0.1") throws {
        certificate = folder + "/certificate.pem"
        key = folder + "/key.pem"
        let made = try Program.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-days", "2", "-subj", "/CN=server", "-addext", "subjectAltName=\(name)", "-keyout", key,
            "-out", certificate,
        ])
        guard made?.status == 0 else { throw POSIXError(.ENOEXEC) }
    }
}
