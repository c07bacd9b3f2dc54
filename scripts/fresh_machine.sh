#!/bin/bash
# The README's commands on a fresh machine: a new Debian 12 in a folder, the tree's last commit cloned into it, and no
# cache of any kind. Prints how long each command took. Needs root and debootstrap (scripts/install_deps.sh fresh).
#
#   scripts/fresh_machine.sh [--as WHO]... [--cache FOLDER] [--folder FOLDER] [--limit SECONDS] [--keep] [COMMAND...]
#
#   --as WHO          root; user (an ordinary one, with sudo); bare (a uid that no file knows, without HOME, sudo and
#                     /dev/shm; the packages are there before). Each WHO has a machine of its own. Default: root, user
#   --cache FOLDER    keeps the packages that Debian itself consists of, for the next time
#   --folder FOLDER   where the machines are made (default: a new one in $TMPDIR or /var/tmp)
#   --limit SECONDS   for everything; what no time is left for is skipped, with status 77 (default: 5400)
#   --keep            leaves the machines there
#   COMMAND           default: "make demo" "make test"; the same once more behind them: twice in a row
#
# Packages come from where this machine's apt has them. All mounts are made in a mount namespace of this script's own
# and end with it, whatever ends it.
set -euo pipefail

as=() commands=() cache="" folder="" limit=5400 keep=""
while [[ $# -gt 0 ]]; do
    case "$1" in
        --as) as+=("${2:?--as: say root, user or bare}"); shift ;;
        --cache) cache=$(realpath -m "${2:?--cache: a folder is missing}"); shift ;;
        --folder) folder=$(realpath -m "${2:?--folder: a folder is missing}"); shift ;;
        --limit) limit=${2:?--limit: a number of seconds is missing}; shift ;;
        --keep) keep=yes ;;
        -*) echo "fresh_machine.sh: \"$1\" is no option; see the head of this file" >&2; exit 2 ;;
        *) commands+=("$1") ;;
    esac
    shift
done
[[ ${#as[@]} -gt 0 ]] || as=(root user)
[[ ${#commands[@]} -gt 0 ]] || commands=("make demo" "make test")
for who in "${as[@]}"; do
    [[ $who =~ ^(root|user|bare)$ ]] || { echo "fresh_machine.sh: --as $who: say root, user or bare" >&2; exit 2; }
done

skip() { echo "skipped: fresh machine: $1"; exit 77; }
[[ $EUID -eq 0 ]] || skip "it needs root, to make the machine's folders and mounts"
command -v debootstrap > /dev/null || skip "debootstrap is not installed (scripts/install_deps.sh fresh)"
unshare --mount --pid --fork true 2> /dev/null || skip "this machine does not allow mount namespaces"

top=$(cd "$(dirname "$0")/.." && pwd)
began=$SECONDS
left() { echo $((limit - (SECONDS - began))); }
made=""
[[ -n $folder ]] || { folder=$(mktemp -d "${TMPDIR:-/var/tmp}/xsched-fresh-XXXXXX"); made=yes; }
mkdir -p "$folder"

clean_up() {
    [[ -z $keep ]] || { echo "kept: $folder"; return; }
    for root in "$folder"/debian "$folder"/as-*; do
        [[ -d $root ]] || continue
        # Nothing can be mounted here, outside of the namespaces; if something is, it is not ours to delete.
        if grep -q " $root/" /proc/self/mountinfo; then echo "left, since it has mounts: $root" >&2; continue; fi
        rm -rf --one-file-system "$root"
    done
    [[ -z $made ]] || rmdir --ignore-fail-on-non-empty "$folder"
}
trap clean_up EXIT
# A process that runs in a namespace ends first, and its mounts with it.
child=""
trap '[[ -z $child ]] || { kill "$child"; wait "$child"; } 2> /dev/null || true; exit 130' INT TERM HUP
in_namespaces() {  # COMMAND...: within the time that is left
    timeout --kill-after=10 "$(left)" unshare --mount --pid --fork --kill-child "$@" < /dev/null &
    child=$!
    local ended=0
    wait "$child" || ended=$?
    child=""
    return $ended
}

# This machine's Debian: "URI SUITE COMPONENT", its updates and security included.
codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-bookworm}")
sources=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
          awk -v name="$codename" '($2 == name || index($2, name "-") == 1) && $3 == "main"' | sort -u)
mirror=$(awk -v name="$codename" '$2 == name { print $1; exit }' <<< "$sources")
[[ -n $mirror ]] || skip "apt has no source of $codename here"

make_debian() {
    [[ ! -e $folder/debian/etc/apt/apt.conf.d/90host ]] || return 0  # kept from before
    local options=(--variant=minbase --include=make,git,ca-certificates,sudo)
    [[ -z $cache ]] || { mkdir -p "$cache"; options+=(--cache-dir="$cache"); }
    in_namespaces debootstrap "${options[@]}" "$codename" "$folder/debian" "$mirror" \
        > "$folder/debootstrap.log" 2>&1 || {
            tail -5 "$folder/debootstrap.log" >&2
            [[ $(left) -gt 0 ]] || echo "there were $limit s for everything, and they are over" >&2
            return 1
        }
    sed 's/^/deb /' <<< "$sources" > "$folder/debian/etc/apt/sources.list"
    apt-config dump | grep -E '^Acquire::(http|https|ftp)::' > "$folder/debian/etc/apt/apt.conf.d/90host" || true
    cp -L /etc/resolv.conf /etc/hosts "$folder/debian/etc/"
    rm -f "$folder/debootstrap.log"
}

make_machine() {  # WHO
    local root=$folder/as-$1
    [[ ! -e $root ]] || { echo "fresh_machine.sh: $root is there from before: delete it" >&2; return 1; }
    cp -a "$folder/debian" "$root"
    git -c safe.directory='*' clone --quiet --no-hardlinks "$top" "$root/srv/xsched"
    case "$1" in
        user)
            chroot "$root" useradd --create-home --shell /bin/bash tester
            echo 'tester ALL=(ALL) NOPASSWD: ALL' > "$root/etc/sudoers.d/tester"
            chroot "$root" chown -R tester: /srv/xsched ;;
        bare)
            in_machine "$1" root "scripts/install_deps.sh" > /dev/null
            chroot "$root" chown -R 12345:12345 /srv/xsched ;;
    esac
}

# Runs a command in the machine of WHO, with a clean environment; its processes and mounts end with it.
in_machine() {  # WHO USER COMMAND
    local enter="cd /srv/xsched && $3" shm='mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm"' run
    local clean=(env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb)
    case "$2" in
        root) run=("${clean[@]}" HOME=/root chroot "$folder/as-$1" bash -c "$enter") ;;
        user) run=("${clean[@]}" chroot "$folder/as-$1" su -l tester -c "$enter") ;;
        bare) run=("${clean[@]}" chroot --userspec=12345:12345 "$folder/as-$1" bash -c "$enter"); shm=true ;;
    esac
    in_namespaces bash -c '
        set -e
        mount -t proc proc "$1/proc"
        mount -t sysfs -o ro sysfs "$1/sys"
        mkdir -p "$1/dev/pts" "$1/dev/shm"
        mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts "$1/dev/pts"
        '"$shm"'
        shift
        exec "$@"' bash "$folder/as-$1" "${run[@]}"
}

say() { printf 'fresh machine, %s\n' "$*"; }
at=$SECONDS
make_debian || { echo "failed: debootstrap (above)"; exit 1; }
say "Debian made in $((SECONDS - at)) s"
status=0 report=""
for who in "${as[@]}"; do
    if [[ $(left) -le 60 ]]; then
        report+="skipped: as $who: no time is left of $limit s"$'\n'
        [[ $status -ne 0 ]] || status=77
        continue
    fi
    make_machine "$who"
    for command in "${commands[@]}"; do
        [[ $(left) -gt 60 ]] || { report+="skipped: as $who: $command: no time is left of $limit s"$'\n'
                                  [[ $status -ne 0 ]] || status=77; continue; }
        say "as $who: $command"
        at=$SECONDS ended=0
        in_machine "$who" "$who" "$command" > >(tee "$folder/output") 2>&1 || ended=$?
        if (( ended == 0 )) && grep -qE ': warning: |#pragma message' "$folder/output"; then ended=warned; fi
        rm -f "$folder/output"
        case $ended in
            0) report+="passed" ;;
            warned) report+="failed (the compiler warns)"; status=1 ;;
            124 | 137) report+="failed (stopped: no time was left)"; status=1 ;;
            *) report+="failed (exit status $ended)"; status=1 ;;
        esac
        report+=": as $who: $command: $((SECONDS - at)) s"$'\n'
    done
    [[ -n $keep ]] || rm -rf --one-file-system "$folder/as-$who"  # room for the next
done
printf '%s' "$report"
exit $status
