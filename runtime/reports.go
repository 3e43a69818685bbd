package runtime

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/pipeline"
)

// stageReports writes the files of a run's reports aside. They are published after the outputs, whatever was there before
// is replaced, without a lock: a report is about the last run.
func stageReports(fsys fsx.FS, flow *frame.Cutflow, reports pipeline.Reports) (_ []*fsx.Staged, err error) {
	var out []*fsx.Staged
	defer func() {
		if err != nil {
			for _, s := range out {
				err = errors.Join(err, s.Abort())
			}
		}
	}()
	for _, path := range reports.Cutflow {
		text, err := cutflowText(flow, reports.Show, path)
		if err != nil {
			return nil, err
		}
		s, err := fsx.Stage(fsys, path, fsx.StageOptions{Replace: true, Mkdirs: true, Lock: colstore.LockOff})
		if err != nil {
			return nil, err
		}
		out = append(out, s)
		if _, err := io.WriteString(s, text); err != nil {
			return nil, &colstore.Error{Op: "write", Path: path, Err: fsx.Bare(err)}
		}
		if err := s.Prepare(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// cutflowText returns a cutflow as the extension of a path wants it.
func cutflowText(flow *frame.Cutflow, show frame.Show, path string) (string, error) {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".json":
		b, err := json.Marshal(flow)
		return string(b) + "\n", err
	case ".csv":
		return flow.CSV(), nil
	case ".md":
		return flow.Markdown(show), nil
	case ".html":
		return flow.HTML(show), nil
	case ".txt":
		return flow.Text(show) + "\n", nil
	default:
		return "", &colstore.Error{Op: "write", Path: path, Err: fmt.Errorf("%w: a cutflow has no extension %q; there is %s",
			colstore.ErrOption, ext, strings.Join(pipeline.CutflowExtensions, " "))}
	}
}
