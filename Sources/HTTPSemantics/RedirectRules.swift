// SPDX-License-Identifier: Apache-2.0

/// The rules by which redirects are followed, treated as a field of the request. They decide where a redirect may lead, so they
/// select the answer like the fields that `Vary` names (RFC 9111 §4.1). No origin gets this field.
package enum RedirectRules {
    /// The field's name.
    package static let field = "pictor-redirect-rules"
}
