import { css, type CSSResult } from 'lit'

/** The custom properties that a page can set on the element, with their defaults in light and dark. */
export const tokens: CSSResult = css`
  :host {
    --_text: var(--offstage-text, light-dark(#1c1b1a, #edebe8));
    --_muted: var(--offstage-muted, light-dark(#5d5a56, #a9a5a0));
    --_ground: var(--offstage-ground, light-dark(#ffffff, #1b1a19));
    --_raised: var(--offstage-raised, light-dark(#f4f2ef, #272523));
    --_own: var(--offstage-own, light-dark(#e6ecf5, #2c3646));
    --_line: var(--offstage-line, light-dark(#d9d5cf, #43403c));
    --_accent: var(--offstage-accent, light-dark(#1f5fbf, #7fb0ff));
    --_on-accent: var(--offstage-on-accent, light-dark(#ffffff, #10151d));
    --_problem: var(--offstage-problem, light-dark(#a3231d, #ff9b93));
    --_waiting: var(--offstage-waiting, light-dark(#8a5300, #f2bd6b));
    --_done: var(--offstage-done, light-dark(#1d6b3a, #83d3a0));
    --_code-ground: var(--offstage-code-ground, light-dark(#f1efec, #242220));
    --_font: var(--offstage-font, inherit);
    --_code-font: var(--offstage-code-font, ui-monospace, 'Cascadia Mono', Menlo, monospace);
    --_size: var(--offstage-size, 0.9375rem);
    --_radius: var(--offstage-radius, 0.75rem);
    --_gap: var(--offstage-gap, 0.75rem);
    --_width: var(--offstage-width, 24rem);
    --_shadow: var(--offstage-shadow, 0 0.5rem 2rem rgb(0 0 0 / 0.2));
    --_z: var(--offstage-z, 1000);
  }

  :host([theme='light']) {
    color-scheme: light;
  }

  :host([theme='dark']) {
    color-scheme: dark;
  }
`
