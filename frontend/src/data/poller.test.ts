import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { CALM_AFTER_MS, FAST_MS, nextDelay, Poller, SLOW_MS } from "./poller";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("is slow when out of view, or when nothing has changed for long", () => {
  expect(nextDelay(true, false, 0, 0)).toBe(FAST_MS);
  expect(nextDelay(false, true, 0, 0)).toBe(SLOW_MS);
  expect(nextDelay(true, false, CALM_AFTER_MS, 0)).toBe(SLOW_MS);
});

it("stays quick while training goes on, but leaves a slow server its time", () => {
  expect(nextDelay(true, true, CALM_AFTER_MS * 10, 50)).toBe(FAST_MS);
  expect(nextDelay(true, true, 0, FAST_MS)).toBe(4 * FAST_MS);
  expect(nextDelay(true, true, 0, SLOW_MS)).toBe(SLOW_MS);
});

it("asks again and again, slower once calm, fast again after a change", async () => {
  let asked = 0;
  let changed = false;
  const poller = new Poller(
    async () => {
      asked += 1;
      return changed;
    },
    () => true,
    () => false,
    () => Date.now(),
  );
  await poller.poke();
  await vi.advanceTimersByTimeAsync(CALM_AFTER_MS);
  const calm = asked;
  expect(calm).toBe(1 + CALM_AFTER_MS / FAST_MS);
  await vi.advanceTimersByTimeAsync(2 * SLOW_MS);
  expect(asked).toBe(calm + 2);
  changed = true;
  await vi.advanceTimersByTimeAsync(SLOW_MS);
  const before = asked;
  await vi.advanceTimersByTimeAsync(2 * FAST_MS);
  expect(asked).toBe(before + 2);
});

it("never asks twice at once: a poke meanwhile is done afterwards", async () => {
  const answers: (() => void)[] = [];
  const ask = vi.fn(() => new Promise<boolean>((resolve) => answers.push(() => resolve(false))));
  const poller = new Poller(ask, () => true, () => false, () => Date.now());
  void poller.poke();
  void poller.poke();
  void poller.poke();
  expect(ask).toHaveBeenCalledTimes(1);
  answers[0]!();
  await vi.advanceTimersByTimeAsync(0);
  expect(ask).toHaveBeenCalledTimes(2);
});
