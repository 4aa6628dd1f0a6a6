/** `inline` fills its container, `panel` docks at a side of the page, `bubble` is a button that opens the chat. */
export type Placement = 'inline' | 'panel' | 'bubble'
/** `auto` follows the page's `color-scheme`. */
export type Theme = 'light' | 'dark' | 'auto'
