// Command benchmark measures colstore beside its peers, whole processes against whole processes.
//
// # Basics
//
//	go run ./benchmark [-rows N] [-runs K] [-peers PATH-TO-PYTHON] [-dir DIR] [-only NAME] [-json FILE]
//
// It builds ./cmd/colstore once, writes the input files below DIR unless they are there, and runs every engine of a
// workload round by round: ours, peer, ours, peer. The engines of a round share the machine's mood, so ratios within one
// table mean something where the seconds do not. The workloads:
//
//	startup                  colstore version · importing the Python package
//	info                     colstore info · colstore.info
//	parquet-cstore           flights with nulls and text, filled · the same in Python, which refuses nulls · pyarrow
//	parquet-cstore-full      the same without nulls
//	parquet-cstore-numbers   the same without nulls and text, which is what the Python package can stream
//	cstore-parquet           flights without nulls back to Parquet
//	filter-derive            a filter that half of the rows pass and three derived columns, file to file
//
// The peers are Python programs in peers/. They need the packages of peers/requirements.txt:
//
//	python3.11 -m venv .peers
//	.peers/bin/pip install -r benchmark/peers/requirements.txt
//
// # The table
//
// Seconds are those of a process from its start to its exit, without what a peer spent on bringing its input into memory
// where that is not the work. MB/s is the size of the workload's values, uncompressed, over the least seconds; it is the
// same size for all engines of a workload. Peak is the largest resident set that the kernel saw, mapped file pages
// included. Ours/peer is the ratio of the least seconds: below 1, colstore is faster. A peer without numbers could not do
// the work, and its line says why.
//
// # Verification
//
// Before the first round each engine runs once untimed. Then the peers' libraries read what it wrote, and the number of
// rows, the columns, their types and the checksums of their values must be those of the source, or for filter-derive the
// same for all engines. A difference ends the workload, and the exit status is 1.
//
// # Caveats
//
// Starts are part of the seconds. That of Python and its packages is most of what a peer takes for a small file: compare
// throughputs at the default size, and see startup.
//
// Reads come from a warm page cache. Outputs are removed after every run, so that no engine pays for writing back those of
// another; but colstore syncs a file before it publishes it, and the peers do not. Engines marked "into memory only" or
// "from memory only" do half of the work. No peak is below that of this program, some 10 MiB, since a process starts as a
// copy of its parent.
package main
