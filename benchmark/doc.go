// Command benchmark measures colstore beside its peers, whole processes against whole processes.
//
// # Basics
//
//	go run ./benchmark [-rows N] [-runs K] [-peers PATH-TO-PYTHON] [-dir DIR] [-only NAME] [-json FILE]
//	go run ./benchmark -rows 80000 -runs 2 -only 'text-*'   # a try, in seconds
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
//	root-cstore              the same, times as numbers, from a tree in zlib · the same in Python · uproot into memory
//	cstore-parquet           flights without nulls back to Parquet
//	cstore-root              four columns of noise to a tree in zlib · Python package · uproot from memory
//	feather-cstore           the same from Feather that is not compressed · Python package · pyarrow
//	feather-lz4-cstore       the same from Feather in LZ4
//	cstore-feather, -lz4     to Feather
//	npz-cstore, cstore-npz   from and to NPZ · Python package · NumPy
//	csv-cstore               a tenth of the rows, 14 columns of numbers, bools and words, as CSV
//	json-cstore              a hundredth of them, as a list of objects
//	cstore-csv               the tenth back to CSV
//	filter-derive            a filter that half of the rows pass and three derived columns, file to file
//	cutflow                  colstore report: seven cuts, and the rows and weights that pass each
//	stats8                   colstore stats: sum, mean, min, max, std, var and count of eight columns
//	text-equality            colstore query --count of the rows, one in twenty, whose S8 is a word
//	text-equality-u          the same with U8
//	text-select              colstore query -o: two columns of those rows, file to file
//	gather                   a hundredth of the rows, in no order, of eight columns into memory
//	gather-64, gather-1024   the same from files of so many records
//	frame-write              a table of four columns with three derived ones, file to file
//	compact-64               a file of 64 records made one record, file to file
//	concat                   eight files as one
//	small-records            10,000 records of 100 rows, a write each
//	append-shards            a tenth of the rows as 64 files of a folder, each on the disk before the next
//	open-1024                a file of 1,024 records opened and closed
//	open-shards              a folder of 10,000 files opened as one table
//
// cstore-root and those behind cstore-csv read tables of noise, which have 5/2 as many rows as the flights: 50 million at the default size,
// when the files of all workloads together take some 40 GB.
//
// The peers are Python programs in peers/: the Python package, NumPy, Polars, DuckDB, pyarrow, uproot. In the workloads over noise
// each reads the layout that it computes with soonest: .cstore, mapped .npy files, Arrow, Parquet. They need the packages
// of peers/requirements.txt:
//
//	python3.11 -m venv .peers
//	.peers/bin/pip install -r benchmark/peers/requirements.txt
//
// With -probe NAME ARGUMENT... the program is itself an engine: no command keeps rows in memory, or tells how long its work
// took without its start.
//
// # The table
//
// Seconds are those of a process from its start to its exit, without what a peer spent on bringing its input into memory
// where that is not the work. MB/s is the size of the workload's values, uncompressed, over the least seconds; it is the
// same size for all engines of a workload. Peak is the largest resident set that the kernel saw, mapped file pages
// included. Ours/peer is the ratio of the least seconds: below 1, colstore is faster. A peer without numbers could not do
// the work, and its line says why.
//
// Inner seconds are those of the operation alone, as the engine itself tells them: without its start, the import of its
// packages and the opening of its files, but with reading what is mapped. The gathers are far shorter than the start of
// Python: their MB/s and ratios are of inner seconds, as those of writing and opening. Elsewhere these tell what part of a peer's seconds is its start.
//
// # Verification
//
// Before the first round each engine runs once untimed. Then the peers' libraries read what it wrote, and the number of
// rows, the columns, their types and the checksums of their values must be those of the source, or for filter-derive and
// text-select the same for all engines. NumPy, which writes nothing there, tells the checksums of its arrays.
//
// Where the result is no table, the numbers of all engines are compared, in every round: counts, extremes and the
// checksums of gathered columns are equal, sums within 1e-12 of each other in cutflow, and sums, means, deviations and
// variances within 1e-9 in stats8. Weights in cutflow are multiples of a power of two, so that no order of adding them
// rounds; in stats8, engines that add one value after the other do lose digits.
//
// A difference ends the workload, and the exit status is 1.
//
// # Caveats
//
// Starts are part of the seconds. That of Python and its packages is most of what a peer takes for a small file: compare
// throughputs at the default size, and see startup.
//
// From frame-write on both engines work until their output is on the disk: what the Python package does not sync, the
// program that runs it syncs, within its inner seconds, of which throughputs and ratios are. The ratio by medians is of the
// medians of the same seconds; take seven rounds or more for it.
//
// Reads come from a warm page cache. Outputs are removed after every run, so that no engine pays for writing back those of
// another; but in the workloads before, colstore syncs a file before it publishes it, and the peers do not. Engines marked "into memory only" or
// "from memory only" do half of the work, and notes tell where a peer holds whole columns, temporaries or its result in
// memory. No peak is below that of this program, some 10 MiB, since a process starts as a copy of its parent.
//
// Polars compares words as string views. DuckDB reads them as Parquet's dictionaries, where twenty comparisons decide a
// row group: less work than the others do.
package main
