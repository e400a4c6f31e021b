package keys

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
)

// checkFrom refuses lists that sshd refuses: empty patterns, and networks
// whose address has bits set outside its mask.
func checkFrom(patterns []string) error {
	for _, p := range patterns {
		p = strings.TrimPrefix(p, "!")
		if p == "" {
			return errors.New("from: empty pattern")
		}
		address, _, isNetwork := strings.Cut(p, "/")
		if _, err := netip.ParseAddr(address); err != nil || !isNetwork {
			continue
		}
		if prefix, err := netip.ParsePrefix(p); err != nil || prefix.Masked() != prefix {
			return fmt.Errorf("from: inconsistent mask length for network %.100q", p)
		}
	}
	return nil
}

// allowsFrom matches from= against a peer's address, as match_host_and_ip of
// OpenSSH does without DNS: a negated pattern that matches refuses whatever
// the others say, and at least one other must match. A peer without an IP
// address matches nothing.
func (o Options) allowsFrom(addr net.Addr) bool {
	if o.From == nil {
		return true
	}
	ip, ok := addrIP(addr)
	if !ok {
		return false
	}
	allowed := false
	for _, p := range o.From {
		p, negated := strings.CutPrefix(p, "!")
		if !matchAddress(p, ip) {
			continue
		}
		if negated {
			return false
		}
		allowed = true
	}
	return allowed
}

// addrIP answers the IP address of a peer, IPv4 in its plain form.
func addrIP(addr net.Addr) (netip.Addr, bool) {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok || tcp == nil {
		return netip.Addr{}, false
	}
	ip, ok := netip.AddrFromSlice(tcp.IP)
	return ip.Unmap().WithZone(""), ok
}

// matchAddress matches one pattern: an address, a network in CIDR form, or
// else a wildcard pattern on the address as text.
func matchAddress(pattern string, ip netip.Addr) bool {
	if prefix, err := netip.ParsePrefix(pattern); err == nil {
		return prefix.Contains(ip)
	}
	if want, err := netip.ParseAddr(pattern); err == nil {
		return want.Unmap() == ip
	}
	return matchPattern(strings.ToLower(pattern), ip.String())
}

// matchPattern matches * and ? against a whole text, in time proportional to
// the product of both lengths at worst.
func matchPattern(pattern, s string) bool {
	p, i := 0, 0
	star, mark := -1, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, i
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == s[i]):
			p++
			i++
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
