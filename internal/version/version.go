// Package version holds the version that every front end and program reports.
package version

// Version is the release of this source tree.
const Version = "0.1.0"
