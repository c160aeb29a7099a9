/**
 * When to ask again: about every second while training goes on or something changes, and the tab is in view; every 10 s otherwise. An answer
 * that takes long is not asked for all the time. Time and timers are passed in, so that tests need no clock.
 */

export const FAST_MS = 750;
export const SLOW_MS = 10_000;
/** How long nothing may change before asking becomes slow. */
export const CALM_AFTER_MS = 60_000;

/** Of the time, the share that a server may spend on answering one tab is one in so many. */
const REST = 4;

export function nextDelay(inView: boolean, live: boolean, sinceChangeMs: number, tookMs: number): number {
  return inView && (live || sinceChangeMs < CALM_AFTER_MS) ? Math.min(SLOW_MS, Math.max(FAST_MS, REST * tookMs)) : SLOW_MS;
}

export class Poller {
  private timer: ReturnType<typeof setTimeout> | null = null;
  private running = false;
  private again = false;
  private changedAt: number;
  private answers = 0;

  /** `ask` asks once, handles its own errors and says whether something changed; `live`: whether more is to be expected. */
  constructor(
    private readonly ask: () => Promise<boolean>,
    private readonly inView: () => boolean,
    private readonly live: () => boolean,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.changedAt = now();
  }

  /** Asks now; if it is asking already, once more after that. */
  async poke(): Promise<void> {
    if (this.running) {
      this.again = true;
      return;
    }
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.running = true;
    const asked = this.now();
    let took = 0;
    try {
      if (await this.ask()) this.changedAt = this.now();
      // The first answer is everything; it says nothing about the next ones.
      if (this.answers > 0) took = this.now() - asked;
      this.answers += 1;
    } finally {
      this.running = false;
    }
    if (this.again) {
      this.again = false;
      return this.poke();
    }
    this.timer = setTimeout(() => void this.poke(), nextDelay(this.inView(), this.live(), this.now() - this.changedAt, took));
  }
}
