#!/bin/sh
# Updates the schemas of Temporal's two databases. Safe to run again.
set -eu

for store in temporal visibility; do
  case "$store" in
    temporal) export SQL_DATABASE=temporal ;;
    visibility) export SQL_DATABASE=temporal_visibility ;;
  esac
  temporal-sql-tool setup-schema --version 0.0
  temporal-sql-tool update-schema --schema-dir "/etc/temporal/schema/postgresql/v12/$store/versioned"
done
