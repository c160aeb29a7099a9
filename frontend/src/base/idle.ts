import { signal } from "@preact/signals";

/**
 * Whether the page has nothing left to do: loaded, no request under way, no frame asked for. Shown as `data-retrace-idle` on the
 * document element, for screenshots and browser tests.
 */
const pending = signal(1); // the first load counts until `loaded` is called
let isLoaded = false;

/** Counts a piece of work until the function that it returns is called (once). */
export function busy(): () => void {
  pending.value = pending.peek() + 1; // not `+=`: an effect that starts work must not follow all work
  let done = false;
  return () => {
    if (done) return;
    done = true;
    pending.value = pending.peek() - 1;
  };
}

/** The first answer, good or bad, has been shown. */
export function loaded(): void {
  if (isLoaded) return;
  isLoaded = true;
  pending.value -= 1;
}

/** Runs `draw` in the next frame, once however often it was asked for. */
export function frameScheduler(draw: () => void): { request: () => void; cancel: () => void } {
  let frame = 0;
  let done: (() => void) | null = null;
  const finish = (): void => {
    frame = 0;
    done?.();
    done = null;
  };
  return {
    request: () => {
      if (frame) return;
      done = busy();
      frame = requestAnimationFrame(() => {
        try {
          draw();
        } finally {
          finish();
        }
      });
    },
    cancel: () => {
      if (frame) cancelAnimationFrame(frame);
      finish();
    },
  };
}

/**
 * Keeps the document element's attribute up to date. It says idle two frames after the last work: Preact runs what a new
 * component asks for, such as its first drawing, after the frame that shows the component.
 */
export function showIdle(root: HTMLElement): () => void {
  let turn = 0; // of the latest change
  return pending.subscribe((value) => {
    const mine = ++turn;
    root.dataset["retraceIdle"] = "false";
    if (value !== 0) return;
    afterFrame(() => afterFrame(() => void (mine === turn && (root.dataset["retraceIdle"] = "true"))));
  });
}

function afterFrame(then: () => void): void {
  requestAnimationFrame(() => void setTimeout(then));
}
