/// The statements of submitters and readers, which are files.
enum SQLText {
  static var bundle: String { text(PackageResources.write_bundle_sql) }
  static var missing: String { text(PackageResources.read_missing_sql) }
  static var batch: String { text(PackageResources.read_batch_sql) }
  static var ends: String { text(PackageResources.read_ends_sql) }
  static var batches: String { text(PackageResources.read_batches_sql) }
  static var executions: String { text(PackageResources.read_executions_sql) }
  static var target: String { text(PackageResources.read_target_sql) }
  static var prune: String { text(PackageResources.prune_sql) }
  static var pruneBundles: String { text(PackageResources.prune_bundles_sql) }
  static var pruneBlobs: String { text(PackageResources.prune_blobs_sql) }
  static var queue: String { text(PackageResources.read_queue_sql) }
  static var places: String { text(PackageResources.read_places_sql) }
  static var output: String { text(PackageResources.read_output_sql) }
  static var ended: String { text(PackageResources.read_ended_sql) }
  static var jobs: String { text(PackageResources.read_jobs_sql) }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
