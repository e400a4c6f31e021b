package datetime

// amount is a relative time, unit by unit, as the text gave it.
type amount struct {
	units [uSecond + 1]int64
	nsec  int64
}

// parser reads the items of a text and collects what they say. An item is a
// date, a time, a zone, a weekday, or something relative; each but the last
// may be given once. Where GNU's grammar could read on in two ways it takes
// the longer item, and so does this one: "10:00 -2 days" is a time in zone -2,
// and a day.
type parser struct {
	*lexer

	year, month, day       token // only value and digits are used
	hours, minutes         int64
	seconds, nsec          int64
	meridian               int64 // 0 am, 12 pm, 24 neither
	zoneEast               int64
	localDST               int64
	dayOrdinal, dayNumber  int64
	rel                    amount
	dates, times, days     int
	zonesSeen, locals      int
	dsts                   int
	relative, epoch, dated bool
}

// parse reads the whole text; false means a syntax error.
func (p *parser) parse() bool {
	p.meridian = 24
	if t := p.peek(0); t.kind == kChar && t.value == '@' {
		p.take()
		t := p.take()
		switch t.kind {
		case kUnsigned, kSigned, kUDecimal, kSDecimal:
		default:
			return false
		}
		p.epoch, p.seconds, p.nsec = true, t.value, t.nsec
		return p.peek(0).kind == kEnd
	}
	for p.peek(0).kind != kEnd {
		if !p.item() {
			return false
		}
	}
	return true
}

func (p *parser) next() kind { return p.peek(0).kind }

func (p *parser) nextChar(c byte) bool {
	t := p.peek(0)
	return t.kind == kChar && t.value == int64(c)
}

func (p *parser) item() bool {
	t := p.take()
	switch t.kind {
	case kUnsigned:
		return p.afterNumber(t)
	case kSigned, kSDecimal, kUDecimal:
		return p.relativeNumber(t)
	case kUnit:
		return p.addRelative(token{value: 1}, t)
	case kOrdinal:
		if p.next() == kDay {
			p.days++
			p.dayOrdinal, p.dayNumber = t.value, p.take().value
			return true
		}
		if p.next() != kUnit {
			return false
		}
		return p.addRelative(t, p.take())
	case kDayShift:
		p.relative = true
		return addTo(&p.rel.units[uDay], t.value)
	case kDay:
		p.days++
		p.dayOrdinal, p.dayNumber = 0, t.value
		if p.nextChar(',') {
			p.take()
		}
		return true
	case kMonth:
		return p.monthFirst(t)
	case kLocalZone:
		p.locals++
		p.localDST = t.value
		if p.next() == kDST {
			p.take()
			p.localDST = 1
			p.dsts++
		}
		return true
	case kZone, kDayZone, kMilitaryT:
		return p.zoneItem(t)
	}
	return false
}

// afterNumber reads the items that begin with an unsigned number.
func (p *parser) afterNumber(n token) bool {
	switch t := p.peek(0); t.kind {
	case kMeridian:
		p.take()
		return p.setTime(n, token{}, token{}, t.value)
	case kMonth:
		p.take()
		year := token{}
		switch p.next() {
		case kSigned: // 17-JUN-1992
			year = p.take()
			if year.value > 0 {
				year.negative = true
			}
			year.value = -year.value
		case kUnsigned:
			year = p.take()
		}
		return p.setDate(year, t, n)
	case kDay:
		p.take()
		p.days++
		p.dayOrdinal, p.dayNumber = n.value, t.value
		return true
	case kUnit:
		return p.addRelative(n, p.take())
	case kSigned:
		switch p.peek(1).kind {
		case kSigned: // 1997-01-19
			p.take()
			return p.isoDate(n, t, p.take())
		case kUnit: // 19970119 +2 days
			p.take()
			return p.plainDigits(n) && p.addRelative(t, p.take())
		}
		return p.setTime(n, token{}, token{}, 24) && p.zoneOffset() // 08 +0200
	case kSDecimal:
		if u := p.peek(1); u.kind == kUnit && u.unit == uSecond {
			p.take()
			return p.plainDigits(n) && p.addRelative(t, p.take())
		}
		return false
	case kChar:
		switch t.value {
		case ':':
			return p.clock(n, true)
		case '/':
			return p.slashDate(n)
		}
	}
	return p.plainDigits(n)
}

// clock reads what follows the hour of a time; meridian tells whether am or
// pm may come, which ISO 8601 does without.
func (p *parser) clock(h token, meridian bool) bool {
	p.take()
	if p.next() != kUnsigned {
		return false
	}
	m, s := p.take(), token{}
	if p.nextChar(':') {
		p.take()
		if s = p.take(); s.kind != kUnsigned && s.kind != kUDecimal {
			return false
		}
	}
	if p.next() == kMeridian && meridian {
		return p.setTime(h, m, s, p.take().value)
	}
	if !p.setTime(h, m, s, 24) {
		return false
	}
	if p.next() == kSigned {
		return p.zoneOffset()
	}
	return true
}

func (p *parser) setTime(h, m, s token, meridian int64) bool {
	p.times++
	p.hours, p.minutes, p.seconds, p.nsec = h.value, m.value, s.value, s.nsec
	p.meridian = meridian
	return true
}

func (p *parser) setDate(year, month, day token) bool {
	p.dates++
	if year.kind != kEnd {
		p.year, p.dated = year, true
	}
	p.month, p.day = month, day
	return true
}

// zoneOffset reads the offset that follows a time.
func (p *parser) zoneOffset() bool {
	p.zonesSeen++
	east, ok := p.offset(p.take())
	p.zoneEast = east
	return ok
}

// offset reads a zone's signed hours, with minutes in the same number or
// after a colon; 24 hours is the most.
func (p *parser) offset(h token) (int64, bool) {
	var minutes int64
	if p.nextChar(':') {
		p.take()
		m := p.take()
		if m.kind != kUnsigned || abs(h.value) > 24 || m.value > 24*60 {
			return 0, false
		}
		minutes = h.value * 60
		if h.negative {
			minutes -= m.value
		} else {
			minutes += m.value
		}
	} else {
		v := h.value
		if abs(v) > 9999 {
			return 0, false
		}
		if h.digits <= 2 {
			v *= 100
		}
		minutes = v/100*60 + v%100
	}
	return minutes * 60, abs(minutes) <= 24*60
}

func abs(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}

// slashDate reads MM/DD, MM/DD/YY or YYYY/MM/DD.
func (p *parser) slashDate(a token) bool {
	p.take()
	b := p.take()
	if b.kind != kUnsigned {
		return false
	}
	if !p.nextChar('/') {
		return p.setDate(token{}, a, b)
	}
	p.take()
	c := p.take()
	if c.kind != kUnsigned {
		return false
	}
	if a.digits >= 4 {
		return p.setDate(a, b, c)
	}
	return p.setDate(c, a, b)
}

// isoDate has read YYYY-MM-DD; a T and a time may follow at once.
func (p *parser) isoDate(year, month, day token) bool {
	month.value, day.value = -month.value, -day.value
	p.setDate(year, month, day)
	if p.next() != kMilitaryT {
		return true
	}
	p.take()
	h := p.take()
	if h.kind != kUnsigned {
		return false
	}
	if p.nextChar(':') {
		return p.clock(h, false)
	}
	return p.next() == kSigned && p.setTime(h, token{}, token{}, 24) && p.zoneOffset()
}

// monthFirst reads June 17, June 17, 1992 and JUN-17-1992.
func (p *parser) monthFirst(month token) bool {
	switch d := p.take(); d.kind {
	case kSigned:
		year := p.take()
		if year.kind != kSigned {
			return false
		}
		d.value, year.value = -d.value, -year.value
		return p.setDate(year, month, d)
	case kUnsigned:
		if !p.nextChar(',') {
			return p.setDate(token{}, month, d)
		}
		p.take()
		year := p.take()
		return year.kind == kUnsigned && p.setDate(year, month, d)
	}
	return false
}

// zoneItem reads a named zone and what may change it: DST, an offset, or a
// relative item.
func (p *parser) zoneItem(z token) bool {
	p.zonesSeen++
	p.zoneEast = z.value
	switch z.kind {
	case kDayZone:
		p.zoneEast += hour
		return true
	case kMilitaryT:
		p.zoneEast = -7 * hour
	}
	switch t := p.peek(0); t.kind {
	case kDST:
		if z.kind == kZone {
			p.take()
			p.zoneEast += hour
		}
	case kSigned:
		p.take()
		if p.next() == kUnit {
			return p.addRelative(t, p.take())
		}
		if z.kind == kMilitaryT {
			return false
		}
		east, ok := p.offset(t)
		p.zoneEast += east
		return ok
	}
	return true
}

// relativeNumber reads "+2 days", "-1.5 seconds" and "1.5 seconds".
func (p *parser) relativeNumber(n token) bool {
	u := p.take()
	if u.kind != kUnit || n.kind != kSigned && u.unit != uSecond {
		return false
	}
	return p.addRelative(n, u)
}

// addRelative adds n units, the other way with "ago".
func (p *parser) addRelative(n, u token) bool {
	direction := int64(1)
	if p.next() == kDirection {
		direction = p.take().value
	}
	p.relative = true
	count, ok := multiply(n.value, u.value)
	if !ok {
		return false
	}
	count, ok = multiply(count, direction)
	if !ok {
		return false
	}
	p.rel.nsec += n.nsec * direction
	return addTo(&p.rel.units[u.unit], count)
}

// plainDigits reads a number on its own: the year of a date that lacks one, a
// date of more than four digits, or a time.
func (p *parser) plainDigits(n token) bool {
	if p.dates > 0 && !p.dated && !p.relative && (p.times > 0 || n.digits > 2) {
		p.year, p.dated = n, true
		return true
	}
	if n.digits > 4 {
		p.dates++
		p.day.value = n.value % 100
		p.month.value = n.value / 100 % 100
		p.year, p.dated = token{value: n.value / 10000, digits: n.digits - 4}, true
		return true
	}
	h, m := n.value, int64(0)
	if n.digits > 2 {
		h, m = h/100, h%100
	}
	return p.setTime(token{value: h}, token{value: m}, token{}, 24)
}
