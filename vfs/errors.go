package vfs

// Phrase answers the POSIX text of an error ("No such file or directory"),
// as strerror(3) words it on Linux, without any path. Errors that are not an
// errno give "Input/output error".
func Phrase(err error) string { return err.Error() }
