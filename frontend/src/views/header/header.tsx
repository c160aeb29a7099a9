import type { JSX } from "preact";
import { plural, wallClock } from "../../base/format";
import type { Session } from "../../data/digest";
import { sessionName } from "../../state/filters";
import { openRuns, sides } from "../../state/runs";
import { changeFilters, digest, loadError, phase, pickedSession, sessions, summary } from "../../state/store";
import { launches, openWorkers } from "../../state/workers";
import { CodeText } from "../code_text";
import { ExportMenu } from "../export/menu";
import { Toolbar } from "./toolbar";

/** The verdict first, then what to be careful about, then what to look at. */
export function Header(): JSX.Element {
  return (
    <header class="header">
      <div class="verdict-line">
        <div class="verdict-text">
          <h1 data-testid="verdict">
            <CodeText text={summary.value?.sentence ?? ""} />
          </h1>
          {summary.value?.detail && (
            <p class="detail" data-testid="detail">
              <CodeText text={summary.value.detail} />
            </p>
          )}
          {summary.value?.stale && (
            <p class="detail stale" data-testid="stale-verdict">
              <span class="tag stale">check results</span> <CodeText text={summary.value.stale} />
            </p>
          )}
        </div>
        <SessionBox />
      </div>
      <Notices />
      {phase.value === "ready" && <Toolbar />}
    </header>
  );
}

function SessionBox(): JSX.Element | null {
  const all = sessions.value;
  if (all.length === 0) return null;
  const one = all.length === 1 ? all[0]! : pickedSession.value;
  return (
    <div class="session">
      {all.length === 1 ? (
        <span class="run-name" title={all[0]!.program} data-testid="session-picker">
          {sessionName(all[0]!)}
        </span>
      ) : (
        <select
          aria-label="Recorded session"
          data-testid="session-picker"
          value={pickedSession.value?.id ?? ""}
          onChange={(event) => changeFilters({ session: event.currentTarget.value || null })}
        >
          <option value="">All {plural(all.length, "session")}</option>
          {all.map((session) => (
            <option key={session.id} value={session.id}>
              {optionName(session, all)}
            </option>
          ))}
        </select>
      )}
      {one && <SessionFacts session={one} />}
      <div class="session-actions">
        {launches.value.length > 0 && phase.value === "ready" && (
          <button type="button" class="button small" data-testid="open-workers" title="Which worker traced what, and how long the others waited" onClick={openWorkers}>
            Workers
          </button>
        )}
        {sides.value.length > 1 && phase.value === "ready" && (
          <button type="button" class="button small" data-testid="compare-runs" title="Two recordings side by side, before and after a change" onClick={openRuns}>
            Compare runs
          </button>
        )}
        {phase.value === "ready" && <ExportMenu />}
      </div>
    </div>
  );
}

function SessionFacts({ session }: { session: Session }): JSX.Element {
  const last = wallClock(session.lastNs);
  const versions = [session.tensorflow && `TensorFlow ${session.tensorflow}`, session.keras && `Keras ${session.keras}`].filter(Boolean).join(" · ");
  const title = [
    session.program && `Program: ${session.program}`,
    session.host && `Host: ${session.host}${session.pid === null ? "" : `, process ${session.pid}`}`,
    session.python && `Python ${session.python}`,
    `Started: ${wallClock(session.startedNs) || "not known"}`,
    session.ended ? `Ended: ${last || "not known"}` : `Not ended; last sign of life: ${last || "not known"}`,
  ]
    .filter(Boolean)
    .join("\n");
  return (
    <span class="facts" title={title}>
      {!session.ended && <span class="recording" aria-hidden="true" />}
      <span>{session.ended ? "ended" : last ? `last sign of life ${last.slice(11)}` : "not ended"}</span>
      {versions && <span>· {versions}</span>}
    </span>
  );
}

/** Sessions of the same run are told apart by when they started. */
function optionName(session: Session, all: readonly Session[]): string {
  const name = sessionName(session);
  const twins = all.filter((other) => sessionName(other) === name).length > 1;
  const started = wallClock(session.startedNs);
  return twins && started ? `${name} · ${started}` : name;
}

function Notices(): JSX.Element | null {
  const notices = digest.value?.notices ?? [];
  const lost = digest.value && loadError.value ? [{ severity: "error", text: `${loadError.value} What you see is the last answer; trying again.` }] : [];
  const all = [...lost, ...notices.filter((notice) => notice.text !== "")];
  if (all.length === 0) return null;
  return (
    <ul class="notices" data-testid="notices" aria-live="polite">
      {all.map((notice, index) => (
        <li key={index} class={notice.severity === "error" ? "error" : "warning"}>
          <strong>{notice.severity === "error" ? "Error" : "Note"}</strong>
          <span>
            <CodeText text={notice.text} />
          </span>
        </li>
      ))}
    </ul>
  );
}
