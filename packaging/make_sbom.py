#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists what a build of Rondo is made of, as SPDX 2.3 in JSON: Debian packages of the shared libraries that its files
need, of libraries and headers that are compiled in, and modules of npm in the page of `rondo report`.

  packaging/make_sbom.py --build build/release --version 0.1.0 --output rondo.spdx.json

What is not of a Debian package (a library of one's own) is listed by its path, without a version.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import time
import os

LICENSE = re.compile(r"^License:[ \t]*(\S[^\n]*)", re.MULTILINE)


def output_of(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    return done.stdout


def own_files(build):
    """The program, the Python module, recorders, modules that are loaded (readers, SimGrid) and what stands beside them."""
    found = [build / "bin" / "rondo", *build.glob("lib/librondo_record_*.so"), *build.glob("lib/librondo_convert.so"),
             *build.glob("lib/librondo_simgrid.so"),
             *build.glob("lib/rondo_replay_*"), *build.glob("lib/rondo_calibrate_*"), *build.glob("python/rondo/_rondo*.so")]
    return [path for path in found if path.is_file()]


def needed_libraries(path):
    """Everything that the loader would map, with what is needed by what is needed: names that are asked for, by file."""
    libraries = {}
    for line in output_of("ldd", path).splitlines():
        name, _, place = line.strip().partition(" => ")
        place = (place or name).split(" (")[0]  # the loader has no arrow
        if place.startswith("/"):
            libraries[os.path.realpath(place)] = pathlib.Path(name.split(" (")[0]).name
    return libraries


def compiled_in(build):
    """Headers and static libraries of the system that our objects were made of; tests and benchmarks are left out."""
    files, is_ours = set(), False
    for line in output_of("ninja", "-C", build, "-t", "deps").splitlines():
        if not line.startswith(" "):
            target = line.partition(":")[0]
            folder = re.search(r"CMakeFiles/(\w+)\.dir/", target)
            is_ours = folder is not None and folder[1].startswith("rondo_") and not folder[1].startswith("rondo_test")
        elif is_ours and line.strip().startswith("/usr/"):
            files.add(line.strip())
    targets = [path.relative_to(build) for path in own_files(build)]
    for word in re.findall(r"\S+\.a\b", output_of("ninja", "-C", build, "-t", "commands", *targets)):
        if word.startswith("/usr/"):
            files.add(word)
    return files


def packages_of(files):
    """Debian's packages with these files, and the files that are of none. Where /lib is /usr/lib a file has two names, of
    which the package has one."""
    asked = {}
    for path in files:
        real = os.path.realpath(path)
        for name in {path, real, real.removeprefix("/usr")}:
            asked[name] = path
    packages, placed, names = {}, set(), sorted(asked)
    for start in range(0, len(names), 2000):
        for line in output_of("dpkg-query", "-S", *names[start:start + 2000]).splitlines():
            owners, _, path = line.partition(": ")
            if path in asked and not owners.startswith("diversion"):
                placed.add(asked[path])
                for owner in owners.split(", "):
                    packages.setdefault(owner.partition(":")[0], set()).add(asked[path])
    return packages, set(files) - placed


def facts_of(package):
    fields = output_of("dpkg-query", "-W", "-f", "${Version}\\t${source:Package}\\t${Homepage}", package).split("\t")
    version, source, homepage = (fields + ["", "", ""])[:3]
    copyright_file = pathlib.Path("/usr/share/doc", package, "copyright")
    licenses = []
    if copyright_file.is_file():
        text = copyright_file.read_text(errors="replace")
        if text.startswith("Format:"):
            licenses = sorted({match.strip() for match in LICENSE.findall(text)})
    return version, source, homepage, licenses


def identifier(text):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", text)


def debian_entry(package, role):
    version, source, homepage, licenses = facts_of(package)
    entry = {"SPDXID": identifier(f"deb-{package}"), "name": package, "versionInfo": version, "downloadLocation": "NOASSERTION",
             "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION",
             "copyrightText": "NOASSERTION", "comment": role,
             "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                               "referenceLocator": f"pkg:deb/debian/{package}@{version}"}]}
    if homepage:
        entry["homepage"] = homepage
    if source:
        entry["sourceInfo"] = f"built from Debian's source package {source}"
    if licenses:
        entry["licenseComments"] = "Debian's copyright file names: " + ", ".join(licenses)
    return entry


def npm_entries(build):
    """What the page of the report has: modules that the lock file calls for at run time."""
    lock = build / "report" / "web" / "package-lock.json"
    if not lock.is_file():
        return
    for path, facts in json.loads(lock.read_text())["packages"].items():
        if path and not facts.get("dev"):
            name = path.rpartition("node_modules/")[2]
            license_name = facts.get("license", "NOASSERTION")
            yield {"SPDXID": identifier(f"npm-{name}"), "name": name, "versionInfo": facts["version"],
                   "downloadLocation": facts.get("resolved", "NOASSERTION"), "filesAnalyzed": False,
                   "licenseConcluded": "NOASSERTION", "licenseDeclared": license_name, "copyrightText": "NOASSERTION",
                   "comment": "bundled into the page of rondo report",
                   "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                     "referenceLocator": f"pkg:npm/{name}@{facts['version']}"}]}


def file_entry(path):
    return {"SPDXID": identifier("file-" + path.strip("/")), "name": path, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION",
            "comment": "of no Debian package"}


def document(build, version):
    libraries = {}
    for path in own_files(build):
        libraries |= needed_libraries(path)
    shared, lost = packages_of(libraries)
    inside, lost_inside = packages_of(compiled_in(build))
    entries, links = [], []
    own = {"SPDXID": "SPDXRef-rondo", "name": "rondo", "versionInfo": version, "downloadLocation": "NOASSERTION",
           "filesAnalyzed": False, "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0",
           "copyrightText": "NOASSERTION", "primaryPackagePurpose": "APPLICATION"}

    def add(entry, relation):
        entries.append(entry)
        links.append({"spdxElementId": "SPDXRef-rondo", "relationshipType": relation, "relatedSpdxElement": entry["SPDXID"]})

    for package in sorted(shared):
        names = sorted({libraries[path] for path in shared[package]})
        add(debian_entry(package, "shared libraries: " + ", ".join(names)), "DYNAMIC_LINK")
    for package in sorted(set(inside) - set(shared)):
        archives = sorted({pathlib.Path(path).name for path in inside[package] if path.endswith(".a")})
        role = "linked in: " + ", ".join(archives) if archives else "headers"
        add(debian_entry(package, role), "STATIC_LINK" if archives else "BUILD_DEPENDENCY_OF")
        if not archives:  # the other way round
            links[-1] = {"spdxElementId": entries[-1]["SPDXID"], "relationshipType": "BUILD_DEPENDENCY_OF",
                         "relatedSpdxElement": "SPDXRef-rondo"}
    for entry in npm_entries(build):
        add(entry, "CONTAINS")
    for path in sorted(lost | lost_inside):
        add(file_entry(path), "DEPENDS_ON")
    when = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"rondo-{version}",
            "documentNamespace": f"https://rondo.invalid/spdx/rondo-{version}-{time.strftime('%Y%m%dT%H%M%SZ', when)}",
            "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", when), "creators": ["Tool: rondo-make_sbom.py"]},
            "packages": [own, *entries],
            "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                               "relatedSpdxElement": "SPDXRef-rondo"}, *links]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    if not (options.build / "bin" / "rondo").is_file():
        sys.exit(f"make_sbom.py: {options.build} has no bin/rondo; build it first")
    options.output.write_text(json.dumps(document(options.build.resolve(), options.version), indent=1) + "\n")


if __name__ == "__main__":
    main()
