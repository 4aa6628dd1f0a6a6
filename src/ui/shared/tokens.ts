import { css, type CSSResult } from 'lit'

/** The custom properties that a page can set on the element, with their defaults in light and dark. */
export const tokens: CSSResult = css`
  :host {
    --_text: var(--offstage-text, light-dark(#18181b, #ededf0));
    --_muted: var(--offstage-muted, light-dark(#5f5f68, #a6a6b0));
    --_ground: var(--offstage-ground, light-dark(#ffffff, #18181b));
    --_raised: var(--offstage-raised, light-dark(#f5f5f7, #242428));
    --_own: var(--offstage-own, light-dark(#f0f1f5, #2b2c33));
    --_line: var(--offstage-line, light-dark(#dedee4, #3b3b43));
    --_accent: var(--offstage-accent, light-dark(#2459d6, #8ab0ff));
    --_on-accent: var(--offstage-on-accent, light-dark(#ffffff, #10151d));
    --_problem: var(--offstage-problem, light-dark(#a3231d, #ff9b93));
    --_waiting: var(--offstage-waiting, light-dark(#8a5300, #f2bd6b));
    --_done: var(--offstage-done, light-dark(#1d6b3a, #83d3a0));
    --_code-ground: var(--offstage-code-ground, light-dark(#f5f5f7, #222226));
    --_font: var(--offstage-font, system-ui, sans-serif);
    --_code-font: var(--offstage-code-font, ui-monospace, 'Cascadia Mono', Menlo, monospace);
    --_size: var(--offstage-size, 0.9375rem);
    --_radius: var(--offstage-radius, 1rem);
    --_gap: var(--offstage-gap, 1rem);
    --_width: var(--offstage-width, 24rem);
    --_shadow: var(--offstage-shadow, 0 0.75rem 2.5rem rgb(0 0 0 / 0.18));
    --_z: var(--offstage-z, 1000);
  }

  :host([theme='light']) {
    color-scheme: light;
  }

  :host([theme='dark']) {
    color-scheme: dark;
  }
`
