package sshd

import "sync"

// startups counts the connections that have not logged in yet, and refuses
// new ones as MaxStartups "begin:rate:full" of sshd_config(5) does: from
// begin on, rate percent of them, growing linearly to all of them at full.
type startups struct {
	begin, rate, full int
	percent           func() int // a random number, 0 to 99

	mu    sync.Mutex // guards count
	count int
}

// start takes a place; false refuses the connection.
func (s *startups) start() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuses() {
		return false
	}
	s.count++
	return true
}

// done gives a place back.
func (s *startups) done() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count--
}

func (s *startups) refuses() bool {
	switch {
	case s.count < s.begin:
		return false
	case s.count >= s.full:
		return true
	}
	p := s.rate + (100-s.rate)*(s.count-s.begin)/(s.full-s.begin)
	return s.percent() < p
}
