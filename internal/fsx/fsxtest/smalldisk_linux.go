package fsxtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// withDisk tells a process that it is the one to mount the disk; mountedText is what it then says.
const (
	withDisk    = "COLSTORE_TEST_SMALL_DISK"
	mountedText = "a small disk is mounted"
)

// onMounted calls f in a process that has the disk, and reports whether it has.
func onMounted(t *testing.T, f func(t *testing.T, d *SmallDisk)) (mounted bool, why string) {
	t.Helper()
	if os.Getenv(withDisk) != "" {
		dir := Folder(t)
		if err := mount(dir); err != nil {
			fmt.Println(err)
			return true, "" // the caller of this process sees that nothing was mounted
		}
		t.Cleanup(func() {
			if err := syscall.Unmount(dir, 0); err != nil {
				t.Error(err)
			}
		})
		fmt.Println(mountedText)
		f(t, &SmallDisk{dir: dir})
		return true, ""
	}
	self, err := os.Executable()
	if err != nil {
		return false, err.Error()
	}
	var parts []string
	for p := range strings.SplitSeq(t.Name(), "/") {
		parts = append(parts, "^"+regexp.QuoteMeta(p)+"$")
	}
	// Without privileges a user name space comes with them; with privileges it may be forbidden, and is not needed.
	for _, flags := range []uintptr{syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS, syscall.CLONE_NEWNS} {
		child := exec.CommandContext(t.Context(), self, "-test.run="+strings.Join(parts, "/"), "-test.v", "-test.count=1")
		child.Env = append(os.Environ(), withDisk+"=1")
		child.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
		if flags&syscall.CLONE_NEWUSER != 0 {
			child.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
			child.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
		}
		out, err := child.CombinedOutput()
		if !strings.Contains(string(out), mountedText) {
			why = strings.TrimSpace(fmt.Sprintf("%v %.200s", err, out))
			continue
		}
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		} else {
			t.Logf("%s", out)
		}
		return true, ""
	}
	return false, why
}

// mount puts a small file system at dir, for this process alone.
func mount(dir string) error {
	if err := syscall.Mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	data := fmt.Sprintf("size=%d,nr_inodes=%d", smallDiskBytes, smallDiskFiles)
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, data); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	return nil
}

// fillBytes makes a file that leaves that many bytes of the disk.
func fillBytes(t *testing.T, dir string, free int64) {
	t.Helper()
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(dir, ballast))
	if err != nil {
		t.Fatal(err)
	}
	take := int64(st.Bavail)*st.Bsize - free
	if take > 0 {
		err = syscall.Fallocate(int(f.Fd()), 0, 0, take)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}
