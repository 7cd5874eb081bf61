#!/bin/sh
# Starts svc on the Node of this archive, from any directory and through links.
set -eu
self=$0
while [ -h "$self" ]; do
  target=$(readlink "$self")
  case $target in
    /*) self=$target ;;
    *) self=$(dirname "$self")/$target ;;
  esac
done
root=$(cd "$(dirname "$self")/.." && pwd -P)
exec "$root/node/bin/node" @node-flags@ "$root/cli/svc.js" "$@"
