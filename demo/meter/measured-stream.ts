/** The file that both readers read, as an answer of Chat Completions. Made by `vite.demo.config.ts`. */
export const STREAM_FILE = 'measured-stream.txt'
export const STREAM_DELTAS = 20_000

const words =
  'the worker reads each piece of this answer and the page only draws what is new of it while you scroll and type'.split(
    ' ',
  )

/** Server-sent events of a long answer. */
export function measuredStream(): string {
  const chunk = (delta: object, reason: string | null): string =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`
  const deltas = Array.from({ length: STREAM_DELTAS }, (_, index) =>
    chunk({ content: `${words[index % words.length] ?? ''} ` }, null),
  )
  return `${deltas.join('')}${chunk({}, 'stop')}data: [DONE]\n\n`
}
