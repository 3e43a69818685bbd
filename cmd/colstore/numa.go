package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/numa"
)

// numaFlags are those of numa check.
type numaFlags struct {
	out       string
	overwrite bool
}

func (a *app) numa() *cobra.Command {
	c := &cobra.Command{
		Use:   "numa",
		Short: "Memory nodes of this machine",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return usagef("numa has one command: numa check") },
	}
	f := &numaFlags{}
	check := &cobra.Command{
		Use:   "check",
		Short: "Memory nodes of this machine, and what placing memory on them does",
		Long: `Memory nodes of this machine, and what placing memory on them does.

The system's calls are tried: memory is bound, touched, and asked where it is. Where there are several nodes, the bandwidth
of each to each is measured. The record of -o is what to attach to a report about a machine of several nodes. A system that
refuses the calls, as many containers do, is no failure; exit code 3 if it makes them and memory is elsewhere.`,
		Args:        cobra.NoArgs,
		Annotations: map[string]string{stdout: ""},
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.numaCheck(cmd, f) },
	}
	check.Flags().StringVarP(&f.out, "output", "o", "", "a file for the record, as JSON; - prints it instead")
	check.Flags().BoolVar(&f.overwrite, "overwrite", false, "replace an existing output")
	a.jsonFlag(check, "the record as JSON")
	wrapArgs(check)
	c.AddCommand(check)
	return c
}

func (a *app) numaCheck(cmd *cobra.Command, f *numaFlags) error {
	r, err := numa.This().Check(cmd.Context())
	if err != nil {
		return err
	}
	record, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	record = append(record, '\n')
	if f.out != "" && f.out != stdout {
		if err := f.write(record); err != nil {
			return err
		}
	}
	switch {
	case f.out == stdout:
		_, err = a.out.Write(record)
	case a.asJSON:
		err = a.writeJSON(r)
	default:
		err = a.printNodes(r)
	}
	if failed := r.Failed(); err == nil && failed != nil {
		err = checkError{text: "memory is not where it was to be: " + strings.Join(failed, ", ")}
	}
	return err
}

// write writes the record to the file it was asked for.
func (f *numaFlags) write(record []byte) (err error) {
	s, err := fsx.Stage(fsx.OS, f.out, fsx.StageOptions{Replace: f.overwrite, Lock: colstore.LockOff})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Abort()) }()
	if _, err := s.Write(record); err != nil {
		return &colstore.Error{Op: "write", Path: f.out, Err: fsx.Bare(err)}
	}
	return s.Commit()
}

// printNodes prints the record for people.
func (a *app) printNodes(r *numa.Report) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "node\tCPUs\tmemory\tfree\tdistances")
	for _, n := range r.Nodes {
		var distances []string
		for _, d := range n.Distance {
			distances = append(distances, strconv.Itoa(d))
		}
		fmt.Fprintf(w, "%d\t%s\t%v\t%v\t%s\n", n.ID, ranges(n.CPUs), colstore.ByteSize(n.Bytes), colstore.ByteSize(n.Free), strings.Join(distances, " "))
	}
	fmt.Fprintln(w)
	fmt.Fprintln(w, "trial\tresult\tpages")
	for _, t := range r.Trials {
		result := "as asked"
		switch {
		case t.Error != "":
			result = "refused: " + t.Error
		case !t.Passed:
			result = "elsewhere"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", t.Name, result, t.Where())
	}
	if len(r.Speeds) > 0 {
		fmt.Fprintln(w)
		fmt.Fprintln(w, "CPUs of node\tmemory of node\tGB/s")
		for _, s := range r.Speeds {
			fmt.Fprintf(w, "%d\t%d\t%.1f\n", s.CPUs, s.Memory, s.BytesPerSecond/1e9)
		}
	}
	fmt.Fprintln(w)
	if r.HugePages != "" {
		fmt.Fprintf(w, "huge pages: %s\n", r.HugePages)
	}
	switch {
	case len(r.Nodes) == 1:
		fmt.Fprintln(w, "one node: there is nothing to place")
	case r.Refused():
		fmt.Fprintf(w, "%d nodes; the system refuses to place memory, and it is left where it is first touched\n", len(r.Nodes))
	default:
		fmt.Fprintf(w, "%d nodes; auto places files that are read ahead: %v\n", len(r.Nodes), r.Policy)
	}
	return w.Flush()
}

// ranges returns numbers in ascending order as the kernel writes lists: "0-3,8".
func ranges(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		end := i + 1
		for end < len(numbers) && numbers[end] == numbers[end-1]+1 {
			end++
		}
		part := strconv.Itoa(numbers[i])
		if end-i > 1 {
			part += "-" + strconv.Itoa(numbers[end-1])
		}
		parts = append(parts, part)
		i = end
	}
	return strings.Join(parts, ",")
}
