package root

import "github.com/colstore/colstore-go"

// LeaveHole leaves bytes out before the next record of a file that is written.
func LeaveHole(s colstore.Sink, n int64) error {
	w := s.(*writer)
	if err := w.file.flush(); err != nil {
		return err
	}
	w.file.at += n
	return nil
}
