#!/bin/sh
# As the official image's: fills in the server's configuration from the environment, and starts the server.
set -eu

if [ "${BIND_ON_IP:-}" = 0.0.0.0 ]; then
  : "${TEMPORAL_BROADCAST_ADDRESS:=$(getent hosts "$(hostname)" | cut -d ' ' -f 1)}"
  export TEMPORAL_BROADCAST_ADDRESS
fi
render-template config/config_template.yaml >config/docker.yaml
exec temporal-server --config config --env docker start
