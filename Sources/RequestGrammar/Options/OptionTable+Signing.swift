// SPDX-License-Identifier: Apache-2.0

extension OptionTable {
    /// The options that are judged before an endpoint reads the others (see `CanonicalQuery`).
    static let signing: [RequestOption] = [
        RequestOption(
            "exp", values: CanonicalQuery.times,
            meaning: "from this moment on the URL is answered with a 410; no cache is told to keep it longer",
            role: .signing),
        RequestOption(
            "sig", values: "43 characters of base64url",
            meaning: "the signature over all that the URL says, see Signed URLs", role: .signing),
    ]
}
