// Command benchmark measures colstore beside its peers: whole processes against whole processes, and calls on open tables
// against calls.
//
// # Basics
//
//	go run ./benchmark [-rows N] [-runs K] [-peers PATH-TO-PYTHON] [-dir DIR] [-only NAME] [-json FILE]
//	go run ./benchmark -rows 80000 -runs 2 -only 'text-*'   # a try, in seconds
//	go run ./benchmark -patterns [-sizes 1k,10M] [-only NAME] [-json FILE]
//	go run ./benchmark -report FILE [-docs DOCUMENT]        # what was measured before
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
// of peers/requirements.txt: an environment in .peers is made of them with Python 3.11 if there is none, and -peers names
// another.
//
// # Access patterns
//
// After the workloads, or alone with -patterns, come the access patterns: slices, lists of rows, masks, records,
// reductions, queries and expressions, each a call on a table that is open and mapped, at several sizes. Two
// processes stay warm: this program with -probe serve, and peers/patterns.py with the peers in it. They speak JSON, a line a
// request and a line an answer. The engines take turns call by call, in both directions; where a call is short, a turn is as
// many calls as take two milliseconds. A pattern takes -runs rounds, or as many as take a fifth of a second.
//
// Our engines are called fresh (the result is new memory), into (it is the caller's, used again) and, on two processors
// instead of one, fresh@2 and into@2. copy, read and random are limits: plain loops, not of the library, that move as many
// bytes as the call has to, add up the same column, or read it at the same rows; kernel is the library's loop over row numbers,
// alone, which asks for memory ahead. What calls read their rows' numbers and masks from, and write to, lies on huge pages if it
// is large, as NumPy's arrays and results of ours do. The Python package runs with its default cap of gather threads, and with caps of 1 and 2 (colstore@2). Polars, DuckDB, numexpr and pyarrow use the processors
// that they find. A list of rows or a mask is there before the call, but what an engine makes of it is a part of the call.
//
// Results have to be equal. Where they are bytes, the first ones are compared by checksum, and those of all rounds by the sum
// of their words. Results of exp, log, sin, cos, tanh and pow are computed by different functions: up to 16,384
// values of the first are compared, within 4e-15 of each other relative to the larger of 1 and the value, and the sum of all
// in every round, as sums and means and deviations are: within 1e-14 times the number of rows.
//
// The table has a line for each target: ours, what it is held against ("best" of the Python package's caps; a limit; another
// pattern or form of ours), the ratio to reach, and a column a size with the ratio of the least times, in brackets that of
// the medians, and an exclamation mark where the target is missed. Limits are compared from 10 million rows on, where tables
// are larger than caches. targets.go has the targets. -json keeps the times of all engines.
//
// With -probe NAME ARGUMENT... the program is itself an engine: no command keeps rows in memory, or tells how long its work
// took without its start.
//
// # The table
//
// Seconds are those of a process from its start to its exit, without what a peer spent on bringing its input into memory
// where that is not the work. MB/s is the size of the workload's values, uncompressed, over the least seconds; it is the
// same size for all engines of a workload. Peak is the largest resident set that the kernel saw, mapped file pages
// included; of an engine that starts processes it is the largest of theirs. Ours/peer is the ratio of the least seconds: below 1, colstore is faster. A peer without numbers could not do
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
// memory. No peak is below 2 MiB, that of the small program of benchmark/meter, which starts the engines: a process starts as a
// copy of its parent.
//
// Polars compares words as string views. DuckDB reads them as Parquet's dictionaries, where twenty comparisons decide a
// row group: less work than the others do.
package main
