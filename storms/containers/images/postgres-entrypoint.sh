#!/bin/sh
# What the official image does at its start: on an empty volume, it makes the cluster and runs the scripts of the arrangement
# while the server listens on its Unix socket only.
set -eu

if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA"
  chown -R postgres:postgres /var/lib/postgresql
  exec setpriv --reuid=postgres --regid=postgres --init-groups /bin/sh "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  printf '%s' "$POSTGRES_PASSWORD" >/tmp/password
  initdb --auth-local=trust --auth-host=scram-sha-256 --pwfile=/tmp/password --no-instructions "$PGDATA"
  rm /tmp/password
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl --wait start --options="-c listen_addresses='' -k /tmp"
  for script in /docker-entrypoint-initdb.d/*.sh; do
    POSTGRES_USER=postgres PGHOST=/tmp /bin/sh "$script"
  done
  pg_ctl --wait stop
fi
exec postgres -c listen_addresses='*' -k /tmp "$@"
