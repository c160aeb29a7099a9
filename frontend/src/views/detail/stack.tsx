import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { basename, plural } from "../../base/format";
import type { StackFrame, TraceDetail } from "../../data/detail";

/** Where the call was made: the user's own frames, innermost first; the library's on demand, all in the recorded order. */
export function Stack({ detail }: { detail: TraceDetail }): JSX.Element {
  const all = useSignal(false);
  const { stack } = detail;
  if (stack.length === 0) return <p class="muted">No call stack was recorded.</p>;
  const library = stack.filter((frame) => !frame.user).length;
  const own = stack.length - library;
  const open = all.value || own === 0;
  const frames = open ? stack : stack.filter((frame) => frame.user);
  return (
    <>
      <ol class="stack" data-testid="stack">
        {frames.map((frame, index) => (
          <Frame key={index} frame={frame} />
        ))}
      </ol>
      {own > 0 && library > 0 && (
        <button type="button" class="link fold" aria-expanded={open} data-testid="library-frames" onClick={() => (all.value = !all.value)}>
          {open ? "Hide library frames" : `Show ${plural(library, "library frame")}`}
        </button>
      )}
      {detail.stackFramesLeftOut > 0 && <p class="muted fold">{plural(detail.stackFramesLeftOut, "outer frame")} not recorded.</p>}
    </>
  );
}

/** The user's line that made the call, in one line. */
export function CallSite({ detail }: { detail: TraceDetail }): JSX.Element | null {
  const frame = detail.stack.find((each) => each.user);
  if (!frame?.file) return null;
  return (
    <p class="call-site" data-testid="call-site" title={`${frame.file}:${frame.line}`}>
      Called at <code>{`${basename(frame.file)}:${frame.line}`}</code>
      {frame.function && (
        <>
          {" "}
          in <code>{frame.function}</code>
        </>
      )}
    </p>
  );
}

function Frame({ frame }: { frame: StackFrame }): JSX.Element {
  return (
    <li class={`stack-frame ${frame.user ? "user" : "library"}`} data-testid="stack-frame" data-user={frame.user}>
      <div class="where">
        <span class="file" title={`${frame.file}:${frame.line}`}>
          {frame.file ? basename(frame.file) : "unknown file"}:{frame.line}
        </span>
        <span class="in" title={frame.function}>
          {frame.function && `in ${frame.function}`}
        </span>
      </div>
      {frame.source && <pre>{frame.source.trim()}</pre>}
    </li>
  );
}
