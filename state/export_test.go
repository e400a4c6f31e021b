package state

// BreakJournal closes the journal's file under the store.
func BreakJournal(s *Folder) { s.jour.file.Close() }
