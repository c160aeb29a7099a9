import { describe, expect, it } from "vitest";
import { linesOf, traceName } from "./csv_lines";

const CSV = 'session,seq,function\r\ns-1,1,"a, ""b"""\r\ns-1,12,c\r\n\'-s,1,d\r\ns-2,1,e\r\n';

describe("lines of a table of traces", () => {
  it("are those asked for, as they were, behind the header", () => {
    expect(linesOf(CSV, new Set([traceName("s-1", 1), traceName("-s", 1)]))).toBe('session,seq,function\r\ns-1,1,"a, ""b"""\r\n\'-s,1,d\r\n');
    expect(linesOf(CSV, new Set(["s-1,1", "s-1,12", "-s,1", "s-2,1"]))).toBe(CSV);
  });

  it("are none where none is asked for, and the last one needs no end", () => {
    expect(linesOf(CSV, new Set())).toBe("session,seq,function\r\n");
    expect(linesOf(CSV.trimEnd(), new Set(["s-2,1"]))).toBe("session,seq,function\r\ns-2,1,e");
    expect(linesOf("", new Set())).toBe("");
  });
});
