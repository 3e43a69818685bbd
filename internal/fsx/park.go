package fsx

// Park makes what was written durable and gives the descriptor back, for one of many files that are published together;
// what may follow is Commit or Abort. A parked file has no lock any more: what keeps cleaners away from it is the lock of
// its folder.
func (s *Staged) Park() error {
	if err := s.Prepare(); err != nil {
		return err
	}
	err := s.File.Close()
	s.File = parked{s.File}
	if err != nil {
		return s.failed(err)
	}
	return nil
}

// Published reports whether the file has its name. An error of Commit may be about what comes after that.
func (s *Staged) Published() bool { return s.published }

// parked is a file whose descriptor was given back.
type parked struct{ File }

// Close implements [File].
func (parked) Close() error { return nil }
