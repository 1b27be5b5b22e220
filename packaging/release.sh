# `./x release`, sourced by `x`: builds all files of a release in target/release-VERSION. docs/releasing.md describes
# the files and the other steps of a release. Two builds of one commit are identical, even in different folders.
# shellcheck shell=bash

# The glibc version of Debian 12, the oldest system on which the binaries must run, and the system libraries that they
# may link. The Vulkan loader is not one of them, because it is opened at run time.
readonly MAX_GLIBC=2.36
readonly SYSTEM_LIBRARIES='^(libc\.so\.6|libm\.so\.6|libdl\.so\.2|libpthread\.so\.0|librt\.so\.1|libutil\.so\.1|libgcc_s\.so\.1|ld-linux.*)$'
readonly STAGE=target/release-stage # unpacked contents of the archives

# run_release [--dirty]: --dirty allows files that differ from the commit.
run_release() {
    local changes
    setup
    provide_wheel_tools
    changes=$(in_git status --porcelain)
    [[ -z $changes || ${1:-} == --dirty ]] ||
        die 'a release needs a commit without changes, but these files have changed (--dirty builds one anyway):' "$changes"
    make_release
    say "release: $(release_folder)"
    (cd "$(release_folder)" && cat SHA256SUMS)
}

version_of() { sed -n 's/^version = "\(.*\)"/\1/p' "$1/Cargo.toml" | head -n 1; }
release_folder() { echo "target/release-$(version_of .)"; }

# In containers the checkout may belong to another user.
in_git() { git -c safe.directory="$PWD" "$@"; }

# The crates come first, because they are checked in the development build, without the linker and path settings below.
make_release() {
    local out platform
    out=$(release_folder)
    platform=$(uname -m)-linux-gnu
    SOURCE_DATE_EPOCH=$(in_git log -1 --format=%ct)
    export SOURCE_DATE_EPOCH LC_ALL=C
    locked=(--locked)
    rm -rf "$out" "$STAGE"
    mkdir -p "$out/crates" "$STAGE"
    licences=required
    release_crates
    link_statically
    without_build_paths
    release_program
    release_libraries
    release_python
    check_binaries
    release_notes >"$out/RELEASE-NOTES.md"
    (cd "$out" && find . -type f ! -name SHA256SUMS -printf '%P\0' | sort -z | xargs -0 sha256sum >SHA256SUMS)
}

# --- the parts of a release ----------------------------------------------------------------------

# Packs the crates and checks that they work together, as in every test run. ORDER lists them in publishing order.
release_crates() {
    say 'packing the crates'
    packages
    cp target/package/*.crate "$out/crates/"
    publishing_order >"$out/crates/ORDER"
}

publishing_order() {
    local package names
    names=$(published)
    for package in $names; do
        echo "$package $package"
        cargo tree "${locked[@]}" -p "$package" --depth 1 --edges normal,build --prefix none |
            sed -n "1d; s|^\([^ ]*\) v[^ ]* (/.*|\1 $package|p"
    done | tsort
}

# The linker finds the static C++ library first in this folder, so programs do not need the shared one.
link_statically() {
    local folder=$PWD/target/static-libraries
    rm -rf "$folder"
    mkdir -p "$folder"
    ln -s "${SHADERC_LIB_DIR:-$PWD/$SHADERC}"/libshaderc_combined.a "$(c++ -print-file-name=libstdc++.a)" "$folder"
    export SHADERC_LIB_DIR=$folder
}

release_program() {
    local name folder program command
    name=multisplit-$(version_of .)-$platform
    folder=$STAGE/$name
    program=$folder/bin/multisplit
    say "building $name"
    cargo build "${locked[@]}" --release -p multisplit-cli --bin multisplit
    mkdir -p "$folder"/{bin,share/man/man1,share/doc/multisplit,share/bash-completion/completions} \
        "$folder"/share/{zsh/site-functions,fish/vendor_completions.d}
    cp "${CARGO_TARGET_DIR:-target}/release/multisplit" "$program"
    strip --strip-debug "$program"
    "$program" completions bash >"$folder/share/bash-completion/completions/multisplit"
    "$program" completions zsh >"$folder/share/zsh/site-functions/_multisplit"
    "$program" completions fish >"$folder/share/fish/vendor_completions.d/multisplit.fish"
    "$program" man >"$folder/share/man/man1/multisplit.1"
    for command in $("$program" --help | sed -n '/^Commands:/,/^$/ s/^  \([a-z]\+\) .*/\1/p'); do
        [[ $command == help ]] || "$program" man "$command" >"$folder/share/man/man1/multisplit-$command.1"
    done
    cp CHANGELOG.md docs/cli.md "$folder/share/doc/multisplit/"
    add_licences "$folder/share/licenses/multisplit" -p multisplit-cli
    cp LICENSE-* "$folder/share/licenses/multisplit/"
    pack "$name"
}

# Packs the files that `./x install-c` installs, and the examples.
release_libraries() {
    local option name folder
    for option in --no-glsl ''; do
        name=multisplit-c${option:--glsl}
        name=${name/--no-glsl/}-$(version_of engine/c)-$platform
        folder=$STAGE/$name
        say "building $name"
        # shellcheck disable=SC2086 # no argument if it is empty
        run_install_c "$PWD/$folder" $option
        mkdir -p "$folder/share/multisplit/examples"
        cp engine/c/examples/* "$folder/share/multisplit/examples/"
        pack "$name"
    done
}

release_python() {
    local folder=$STAGE/wheel wheel
    say 'building the wheel'
    build_wheel target/wheels --release
    check_wheel
    wheel=$(echo target/wheels/*.whl)
    cp "$wheel" "$out/"
    mkdir -p "$folder"
    "$PYTHON/bin/python" -m zipfile -e "$wheel" "$folder"
    compgen -G "$folder/multisplit-*.dist-info/licenses/LICENSE-THIRD-PARTY.txt" >/dev/null ||
        die "$wheel lacks the licences of the software that is linked into it"
    check_wheel_tag "$wheel" "$folder/multisplit/_native.abi3.so"
}

# Checks the glibc version in the name of the wheel: it must be the one that the library needs, but at least 2.17.
check_wheel_tag() {
    local needed
    needed=$(printf '%s\n' 2.17 "$(newest_glibc "$2")" | sort -V | tail -n 1)
    [[ $1 == *-cp310-abi3-manylinux_${needed/./_}_$(uname -m).whl ]] ||
        die "$1 needs glibc $needed, so its name must end in cp310-abi3-manylinux_${needed/./_}_$(uname -m).whl"
}

# Prints the release notes, with the section of this version in the changelog, or [Unreleased] if there is none.
release_notes() {
    local section
    section=$(version_of .)
    if ! grep -qF "## [$section]" CHANGELOG.md; then
        say "CHANGELOG.md has no section [$section]; the release notes are those of [Unreleased]" >&2
        section=Unreleased
    fi
    cat <<NOTES
# multisplit $(version_of .)

The binaries are for Linux on $(uname -m), with glibc $(all_binaries | newest_glibc_of_all) or newer (Debian 12 or newer, for example). They
need the Vulkan loader and a driver for Vulkan 1.2 (Debian: \`libvulkan1\`, and \`mesa-vulkan-drivers\` without a GPU).

| file | what |
|---|---|
| \`multisplit-$(version_of .)-$platform.tar.gz\` | the command line, with manual pages and shell completions |
| \`multisplit-c-$(version_of engine/c)-$platform.tar.gz\` | the libraries for C and C++, with headers, examples, and files for pkg-config and CMake |
| \`multisplit-c-glsl-$(version_of engine/c)-$platform.tar.gz\` | the same, with the compiler for functions in GLSL |
| \`$(basename target/wheels/*.whl)\` | the Python package, for CPython 3.10 and later |
| \`crates/\` | the Rust packages, in the order of \`crates/ORDER\` |
| \`SHA256SUMS\` | checksums of all files: \`sha256sum --check SHA256SUMS\` |

## Changes
NOTES
    awk -v start="## [$section]" '/^## \[/ { inside = index($0, start) == 1; next } inside' CHANGELOG.md
}

# pack NAME: makes an archive of a staged folder that depends only on the files in it and on the date of the commit.
pack() {
    tar --create --directory "$STAGE" --sort=name --format=gnu --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 \
        --numeric-owner --mode='u=rwX,go=rX' "$1" | gzip -n -9 >"$out/$1.tar.gz"
}

# --- checks of the binaries ----------------------------------------------------------------------

# Programs and shared libraries in the staged folders.
all_binaries() {
    local file
    find "$STAGE" -type f | while read -r file; do
        [[ $(head -c 4 "$file" | tr -d '\0') != $'\x7fELF' ]] || echo "$file"
    done
}

newest_glibc() { objdump -T "$1" | grep -o 'GLIBC_[0-9.]*' | cut -d _ -f 2 | sort -uV | tail -n 1; }
newest_glibc_of_all() { while read -r file; do newest_glibc "$file"; done | sort -uV | tail -n 1; }

check_binaries() {
    local file foreign glibc folder bad=no
    while read -r file; do
        foreign=$(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -Ev "$SYSTEM_LIBRARIES" | tr '\n' ' ') || true
        glibc=$(newest_glibc "$file")
        echo "${file#"$STAGE"/}: glibc $glibc"
        [[ -z $foreign ]] || { echo "error: $file needs libraries that are not allowed (SYSTEM_LIBRARIES): $foreign" && bad=yes; }
        printf '%s\n' "$glibc" "$MAX_GLIBC" | sort --check=quiet -V || {
            echo "error: $file needs glibc $glibc, but Debian 12 has $MAX_GLIBC; build it there: ./x release --on bookworm"
            bad=yes
        }
    done < <(all_binaries)
    for folder in "$PWD" "${CARGO_HOME:-$HOME/.cargo}" "$(rustc --print sysroot)" "$HOME"; do
        # Match only whole paths: `/multisplit/` in `share/multisplit/` is not the folder `/multisplit`.
        ! grep -raP "(?<![\\w.}\$-])\\Q$folder\\E/" --files-with-matches "$STAGE" || { echo "error: the files above contain a path of this system: $folder" && bad=yes; }
    done
    [[ $bad == no ]]
}
