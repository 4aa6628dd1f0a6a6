/** Why no eye sees a text, wherever the page is scrolled to. */
export type Unseen =
  | 'transparent'
  | 'too small to see'
  | 'clipped to nothing'
  | 'off the page'
  | 'not displayed'
  /** Hidden in the way in which pages leave text to assistive technology. */
  | 'sr-only'
