import { byId, el, setText } from '../lib/dom.ts'
import { Latest } from '../lib/latest.ts'
import { readInPage, readInWorker, type ReadStream } from './read-stream.ts'
import { busyTime, countMessages, resetBusyTime, type BusyTime } from './busy-time.ts'
import { watchFrames } from './watch-frames.ts'

/** Characters of the answer that are drawn. */
const SHOWN_CHARACTERS = 160
/** Readings of which the best counts. */
const READING_COUNT = 5

const readers: Readonly<Record<string, ReadStream>> = { worker: readInWorker, page: readInPage }
const latestWatch = new Latest()

/** Measures while the panel is shown. */
export function watchMeter(isShown: boolean): void {
  if (!isShown) return latestWatch.stop()
  const output = byId('meter-live', HTMLOutputElement)
  const bar = byId('meter-bar', HTMLMeterElement)
  watchFrames((longestMs) => {
    setText(output, `${longestMs.toFixed()} ms`)
    bar.value = longestMs
  }, latestWatch.start())
}

/** Connects the switch and the button. */
export function connectMeter(): void {
  countMessages()
  const form = byId('meter-form', HTMLFormElement)
  const start = byId('meter-start', HTMLButtonElement)
  const problem = byId('meter-problem', HTMLElement)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const reader = String(new FormData(form).get('reader'))
    start.disabled = true
    setText(problem, '')
    measure(readers[reader] ?? readInWorker)
      .then((time) => showBusyTime(reader, time))
      .catch((error: unknown) =>
        setText(problem, error instanceof Error ? error.message : String(error)),
      )
      .finally(() => (start.disabled = false))
  })
}

/** Reads several times, and returns the least time: other programs only ever add to it. */
async function measure(read: ReadStream): Promise<BusyTime> {
  // The first reading loads and starts what it needs.
  await read(() => undefined)
  const readings: BusyTime[] = []
  while (readings.length < READING_COUNT) readings.push(await measureOnce(read))
  return readings.reduce((best, each) => (each.totalMs < best.totalMs ? each : best))
}

async function measureOnce(read: ReadStream): Promise<BusyTime> {
  const answer = byId('meter-answer', HTMLElement)
  let text = ''
  let isDrawing = false
  resetBusyTime()
  await read((piece) => {
    text += piece
    if (isDrawing) return
    isDrawing = true
    requestAnimationFrame(() => {
      isDrawing = false
      setText(answer, text.slice(-SHOWN_CHARACTERS))
    })
  })
  return busyTime()
}

function showBusyTime(reader: string, { totalMs, longestMs }: BusyTime): void {
  byId(`meter-${reader}`, HTMLTableRowElement).replaceChildren(
    el('th', { scope: 'row' }, reader === 'worker' ? 'Offstage’s worker' : 'A fetch loop here'),
    el('td', {}, `${totalMs.toFixed()} ms`),
    el('td', {}, `${longestMs.toFixed()} ms`),
  )
}
