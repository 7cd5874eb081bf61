#!/bin/sh
# Entry point of the container and of the systemd service: makes the runtime directory at the first start, then runs `svc` with the
# arguments, by default `serve`. The key of the wallet may be the file chain-private-key in CREDENTIALS_DIRECTORY.
set -eu
: "${SVC_CONFIG:=/var/lib/svc/config.toml}"
export SVC_CONFIG
if [ ! -e "$SVC_CONFIG" ]; then
  # The output is no terminal here, so the Admin password goes to the file admin-initial-password, mode 0600, and not to the log.
  made=$(svc init --dir "$(dirname "$SVC_CONFIG")")
  # Standard output belongs to the command below, whose result may be JSON.
  printf '%s\n' "$made" >&2
fi
if [ -r "${CREDENTIALS_DIRECTORY:-}/chain-private-key" ]; then
  key=$(cat "${CREDENTIALS_DIRECTORY:-}/chain-private-key")
  # An empty credential counts as unset.
  if [ -n "$key" ]; then export SVC_CHAIN_PRIVATE_KEY="$key"; fi
fi
if [ "$#" -eq 0 ]; then set -- serve; fi
exec svc "$@"
