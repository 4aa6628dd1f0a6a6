import { css, type CSSResult } from 'lit'

/** Styles of tool calls, their approvals and their questions. */
export const calls: CSSResult = css`
  .call {
    flex-shrink: 0;
    margin-inline-start: calc(var(--depth, 0) * 1em);
    contain: layout style;
    unicode-bidi: isolate;
  }

  /* Steps of one turn stand together. */
  .log > .call + .call:not(.waiting, .card) {
    margin-block-start: calc(var(--_gap) * -0.75);
  }

  .calls {
    display: block;
  }

  .call:is(.waiting, .card) {
    padding: 0.75em 1em;
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
  }

  .call.waiting {
    border-color: color-mix(in srgb, var(--_waiting) 55%, var(--_line));
  }

  .call summary,
  .summary {
    display: flex;
    gap: 0.5em;
    align-items: center;
    min-block-size: var(--_row);
    color: var(--_muted);
    cursor: pointer;
  }

  .call-title {
    min-inline-size: 0;
  }

  summary:hover .call-title,
  .waiting .call-title {
    color: var(--_text);
  }

  .waiting .call-title {
    font-weight: 600;
  }

  /* Value and state, in one line after the title of a row. */
  .call-value,
  .call-state {
    overflow: hidden;
    padding-block-start: 0.125em;
    font-size: 0.875em;
    text-overflow: ellipsis;
    white-space: nowrap;
  }

  .call-value {
    flex-shrink: 9;
  }

  .call-state {
    flex: none;
    max-inline-size: 55%;
    margin-inline-start: auto;
  }

  .call > p {
    align-self: flex-start;
  }

  /* Below the title of a row. */
  .call:not(.waiting, .card) > p {
    margin-inline-start: calc(var(--_size) * 1.75);
  }

  .waiting :is(.call-state, .icon-waiting) {
    color: var(--_waiting);
  }

  .done .icon-done {
    color: var(--_done);
  }

  .call.problem {
    color: inherit;
  }

  .call.problem :is(.call-state, .icon-problem) {
    color: var(--_problem);
  }

  .call .label {
    margin-block-start: 0.5em;
  }

  .call :is(pre, .asked) {
    padding: 0.75em;
    border-radius: calc(var(--_radius) / 2);
    background: var(--_code-ground);
    white-space: pre-wrap;
  }

  .call pre:not(.asked) {
    max-block-size: 20em;
    overflow: auto;
  }

  .call div.asked {
    white-space: normal;
  }

  /* Label and value stand side by side where there is room. Marks that pile up on a letter stay in their field. */
  .asked-field {
    display: flex;
    flex-wrap: wrap;
    column-gap: 0.75em;
    align-items: baseline;
    overflow: clip;
  }

  .asked-field + .asked-field {
    margin-block-start: 0.375em;
  }

  .asked dl,
  .asked dd {
    margin: 0;
  }

  .asked dt {
    flex: 1 0 6.25em;
    color: var(--_muted);
    font-size: 0.875em;
  }

  .asked dd {
    flex: 4 0 11em;
  }

  .asked small {
    display: block;
  }

  .asked .data {
    color: var(--offstage-code-number, light-dark(#954108, #eeb07c));
  }

  .asked dd span {
    white-space: pre-wrap;
    unicode-bidi: plaintext;
  }

  .asked button {
    display: block;
    margin-block-start: 0.25em;
  }

  .reason {
    inline-size: 100%;
  }

  .asked-call,
  .asked-all {
    padding-block-start: 0.5em;
    border-block-start: 1px solid var(--_line);
  }

  .because {
    color: var(--_waiting);
    font-size: 0.9375em;
  }

  .about {
    font-weight: 600;
  }

  .field textarea {
    max-block-size: 20em;
    field-sizing: content;
  }

  .code-field {
    font-family: var(--_code-font);
    font-size: 0.9em;
  }

  .approval .quiet {
    padding-inline: 0.5em;
  }

  .field {
    display: flex;
    flex-direction: column;
    gap: 0.125em;
    padding: 0;
    border: 0;
  }

  .field input[type='checkbox'] {
    align-self: flex-start;
  }

  progress {
    inline-size: 8em;
    accent-color: var(--_accent);
  }
`
