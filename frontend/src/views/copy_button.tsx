import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { copyText } from "../base/copy";

/** Copies `text`; says so on itself for a moment. `what` names it for assistive technology. */
export function CopyButton({ text, what }: { text: string; what: string }): JSX.Element {
  const state = useSignal<"idle" | "copied" | "failed">("idle");
  const copy = async (): Promise<void> => {
    state.value = (await copyText(text)) ? "copied" : "failed";
    setTimeout(() => (state.value = "idle"), 1500);
  };
  const label = { idle: "Copy", copied: "Copied", failed: "Press Ctrl+C" }[state.value];
  return (
    <button type="button" class="button small copy" onClick={() => void copy()} aria-label={`${label}: ${what}`}>
      {label}
    </button>
  );
}
