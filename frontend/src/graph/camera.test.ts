import { describe, expect, it } from "vitest";
import { type Camera, centred, comfortable, filled, fitted, following, held, LEAST_SCALE, MOST_SCALE, panBy, revealing, toScreen, toWorld, zoomAt } from "./camera";

const pane = { width: 400, height: 300 };
const camera: Camera = { x: 10, y: -20, scale: 0.5 };
const shows = (at: Camera, x: number, y: number): boolean => {
  const [left, top] = toScreen(at, x, y);
  return left >= 0 && left <= pane.width && top >= 0 && top <= pane.height;
};

it("goes from the world to the pane and back", () => {
  expect(toScreen(camera, 110, 80)).toEqual([50, 50]);
  expect(toWorld(camera, 50, 50)).toEqual([110, 80]);
});

it("zooms about a point, within limits", () => {
  const near = zoomAt(camera, 2, 120, 90);
  expect(near.scale).toBe(1);
  expect(toWorld(near, 120, 90)).toEqual(toWorld(camera, 120, 90));
  expect(zoomAt(camera, 1e9, 0, 0).scale).toBe(MOST_SCALE);
  expect(zoomAt(camera, 1e-9, 0, 0).scale).toBe(LEAST_SCALE);
});

it("moves by pixels", () => expect(panBy(camera, 10, -5)).toEqual({ x: 30, y: -30, scale: 0.5 }));

describe("fitting", () => {
  it("shows all of a large box, and no box larger than life", () => {
    const all = fitted({ x: 0, y: 0, width: 4000, height: 100 }, pane);
    expect(shows(all, 0, 50)).toBe(true);
    expect(shows(all, 4000, 50)).toBe(true);
    expect(fitted({ x: 0, y: 0, width: 10, height: 10 }, pane).scale).toBe(1);
  });

  it("shows the top of what is too tall to be read whole", () => {
    const at = fitted({ x: 0, y: 0, width: 300, height: 9000 }, pane, 0.7);
    expect(at.scale).toBe(0.7);
    expect(shows(at, 150, 0)).toBe(true);
  });

  it("takes boxes without size", () => expect(Number.isFinite(fitted({ x: 0, y: 0, width: 0, height: 0 }, { width: 0, height: 0 }).scale)).toBe(true));
});

it("centres", () => {
  const at = centred({ x: 100, y: 100, width: 20, height: 10 }, pane, 0.5);
  expect(toScreen(at, 110, 105)).toEqual([200, 150]);
});

describe("revealing", () => {
  it("moves as little as it must", () => {
    expect(revealing(camera, { x: 60, y: 60, width: 50, height: 20 }, pane)).toEqual(camera);
    const right = revealing(camera, { x: 2000, y: 60, width: 50, height: 20 }, pane);
    expect(right.y).toBe(camera.y);
    expect(shows(right, 2050, 80)).toBe(true);
  });

  it("shows the left top of what is too large", () => {
    const at = revealing(camera, { x: 3000, y: 3000, width: 5000, height: 5000 }, pane);
    expect(shows(at, 3000, 3000)).toBe(true);
  });
});

it("follows a box", () => {
  const before = { x: 100, y: 100, width: 10, height: 10 };
  const at = following(camera, before, { x: 300, y: 50, width: 90, height: 90 });
  expect(toScreen(at, 300, 50)).toEqual(toScreen(camera, 100, 100));
});

it("never loses the picture", () => {
  const scene = { width: 500, height: 500 };
  for (const [x, y] of [[1e6, 1e6], [-1e6, -1e6], [0, 1e6]] as const) {
    const at = held({ x, y, scale: 1 }, scene, pane);
    const [left, top] = toScreen(at, 0, 0);
    const [right, bottom] = toScreen(at, 500, 500);
    expect(left < pane.width && right > 0 && top < pane.height && bottom > 0).toBe(true);
  }
});

it("shows no emptiness that it need not", () => {
  const scene = { width: 2000, height: 2000 };
  expect(toScreen(filled({ x: -500, y: -500, scale: 1 }, scene, pane), 0, 0)).toEqual([16, 16]);
  expect(toScreen(filled({ x: 5000, y: 5000, scale: 1 }, scene, pane), 2000, 2000)).toEqual([384, 284]);
  expect(toScreen(filled({ x: 77, y: 77, scale: 1 }, { width: 100, height: 100 }, pane), 50, 50)).toEqual([200, 150]);
});

it("looks closer where there is room", () => {
  expect(comfortable({ width: 300, height: 1 })).toBe(0.8);
  expect(comfortable({ width: 2000, height: 1 })).toBe(1);
});
