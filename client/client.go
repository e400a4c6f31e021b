// Package client is the Go client of the HTTP API and the types that travel
// over it.
package client
