import { css, type CSSResult } from 'lit'

/** Styles of tables, trees and the view of the conversation. */
export const tables: CSSResult = css`
  .rows {
    flex: 1;
    min-block-size: 0;
    overflow: auto;
    font-variant-numeric: tabular-nums;
  }

  .head {
    position: sticky;
    z-index: 1;
    inset-block-start: 0;
  }

  .head .row {
    position: static;
    border-block-end: 1px solid var(--_line);
    background: var(--_raised);
    color: var(--_muted);
    cursor: default;
  }

  .space {
    position: relative;
  }

  .row {
    position: absolute;
    inset-inline: 0;
    display: grid;
    grid-template-columns: var(--_columns);
    gap: 0.5rem;
    align-items: center;
    block-size: var(--_row);
    padding-inline: 0.5rem;
    contain: strict;
    cursor: pointer;
  }

  .head .row {
    contain: none;
  }

  .row > span {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }

  .space .row:hover {
    background: var(--_raised);
  }

  .row[aria-selected='true'],
  .space .row[aria-selected='true']:hover {
    background: var(--_own);
  }

  .timeline {
    --_columns: minmax(8rem, 2fr) 6rem 6rem 4.5rem 4.5rem 4.5rem 4.5rem 4.5rem 4rem
      minmax(6rem, 2fr);
  }

  .journal {
    --_columns: 3rem 6.5rem 10rem minmax(0, 1fr);
  }

  .events {
    --_columns: 6.5rem 11rem minmax(0, 1fr);
  }

  .requests {
    --_columns: 6.5rem 6rem minmax(0, 1fr) 4.5rem 3.5rem 4.5rem;
  }

  .steps {
    --_columns: 6.5rem 6rem minmax(0, 1fr);
  }

  .tool-list {
    --_columns: 1fr 1fr 8rem;
  }

  .journal .space span:last-child,
  .events .space span:last-child,
  code,
  .tree {
    font-family: var(--_code-font);
    font-size: 0.75rem;
  }

  .journal .space span:last-child,
  .events .space span:last-child {
    color: var(--_muted);
  }

  .row.run {
    font-weight: 600;
  }

  .status {
    color: var(--_muted);
    font-weight: 400;
  }

  .completed,
  .succeeded {
    color: var(--_done);
  }

  .failed,
  .invalid,
  .interrupted,
  .aborted {
    color: var(--_problem);
  }

  .denied,
  .waiting,
  .requested {
    color: var(--_waiting);
  }

  .course,
  .share {
    display: block;
    inline-size: 100%;
    block-size: 0.75rem;
  }

  .whole {
    fill: var(--_line);
  }

  .model,
  .history {
    fill: var(--_accent);
    background: var(--_accent);
  }

  .tool,
  .tools {
    fill: var(--_done);
    background: var(--_done);
  }

  .person,
  .snapshots {
    fill: var(--_waiting);
    background: var(--_waiting);
  }

  .instructions {
    fill: var(--_problem);
    background: var(--_problem);
  }

  .context {
    fill: var(--_muted);
    background: var(--_muted);
  }

  .tokens {
    display: grid;
    grid-template-columns: max-content max-content;
    gap: 0.125rem 1rem;
    margin-block-start: 0.375rem;
  }

  .tokens dd {
    text-align: end;
    font-variant-numeric: tabular-nums;
  }

  .swatch {
    display: inline-block;
    inline-size: 0.625rem;
    block-size: 0.625rem;
    margin-inline-end: 0.375rem;
  }

  .leaf {
    padding-inline-start: 1rem;
    text-indent: -0.5rem;
  }

  .turn {
    min-block-size: 1.5rem;
    max-inline-size: 100%;
    padding: 0 0.25rem;
    border: 0;
    background: none;
    overflow: hidden;
    text-align: start;
    text-overflow: ellipsis;
    white-space: nowrap;
  }

  .turn[aria-expanded]::before {
    content: '▸ ' / '';
    color: var(--_muted);
  }

  .turn[aria-expanded='true']::before {
    content: '▾ ' / '';
  }

  .children {
    margin-inline-start: 0.625rem;
    border-inline-start: 1px solid var(--_line);
    padding-inline-start: 0.25rem;
  }

  .name {
    color: var(--_accent);
  }

  .value {
    color: var(--_waiting);
  }

  .text {
    white-space: pre-wrap;
  }

  .message {
    margin-block-end: 0.5rem;
    padding: 0.375rem 0.5rem;
    border-radius: 0.25rem;
    background: var(--_raised);
  }

  .message p:not(.call-line) {
    white-space: pre-wrap;
  }

  .message.user {
    background: var(--_own);
  }

  .call-line > * {
    margin-inline-end: 0.25rem;
  }

  @container (width < 900px) {
    .timeline {
      --_columns: minmax(0, 2fr) 6rem 4.5rem 4.5rem 4.5rem minmax(3rem, 1fr);
    }

    .timeline .row > :is(:nth-child(3), :nth-child(5), :nth-child(8), :nth-child(9)) {
      display: none;
    }
  }

  @container (width < 480px) {
    .timeline {
      --_columns: minmax(0, 2fr) 5.5rem 4.5rem minmax(3rem, 1fr);
    }

    .timeline .row > :is(:nth-child(6), :nth-child(7)) {
      display: none;
    }

    .journal {
      --_columns: 2.5rem 8rem minmax(0, 1fr);
    }

    .events {
      --_columns: 8rem minmax(0, 1fr);
    }

    .journal .row > :nth-child(2),
    .events .row > :nth-child(1) {
      display: none;
    }
  }

  @media (forced-colors: active) {
    .row[aria-selected='true'] {
      outline: 2px solid Highlight;
      outline-offset: -2px;
    }
  }
`
