# SPDX-License-Identifier: Apache-2.0
"""Builds a wheel of the Python module (PEP 517), with the program and its recorders inside of the package.

Takes the build tree of RONDO_WHEEL_BUILD_DIR, or builds one in build/wheel. The wheel is for this machine's distribution:
it needs the shared libraries that the build found. Only the standard library is used.
"""
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]


def version():
    return re.search(r"^project\(rondo VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text(), re.MULTILINE)[1]


def metadata():
    return (f"Metadata-Version: 2.1\nName: rondo\nVersion: {version()}\nSummary: What does this MPI program say to itself?\n"
            "License: Apache-2.0\nRequires-Python: >=3.11\nRequires-Dist: numpy\nDescription-Content-Type: text/markdown\n\n"
            + (SOURCE / "docs" / "python.md").read_text())


def tag():
    abi = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{abi}-{abi}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def build_folder():
    named = os.environ.get("RONDO_WHEEL_BUILD_DIR")
    if named:  # from where the command was given: the sources may be those of an sdist, in a folder of their own
        for folder in (SOURCE / named, pathlib.Path(os.environ.get("PWD", "."), named)):
            if (folder / "cmake_install.cmake").is_file():
                return folder
        sys.exit(f"wheel_backend: RONDO_WHEEL_BUILD_DIR={named} is no folder with a build")
    folder = SOURCE / "build" / "wheel"
    subprocess.run(["cmake", "-S", SOURCE, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=ON",
                    "-DCMAKE_UNITY_BUILD_BATCH_SIZE=10"], check=True)
    subprocess.run(["cmake", "--build", folder], check=True)
    return folder


def installed(prefix):
    """What goes into the wheel, as (its name there, the file)."""
    package = prefix / "lib" / "python3" / "dist-packages" / "rondo"
    if not package.is_dir():
        sys.exit("wheel_backend: the build has no Python module; configuring it says what is missing")
    for path in sorted(package.iterdir()):
        if path.is_file():
            yield f"rondo/{path.name}", path
    yield "rondo/_installed/bin/rondo", prefix / "bin" / "rondo"
    for path in sorted((prefix / "lib" / "rondo").iterdir()):
        yield f"rondo/_installed/lib/rondo/{path.name}", path
    for path in sorted((prefix / "share" / "rondo").rglob("*")):
        if path.is_file():
            yield f"rondo/_installed/{path.relative_to(prefix)}", path


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = f"rondo-{version()}-{tag()}.whl"
    info = f"rondo-{version()}.dist-info"
    records = []
    build = build_folder()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory(dir=wheel_directory) as unfinished, \
            zipfile.ZipFile(pathlib.Path(unfinished, name), "w", zipfile.ZIP_DEFLATED) as wheel:

        def put(path, data, mode=0o644):
            entry = zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            records.append(f"{path},sha256={digest},{len(data)}")

        prefix = pathlib.Path(folder)
        # CMAKE_INSTALL_LIBDIR is where the recorders are; a wheel has them in lib/rondo.
        subprocess.run(["cmake", "--install", build, "--prefix", prefix, "--strip"], check=True, stdout=subprocess.DEVNULL)
        for path, file in installed(prefix):
            put(path, file.read_bytes(), 0o755 if os.access(file, os.X_OK) else 0o644)
        put(f"{info}/METADATA", metadata().encode())
        put(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: rondo\nRoot-Is-Purelib: false\nTag: {tag()}\n".encode())
        put(f"{info}/LICENSE", (SOURCE / "LICENSE").read_bytes())
        put(f"{info}/RECORD", ("\n".join([*records, f"{info}/RECORD,,"]) + "\n").encode())
        wheel.close()
        os.replace(pathlib.Path(unfinished, name), pathlib.Path(wheel_directory, name))
    return name


def build_sdist(sdist_directory, config_settings=None):
    """What git has of this commit."""
    name = f"rondo-{version()}"
    path = pathlib.Path(sdist_directory, f"{name}.tar.gz")
    subprocess.run(["git", "-C", SOURCE, "archive", f"--prefix={name}/", "-o", path.resolve(), "HEAD"], check=True)
    return path.name
