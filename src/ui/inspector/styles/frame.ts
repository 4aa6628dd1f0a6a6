import { css, type CSSResult } from 'lit'

/** Styles of the element, its toolbars and the details. */
export const frame: CSSResult = css`
  :host {
    --_row: 28px;
    display: block;
    container-type: inline-size;
    box-sizing: border-box;
    block-size: 100%;
    min-block-size: 16rem;
    color: var(--_text);
    font: 0.8125rem/1.4 var(--offstage-font, system-ui, sans-serif);
    text-align: start;
  }

  :host([hidden]) {
    display: none;
  }

  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }

  p,
  h3,
  dl,
  dd {
    margin: 0;
  }

  .inspector {
    display: flex;
    flex-direction: column;
    block-size: 100%;
    border: 1px solid var(--_line);
    background: var(--_ground);
    overflow: hidden;
  }

  button,
  .button,
  input,
  select {
    min-block-size: 1.75rem;
    min-inline-size: 1.75rem;
    padding: 0.125rem 0.5rem;
    border: 1px solid var(--_line);
    border-radius: 0.25rem;
    background: var(--_ground);
    color: inherit;
    font: inherit;
  }

  input[type='checkbox'] {
    min-block-size: 1rem;
    min-inline-size: 1rem;
    margin: 0;
  }

  label:has(> input[type='checkbox']) {
    display: inline-flex;
    gap: 0.375rem;
    align-items: center;
    min-block-size: 1.75rem;
  }

  button,
  .button,
  select {
    cursor: pointer;
  }

  button:hover:enabled,
  .button:hover {
    background: var(--_raised);
  }

  button:disabled {
    opacity: 0.5;
    cursor: default;
  }

  button[aria-pressed='true'] {
    border-color: var(--_accent);
    color: var(--_accent);
  }

  .primary {
    border-color: var(--_accent);
    background: var(--_accent);
    color: var(--_on-accent);
  }

  .primary:hover:enabled {
    background: var(--_accent);
  }

  :focus-visible,
  .button:focus-within {
    outline: 2px solid var(--_accent);
    outline-offset: -2px;
  }

  .toolbar,
  .filters,
  .scrubber,
  .detail-head,
  .buttons {
    display: flex;
    flex-wrap: wrap;
    flex-shrink: 0;
    gap: 0.375rem;
    align-items: center;
    padding: 0.375rem 0.5rem;
  }

  .toolbar,
  .scrubber {
    background: var(--_raised);
  }

  .toolbar select {
    flex: 0 1 20rem;
    min-inline-size: 6rem;
  }

  .file {
    display: inline-flex;
    align-items: center;
    margin-inline-start: auto;
  }

  .source {
    overflow: hidden;
    color: var(--_muted);
    text-overflow: ellipsis;
    white-space: nowrap;
  }

  .live::before {
    content: '';
    display: inline-block;
    inline-size: 0.5rem;
    block-size: 0.5rem;
    margin-inline-end: 0.375rem;
    border-radius: 50%;
    background: var(--_done);
  }

  .tabs {
    display: flex;
    flex-shrink: 0;
    border-block: 1px solid var(--_line);
    overflow-x: auto;
  }

  .tabs button {
    border: 0;
    border-block-end: 2px solid transparent;
    border-radius: 0;
    background: none;
    white-space: nowrap;
  }

  .tabs button[aria-selected='true'] {
    border-block-end-color: var(--_accent);
    font-weight: 600;
  }

  .count {
    margin-inline-start: 0.375rem;
    color: var(--_muted);
    font-weight: 400;
    font-variant-numeric: tabular-nums;
  }

  .notice:empty {
    display: none;
  }

  .notice,
  .problem,
  .empty,
  .export {
    padding: 0.5rem;
  }

  .export {
    display: grid;
    gap: 0.375rem;
    max-block-size: 60%;
    border-block-start: 1px solid var(--_line);
    overflow: auto;
  }

  .export ul,
  .export h3 {
    margin: 0;
    font-size: inherit;
  }

  .export ul {
    padding-inline-start: 1.25rem;
  }

  .export .buttons {
    padding: 0;
  }

  fieldset {
    display: flex;
    flex-wrap: wrap;
    gap: 0 1rem;
    min-inline-size: 0;
    margin: 0;
    padding: 0.25rem 0.5rem;
    border: 1px solid var(--_line);
    border-radius: 0.25rem;
  }

  .problem {
    color: var(--_problem);
  }

  .empty,
  .quiet {
    color: var(--_muted);
  }

  .body {
    display: grid;
    flex: 1;
    grid-template: minmax(0, 1fr) / minmax(0, 3fr) minmax(0, 2fr);
    min-block-size: 0;
  }

  .list {
    container-type: inline-size;
    display: flex;
    flex-direction: column;
    min-block-size: 0;
  }

  .list:last-child {
    grid-column: 1 / -1;
  }

  .detail {
    display: flex;
    flex-direction: column;
    min-block-size: 0;
    border-inline-start: 1px solid var(--_line);
  }

  .detail-head {
    border-block-end: 1px solid var(--_line);
  }

  .end {
    margin-inline-start: auto;
  }

  .scroll {
    flex: 1;
    min-block-size: 0;
    padding: 0.5rem;
    overflow: auto;
    overflow-wrap: anywhere;
  }

  .scroll h3 {
    margin-block: 0.5rem 0.25rem;
    font-size: inherit;
  }

  .scrubber {
    border-block-start: 1px solid var(--_line);
  }

  .scrubber input {
    flex: 1 1 6rem;
    padding: 0;
    accent-color: var(--_accent);
  }

  output {
    color: var(--_muted);
    font-variant-numeric: tabular-nums;
  }

  .unseen {
    position: absolute;
    inline-size: 1px;
    min-inline-size: 0;
    block-size: 1px;
    min-block-size: 0;
    overflow: hidden;
    clip-path: inset(50%);
  }

  @container (width < 640px) {
    .body {
      grid-template: minmax(0, 1fr) minmax(0, 1fr) / minmax(0, 1fr);
    }

    .list:last-child {
      grid-row: 1 / -1;
    }

    .detail {
      border-block-start: 1px solid var(--_line);
      border-inline-start: 0;
    }
  }
`
