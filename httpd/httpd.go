// Package httpd is the HTTP front end: the /v1 API on the workspaces of a
// manager.
package httpd
