// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// Fields that limit what a page can do, even if text from outside got into it as markup.
package enum PageSecurity {
    /// A page loads nothing from other origins, has no script or style in its markup, strings do not become markup (Trusted
    /// Types), and no page may frame this one.
    package static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
        + "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; "
        + "require-trusted-types-for 'script'; trusted-types 'none'"

    /// Adds the fields to the fields of an answer.
    package static func append(to fields: inout Fields) {
        fields.append("Content-Security-Policy", policy)
        fields.append("X-Content-Type-Options", "nosniff")
        fields.append("Referrer-Policy", "no-referrer")
        fields.append("Cross-Origin-Opener-Policy", "same-origin")
        fields.append("Cross-Origin-Resource-Policy", "same-origin")
        fields.append("X-Frame-Options", "DENY")
    }
}
