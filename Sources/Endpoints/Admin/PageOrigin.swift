// SPDX-License-Identifier: Apache-2.0

internal import HTTP1
internal import HTTPSemantics

/// The page for which a browser sends a request.
enum PageOrigin {
    /// True if a browser says that a page of another origin sends the request (cross-site request forgery). Other clients do not send
    /// such fields.
    ///
    /// `Sec-Fetch-Site` (W3C Fetch Metadata, §2.1) decides if it is present, as it is on trustworthy origins; a proxy's new `Host`
    /// does not affect it. Otherwise `Origin` (RFC 6454 §7) must name the request's own authority.
    static func isForeign(_ request: Request) -> Bool {
        let sites = request.fields.values("Sec-Fetch-Site")
        if !sites.isEmpty { return !sites.allSatisfy { $0 == "same-origin" || $0 == "none" } }
        return !request.fields.values("Origin").allSatisfy { origin in
            guard let scheme = origin.firstRange(of: "://") else { return false }
            return origin[scheme.upperBound...].lowercased() == request.authority.lowercased()
        }
    }
}
