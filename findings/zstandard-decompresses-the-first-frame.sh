#!/bin/sh
# zstandard 0.25.0 and lz4 4.4.5 beside pyzstd 0.20.0, backports.zstd 1.8.0 (PyPI), Python 3.11's gzip and
#   zstd 1.5.4 (Debian 12, installed).
# Behaviour: a file may be several frames, one behind the other. `decompress` of zstandard returns the
#   content of the first, without an error, and so do `read_to_iter` and `decompressobj`;
#   `zstandard.open`, `stream_reader` and `copy_stream` of the same library go on to the end. lz4 has
#   the same two sides. The others return all of it.
# Expected: all calls of one library see the same content, and what is left over is an error.
# Who meets it: logs that are appended to, `zstd -c day >>log.zst`, parts that are joined with cat, and
#   formats with a frame for each block or chunk: the size of the data shrinks when somebody replaces
#   `open` by `decompress`, and small samples, which have one frame, are right.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q zstandard==0.25.0 lz4==4.4.5 pyzstd==0.20.0 backports.zstd==1.8.0
cd "$work"
for line in one two; do
  echo $line >part
  zstd -q -c part >>log.zst
  gzip -c part >>log.gz
done
cat >trial.py <<'END'
import gzip, io, subprocess
import backports.zstd, lz4.frame, pyzstd, zstandard

data = open("log.zst", "rb").read()

def lines(name, content):
    print(f"{name}: {content.count(bytes([10]))} lines")

def copied():
    target = io.BytesIO()
    zstandard.ZstdDecompressor().copy_stream(io.BytesIO(data), target)
    return target.getvalue()

new = zstandard.ZstdDecompressor
lines("zstd -dc", subprocess.run(["zstd", "-dc", "log.zst"], capture_output=True).stdout)
lines("zstandard.decompress", zstandard.decompress(data))
lines("zstandard read_to_iter", b"".join(new().read_to_iter(io.BytesIO(data))))
lines("zstandard decompressobj", new().decompressobj().decompress(data))
lines("zstandard.open", zstandard.open("log.zst").read())
lines("zstandard stream_reader", new().stream_reader(io.BytesIO(data)).read())
lines("zstandard copy_stream", copied())
lines("pyzstd.decompress", pyzstd.decompress(data))
lines("backports.zstd.decompress", backports.zstd.decompress(data))
lines("gzip.decompress", gzip.decompress(open("log.gz", "rb").read()))
with open("log.lz4", "wb") as file:
    file.write(lz4.frame.compress(b"one\n") + lz4.frame.compress(b"two\n"))
lines("lz4.frame.decompress", lz4.frame.decompress(open("log.lz4", "rb").read()))
lines("lz4.frame.open", lz4.frame.open("log.lz4").read())
END
"$work/env/bin/python" trial.py | tee seen
cat >expected <<'END'
zstd -dc: 2 lines
zstandard.decompress: 1 lines
zstandard read_to_iter: 1 lines
zstandard decompressobj: 1 lines
zstandard.open: 2 lines
zstandard stream_reader: 2 lines
zstandard copy_stream: 2 lines
pyzstd.decompress: 2 lines
backports.zstd.decompress: 2 lines
gzip.decompress: 2 lines
lz4.frame.decompress: 1 lines
lz4.frame.open: 2 lines
END
diff seen expected
