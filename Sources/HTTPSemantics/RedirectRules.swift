// SPDX-License-Identifier: Apache-2.0

/// The rules by which redirects are followed, as if they were a field of the request: where a redirect leads is judged by them, so
/// they choose the answer as much as the fields do that `Vary` names (RFC 9111 §4.1). No origin gets this field.
package enum RedirectRules {
    /// The field's name.
    package static let field = "pictor-redirect-rules"
}
