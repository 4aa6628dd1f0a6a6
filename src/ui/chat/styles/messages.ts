import { css, type CSSResult } from 'lit'

/** Styles of messages and their Markdown. Messages are clipped, so that no content is painted outside of them. */
export const messages: CSSResult = css`
  .message {
    flex-shrink: 0;
    max-inline-size: 100%;
    contain: layout style;
    unicode-bidi: isolate;
  }

  .own {
    display: flex;
    flex-flow: column;
    align-items: flex-end;
  }

  .own .actions {
    flex-direction: row-reverse;
    margin-block-start: 0;
    margin-inline: 0 var(--_icon-edge);
  }

  .own .content {
    max-inline-size: 85%;
    padding: 0.5em 0.875em;
    border-radius: var(--_radius);
    background: var(--_own);
  }

  .editor {
    gap: 0.5em;
    align-items: stretch;
    align-self: flex-end;
    inline-size: 85%;
  }

  .editor textarea {
    field-sizing: content;
  }

  .note,
  .day {
    align-self: center;
  }

  .day::first-letter {
    text-transform: uppercase;
  }

  .thinking {
    display: flex;
    gap: 0.5em;
    align-items: center;
    color: var(--_muted);
  }

  .actions {
    /* From the edge of an icon to that of its button. */
    --_icon-edge: -0.5rem;
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    margin-block: 0.25em calc(var(--_gap) * -0.75);
    margin-inline-start: var(--_icon-edge);
    color: var(--_muted);
    font-size: 0.8125em;

    @media (pointer: coarse) {
      --_icon-edge: -0.8125rem;
    }
  }

  .actions time {
    margin-inline-start: 0.5em;
  }

  @media (hover: hover) {
    .message:not(:hover, :focus-within, .reply:nth-last-child(1 of :is(.message, .call))) .actions,
    .message:not(:hover, :focus-within) time {
      opacity: 0;
    }

    .message:is(:hover, :focus-within) {
      z-index: 1;
    }
  }

  /* Steps of one turn stand together. Only the last has buttons, or they float over the next step. */
  .reply:has(+ :is(.reply, .call)) .actions {
    inline-size: fit-content;
    margin-block-end: -2.125rem;
    background: var(--_ground);

    @media (hover: none) {
      display: none;
    }
  }

  .attached {
    max-inline-size: 100%;
    max-block-size: 16em;
    border-radius: calc(var(--_radius) / 2);
  }

  .sources {
    margin-block-start: 0.5em;
    font-size: 0.875em;
  }

  .follow-ups {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5em;
  }

  .suggestion {
    max-inline-size: 100%;
    padding: 0.625em 0.875em;
    border-radius: var(--_radius);
    font-weight: 400;
    text-align: start;
  }

  .reasoning {
    margin-block-end: 0.5em;
    color: var(--_muted);
  }

  .markdown {
    contain: layout style;
  }

  /* While an answer is written, it has no buttons. Screen readers skip the dot. */
  .reply:not(:has(.actions, .note)) .markdown > p:last-child::after {
    content: ' ●' / '';
  }

  /* Each block is clipped by itself: the clip of all of them would change with every line, for all of them. */
  :is(.markdown, .part) > * {
    margin-block: 0 0.75em;
    overflow: clip;
    overflow-clip-margin: 4px;
    unicode-bidi: isolate;
  }

  .markdown > .part {
    margin-block: 0;
    overflow: visible;
  }

  :is(.markdown, .part) > :last-child:not(.part) {
    margin-block-end: 0;
  }

  .part:not(:last-child) > :last-child {
    margin-block-end: 0.75em;
  }

  .markdown :is(h3, h4, h5, h6) {
    margin-block: 1em 0.5em;
    font-size: 1.0625em;
    line-height: 1.3;
  }

  .markdown :is(ul, ol) {
    padding-inline-start: 1.5em;
  }

  .markdown blockquote {
    margin-inline: 0;
    padding-inline-start: 0.75em;
    border-inline-start: 3px solid var(--_line);
    color: var(--_muted);
  }

  :is(.markdown, .sources) a {
    color: var(--_accent);
  }

  .markdown img {
    max-inline-size: 100%;
  }

  /* The bar that scrolls sideways is never far below. */
  .markdown .table {
    max-inline-size: 100%;
    max-block-size: 30em;
    overflow: auto;
  }

  .markdown table {
    min-inline-size: 100%;
    border-collapse: collapse;
  }

  .markdown :is(th, td) {
    min-inline-size: 3em;
    max-inline-size: 20em;
    padding: 0.375em 0.75em;
    border-block-end: 1px solid var(--_line);
    overflow-wrap: break-word;
    text-align: start;
    vertical-align: top;
  }

  .markdown th {
    position: sticky;
    inset-block-start: 0;
    background: var(--_ground);
    font-weight: 600;
  }

  .markdown .table :is(.number, .end) {
    font-variant-numeric: tabular-nums;
    text-align: end;
  }

  .markdown .table .center {
    text-align: center;
  }

  .lines {
    display: block;
  }

  code,
  pre {
    font-family: var(--_code-font);
  }

  :not(pre) > code,
  pre {
    font-size: 0.9em;
  }

  /* Code, and inputs that a person is asked about, read from left to right on every page. */
  pre {
    direction: ltr;
    text-align: left;
    unicode-bidi: isolate;
  }

  .markdown :not(pre) > code {
    padding: 0.125em 0.25em;
    border-radius: 0.25em;
    background: var(--_code-ground);
  }

  .markdown .code {
    overflow: hidden;
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) / 2);
    background: var(--_code-ground);
  }

  .code-head {
    display: flex;
    align-items: center;
    justify-content: space-between;
    padding: 0.25em 0.25em 0.25em 0.75em;
    color: var(--_muted);
    font-size: 0.8125em;
  }

  .code-head button {
    min-block-size: var(--_row);
  }

  .markdown pre {
    max-block-size: 30em;
    padding: 0.25em 0.75em 0.75em;
    overflow: auto;
    white-space: pre;
  }
`
