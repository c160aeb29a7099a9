import { writeFileSync } from "node:fs";
import { type Difference, makeComparison, makeFlat, makeGraph } from "./graph_fixtures";

/** `vite-node dev/write_graph_fixture.ts NODES DIFFERENCE FILE`: an answer of `GET compare` for the benchmark; DIFFERENCE may be `flat`. */
const [nodes = "900", difference = "shapes", file = "compare.json"] = process.argv.slice(2);
const code = { name: "train_step", qualname: "train_step", file: "/home/me/train.py", line: 12, library: false };
const side = (n: number): Record<string, unknown> => ({ session: "s0", run: "fit", seq: n, n, step: n * 10, time_ns: "1700000000000000000", function: code, sha256: "ab" });
const made = difference === "flat" ? makeFlat(Number(nodes)) : makeGraph(Number(nodes), difference as Difference);
writeFileSync(file, JSON.stringify(makeComparison(made, { a: side(1), b: side(2) })));
