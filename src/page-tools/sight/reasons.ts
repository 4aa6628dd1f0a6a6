/** Why nobody sees a text, wherever the page is scrolled to. */
export type Unseen =
  | 'transparent'
  | 'too small to see'
  | 'clipped to nothing'
  | 'off the page'
  | 'not displayed'
  /** Hidden in the way that pages use for text that only assistive technology reads. */
  | 'sr-only'
