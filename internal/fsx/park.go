package fsx

// Park makes what was written durable and gives the descriptor back, for one of many files that are published together;
// what may follow is Commit or Abort. A parked file has no lock any more: what keeps cleaners away from it is the lock of
// its folder.
func (s *Staged) Park() error {
	if err := s.Prepare(); err != nil {
		return err
	}
	st, err := s.File.Stat()
	if err != nil {
		return s.failed(err)
	}
	_ = s.File.Close() // what it could say of bytes the sync has said
	s.parked, s.File = st, parkedFile{s.File}
	return nil
}

// Published reports whether the file has its name. An error of Commit may be about what comes after that.
func (s *Staged) Published() bool { return s.published }

// arrived reports whether the file has its name although the call that gave it failed, as over a network that lost the
// answer.
func (s *Staged) arrived() bool {
	mine := s.parked
	if mine == nil {
		st, err := s.File.Stat()
		if err != nil {
			return false
		}
		mine = st
	}
	there, err := s.fsys.Stat(s.target)
	// The number of a file that is gone goes to another one; its size and time hardly do.
	return err == nil && SameFile(mine, there) && mine.Size() == there.Size() && mine.ModTime().Equal(there.ModTime())
}

// parkedFile is a file whose descriptor was given back.
type parkedFile struct{ File }

// Close implements [File].
func (parkedFile) Close() error { return nil }
