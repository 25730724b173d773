#!/bin/sh
# Creates the roles and the databases of Corridor and of Temporal. `migrate` gives the roles their rights.
set -eu

psql --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" \
  --set=owner="$OWNER_PASSWORD" --set=service="$SERVICE_PASSWORD" \
  --set=reader="$READER_PASSWORD" --set=temporal="$TEMPORAL_PASSWORD" <<'SQL'
create role corridor_owner login password :'owner';
create role corridor_service login password :'service';
create role corridor_reader login password :'reader';
create role temporal login password :'temporal';
create database corridor owner corridor_owner;
create database temporal owner temporal;
create database temporal_visibility owner temporal;
-- Everybody may connect to a new database.
revoke connect on database corridor, temporal, temporal_visibility, postgres from public;
grant connect on database corridor to corridor_service, corridor_reader;
SQL
