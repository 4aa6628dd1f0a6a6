/** Matches the end of a sentence or line. */
export const SENTENCE_END: RegExp = /[.!?…](?=\s)|[。！？]|\n/g
