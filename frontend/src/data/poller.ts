/**
 * When to ask again: every 2 s while something changes and the tab is in view, every 10 s otherwise.
 * Time and timers are passed in, so that tests need no clock.
 */

export const FAST_MS = 2_000;
export const SLOW_MS = 10_000;
/** How long nothing may change before asking becomes slow. */
export const CALM_AFTER_MS = 60_000;

export function nextDelay(inView: boolean, sinceChangeMs: number): number {
  return inView && sinceChangeMs < CALM_AFTER_MS ? FAST_MS : SLOW_MS;
}

export class Poller {
  private timer: ReturnType<typeof setTimeout> | null = null;
  private running = false;
  private again = false;
  private changedAt: number;

  /** `ask` asks once, handles its own errors and says whether something changed. */
  constructor(
    private readonly ask: () => Promise<boolean>,
    private readonly inView: () => boolean,
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
    try {
      if (await this.ask()) this.changedAt = this.now();
    } finally {
      this.running = false;
    }
    if (this.again) {
      this.again = false;
      return this.poke();
    }
    this.timer = setTimeout(() => void this.poke(), nextDelay(this.inView(), this.now() - this.changedAt));
  }
}
