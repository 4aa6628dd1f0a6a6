import * as nativeDocument from './native-document.ts'
import {
  yieldToEventLoop,
  createEventLoopYielder,
  type EventLoopYielder,
} from '../lib/yield-to-event-loop.ts'

/** Milliseconds of work before the page's own tasks get a turn. Kept small, as slow devices take four times as long. */
const SLICE_MS = 6

/**
 * Runs a generator to its end in slices, so that the page stays responsive. A slice may end at each `yield`. Rejects
 * with the signal's reason when the signal is aborted.
 */
export async function runInSlices<Result>(
  work: Generator<undefined, Result>,
  signal?: AbortSignal,
): Promise<Result> {
  let yielder: EventLoopYielder | null = null
  let sliceEnd = performance.now() + SLICE_MS
  try {
    for (;;) {
      const step = work.next()
      if (step.done) return step.value
      if (performance.now() < sliceEnd) continue
      yielder ??= createEventLoopYielder()
      await yielder.next()
      signal?.throwIfAborted()
      sliceEnd = performance.now() + SLICE_MS
    }
  } finally {
    yielder?.close()
  }
}

/** Runs a generator to its end without pauses, for small amounts of work. */
export function runSync<Result>(work: Generator<undefined, Result>): Result {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}

/**
 * Rejects with the signal's reason when the signal is aborted. Resolves in a new task, because tabs that have long been
 * hidden run chained timers only once a minute.
 */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await timer(ms, signal)
  await yieldToEventLoop()
}

function timer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error)
    const handle = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    function stop(): void {
      clearTimeout(handle)
      reject(signal?.reason as Error)
    }
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/** Calls `ask` until the answer is truthy or `isOver` returns true. Resolves to the last answer. */
export async function poll<Answer>(
  ask: () => Answer,
  isOver: () => boolean,
  { signal, everyMs = 50 }: { readonly signal: AbortSignal | undefined; readonly everyMs?: number },
): Promise<Answer> {
  for (;;) {
    const answer = ask()
    if (answer || isOver()) return answer
    await sleep(everyMs, signal)
  }
}

/** Returns a function that says whether this many milliseconds have passed. */
export function createTimeLimit(ms: number): () => boolean {
  const end = performance.now() + ms
  return () => performance.now() >= end
}

/**
 * Resolves at the next animation frame, or after `ms`. In hidden tabs, which draw no frames, resolves in the next task.
 */
export function nextFrame(view: Window, ms = 50): Promise<void> {
  if (nativeDocument.hidden(view.document)) return yieldToEventLoop()
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    const frame = view.requestAnimationFrame(done)
    function done(): void {
      clearTimeout(timer)
      view.cancelAnimationFrame(frame)
      resolve()
    }
  })
}

/** Minimum number of frames that a page gets to react, however slowly they are drawn. */
const FRAMES = 10
/** Maximum time to wait for these frames. Milliseconds. */
const FRAMES_MS = 8000

/**
 * Returns a function that says whether the page has had enough time to react, for example to open a list. A visible
 * page also gets a minimum number of frames: on a busy machine, frames may be a second apart.
 */
export function deadline(view: Window, ms: number): () => boolean {
  const start = performance.now()
  let frames = 0
  const countFrame = (): void => {
    if (frames++ < FRAMES) view.requestAnimationFrame(countFrame)
  }
  countFrame()
  return () => {
    const elapsedMs = performance.now() - start
    const isDrawn = frames > FRAMES || nativeDocument.hidden(view.document)
    return elapsedMs > ms && (isDrawn || elapsedMs > FRAMES_MS)
  }
}
