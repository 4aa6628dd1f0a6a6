/** Where a sentence or a line ends. */
export const SENTENCE_END: RegExp = /[.!?…](?=\s)|[。！？]|\n/g
