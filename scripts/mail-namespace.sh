#!/usr/bin/env bash
# bash scripts/mail-namespace.sh COMMAND...: runs a command where mail servers of Debian are unpacked over /usr, /etc and
# /var, in namespaces of its own: nothing is installed on this machine, nothing reaches another one, and every server ends
# with the command. There is no name server but the one that the command starts. Programs that could not be had are named
# in MAIL_MISSING.
set -euo pipefail

# Exim and Postfix conflict as packages; here the later one wins where both have a file.
GROUPS_OF_PACKAGES=(
  'exim4-daemon-light'
  'opendkim opendkim-tools'
  'opendmarc'
  'rspamd'
  'postgrey'
  'sasl2-bin libsasl2-modules libsasl2-modules-db'
  'postfix'
)
PROGRAMS='exim4 opendkim opendmarc rspamd rspamc postgrey saslpasswd2 postfix'
SYSTEM_USERS='postfix opendkim opendmarc _rspamd postgrey Debian-exim beckon vmail'

as_root=()
[ "$(id -u)" = 0 ] || as_root=(sudo -E env "PATH=$PATH")

unpack() {
  local root=$1 group package
  mkdir -p "$root/debs" "$root/tree/usr" "$root/tree/etc" "$root/tree/var"
  cd "$root/debs"
  # Lists of packages may be older than the mirror.
  apt-get update -qq >&2 || echo 'The lists of packages could not be renewed.' >&2
  for group in "${GROUPS_OF_PACKAGES[@]}"; do
    # shellcheck disable=SC2086
    if ! packages=$(apt-get install -s --no-install-recommends --reinstall $group 2>/dev/null | awk '/^Inst/ { print $2 }') ||
      ! apt-get download -qq $packages >&2; then
      echo "No packages for: $group" >&2
      continue
    fi
    for package in $packages; do
      for file in "${package}"_*.deb; do dpkg -x "$file" "$root/tree"; done
    done
  done
  # Some packages still name folders that are links to those in /usr.
  for folder in bin sbin lib lib64; do
    [ -d "$root/tree/$folder" ] || continue
    mkdir -p "$root/tree/usr/$folder"
    cp -a "$root/tree/$folder/." "$root/tree/usr/$folder/"
    rm -rf "${root:?}/tree/$folder"
  done
}

if [ "${1:-}" != --inside ]; then
  for tool in apt-get dpkg unshare ip; do
    command -v "$tool" >/dev/null || { echo "The mail servers cannot be set up here: there is no $tool." >&2; exit 1; }
  done
  MAIL_ROOT=$(mktemp -d "${TMPDIR:-/tmp}/beckon-mail-XXXXXX")
  trap '"${as_root[@]}" rm -rf "$MAIL_ROOT"' EXIT
  (unpack "$MAIL_ROOT")
  export MAIL_ROOT
  "${as_root[@]}" unshare --mount --net --pid --fork --kill-child --mount-proc bash "$0" --inside "$@"
  exit
fi
shift

ip link set lo up
work=$MAIL_ROOT/work
mkdir -p "$work"
mount -t tmpfs tmpfs "$work"
for folder in usr etc var; do
  mkdir -p "$work/$folder/upper" "$work/$folder/work"
  mount -t overlay overlay \
    -o "lowerdir=$MAIL_ROOT/tree/$folder:/$folder,upperdir=$work/$folder/upper,workdir=$work/$folder/work" "/$folder"
done
mount -t tmpfs -o mode=755 tmpfs /run
# Users of mail servers need no right to the folders above the checkout.
mkdir /run/beckon-source
mount --bind "$PWD" /run/beckon-source
for group in postdrop sasl; do getent group "$group" >/dev/null || groupadd --system "$group"; done
for user in $SYSTEM_USERS; do
  id "$user" >/dev/null 2>&1 || useradd --system --user-group --no-create-home --shell /usr/sbin/nologin "$user"
done
rm -f /etc/resolv.conf
: >/etc/resolv.conf
echo '127.0.0.1 localhost' >/etc/hosts

MAIL_MISSING=''
for program in $PROGRAMS; do
  PATH=/usr/sbin:/usr/bin command -v "$program" >/dev/null || MAIL_MISSING="$MAIL_MISSING $program"
done
export MAIL_MISSING
exec "$@"
