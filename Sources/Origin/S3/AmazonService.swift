// SPDX-License-Identifier: Apache-2.0

/// The services of Amazon that are asked where the settings name no others. A region's partition has a domain of its own
/// (https://docs.aws.amazon.com/whitepapers/latest/aws-fault-isolation-boundaries/partitions.html).
package enum AmazonService: String, Sendable {
    /// The object store.
    case store = "s3"
    /// The security token service.
    case tokens = "sts"

    /// Its URL in a region.
    package func url(in region: String) -> String {
        "https://\(rawValue).\(region).\(Self.domain(of: region))"
    }

    private static func domain(of region: String) -> String {
        if region.hasPrefix("cn-") { return "amazonaws.com.cn" }
        if region.hasPrefix("eusc-") { return "amazonaws.eu" }
        return "amazonaws.com"
    }
}
