"""What each peer does for an access pattern: engines(pattern, data) gives name → call.

Calls of colstore run with its default cap of gather threads, those of colstore@N with a cap of N. A peer that has no such
pattern, or not for the column's type, has no engine. Selections and Series of them are made before; what a call returns is
freshly allocated and complete.
"""
import numpy as np
from colstore import config

DEFAULT_CAP = config.get_gather_thread_cap()


def engines(p, x):
    found = {"slice": rows, "strided": rows, "sorted": rows, "random": rows, "mask": rows, "dict": table, "records": records,
             "reduce": reduce, "query": query, "derive": derive, "expr": expression}[p["kind"]](p, x)
    return capped(found)


def capped(found):
    """Adds the Python package with other caps of its threads."""
    base = found["colstore"]

    def with_cap(cap):
        def call():
            config.set_gather_thread_cap(cap)
            return base()
        return call
    out = {"colstore": with_cap(DEFAULT_CAP)}
    out |= {f"colstore@{cap}": with_cap(cap) for cap in (1, 2) if cap != DEFAULT_CAP}
    return out | {k: v for k, v in found.items() if k != "colstore"}


def span(rows):
    """The half of the rows that slices take."""
    return rows // 4, rows // 4 + rows // 2


def native(a):
    return a.astype(a.dtype.newbyteorder("="), copy=False)


def rows(p, x):
    """Rows of one column."""
    import polars as pl
    import pyarrow as pa
    import pyarrow.compute as pc
    stem, column, kind, step = p["file"], p["column"], p["kind"], p["step"]
    m, ds = x.mapped(stem, column), x.dataset(stem)
    lo, hi = span(x.rows)
    swapped = not m.dtype.isnative
    tabular = stem == "wide" and column != "s16"
    if kind == "slice":
        out = {"colstore": lambda: ds[lo:hi, column].array(), "numpy": lambda: np.array(m[lo:hi])}
        if tabular:
            s, a = x.polars(stem)[column], x.arrow(stem)[column]
            out["polars"] = lambda: s.slice(lo, hi - lo).to_numpy(allow_copy=True, writable=True)
            out["pyarrow"] = lambda: np.array(a.slice(lo, hi - lo).to_numpy())
            q = x.duckdb(f"select {column} from '{x.file(stem, '.parquet')}' limit {hi - lo} offset {lo}")
            out["duckdb"] = lambda: q().fetchnumpy()
    elif kind == "strided":
        out = {"colstore": lambda: ds[::step, column].array(), "numpy": lambda: np.array(m[::step])}
        if tabular:
            s = x.polars(stem)[column]
            out["polars"] = lambda: s.gather_every(step)
    elif kind == "mask":
        keep = x.selection("mask", p["percent"])
        out = {"colstore": lambda: ds[keep, column].array(), "numpy": lambda: m[keep]}
        if tabular:
            s, ks, a, ka = x.polars(stem)[column], pl.Series(keep), x.arrow(stem)[column], pa.array(keep)
            out["polars"] = lambda: s.filter(ks)
            out["pyarrow"] = lambda: a.filter(ka)
    else:
        index = x.selection(kind, p["percent"])
        out = {"colstore": lambda: ds[index, column].array(), "numpy": lambda: np.take(m, index)}
        if tabular:
            s, a = x.polars(stem)[column], x.arrow(stem)[column]
            out["polars"] = lambda: s.gather(index)
            out["pyarrow"] = lambda: pc.take(a, index)
    if swapped:  # ours is in native order, which is a part of the work
        of = dict(out)
        out = {name: lambda f=f: native(f()) for name, f in of.items()}
    return out


def table(p, x):
    """All columns of a table."""
    import polars as pl
    import pyarrow.parquet as pq
    ds, parquet = x.dataset(p["file"]), x.file(p["file"], ".parquet")
    m = {name: x.mapped(p["file"], name) for name in ds.columns}
    q = x.duckdb(f"select * from '{parquet}'")
    return {"colstore": ds.dict, "numpy": lambda: {name: np.array(c) for name, c in m.items()},
            "polars": lambda: pl.read_parquet(parquet), "pyarrow": lambda: pq.read_table(parquet), "duckdb": lambda: q().fetchnumpy()}


def records(p, x):
    """All rows as packed records, or a sorted part of them."""
    ds = x.dataset(p["file"])
    m = {name: x.mapped(p["file"], name) for name in ds.columns}
    dtype = np.dtype([(name, c.dtype) for name, c in m.items()])
    index = x.selection("sorted", p["percent"]) if p["percent"] else None

    def by_hand():
        out = np.empty(x.rows if index is None else len(index), dtype)
        for name, c in m.items():
            out[name] = c if index is None else c[index]
        return out
    return {"colstore": ds.recarray if index is None else lambda: ds[index].recarray(), "numpy": by_hand}


def reduce(p, x):
    """One number of one column, floats added as float64."""
    import pyarrow.compute as pc
    stem, column, name = p["file"], p["column"], p["function"]
    m, ds = x.mapped(stem, column), x.dataset(stem)
    wide = {"dtype": "f8"} if name in ("sum", "mean", "std") else {}
    out = {"colstore": lambda: float(getattr(ds[column], name)()), "numpy": lambda: float(getattr(np, name)(m, **wide))}
    if stem == "wide":
        s, a = x.polars(stem)[column], x.arrow(stem)[column]
        import polars as pl
        if column == "f8" or name in ("min", "max"):  # the others add float32 as such
            out["polars"] = lambda: float(getattr(s, name)(**({"ddof": 0} if name == "std" else {})))
        of = getattr(pc, {"std": "stddev"}.get(name, name))
        out["pyarrow"] = lambda: float(of(a).as_py())
        if name not in ("min", "max"):  # which Parquet's statistics tell
            f = {"std": "stddev_pop", "mean": "avg"}.get(name, name)
            q = x.duckdb(f"select {f}({column}::double) from '{x.file(stem, '.parquet')}'")
            out["duckdb"] = lambda: float(q().fetchone()[0])
    return out


def query(p, x):
    """The rows of three columns that pass a > 0 and b < 3."""
    import polars as pl
    import pyarrow.compute as pc
    stem = p["file"]
    ds, t, s = x.dataset(stem), x.arrow(stem), x.polars(stem)
    m = {name: x.mapped(stem, name) for name in "abc"}

    def by_hand():
        keep = (m["a"] > 0) & (m["b"] < 3)
        return {name: c[keep] for name, c in m.items()}
    q = x.duckdb(f"select * from '{x.file(stem, '.parquet')}' where a > 0 and b < 3")
    return {"colstore": lambda: ds.query("a > 0 and b < 3").dict(), "numpy": by_hand,
            "polars": lambda: s.lazy().filter((pl.col("a") > 0) & (pl.col("b") < 3)).collect(),
            "pyarrow": lambda: t.filter(pc.and_(pc.greater(t["a"], 0.0), pc.less(t["b"], 3.0))),
            "duckdb": lambda: q().fetchnumpy()}


def derive(p, x):
    """The same rows with three columns more."""
    import polars as pl
    from colstore import col
    stem = p["file"]
    ds, s = x.dataset(stem), x.polars(stem)
    m = {name: x.mapped(stem, name) for name in "abc"}

    def ours():
        a, b, c = col("a"), col("b"), col("c")
        return ds.edit().where((a > 0) & (b < 3)).assign(d=a * 2 + b / c, e=np.sqrt(a * a + b * b), g=a - c).dict()

    def by_hand():
        keep = (m["a"] > 0) & (m["b"] < 3)
        d = {name: c[keep] for name, c in m.items()}
        a, b, c = d["a"], d["b"], d["c"]
        return d | {"d": a * 2 + b / c, "e": np.sqrt(a * a + b * b), "g": a - c}

    def lazily():
        a, b, c = pl.col("a"), pl.col("b"), pl.col("c")
        return s.lazy().filter((a > 0) & (b < 3)).with_columns(d=a * 2 + b / c, e=(a * a + b * b).sqrt(), g=a - c).collect()
    q = x.duckdb(f"select *, a*2+b/c as d, sqrt(a*a+b*b) as e, a-c as g from '{x.file(stem, '.parquet')}' where a > 0 and b < 3")
    return {"colstore": ours, "numpy": by_hand, "polars": lazily, "duckdb": lambda: q().fetchnumpy()}


class Polars:
    """NumPy's functions on expressions of Polars."""
    def __getattr__(self, name):
        return lambda v: getattr(v, name)()


FUNCTIONS = ("sqrt", "exp", "log", "sin", "cos", "tanh")


def expression(p, x):
    """One column computed from a, b and c."""
    import numexpr
    import polars as pl
    from colstore import col
    stem, text = p["file"], p["expression"]
    ds, s = x.dataset(stem), x.polars(stem)
    m = {name: x.mapped(stem, name) for name in "abc"}
    code = compile(text, text, "eval")

    def evaluate(functions, values):  # of a text of the table in benchmark/pattern.go
        return eval(code, {f: getattr(functions, f) for f in FUNCTIONS} | values)
    columns = {name: col(name) for name in "abc"}
    polar = {name: pl.col(name) for name in "abc"}
    sql = text.replace("&", " and ").replace("log(", "ln(")
    q = x.duckdb(f"select {sql} as r from '{x.file(stem, '.parquet')}'")
    return {"colstore": lambda: ds.edit().assign(r=evaluate(np, columns)).array("r"), "numpy": lambda: evaluate(np, m),
            "numexpr": lambda: numexpr.evaluate(text, local_dict=m),
            "polars": lambda: s.lazy().select(r=evaluate(Polars(), polar)).collect()["r"],
            "duckdb": lambda: q().fetchnumpy()["r"]}
