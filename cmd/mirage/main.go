// Command mirage serves workspaces as SSH logins and administers them.
package main

func main() {}
