/** Tokens that templates put before a reply and models repeat: the beginning of a text, and the assistant's header. */
const openings: readonly string[] = [
  '<s>',
  '<bos>',
  '<BOS_TOKEN>',
  '<|begin_of_text|>',
  '<|startoftext|>',
  '<｜begin▁of▁sentence｜>',
  '[gMASK]',
  '<sop>',
]
const headers: readonly string[] = [
  '<|im_start|>assistant',
  '<|start_header_id|>assistant<|end_header_id|>',
  '<|start_of_role|>assistant<|end_of_role|>',
  '<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>',
  '<start_of_turn>model',
  '<|turn>model',
  '<|assistant|>',
  '<｜Assistant｜>',
]
/** End of the previous turn, which a model repeats before its header. */
const ends: readonly string[] = [
  '<|im_end|>',
  '<|eot_id|>',
  '<|end_of_text|>',
  '<|endoftext|>',
  '<｜end▁of▁sentence｜>',
  '<end_of_turn>',
  '<turn|>',
  '</s>',
]
const starts = [...openings, ...headers]
const all = [...starts, ...ends]
const maxStart = 200

/**
 * Returns the end of a template token at `at`, before the first text of an output. The token is the beginning of a
 * text, the header of the assistant's turn, or the end of the previous turn. `'partial'` if more input may complete
 * one.
 */
export function matchReplyStart(text: string, at: number): number | 'partial' | undefined {
  let rest = text.slice(at, at + maxStart)
  let first: string | undefined
  for (;;) {
    const token = all.find((each) => rest.startsWith(each))
    if (token === undefined)
      return all.some((each) => each.startsWith(rest)) ? 'partial' : undefined
    first ??= token
    if (starts.includes(token)) return at + first.length
    rest = rest.slice(token.length).trimStart()
  }
}
