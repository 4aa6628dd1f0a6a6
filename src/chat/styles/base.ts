import { css, type CSSResult } from 'lit'

export const base: CSSResult = css`
  :host {
    display: block;
    box-sizing: border-box;
    min-block-size: 0;
    color: var(--_text);
    font-family: var(--_font);
    font-size: var(--_size);
    line-height: 1.5;
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

  .chat {
    display: flex;
    flex-direction: column;
    block-size: 100%;
    min-block-size: 0;
    background: var(--_ground);
  }

  .header {
    display: flex;
    gap: var(--_gap);
    align-items: center;
    padding: var(--_gap);
    border-block-end: 1px solid var(--_line);
  }

  .header h2 {
    margin: 0;
    font-size: 1em;
  }

  .title {
    flex: 1;
    overflow: hidden;
    color: var(--_muted);
    text-overflow: ellipsis;
    white-space: nowrap;
  }

  .log {
    display: flex;
    flex: 1;
    flex-direction: column;
    gap: var(--_gap);
    min-block-size: 0;
    padding: var(--_gap);
    overflow-y: auto;
    overscroll-behavior: contain;
  }

  button {
    min-block-size: 2rem;
    padding: 0.25em 0.75em;
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) / 2);
    background: var(--_ground);
    color: inherit;
    font: inherit;
    cursor: pointer;
  }

  button.primary {
    border-color: var(--_accent);
    background: var(--_accent);
    color: var(--_on-accent);
  }

  button:disabled {
    opacity: 0.5;
    cursor: default;
  }

  :focus-visible {
    outline: 2px solid var(--_accent);
    outline-offset: 2px;
  }

  .plain {
    margin: 0;
    overflow-wrap: anywhere;
    white-space: pre-wrap;
  }

  .own {
    align-self: flex-end;
    max-inline-size: 85%;
    padding: 0.5em 0.75em;
    border-radius: var(--_radius);
    background: var(--_own);
  }

  .note,
  .day {
    margin: 0;
    color: var(--_muted);
    font-size: 0.875em;
    text-align: center;
  }

  .call {
    padding: 0.5em 0.75em;
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    background: var(--_raised);
  }

  .call.waiting {
    border-color: var(--_waiting);
  }

  .problem {
    color: var(--_problem);
  }

  .buttons {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5em;
  }

  .composer {
    display: flex;
    gap: 0.5em;
    align-items: flex-end;
    padding: var(--_gap);
    border-block-start: 1px solid var(--_line);
  }

  textarea {
    flex: 1;
    min-inline-size: 0;
    padding: 0.375em 0.625em;
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) / 2);
    background: var(--_ground);
    color: inherit;
    font: inherit;
    resize: none;
  }

  @media (pointer: coarse) {
    button {
      min-block-size: 2.75rem;
      min-inline-size: 2.75rem;
    }
  }
`
