/// The look-up of the executions of one entry by the index of keys.
enum EntryLookUp {
  /// A query for the executions with a key, from about the execution with a number on. It asks each run
  /// of the index for them, in the order of the runs, and passes over numbers that no execution has:
  /// in a damaged journal there may be more of them than anybody can count.
  ///
  /// - Parameters:
  ///   - columns: what to select of them, under the name `equal`.
  ///   - key, first: SQL of the key and of the number, which may be those of a row of an outer query.
  ///   - condition: SQL about `equal`.
  static func sql(
    _ columns: String, key: String, from first: String, where condition: String
  ) -> String {
    """
    WITH RECURSIVE run(number) AS (
      SELECT \(first) >> 16
      UNION ALL
      SELECT (SELECT id >> 16 FROM execution WHERE id >= (number + 1) << 16 ORDER BY id LIMIT 1)
        FROM run WHERE number < (SELECT max(id) >> 16 FROM execution))
    SELECT \(columns) FROM run CROSS JOIN execution AS equal INDEXED BY execution_by_entry
      ON equal.id >> 16 = run.number AND equal.key = \(key) WHERE \(condition)
    """
  }
}
