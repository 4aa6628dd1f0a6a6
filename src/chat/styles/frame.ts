import { css, type CSSResult } from 'lit'

/** The chat as a whole, in each of its placements. */
export const frame: CSSResult = css`
  .chat {
    position: relative;
    display: flex;
    flex-direction: column;
    block-size: 100%;
    min-block-size: 0;
    overflow: hidden;
    background: var(--_ground);
  }

  .header {
    display: flex;
    gap: 0.25em;
    align-items: center;
    padding: 0.5em var(--_gap);
    border-block-end: 1px solid var(--_line);
    container-type: inline-size;
  }

  .header h2 {
    flex: 0 1 auto;
    min-inline-size: 2em;
    overflow: hidden;
    font-size: 1em;
    text-overflow: ellipsis;
    white-space: nowrap;
  }

  .header button {
    flex-shrink: 0;
  }

  .sign {
    display: none;
  }

  @container (width < 34rem) {
    .header .sign {
      display: inline;
    }

    .sign-words {
      position: absolute;
      inline-size: 1px;
      block-size: 1px;
      overflow: hidden;
      clip-path: inset(50%);
      white-space: nowrap;
    }
  }

  .title {
    flex: 1 1 4em;
    min-inline-size: 0;
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
    overflow: hidden auto;
    overscroll-behavior: contain;
  }

  .log:focus-visible {
    outline-offset: -2px;
  }

  .earlier,
  .later {
    align-self: center;
  }

  .latest {
    align-self: center;
    margin-block: 0.25em;
    border-radius: 2em;
  }

  .empty {
    display: flex;
    flex-direction: column;
    gap: 0.5em;
    align-items: flex-start;
    margin-block: auto;
  }

  .notices {
    display: flex;
    flex-direction: column;
    flex-shrink: 0;
    gap: 0.375em;
    max-block-size: 40%;
    padding-inline: var(--_gap);
    overflow-y: auto;
    font-size: 0.9375em;
  }

  .queue {
    padding: 0;
    list-style: none;
  }

  .composer {
    flex-shrink: 0;
    padding: var(--_gap);
    padding-block-end: max(var(--_gap), env(safe-area-inset-bottom));
  }

  .compose {
    display: flex;
    gap: 0.5em;
    align-items: flex-end;
  }

  .prompt {
    flex: 1;
    max-block-size: calc(8lh + 0.75em);
    field-sizing: content;
    overflow-y: auto;
    resize: none;
  }

  .attachments {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25em;
    padding: 0 0 0.5em;
    list-style: none;
  }

  .attachments li {
    display: flex;
    gap: 0.25em;
    align-items: center;
    max-inline-size: 100%;
    padding-inline-start: 0.5em;
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) / 2);
    overflow-wrap: anywhere;
  }

  .list {
    display: flex;
    flex: 1;
    flex-direction: column;
    gap: 0.5em;
    min-block-size: 0;
    padding: var(--_gap);
    overflow-y: auto;
  }

  .list ul {
    padding: 0;
    list-style: none;
  }

  .list li {
    display: flex;
    gap: 0.25em;
  }

  .list h3 {
    margin: 0;
    font-size: 1em;
  }

  .memory {
    flex: 1;
    min-inline-size: 0;
    padding-block: 0.25em;
  }

  .list li .quiet {
    flex-shrink: 0;
    align-self: flex-start;
  }

  .record {
    display: flex;
    flex: 1;
    flex-direction: column;
    justify-content: center;
    min-inline-size: 0;
    border-color: transparent;
    text-align: start;
  }

  .record-title {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }

  .record[aria-current='true'] {
    background: var(--_raised);
  }

  :host([placement='panel']) {
    position: fixed;
    z-index: var(--_z);
    inset-block: 0;
    inset-inline-end: 0;
    inline-size: min(var(--_width), 100vw);
    border-inline-start: 1px solid var(--_line);
  }

  .edge {
    position: absolute;
    z-index: 1;
    inset-block: 0;
    inset-inline-start: 0;
    inline-size: 0.5rem;
    cursor: ew-resize;
    touch-action: none;
  }

  .edge:hover,
  .edge:focus-visible {
    background: var(--_accent);
  }

  :host([placement='bubble']) {
    position: fixed;
    z-index: var(--_z);
    inset-block-end: max(1rem, env(safe-area-inset-bottom));
    inset-inline-end: max(1rem, env(safe-area-inset-right));
  }

  .bubble {
    min-block-size: 3rem;
    padding-inline: 1.25em;
    border-radius: 2em;
    box-shadow: var(--_shadow);
  }

  :host([placement='bubble']) .chat {
    inline-size: min(var(--_width), calc(100vw - 2rem));
    block-size: min(40rem, calc(100dvh - 2rem));
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    box-shadow: var(--_shadow);
  }

  @media (width < 480px) {
    :host([placement='panel']) {
      inset-block: var(--_screen-top, 0) auto;
      inline-size: 100vw;
      block-size: var(--_screen-height, 100dvh);
    }

    .edge {
      display: none;
    }

    :host([placement='bubble']) {
      inset: 0;
    }

    :host([placement='bubble']) .chat {
      position: fixed;
      inset: 0;
      inset-block: var(--_screen-top, 0) auto;
      inline-size: auto;
      block-size: var(--_screen-height, 100dvh);
      border: 0;
      border-radius: 0;
    }
  }
`
