import { expect, it } from "vitest";
import { aTrace } from "../../data/testing";
import { nestedIn } from "./nesting";

it("finds the outermost trace and the depth, whatever the order", () => {
  const [outer, middle, inner, other] = [aTrace({ seq: 1 }), aTrace({ seq: 2, parentSeq: 1 }), aTrace({ seq: 3, parentSeq: 2 }), aTrace({ session: 1, seq: 2, parentSeq: 1 })];
  const found = nestedIn([inner!, middle!, outer!, other!]);
  expect([...found.values()].map(({ trace, root, depth }) => [trace.seq, root.seq, depth])).toEqual([[3, 1, 2], [2, 1, 1]]);
});

it("ends where a parent is not there, and in a damaged recording's loop", () => {
  expect(nestedIn([aTrace({ seq: 5, parentSeq: 3 })]).size).toBe(0);
  const loop = [aTrace({ seq: 1, parentSeq: 2 }), aTrace({ seq: 2, parentSeq: 1 }), aTrace({ seq: 3, parentSeq: 3 })];
  expect([...nestedIn(loop).values()].map(({ trace, root }) => [trace.seq, root.seq])).toEqual([[2, 1]]);
});
