import Platform
import Testing

/// What client and server prove to each other.
@Suite(
  "a server that wants and gives proof",
  .enabled(if: TestServer.isInstalled && access("/usr/bin/openssl", X_OK) == 0),
  .timeLimit(.minutes(30)))
struct ServerProofTests {
  /// A server on the loopback that wants passwords, with a certificate.
  private func server(certificateDays days: Int, at address: String) -> TestServer {
    let server = TestServer([
      "fsync=off", "listen_addresses=\(address)", "ssl=on", "ssl_cert_file=server.crt",
      "ssl_key_file=server.key",
    ]) { folder in
      let made = spawnAndWait([
        "/bin/sh", "-c",
        """
        exec >/dev/null 2>&1; cd \(folder)/data &&
        openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ../ca.crt -subj /CN=ca -days 3 &&
        openssl req -new -newkey rsa:2048 -nodes -keyout server.key -out server.csr \
          -subj /CN=db.test &&
        printf 'subjectAltName=DNS:db.test,IP:\(address)' > names &&
        openssl x509 -req -in server.csr -CA ../ca.crt -CAkey ca.key -CAcreateserial -extfile names \
          -days \(days) -out server.crt &&
        chmod 600 server.key && { chown postgres server.key || true; }
        """,
      ])
      #expect(made == 0, "no certificate could be made")
    }
    server.configure("pg_hba.conf", ["hostssl all all 127.0.0.0/8 scram-sha-256"])
    server.restart()
    return server
  }

  private func worker(_ url: String, _ password: String) async -> Outcome {
    let launch = Launch(
      arguments: ["worker", "--once", "--journal", url], environment: ["PGPASSWORD": password])
    return await onThread { Running(launch).finish() }
  }

  @Test("is used with a password and a certificate that is valid, and not with others")
  func proofs() async {
    let server = server(certificateDays: 2, at: "127.0.0.7")
    defer { server.stop() }
    let place = ClusterFolder("", on: server)
    _ = await place.rows("CREATE ROLE w LOGIN PASSWORD 'right' IN ROLE raclette_worker")
    let url = "postgresql://w@127.0.0.7/\(place.database)"
    let proof = "?sslmode=verify-full&sslrootcert=\(server.folder)/ca.crt"
    let right = await worker(url + proof, "right")
    #expect(right.status == 0, "\(right)")
    let wrong = await worker(url + proof, "wrong")
    #expect(wrong.status == 1)
    #expect(wrong.errors.contains("password authentication failed for user \"w\""), "\(wrong)")
    #expect(wrong.errors.contains("; passwords come from ~/.pgpass"), "\(wrong)")
    let stranger = await worker(
      url + "?sslmode=verify-full&sslrootcert=/etc/ssl/certs/no-such-file.pem", "right")
    #expect(stranger.status == 1)
    #expect(stranger.errors.contains("or name it with sslrootcert=FILE"), "\(stranger)")
    // A role that is no worker.
    _ = await place.rows("CREATE ROLE nobody LOGIN PASSWORD 'right'")
    let nobody = await worker(
      "postgresql://nobody@127.0.0.7/\(place.database)" + proof, "right")
    #expect(nobody.status == 1 && nobody.errors.contains("does not allow this"), "\(nobody)")
  }

  @Test("is not used when its certificate has expired, and the message says where to look")
  func expired() async {
    let server = server(certificateDays: 0, at: "127.0.0.8")
    defer { server.stop() }
    let run = await worker(
      "postgresql://postgres@127.0.0.8/journal?sslmode=verify-full&sslrootcert=\(server.folder)/ca.crt",
      "right")
    #expect(run.status == 1)
    #expect(run.errors.contains("certificate verify failed"), "\(run)")
    #expect(
      run.errors.contains("is not valid by this machine's clock, or an authority other than"),
      "\(run)")
  }
}
