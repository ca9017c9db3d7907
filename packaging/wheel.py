"""A Python wheel that carries the program: wheel.py BINARY FOLDER writes FOLDER/prequel_checker-VERSION-….whl and says its name.

Only the standard library is needed. The program is installed beside `python`, so that `prequel` is found in the environment.
"""

import base64
import hashlib
import pathlib
import platform
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

NAME = "prequel_checker"


def main(binary: str, folder: str) -> None:
    here = pathlib.Path(__file__).resolve().parent
    version = subprocess.run(["sh", here / "version.sh"], capture_output=True, text=True, check=True).stdout.strip()
    system = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    if system.startswith("linux") and (libc := platform.libc_ver())[0] == "glibc":
        # What was linked here runs wherever the C library is not older.
        system = f"manylinux_{libc[1].replace('.', '_')}_{platform.machine()}"
    tag = f"py3-none-{system}"
    with tempfile.TemporaryDirectory() as stage:
        program = pathlib.Path(stage, "prequel")
        program.write_bytes(pathlib.Path(binary).read_bytes())
        program.chmod(0o755)
        subprocess.run(["strip", program], stderr=subprocess.DEVNULL, check=False)
        contents = program.read_bytes()
    info = f"{NAME}-{version}.dist-info"
    description = (here.parent / "README.md").read_text(encoding="utf-8")
    metadata = (
        f"Metadata-Version: 2.1\nName: {NAME.replace('_', '-')}\nVersion: {version}\n"
        "Summary: What you run before SPIN: compositional reduction and verification\n"
        "License: MIT OR Apache-2.0\nRequires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n"
    )
    files = {
        f"{NAME}-{version}.data/scripts/prequel": contents,
        f"{info}/METADATA": (metadata + description).encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: prequel\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
    }
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"]:
        files[f"{info}/licenses/{licence}"] = (here.parent / licence).read_bytes()

    def digest(data: bytes) -> str:
        return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()

    record = "".join(f"{name},sha256={digest(data)},{len(data)}\n" for name, data in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    path = pathlib.Path(folder, f"{NAME}-{version}-{tag}.whl")
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as wheel:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if name.endswith("/prequel") else 0o100644) << 16
            wheel.writestr(entry, data)
    print(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
