// SPDX-License-Identifier: Apache-2.0

internal import CCurl

/// The certificate authorities that this system trusts.
package enum SystemAuthorities {
    /// The PEM file that libcurl was built to read; nil if it reads none.
    package static var path: String? { ccurl_authorities().map { String(cString: $0) } }
}
