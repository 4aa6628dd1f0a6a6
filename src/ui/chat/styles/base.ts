import { css, type CSSResult } from 'lit'

/** Styles shared by all parts. */
export const base: CSSResult = css`
  :host {
    /* Lines have about 70 characters. */
    --_side: max(var(--_gap), (100% - var(--_size) * 34) / 2);
    --_row: 1.75rem;
    display: block;
    box-sizing: border-box;
    min-block-size: 0;
    min-inline-size: 0;
    color: var(--_text);
    font-family: var(--_font);
    font-size: var(--_size);
    line-height: 1.5;
    text-align: start;
  }

  :host([placement='inline']) {
    /* Shrinks the chat to the maximum where the box has no height, so that a percentage has no effect. */
    display: flex;
    flex-direction: column;
    block-size: 100%;
    max-block-size: 100dvh;
  }

  :host([hidden]) {
    display: none;
  }

  *,
  ::before,
  ::after {
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
    min-block-size: 2.125rem;
    padding: 0.25em 0.875em;
    font-weight: 500;
    cursor: pointer;
  }

  button:hover:not(:disabled) {
    border-color: var(--_muted);
  }

  .round {
    display: inline-grid;
    flex-shrink: 0;
    place-items: center;
    inline-size: 2.125rem;
    padding: 0;
    border-radius: 50%;
  }

  .icon,
  .ring {
    flex-shrink: 0;
    inline-size: 1.25em;
    block-size: 1.25em;
  }

  .icon {
    fill: none;
    stroke: currentColor;
    stroke-linecap: round;
    stroke-linejoin: round;
    stroke-width: 1.75;
  }

  .icon-stop {
    fill: currentColor;
  }

  .bad .icon {
    rotate: 180deg;
  }

  .branches:dir(rtl) .icon {
    scale: -1 1;
  }

  .ring {
    display: inline-block;
    border: 2px solid var(--_line);
    border-block-start-color: currentColor;
    border-radius: 50%;
    animation: turn 1s linear infinite;

    @media (prefers-reduced-motion: reduce) {
      animation: none;
    }
  }

  @keyframes turn {
    to {
      rotate: 360deg;
    }
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

  button.quiet:hover:not(:disabled),
  button.quiet:is([aria-pressed='true'], [aria-expanded='true']) {
    border-color: transparent;
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
    padding: 0.4375em 0.75em;
  }

  input[type='checkbox'] {
    padding: 0;
  }

  .button:focus-within,
  :focus-visible {
    outline: 2px solid var(--_accent);
    outline-offset: 2px;
  }

  .call,
  .approval,
  .asked-call,
  .question,
  .edit,
  .empty,
  .list {
    display: flex;
    flex-direction: column;
    gap: 0.5em;
  }

  .buttons {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5em;
    align-items: center;
  }

  .plain {
    white-space: pre-wrap;
  }

  .note,
  .day,
  .label,
  .target,
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

  summary {
    align-content: center;
    list-style: none;
  }

  summary::-webkit-details-marker {
    display: none;
  }

  summary::after {
    content: '';
    display: inline-block;
    margin-inline-start: 0.5em;
    padding: 0.2em;
    border: solid;
    border-width: 0 1.5px 1.5px 0;
    rotate: 45deg;
    translate: 0 -0.15em;
  }

  [open] > summary::after {
    rotate: 225deg;
    translate: 0 0.15em;
  }

  ::placeholder {
    color: var(--_muted);
  }

  @media (pointer: coarse) {
    :host {
      --_row: 2.75rem;
    }

    button,
    .button,
    summary,
    .field:has([type='checkbox']) {
      min-block-size: var(--_row);
      min-inline-size: var(--_row);
    }

    /* Phones zoom into fields with smaller text. */
    input,
    select,
    textarea {
      padding-block: 0.625rem;
      font-size: max(16px, 1em);
    }
  }

  @media (forced-colors: active) {
    button.primary {
      border: 2px solid ButtonText;
    }

    .own .content {
      border: 1px solid CanvasText;
    }

    .compose:focus-within,
    [aria-pressed='true'],
    [aria-current='true'] {
      outline: 2px solid Highlight;
    }

    .ring {
      border-block-start-color: Canvas !important;
    }

    /* Browsers give them, and whatever has a colour in them, the colour of links. */
    summary,
    summary * {
      color: CanvasText !important;
    }
  }
`
