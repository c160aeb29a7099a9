import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { count, plural, seconds } from "../../base/format";
import { isAsked, NO_QUESTION, type Question } from "../../state/function_parameters";
import { answer, answerError, ask, askAgain, asking, functionView, page } from "../../state/function_page";
import { CodeText } from "../code_text";
import { Snippet } from "../snippet";
import { editableLeaves, type EditableLeaf, toggled, withEverythingThatVaried } from "./editable";

const REFUSED_SHOWN = 5;
const CONSTANT_SHOWN = 40;
const DTYPES = ["int32", "int64", "float32", "float64"];

/** A change to the declaration or to the calls, chip by chip; what it would leave of the recorded traces stands below. */
export function WhatIf(): JSX.Element {
  const { question } = functionView.value!;
  const shown = page.value!;
  const { varied, constant, fixed } = editableLeaves(shown);
  const all = withEverythingThatVaried(varied);
  const declared = question.inputSignature.trim() !== "";
  const open = useSignal(false);
  const same = [...constant].sort((a, b) => Number(isChanged(b, question)) - Number(isChanged(a, question)));
  return (
    <section class="what-if" data-testid="what-if">
      <h3>
        What if
        {isAsked(question) && (
          <button type="button" class="link" data-testid="what-if-clear" onClick={() => ask(NO_QUESTION)}>
            As recorded
          </button>
        )}
      </h3>
      <p class="muted fold-before">Click what should be otherwise. The recorded calls are replayed by TensorFlow's rules; nothing is run.</p>
      <fieldset disabled={declared}>
        <legend class="visually-hidden">A changed signature</legend>
        {varied.map((leaf) => (
          <LeafEditor key={leaf.path} leaf={leaf} question={question} />
        ))}
        <div class="what-if-switches">
          <Chip pressed={question.reduceRetracing} label="reduce_retracing=True" title="TensorFlow widens a dimension when it changes" onClick={() => ask({ reduceRetracing: !question.reduceRetracing })} />
          {(all.unknown.length > 0 || all.tensors.length > 0) && (
            <button type="button" class="link" data-testid="what-if-all" onClick={() => ask(all)}>
              All that varied
            </button>
          )}
        </div>
      </fieldset>
      <Answer />
      <fieldset disabled={declared}>
        <legend class="visually-hidden">Arguments that never varied</legend>
        {constant.length > 0 && (
          <details open={open.value || same.some((leaf) => isChanged(leaf, question))} onToggle={(event) => (open.value = event.currentTarget.open)}>
            <summary>{plural(constant.length, "argument")} that never varied</summary>
            {same.slice(0, CONSTANT_SHOWN).map((leaf) => (
              <LeafEditor key={leaf.path} leaf={leaf} question={question} />
            ))}
            {same.length > CONSTANT_SHOWN && <p class="muted fold">{count(same.length - CONSTANT_SHOWN)} more are not listed: declare them below.</p>}
          </details>
        )}
        {fixed > 0 && <p class="muted fold">{plural(fixed, "other argument")}, neither tensor nor number, {fixed === 1 ? "stays" : "stay"} as recorded.</p>}
      </fieldset>
      <details class="declare" open={declared}>
        <summary>Or a whole input_signature</summary>
        <textarea
          rows={4}
          spellcheck={false}
          aria-label="An input signature as code"
          data-testid="what-if-declare"
          placeholder="[tf.TensorSpec([None, 10], tf.float32)]"
          value={question.inputSignature}
          onInput={(event) => ask({ ...NO_QUESTION, inputSignature: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            event.stopPropagation();
            event.currentTarget.blur();
          }}
        />
      </details>
    </section>
  );
}

function isChanged(leaf: EditableLeaf, { unknown, tensors }: Question): boolean {
  return unknown.some((path) => path === leaf.path || path.startsWith(`${leaf.path}[`)) || tensors.some((text) => pathOf(text) === leaf.path);
}

function pathOf(tensor: string): string {
  return tensor.split("=")[0]!;
}

function LeafEditor({ leaf, question }: { leaf: EditableLeaf; question: Question }): JSX.Element {
  const asTensor = question.tensors.find((text) => pathOf(text) === leaf.path);
  return (
    <div class="leaf-editor" role="group" aria-label={leaf.path} data-testid="leaf-editor" data-path={leaf.path}>
      <span class="path" title={leaf.path}>
        {leaf.path}
      </span>
      {leaf.sizes && (
        <span class="chips-line">
          <span class="muted">{leaf.dtype}</span>
          {leaf.sizes.length === 0 && <span class="muted">a scalar</span>}
          {leaf.sizes.map((size, index) => {
            const path = `${leaf.path}[${index}]`;
            const pressed = question.unknown.includes(path) || question.unknown.includes(leaf.path);
            return (
              <Chip
                key={index}
                pressed={pressed}
                label={pressed ? "None" : size}
                title={`Dimension ${index}: ${size}. Of unknown size?`}
                name={`${leaf.path}, dimension ${index}, ${size}: None`}
                onClick={() => ask({ unknown: toggled(question.unknown, path, leaf) })}
              />
            );
          })}
        </span>
      )}
      {leaf.number && (
        <span class="chips-line">
          <Chip
            pressed={asTensor !== undefined}
            label="as a tensor"
            title="Passed as a tensor instead of a Python number"
            name={`${leaf.path} as a tensor`}
            onClick={() => ask({ tensors: asTensor === undefined ? [...question.tensors, leaf.path] : question.tensors.filter((text) => text !== asTensor) })}
          />
          {asTensor !== undefined && (
            <select
              aria-label={`dtype of ${leaf.path}`}
              value={asTensor.split("=")[1] ?? ""}
              onChange={(event) => {
                const dtype = event.currentTarget.value;
                ask({ tensors: question.tensors.map((text) => (text === asTensor ? (dtype ? `${leaf.path}=${dtype}` : leaf.path) : text)) });
              }}
            >
              <option value="">the dtype that fits</option>
              {DTYPES.map((dtype) => (
                <option key={dtype} value={dtype}>
                  {dtype}
                </option>
              ))}
            </select>
          )}
        </span>
      )}
    </div>
  );
}

function Chip({ pressed, label, title, name, onClick }: { pressed: boolean; label: string; title: string; name?: string; onClick: () => void }): JSX.Element {
  return (
    <button type="button" class="button small mono size-chip" aria-pressed={pressed} title={title} aria-label={name} data-testid="what-if-chip" onClick={onClick}>
      {label}
    </button>
  );
}

function Answer(): JSX.Element {
  const found = answer.value;
  const problem = answerError.value;
  const { question } = functionView.value!;
  return (
    <div class={`what-if-answer${asking.value ? " waiting" : ""}`} aria-live="polite" aria-busy={asking.value} data-testid="what-if-answer">
      {!isAsked(question) ? null : problem !== null ? (
        <p class="error-text">
          <CodeText text={problem} />{" "}
          <button type="button" class="link" onClick={askAgain}>
            Try again
          </button>
        </p>
      ) : (
        found && (
          <div class={found.tracesAfter === null || found.refusedCount > 0 ? "advice unknown" : "advice"}>
            <p>
              <CodeText text={found.sentence} />
            </p>
            {found.tracesAfter !== null && (
              <p class={found.tracesAfter < found.tracesBefore && found.refusedCount === 0 ? "effect" : "effect none"}>
                {plural(found.tracesBefore, "trace")} → {count(found.tracesAfter)}
                {found.secondsSaved !== null && `, ${seconds(found.secondsSaved)} saved`}
              </p>
            )}
            {found.code && <Snippet code={found.code} what="the declaration" />}
            {found.refused.length > 0 && (
              <ul class="refused">
                {found.refused.slice(0, REFUSED_SHOWN).map((call) => (
                  <li key={call.seq}>
                    #{count(call.n)} does not fit: <CodeText text={call.reason} />
                  </li>
                ))}
                {found.refusedCount > REFUSED_SHOWN && <li class="muted">and {count(found.refusedCount - REFUSED_SHOWN)} more</li>}
              </ul>
            )}
            {found.caveats.map((text, index) => (
              <p class="evidence" key={index}>
                <CodeText text={text} />
              </p>
            ))}
          </div>
        )
      )}
    </div>
  );
}
