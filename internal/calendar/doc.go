// Package calendar converts ticks between time units and reads and writes ISO 8601, with NumPy's answers.
//
// # Basics
//
// Datetimes convert through the proleptic Gregorian calendar. Timedeltas of years and months, which have no fixed
// length, convert to days and finer by the mean year of 146097/400 days. To a coarser unit both round down, toward minus
// infinity; to a finer one they wrap when they leave the int64. [colstore.NaT] stays NaT.
package calendar
