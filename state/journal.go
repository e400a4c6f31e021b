package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

// The journal is a file of records, one per transaction:
//
//	length  uint32  of the body
//	sum     uint32  CRC-32C of the body
//	body    uvarint sequence number, then per change:
//	        byte kind, bucket, key, and for a put the value,
//	        each a uvarint length and its bytes
//
// Integers are little-endian. A record that is cut short or fails its sum ends
// the journal: it was never acknowledged.
const (
	recordHead = 8
	kindPut    = 1
	kindDelete = 2
	// maxRecord bounds what a damaged length can make the reader allocate.
	maxRecord = 1 << 30
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errTorn marks the end of the good part of a journal.
var errTorn = errors.New("state: journal ends in an incomplete record")

// appendRecord encodes one transaction.
func appendRecord(dst []byte, seq uint64, changes []change) ([]byte, error) {
	start := len(dst)
	dst = append(dst, make([]byte, recordHead)...)
	dst = binary.AppendUvarint(dst, seq)
	for _, c := range changes {
		kind := byte(kindPut)
		if c.value == nil {
			kind = kindDelete
		}
		dst = append(dst, kind)
		dst = appendString(dst, string(c.bucket))
		dst = appendString(dst, c.key)
		if kind == kindPut {
			dst = binary.AppendUvarint(dst, uint64(len(c.value)))
			dst = append(dst, c.value...)
		}
	}
	body := dst[start+recordHead:]
	if len(body) > maxRecord {
		return nil, fmt.Errorf("state: transaction of %d bytes is too large", len(body))
	}
	binary.LittleEndian.PutUint32(dst[start:], uint32(len(body)))
	binary.LittleEndian.PutUint32(dst[start+4:], crc32.Checksum(body, castagnoli))
	return dst, nil
}

func appendString(dst []byte, s string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(s)))
	return append(dst, s...)
}

// readRecord reads the next record: io.EOF at a clean end, errTorn where the
// good part ends.
func readRecord(r io.Reader) (seq uint64, changes []change, err error) {
	var head [recordHead]byte
	switch n, err := io.ReadFull(r, head[:]); {
	case err == io.EOF && n == 0:
		return 0, nil, io.EOF
	case err == io.ErrUnexpectedEOF:
		return 0, nil, errTorn
	case err != nil:
		return 0, nil, err
	}
	size := binary.LittleEndian.Uint32(head[:])
	if size == 0 || size > maxRecord {
		return 0, nil, errTorn
	}
	// LimitReader rather than one allocation: a damaged length must not
	// cost more than the file holds.
	body, err := io.ReadAll(io.LimitReader(r, int64(size)))
	if err != nil {
		return 0, nil, err
	}
	if len(body) < int(size) || crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(head[4:]) {
		return 0, nil, errTorn
	}
	return decodeBody(body)
}

// decodeBody decodes a body whose sum was right, so that any fault in it is
// damage and not a torn write.
func decodeBody(body []byte) (seq uint64, changes []change, err error) {
	d := decoder{rest: body}
	seq = d.uvarint()
	for len(d.rest) > 0 && !d.bad {
		kind := d.rest[0]
		d.rest = d.rest[1:]
		c := change{bucket: Bucket(d.bytes()), key: string(d.bytes())}
		switch kind {
		case kindPut:
			c.value = append([]byte{}, d.bytes()...)
		case kindDelete:
		default:
			d.bad = true
		}
		changes = append(changes, c)
	}
	if d.bad {
		return 0, nil, errors.New("state: journal record is malformed")
	}
	return seq, changes, nil
}

type decoder struct {
	rest []byte
	bad  bool
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.rest)
	if n <= 0 {
		d.bad, d.rest = true, nil
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

func (d *decoder) bytes() []byte {
	n := d.uvarint()
	if n > uint64(len(d.rest)) {
		d.bad, d.rest = true, nil
		return nil
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

// journal is the open journal file. The store's lock guards it, except sync,
// which may run beside an append.
type journal struct {
	file   *os.File
	size   int64
	buf    []byte
	broken bool
}

// append hands one transaction to the operating system.
func (j *journal) append(seq uint64, changes []change) error {
	if j.broken {
		return errors.New("state: journal is unusable after an earlier write error")
	}
	buf, err := appendRecord(j.buf[:0], seq, changes)
	if err != nil {
		return err
	}
	if cap(buf) <= 1<<20 { // keep the buffer unless one record made it huge
		j.buf = buf
	}
	n, err := j.file.WriteAt(buf, j.size)
	if err != nil {
		// Take back what was written in part, so that the next record
		// follows a good one.
		if n > 0 && j.file.Truncate(j.size) != nil {
			j.broken = true
		}
		return fmt.Errorf("state: journal: %w", err)
	}
	j.size += int64(n)
	return nil
}

// remove closes and deletes a journal whose records are all in the database.
func (j *journal) remove() error {
	err := j.file.Close()
	if e := os.Remove(j.file.Name()); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("state: journal: %w", err)
	}
	return nil
}
