#!/bin/sh
# Installs svc from this folder, or replaces the installed one; data and configuration stay.
set -eu

usage() {
  cat <<TEXT
Usage: ./install.sh [--user | --system] [--prefix <folder>] [--uninstall]

  --user       into ~/.local, for this user (default unless root)
  --system     into /usr/local, with a systemd service (default for root)
  --prefix     into another folder
  --uninstall  remove what this script installed; data and configuration stay
TEXT
}

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

scope=user
if [ "$(id -u)" -eq 0 ]; then scope=system; fi
prefix=
action=install
while [ "$#" -gt 0 ]; do
  case $1 in
    --user) scope=user ;;
    --system) scope=system ;;
    --prefix)
      [ "$#" -gt 1 ] || fail '--prefix needs a folder'
      prefix=$2
      shift
      ;;
    --uninstall) action=uninstall ;;
    --help | -h)
      usage
      exit 0
      ;;
    *)
      usage >&2
      exit 2
      ;;
  esac
  shift
done

if [ -z "$prefix" ]; then
  if [ "$scope" = system ]; then prefix=/usr/local; else prefix=${HOME:?'HOME is not set: name a folder with --prefix'}/.local; fi
fi
mkdir -p "$prefix"
prefix=$(cd "$prefix" && pwd -P)
here=$(cd "$(dirname "$0")" && pwd -P)
lib=$prefix/lib/svc
link=$prefix/bin/svc
unit=
agent=
if [ "$scope" = system ] && [ -d /run/systemd/system ]; then unit=/etc/systemd/system/svc.service; fi
if [ "$scope" = user ] && [ "$(uname -s)" = Darwin ]; then agent=$HOME/Library/LaunchAgents/org.svc-gateway.svc.plist; fi

remove_link() {
  if [ -h "$link" ] && [ "$(readlink "$link")" = "$lib/bin/svc" ]; then rm -f "$link"; fi
}

if [ "$action" = uninstall ]; then
  if [ -n "$unit" ] && [ -e "$unit" ]; then
    systemctl disable --now svc.service || true
    rm -f "$unit"
    systemctl daemon-reload
  fi
  if [ -n "$agent" ] && [ -e "$agent" ]; then
    launchctl unload "$agent" || true
    rm -f "$agent"
  fi
  remove_link
  rm -rf "$lib"
  echo "svc is removed from $prefix. Its data stays: ~/.svc, or /var/lib/svc of the service."
  exit 0
fi

if command -v sha256sum >/dev/null; then sums='sha256sum --quiet'; else sums='shasum -a 256 --quiet'; fi
(cd "$here" && $sums -c SHA256SUMS >&2) || fail 'a file differs from SHA256SUMS: download the archive again; nothing was installed'
[ ! -e "$link" ] || [ -h "$link" ] || fail "$link is a file of another program; nothing was installed"

mkdir -p "$prefix/lib" "$prefix/bin"
rm -rf "$lib.new"
cp -R "$here" "$lib.new"
if [ -e "$lib" ]; then
  rm -rf "$lib.old"
  mv "$lib" "$lib.old"
fi
mv "$lib.new" "$lib"
rm -rf "$lib.old"
ln -sfn "$lib/bin/svc" "$link"
"$link" version

if [ -n "$unit" ]; then
  sed "s|@lib@|$lib|g" "$lib/share/svc.service" >"$unit"
  systemctl daemon-reload
  # A service that runs continues with the new program.
  systemctl try-restart svc.service
  echo 'Next: systemctl enable --now svc; the Admin password is in /var/lib/svc/admin-initial-password.'
elif [ -n "$agent" ]; then
  mkdir -p "$(dirname "$agent")"
  sed "s|@lib@|$lib|g; s|@home@|$HOME|g" "$lib/share/org.svc-gateway.svc.plist" >"$agent"
  echo "Next: svc init; launchctl load $agent"
else
  case ":$PATH:" in
    *":$prefix/bin:"*) echo 'Next: svc init' ;;
    *) echo "Next: put $prefix/bin on your PATH; svc init" ;;
  esac
fi
