import { css, type CSSResult } from 'lit'

/** What all parts have in common. */
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

  :host([placement='inline']) {
    block-size: 100%;
    max-block-size: 100dvh;
  }

  :host([hidden]) {
    display: none;
  }

  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }

  h2,
  p,
  ul,
  ol,
  pre,
  fieldset {
    margin: 0;
  }

  button,
  .button,
  input,
  select,
  textarea {
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) / 2);
    background: var(--_ground);
    color: inherit;
    font: inherit;
  }

  button,
  .button {
    min-block-size: 2rem;
    padding: 0.25em 0.75em;
    cursor: pointer;
  }

  button.primary {
    border-color: var(--_accent);
    background: var(--_accent);
    color: var(--_on-accent);
  }

  button.quiet {
    border-color: transparent;
    background: transparent;
    color: var(--_muted);
  }

  button.quiet:hover,
  button.quiet[aria-pressed='true'] {
    background: var(--_raised);
    color: var(--_text);
  }

  button:disabled {
    opacity: 0.55;
    cursor: default;
  }

  input,
  select,
  textarea {
    min-inline-size: 0;
    padding: 0.375em 0.625em;
  }

  input[type='checkbox'] {
    padding: 0;
  }

  :focus-visible {
    outline: 2px solid var(--_accent);
    outline-offset: 2px;
  }

  .buttons {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5em;
    align-items: center;
  }

  .plain {
    overflow-wrap: anywhere;
    white-space: pre-wrap;
  }

  .note,
  small {
    color: var(--_muted);
    font-size: 0.875em;
  }

  .problem {
    color: var(--_problem);
  }

  .unseen {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }

  @media (pointer: coarse) {
    button,
    .button,
    summary {
      min-block-size: 2.75rem;
      min-inline-size: 2.75rem;
    }
  }

  @media (forced-colors: active) {
    button.primary {
      border: 2px solid ButtonText;
    }

    .own {
      border: 1px solid CanvasText;
    }

    /* Browsers give them, and whatever has a colour in them, the colour of links. */
    summary,
    summary * {
      color: CanvasText !important;
    }
  }
`
