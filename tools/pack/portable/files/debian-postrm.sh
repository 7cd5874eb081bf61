#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
if [ "$1" = purge ] && [ -e /var/lib/svc ]; then
  # It holds objects that may have no other copy, and the records of payments.
  echo 'svc-gateway: the data in /var/lib/svc and the files in /etc/svc stay; delete them when no object is needed any more'
fi
