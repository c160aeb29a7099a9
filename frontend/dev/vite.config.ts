import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";
import { makeDetail, makeDigest } from "./fixtures";
import { type Difference, makeComparison, makeFlat, makeGraph, makeNode } from "./graph_fixtures";

/**
 * The tab in a page that stands for TensorBoard, with made-up data: `npm run dev`, then `/?traces=30&sessions=2&dark=1`.
 * Graphs to compare are made up as well (see `comparison` below). `traces=live` adds one at every request; `traces=error` answers 500; `traces=never` does not answer.
 */

const FRAME = `<!doctype html><head><meta charset="utf-8"></head><body><script type="module">
import("/src/index.ts").then((tab) => tab.render());
</script></body>`;

function host(query: URLSearchParams): string {
  const traces = (query.get("traces") ?? "30").replace(/\W/g, "");
  const sessions = (query.get("sessions") ?? "1").replace(/\D/g, "");
  return `<!doctype html><html><head><meta charset="utf-8"><style>
html, body { height: 100%; margin: 0 } body { display: flex; flex-direction: column }
header { background: #f57c00; color: #fff; flex: none; font: 500 20px/64px sans-serif; height: 64px; padding: 0 24px }
body.dark-mode header { background: #e65100 } iframe { border: 0; flex: 1; width: 100% }
</style></head><body class="${query.get("dark") ? "dark-mode" : ""}"><header>TensorBoard</header>
<iframe src="/mock/${traces}/${sessions || "1"}/"></iframe></body></html>`;
}

const live = new Map<string, number>();

async function answer(request: IncomingMessage, response: ServerResponse, transform: (url: string, html: string) => Promise<string>): Promise<boolean> {
  const url = new URL(request.url ?? "/", "http://localhost");
  const send = (status: number, type: string, body: string): boolean => {
    response.writeHead(status, { "content-type": type });
    response.end(body);
    return true;
  };
  if (url.pathname === "/favicon.ico") return send(204, "image/x-icon", "");
  if (url.pathname === "/") return send(200, "text/html", host(url.searchParams));
  const match = /^\/mock\/(\w+)\/(\d+)\/(\w*)$/.exec(url.pathname);
  if (!match) return false;
  const [, traces = "", sessions = "1", route = ""] = match;
  if (route === "") return send(200, "text/html", await transform(url.pathname, FRAME));
  if (traces === "never") return true;
  if (traces === "error") return send(500, "application/json", JSON.stringify({ error: "The log directory cannot be read: permission denied." }));
  let number = Number(traces);
  if (traces === "live") {
    number = live.get(sessions) ?? 5;
    if (route === "digest") live.set(sessions, number + 1);
  }
  const digest = makeDigest(number, Number(sessions));
  if (traces === "live") digest["generation"] = "live";
  if (route === "digest") {
    const known = url.searchParams.get("generation") === digest["generation"] && Number(url.searchParams.get("since")) === number;
    return send(200, "application/json", JSON.stringify(known ? { ...digest, traces: {} } : digest));
  }
  if (route === "compare" || route === "compare_node") {
    const answer = comparison(digest, url.searchParams);
    if (typeof answer === "string") return send(404, "application/json", JSON.stringify({ error: answer }));
    if (route === "compare") return send(200, "application/json", JSON.stringify(answer));
    const node = makeNode(answer, Number(url.searchParams.get("graph")), Number(url.searchParams.get("node")));
    return node ? send(200, "application/json", JSON.stringify(node)) : send(404, "application/json", JSON.stringify({ error: "There is no such node." }));
  }
  const detail = makeDetail(digest, url.searchParams.get("session") ?? "", Number(url.searchParams.get("seq")));
  return detail ? send(200, "application/json", JSON.stringify(detail)) : send(404, "application/json", JSON.stringify({ error: "There is no such trace." }));
}

/** A file of a real answer (RETRACE_COMPARE), or one made up: RETRACE_NODES nodes that differ as RETRACE_DIFFERENCE says. */
function comparison(digest: Record<string, unknown>, parameters: URLSearchParams): Record<string, unknown> | string {
  const side = (letter: string, otherwise: string): Record<string, unknown> => {
    const seq = Number(parameters.get(`seq_${letter}`) ?? otherwise);
    const detail = makeDetail(digest, parameters.get(`session_${letter}`) ?? parameters.get("session_b") ?? "", seq);
    const event = (detail?.["event"] ?? {}) as Record<string, unknown>;
    return { session: detail?.["session"], run: "fit", seq, n: event["n"], step: event["step"], time_ns: `${String(event["time_ns"])}`, function: detail?.["function"], sha256: "ab" };
  };
  const b = side("b", "1");
  const sides = { a: side("a", `${Math.max(1, Number(b["seq"]) - 1)}`), b };
  if (b["seq"] === 13) return "The graph of this trace was not stored: it was recorded with `graphs=False`. Record again without that.";
  const { RETRACE_COMPARE: file, RETRACE_NODES: nodes = "900", RETRACE_DIFFERENCE: difference = "shapes" } = process.env;
  if (file) {
    const answer = JSON.parse(readFileSync(file, "utf8")) as Record<string, Record<string, unknown>>;
    return { ...answer, a: { ...answer["a"], session: sides.a["session"], seq: sides.a["seq"] }, b: { ...answer["b"], session: sides.b["session"], seq: sides.b["seq"] } };
  }
  return makeComparison(difference === "flat" ? makeFlat(Number(nodes)) : makeGraph(Number(nodes), difference as Difference), sides);
}

function mock(): Plugin {
  return {
    name: "retrace-mock",
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        answer(request, response, (url, html) => server.transformIndexHtml(url, html)).then((answered) => {
          if (!answered) next();
        }, next);
      });
    },
  };
}

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  appType: "custom",
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  // Found while the page loads, they would be loaded twice.
  optimizeDeps: { include: ["preact", "preact/hooks", "preact/jsx-runtime", "preact/jsx-dev-runtime", "@preact/signals", "@dagrejs/dagre"] },
  worker: { format: "es" },
  plugins: [mock()],
});
