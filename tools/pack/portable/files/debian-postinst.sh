#!/bin/sh
set -e
if [ "$1" = configure ] && [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  # After an upgrade, a service that runs continues with the new program.
  systemctl try-restart svc.service
fi
