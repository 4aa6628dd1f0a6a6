import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { isDeepStrictEqual } from 'node:util'
import type { Row } from '../../src/protocol/fact.ts'
import { startFaultProxy, type Fault, type FaultProxy } from '../browser/support/fault-proxy.ts'
import { seeded, type Random } from '../torture/random.ts'

/** Time for what isn't expected to take any, on the slowest machine. Milliseconds. */
const LIMIT_MS = 240_000
const ACTS = 14
const LONGEST_PAUSE_MS = 250
const LONGEST_CUT_MS = 600

type Act = 'run' | 'replace' | 'resume' | 'abort' | 'rename'

const FAULTS: readonly [Fault, ...Fault[]] = [
  { type: 'none' },
  { type: 'refuse' },
  { type: 'reset', after: 0 },
  { type: 'reset', after: 150 },
  { type: 'end', after: 200 },
]

interface Device {
  readonly proxy: FaultProxy
  /** What the act returns, or the code by which it was refused. */
  ask(act: string): Promise<unknown>
  close(): Promise<void>
}

export interface TrialOptions {
  readonly seed: number
  /** Of the store. */
  readonly url: string
  /** All rows of the conversation, as the server has them. */
  readonly rows: (tenant: string) => Promise<readonly Row[]>
}

export interface Trial {
  /** What is wrong afterwards, in words. */
  readonly violations: readonly string[]
  /** Calls that were run, and those whose outcome nobody knows. */
  readonly ran: number
  readonly interrupted: number
}

/** Two devices work on one conversation while their links are cut, before and behind commits. */
export async function playTrial({ seed, url, rows }: TrialOptions): Promise<Trial> {
  const random = seeded(seed)
  const tenant = `trial-${seed}`
  const effects: string[] = []
  const open = (name: string): Promise<Device> =>
    openDevice({ url, tenant, name, seed: seed + 1 }, (effect) => effects.push(effect))
  const devices: readonly [Device, Device] = [await open('left'), await open('right')]
  try {
    for (let n = 0; n < ACTS; n++) await disturb(random.pick(devices), random)
    for (const { proxy } of devices) {
      proxy.forget()
      proxy.mend()
    }
    const ends = await settle(devices)
    const written = await rows(tenant)
    const violations = [...ends, ...judge(written, effects), ...(await compare(devices))]
    const interrupted = written.filter(
      (row) => row.type === 'call-settled' && row.status === 'interrupted',
    )
    return { violations, ran: effects.length, interrupted: interrupted.length }
  } catch (error) {
    return { violations: [`the trial broke: ${String(error)}`], ran: 0, interrupted: 0 }
  } finally {
    await Promise.all(devices.map((device) => device.close()))
  }
}

async function disturb({ proxy, ask }: Device, random: Random): Promise<void> {
  proxy.enqueue(...Array.from({ length: random.below(4) }, () => random.pick(FAULTS)))
  if (random.chance(0.2)) {
    proxy.cut()
    setTimeout(() => proxy.mend(), random.below(LONGEST_CUT_MS))
  }
  // Not awaited: what comes next must be able to hit it.
  void ask(random.pick<Act>(['run', 'run', 'replace', 'resume', 'resume', 'abort', 'rename']))
  await sleep(random.below(LONGEST_PAUSE_MS))
}

/** Until nothing runs any more, and one turn more. */
async function settle(devices: readonly [Device, Device]): Promise<string[]> {
  const end = Date.now() + LIMIT_MS
  const isLate = (): boolean => Date.now() > end
  const isIdle = async (): Promise<boolean> =>
    (await Promise.all(devices.map(({ ask }) => ask('isIdle')))).every((idle) => idle === true)
  for (;;) {
    while (!(await isIdle())) {
      if (isLate()) return ['a handle stays open']
      await sleep(50)
    }
    // One that was left is taken up; where there is none, the next turn says so.
    await devices[0].ask('resume')
    if (await isIdle()) break
  }
  const outcome = await devices[0].ask('next')
  return outcome === 'completed' ? [] : [`the next turn: ${String(outcome)}`]
}

function judge(rows: readonly Row[], effects: readonly string[]): string[] {
  const found: string[] = []
  const count = new Map<string, number>()
  for (const id of effects) count.set(id, (count.get(id) ?? 0) + 1)
  for (const [id, times] of count) if (times > 1) found.push(`${id} ran ${times} times`)
  if (rows.some(({ seq }, at) => seq !== at + 1)) found.push('the rows have a gap')
  const of = (type: Row['type']): string[] =>
    rows
      .filter((row) => row.type === type)
      .map((row) => ('path' in row ? (row.path.at(-1) ?? '') : ''))
  const [begun, settled] = [of('call-started'), of('call-settled')]
  for (const id of effects)
    if (!begun.includes(id)) found.push(`${id} ran, and nothing was written before`)
  for (const id of new Set(begun)) {
    const ends = settled.filter((each) => each === id).length
    if (ends !== 1) found.push(`${id} has ${ends} results`)
  }
  for (const row of rows) {
    if (row.type !== 'call-settled' || row.status !== 'succeeded') continue
    const id = row.path.at(-1) ?? ''
    if (!effects.includes(id)) found.push(`${id} succeeded, and did not happen`)
  }
  const [starts, ends] = [of('run-started').length, of('run-ended').length]
  if (starts !== ends) found.push(`${starts} runs, ${ends} ends`)
  return found
}

/** What both show comes to the same. */
async function compare(devices: readonly [Device, Device]): Promise<string[]> {
  const end = Date.now() + LIMIT_MS
  for (;;) {
    const [left, right] = await Promise.all(devices.map(({ ask }) => ask('snapshot')))
    if (isDeepStrictEqual(left, right)) return []
    if (Date.now() > end) return ['the devices show different things']
    await sleep(50)
  }
}

async function openDevice(
  data: {
    readonly url: string
    readonly tenant: string
    readonly name: string
    readonly seed: number
  },
  onEffect: (toolCallId: string) => void,
): Promise<Device> {
  const target = new URL(data.url)
  const proxy = await startFaultProxy(target.origin)
  const url = proxy.url + target.pathname
  const thread = new Worker(path.join(import.meta.dirname, 'device.mjs'), {
    workerData: { ...data, url },
  })
  const answers = new Map<number, (value: unknown) => void>()
  let asked = 0
  thread.on(
    'message',
    (said: { id?: number; value?: unknown; refused?: string; effect?: string }) => {
      if (said.effect !== undefined) onEffect(said.effect)
      if (said.id !== undefined) answers.get(said.id)?.(said.refused ?? said.value)
    },
  )
  const ask = (act: string): Promise<unknown> =>
    new Promise((resolve) => {
      asked += 1
      answers.set(asked, resolve)
      thread.postMessage({ id: asked, act })
    })
  return {
    proxy,
    ask,
    close: async () => {
      await thread.terminate()
      await proxy.close()
    },
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
