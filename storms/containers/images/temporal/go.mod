module corridor.test/temporal

go 1.25.0

require go.temporal.io/server v1.29.1
