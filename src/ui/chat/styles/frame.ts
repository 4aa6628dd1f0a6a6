import { css, type CSSResult } from 'lit'

/** Layout of the chat, for each placement. */
export const frame: CSSResult = css`
  .chat {
    position: relative;
    display: flex;
    flex-direction: column;
    block-size: 100%;
    min-block-size: 0;
    overflow: hidden;
    overflow-wrap: anywhere;
    background: var(--_ground);
  }

  /* Columns of a table on the page's own card keep their words whole. */
  slot {
    overflow-wrap: break-word;
  }

  .chat[data-drop]::after {
    content: '';
    position: absolute;
    z-index: 2;
    inset: 0.5rem;
    border: 2px dashed var(--_accent);
    border-radius: var(--_radius);
    pointer-events: none;
  }

  .header {
    display: flex;
    gap: 0.25em;
    align-items: center;
    padding-block: 0.5em;
    padding-inline: var(--_gap) 0.5em;
    border-block-end: 1px solid var(--_line);
  }

  .header h2 {
    flex: 0 1 auto;
    min-inline-size: 2em;
    margin-inline-end: 0.25em;
    font-size: 1em;
    font-weight: 600;
  }

  .title {
    flex: 1 1 4em;
    min-inline-size: 0;
    color: var(--_muted);
  }

  .header h2,
  .title,
  .record-title {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }

  .log {
    display: flex;
    flex: 1;
    flex-direction: column;
    gap: var(--_gap);
    min-block-size: 0;
    padding: var(--_gap) var(--_side);
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
    position: relative;
    z-index: 1;
    margin-block: -2.75rem 0.5rem;
    box-shadow: var(--_shadow);
  }

  .empty {
    flex-flow: wrap;
    justify-content: center;
    margin-block: auto;
  }

  .empty > slot {
    display: block;
    inline-size: 100%;
  }

  .greeting {
    margin-block-end: 0.5em;
    font-size: 1.375em;
    font-weight: 600;
    text-align: center;
  }

  .notices {
    display: flex;
    flex-direction: column;
    flex-shrink: 0;
    gap: 0.375em;
    max-block-size: 40%;
    padding-inline: var(--_side);
    overflow-y: auto;
    color: var(--_muted);
    font-size: 0.9375em;
  }

  .notice {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25em 0.75em;
    align-items: center;
    color: var(--_muted);
  }

  .notice.problem {
    padding: 0.625em 0.875em;
    border: 1px solid color-mix(in srgb, currentColor 30%, transparent);
    border-radius: calc(var(--_radius) * 0.75);
    background: color-mix(in srgb, currentColor 6%, transparent);
    color: var(--_problem);
  }

  .notice button {
    color: var(--_text);
  }

  .notice > p {
    flex: 1;
  }

  .notice > :is(details, blockquote) {
    flex: 1 0 100%;
    order: 1;
  }

  .list ul,
  .queue,
  .attachments {
    padding: 0;
    list-style: none;
  }

  .queue {
    display: grid;
    gap: 0.375em;
  }

  .queue li {
    display: grid;
    grid-template-columns: 1fr auto;
    align-items: center;
    padding: 0.375em 0.375em 0.375em 0.875em;
    border: 1px dashed var(--_line);
    border-radius: calc(var(--_radius) * 0.75);
  }

  .queue .plain,
  .notice blockquote {
    max-block-size: 4lh;
    margin: 0;
    overflow-y: auto;
    color: var(--_text);
  }

  .composer {
    flex-shrink: 0;
    padding: 0.5em var(--_side);
    padding-block-end: max(var(--_gap), env(safe-area-inset-bottom));
  }

  .compose {
    display: flex;
    gap: 0.25em;
    align-items: flex-end;
    padding: 0.375em;
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) * 1.5);
  }

  .compose:focus-within {
    border-color: var(--_accent);
  }

  .prompt,
  .prompt:focus-visible {
    flex: 1;
    align-self: center;
    max-block-size: calc(8lh + 0.75em);
    padding-inline: 0.25em;
    border: 0;
    background: none;
    field-sizing: content;
    outline: none;
    overflow-y: auto;
    resize: none;
  }

  .attachments {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25em;
    max-block-size: 8lh;
    padding-block-end: 0.5em;
    overflow-y: auto;
  }

  .attachments li {
    display: flex;
    gap: 0.25em;
    align-items: center;
    max-inline-size: 100%;
    padding-inline-start: 0.5em;
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) / 2);
  }

  .attachments .attached {
    max-block-size: 3rem;
    margin-block: 0.25em;
  }

  .list {
    flex: 1;
    min-block-size: 0;
    padding: var(--_gap);
    overflow-y: auto;
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

  .record,
  .rename {
    display: flex;
    flex: 1;
    min-inline-size: 0;
  }

  .record {
    flex-direction: column;
    justify-content: center;
    border-color: transparent;
    text-align: start;
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
    position: relative;
    inline-size: 3.5rem;
    block-size: 3.5rem;
    box-shadow: var(--_shadow);
    font-size: 1.25rem;
  }

  .bubble .ring {
    position: absolute;
    inset: -4px;
    inline-size: auto;
    block-size: auto;
    border-color: transparent;
    border-block-start-color: var(--_accent);
  }

  .badge {
    position: absolute;
    inset-block-start: -0.25em;
    inset-inline-end: -0.25em;
    min-inline-size: 1.5em;
    border-radius: 1em;
    background: var(--_waiting);
    color: var(--_ground);
    font-size: 0.875rem;
    line-height: 1.5;
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
