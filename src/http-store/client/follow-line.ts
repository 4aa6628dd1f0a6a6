import { sleepUnlessAborted } from '../../lib/sleep.ts'
import { type Check, isText, isWhole, nullOr, optional, shape } from '../../lib/shape.ts'
import type { StoreChange } from '../../worker/store/store.ts'
import { EVENT_STREAM, HEARTBEAT_MS } from '../wire.ts'
import type { Line } from './line.ts'

/** Delay between two tries to connect. Doubles each time, with a random part. Milliseconds. */
const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 15_000
/** A stream that is silent for longer than this is dead. Milliseconds. */
const SILENT_MS = 3 * HEARTBEAT_MS
/** No valid event is longer. Characters. */
const LONGEST_EVENT = 10_000

export const isChange: Check = shape({
  conversationId: nullOr(isText),
  lastSeq: isWhole(0),
  epoch: optional(isWhole(0)),
})

export interface StreamEvent {
  readonly change: StoreChange | null
  /** Id from which another stream can resume. Null: in the middle of a change. */
  readonly id: string | null
}

interface LineFollowing {
  /** Id of the newest event that was seen. */
  lastEventId(): string
  onEvent(event: StreamEvent): void
  readonly signal: AbortSignal
}

/** Keeps a stream of the store's changes open until the signal aborts, and resumes where one broke off. */
export async function followLine(
  line: Line,
  { lastEventId, onEvent, signal }: LineFollowing,
): Promise<void> {
  let tries = 0
  const take = (event: string): void => {
    tries = 0
    onEvent(parsedEvent(event))
  }
  while (!signal.aborted) {
    const reading = { lastEventId: lastEventId(), onEvent: take, signal }
    await readStream(line, reading).catch(() => undefined)
    await pause(tries++, signal)
  }
}

/** Waits before the next try to connect. */
export function pause(tries: number, signal: AbortSignal): Promise<void> {
  const most = Math.min(FIRST_DELAY_MS * 2 ** tries, LONGEST_DELAY_MS)
  return untilBack(most * (0.5 + Math.random() / 2), signal)
}

/** Reads a stream until it ends, breaks off or falls silent. */
async function readStream(
  line: Line,
  {
    lastEventId,
    onEvent,
    signal,
  }: { lastEventId: string; onEvent: (event: string) => void; signal: AbortSignal },
): Promise<void> {
  const silence = new AbortController()
  const limit = (): ReturnType<typeof setTimeout> => setTimeout(() => silence.abort(), SILENT_MS)
  let timer = limit()
  try {
    const { body } = await line.send({
      headers: {
        accept: EVENT_STREAM,
        ...(lastEventId !== '' && { 'last-event-id': lastEventId }),
      },
      unwanted: signal,
      signal: AbortSignal.any([signal, silence.signal]),
    })
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    for (;;) {
      const next = await reader?.read()
      clearTimeout(timer)
      if (!next || next.done) return
      timer = limit()
      const events = (text + next.value).split('\n\n')
      text = (events.pop() ?? '').slice(-LONGEST_EVENT)
      events.forEach(onEvent)
    }
  } finally {
    clearTimeout(timer)
    silence.abort()
  }
}

function parsedEvent(event: string): StreamEvent {
  const [, data] = /^data: (.*)$/m.exec(event) ?? []
  const change: unknown = parsed(data)
  const [, id = null] = /^id: (.*)$/m.exec(event) ?? []
  return { change: isChange(change) ? (change as StoreChange) : null, id }
}

function parsed(data: string | undefined): unknown {
  try {
    return JSON.parse(data ?? 'null')
  } catch {
    return null
  }
}

/** Waits for a time, or until the browser reports that it is online. */
function untilBack(ms: number, signal: AbortSignal): Promise<void> {
  const back = new AbortController()
  const isBack = (): void => back.abort()
  globalThis.addEventListener?.('online', isBack)
  return sleepUnlessAborted(ms, AbortSignal.any([signal, back.signal])).finally(() =>
    globalThis.removeEventListener?.('online', isBack),
  )
}
