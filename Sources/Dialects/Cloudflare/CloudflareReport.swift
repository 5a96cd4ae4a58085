// SPDX-License-Identifier: Apache-2.0

package import Answers
internal import ImageHeaders

extension ReportWords {
    /// The words of Cloudflare's `format=json`: the result's size, and the original's size, media type and bytes.
    package static var cloudflare: ReportWords {
        ReportWords(
            progressive: "progressive", profile: "profile", alpha: "alpha", namesProfile: true,
            countsAllFrames: false, format: \.mediaType, form: .originalApart)
    }
}
