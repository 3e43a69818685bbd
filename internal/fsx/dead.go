package fsx

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
)

const (
	tempMark   = ".colstore-"
	tempSuffix = ".tmp"
	tempDigits = 16
	maxName    = 255 // bytes of a file's name: what Linux allows, and no system less in characters

	// What the Python package leaves behind when it dies has no lock of its own, and is only taken for dead when nobody
	// wrote to it for so long.
	foreignAge       = time.Hour
	foreignSuffix    = ".tmp"
	foreignCompacted = ".cstore.compacting"
)

// tempBase returns what the hidden files of a target called base have in place of its name: base itself, or where that
// would make them longer than file systems allow, its beginning, "~" and 16 digits of its hash.
func tempBase(base string) string {
	const room = maxName - 1 - len(tempMark) - tempDigits - len(tempSuffix)
	if len(base) <= room {
		return base
	}
	sum := sha256.Sum256([]byte(base))
	end := room - 1 - tempDigits
	for end > 0 && !utf8.RuneStart(base[end]) {
		end-- // some file systems take only whole characters
	}
	return base[:end] + "~" + hex.EncodeToString(sum[:tempDigits/2])
}

// isTemp reports whether name is that of a hidden file of a target called base, or of any target if base is empty.
func isTemp(name, base string) bool {
	rest, ok := strings.CutSuffix(name, tempSuffix)
	if !ok || len(rest) < 1+len(tempMark)+tempDigits || rest[0] != '.' {
		return false
	}
	rest, digits := rest[1:len(rest)-tempDigits], rest[len(rest)-tempDigits:]
	if strings.Trim(digits, "0123456789abcdef") != "" {
		return false
	}
	of, ok := strings.CutSuffix(rest, tempMark)
	return ok && of != "" && (base == "" || of == tempBase(base))
}

// removeDead removes the hidden files of a target that no living writer locks, and returns the error of the first that
// is locked, with its name. What it cannot remove it leaves.
func removeDead(fsys FS, dir, base string) (live string, locked error) {
	entries, err := fsys.ReadDir(dir)
	if err != nil {
		return "", nil // a courtesy: what matters fails later
	}
	for _, e := range entries {
		if isTemp(e.Name(), base) && e.Type().IsRegular() {
			if err := removeUnlocked(fsys, filepath.Join(dir, e.Name())); locked == nil && errors.Is(err, colstore.ErrLocked) {
				live, locked = e.Name(), err
			}
		}
	}
	return live, locked
}

// removeUnlocked removes a file whose lock nobody has.
func removeUnlocked(fsys FS, path string) error {
	f, err := fsys.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err = f.TryLock(); err == nil {
		err = fsys.Remove(path)
	}
	return errors.Join(err, f.Close())
}

// RemoveDead removes what writers that have died left in a folder of shards, and returns the names. The caller holds the
// folder's lock. These are hidden files of ours whose lock nobody has; and what the Python package writes before it renames,
// ".name.cstore.<random>.tmp" and "name.cstore.compacting", if it is an hour old and neither it nor the file it is to
// become is locked. Where there are no locks nothing is removed.
func RemoveDead(fsys FS, dir string) (removed []string) {
	entries, err := fsys.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if isTemp(e.Name(), "") {
			err = removeUnlocked(fsys, path)
		} else if target, ok := foreignTarget(e.Name()); ok {
			err = removeForeign(fsys, path, filepath.Join(dir, target))
		} else {
			continue
		}
		if err == nil {
			removed = append(removed, e.Name())
		}
	}
	return removed
}

// foreignTarget returns which file a temporary file of the Python package was to become.
func foreignTarget(name string) (string, bool) {
	if strings.HasSuffix(name, foreignCompacted) {
		return strings.TrimSuffix(name, ".compacting"), true
	}
	rest, hidden := strings.CutPrefix(name, ".")
	rest, temp := strings.CutSuffix(rest, foreignSuffix)
	target, random := strings.TrimSuffix(rest, filepath.Ext(rest)), strings.TrimPrefix(filepath.Ext(rest), ".")
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789_"
	return target, hidden && temp && filepath.Ext(target) == ".cstore" && len(random) == 8 && strings.Trim(random, letters) == ""
}

var errYoung = errors.New("somebody may still write it")

// removeForeign removes a temporary file of the Python package: see [RemoveDead].
func removeForeign(fsys FS, path, target string) error {
	st, err := fsys.Stat(path)
	if err != nil {
		return err
	}
	if time.Since(st.ModTime()) < foreignAge {
		return errYoung
	}
	if _, err := fsys.Stat(target); err == nil {
		l, err := OpenLocked(fsys, target, os.O_RDONLY, colstore.LockRequired)
		if err != nil {
			return err
		}
		defer func() { _ = l.Close() }()
	}
	return removeUnlocked(fsys, path)
}
