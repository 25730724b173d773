#!/bin/sh
# Creates the roles and the databases of Corridor and of Temporal. `migrate` gives the roles their rights.
set -eu

# psql reads the passwords from its environment: every user of the machine can read a program's arguments.
psql --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" <<'SQL'
\getenv owner OWNER_PASSWORD
\getenv service SERVICE_PASSWORD
\getenv reader READER_PASSWORD
\getenv temporal TEMPORAL_PASSWORD
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
