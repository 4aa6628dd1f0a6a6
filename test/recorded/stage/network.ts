/** An answer of a server. */
export interface Answer {
  readonly status?: number
  readonly headers?: { readonly [name: string]: string }
  /** Events of a stream, as JSON or raw text. */
  readonly sse?: readonly (object | string)[]
  readonly json?: object
  /** Breaks off after what is there. */
  readonly breaks?: boolean
  /** No answer: the connection fails. */
  readonly fails?: boolean
  /** Milliseconds between two events. */
  readonly paceMs?: number
}

/** A `fetch` whose n-th request gets the n-th answer; the last one stands for all later ones. */
export function network(answers: readonly Answer[]): typeof fetch {
  let at = 0
  return async (_input, init) => {
    const answer = answers[Math.min(at++, answers.length - 1)]
    if (!answer || answer.fails) throw new TypeError('fetch failed')
    const { status = 200, headers = {}, json } = answer
    const type = json ? 'application/json' : 'text/event-stream'
    const body = json ? JSON.stringify(json) : streamOf(answer, init?.signal ?? undefined)
    return new Response(body, { status, headers: { 'content-type': type, ...headers } })
  }
}

function streamOf(
  { sse = [], breaks, paceMs = 0 }: Answer,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let at = 0
  return new ReadableStream({
    start(controller) {
      signal?.addEventListener('abort', () => controller.error(signal.reason))
    },
    async pull(controller) {
      const event = sse[at++]
      if (event === undefined) {
        if (breaks) controller.error(new TypeError('terminated'))
        else controller.close()
        return
      }
      if (paceMs > 0) await new Promise((resolve) => setTimeout(resolve, paceMs))
      const data = typeof event === 'string' ? event : JSON.stringify(event)
      if (!signal?.aborted) controller.enqueue(encoder.encode(`data: ${data}\n\n`))
    },
  })
}
