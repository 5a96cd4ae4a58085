// SPDX-License-Identifier: Apache-2.0

package import Recipes

/// Everything a person can set, with its default. The settings table has the meaning, the unit and the reason of each. Each
/// group, with its rows of the table, is in a file beside this one.
package struct Settings: Sendable, Equatable {
    package var server = Server()
    package var limits = Limits()
    package var admin = Admin()
    package var signatures = Signatures()
    package var referers = Referers()
    package var cors = CORS()
    package var origin = Origin()
    package var s3 = S3()
    package var azure = Azure()
    /// The group `shared-store`.
    package var sharedStore = SharedStore()
    package var fleet = Fleet()
    package var decoder = Decoder()
    package var encoder = EncoderDefaults()
    package var output = Output()
    package var cache = Cache()
    package var negative = Negative()
    package var fallback = Fallback()
    package var options = Options()
    /// The group `client-hints`.
    package var hints = Hints()
    package var weserv = Weserv()
    package var next = Next()
    package var cloudflare = Cloudflare()
    package var imgproxy = Imgproxy()
    package var thumbor = Operations(path: "/thumbor", scheme: "http")
    package var imagor = Operations(path: "/imagor", scheme: "https")
    package var playground = Playground()
    package var traces = Traces()
    package var log = Log()
    /// Where the settings were set, for messages.
    package var places = SettingPlaces()

    package init() {}
}
