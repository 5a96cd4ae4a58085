// SPDX-License-Identifier: Apache-2.0

package import Answers
internal import ImageHeaders

extension ReportWords {
    /// The words of thumbor's `meta`.
    package static var thumbor: ReportWords {
        var words = ReportWords.native
        words.form = .sourceAndTarget
        return words
    }

    /// The words of imagor's `meta`.
    package static var imagor: ReportWords {
        ReportWords(
            progressive: "progressive", profile: "profile", alpha: "alpha", namesProfile: true,
            countsAllFrames: false, format: { $0 == .heic ? "heif" : $0.name }, form: .typed)
    }
}
