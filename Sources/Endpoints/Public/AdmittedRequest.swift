// SPDX-License-Identifier: Apache-2.0

internal import Dialects
internal import HTTP1
internal import Signatures

/// A request for a picture, after it was admitted and before it is read.
struct AdmittedRequest {
    let request: Request
    let dialect: any Dialect
    /// Why the request is admitted, and its target without the signature.
    let admission: SignatureRule.Admission
}
