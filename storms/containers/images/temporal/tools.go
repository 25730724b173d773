//go:build tools

// The programs of the server's images that are built from this module.
package main

import (
	_ "go.temporal.io/server/cmd/server"
	_ "go.temporal.io/server/cmd/tools/sql"
)
