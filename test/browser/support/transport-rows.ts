import { expect } from './expect.ts'
import type { RunEvent } from '../../../src/index.ts'
import type { FaultProxy } from './fault-proxy.ts'
import { cutsOf } from './http-answer.ts'
import { callTools, say } from './mock-answers.ts'
import type { MockOpenAI, MockPiece, MockResponse } from './mock-openai.ts'
import type { Finding, Probe } from './probe.ts'

/** Equipment of a row: a model, a proxy in front of it, and a page in some browser. */
export interface Bench {
  readonly model: MockOpenAI
  readonly faults: FaultProxy
  readonly transport: 'worker' | 'page'
  readonly ask: (probe: Probe) => Promise<Finding>
}

export interface TransportRow {
  readonly title: string
  readonly check: (bench: Bench) => Promise<void>
}

const NOTE = 'two blue mugs, please — 21 €'
const REPLY = 'It is noted — 🌞.'
const callNote = callTools([{ name: 'note', input: { text: NOTE } }], {
  text: 'I write it down.',
  pieceLength: 16,
})
const reply = say(REPLY, { pieceLength: 4 })
const noted = { outcome: 'completed', text: REPLY, notes: [NOTE] }
const noRetries = { retry: { maxRetries: 0 } }

/** Outcomes that every browser must reach when a connection fails, whoever calls fetch. */
export const transportRows: readonly TransportRow[] = [
  {
    title: 'F1 an answer reads the same whole and in chunks of three bytes',
    async check(bench) {
      for (const fault of [{ type: 'none' }, { type: 'split', bytes: 3 }] as const) {
        bench.model.enqueue(callNote, reply)
        bench.faults.enqueue(fault, fault)
        const finding = await bench.ask({ model: modelOf(bench) })
        expect(finding).toMatchObject(noted)
        expect(typesOf(finding)).not.toContain('retry')
      }
    },
  },
  {
    title: 'F4 after a cut at any chunk boundary, by reset or clean end, no truncated call runs',
    async check(bench) {
      const ask = async (): Promise<Finding> => {
        bench.model.enqueue(callNote)
        return bench.ask({ model: modelOf(bench, noRetries), maxSteps: 1 })
      }
      expect(await ask()).toMatchObject({ outcome: 'max-steps', notes: [NOTE] })
      const { cuts, proven } = cutsOf(bench.faults.lastAnswer, '"finish_reason":"tool_calls"')
      expect(cuts.length).toBeGreaterThan(12)
      for (const after of cuts) {
        for (const type of ['reset', 'end'] as const) {
          bench.faults.enqueue({ type, after })
          const { outcome, error, notes } = await ask()
          const cut = { type, after, outcome: 'failed', notes: [] }
          const whole = { type, after, outcome: 'max-steps', notes: [NOTE] }
          // A reset may overtake what was sent before it.
          const mayMissTheEnd = type === 'reset' && outcome === 'failed'
          const expected = after >= proven && !mayMissTheEnd ? whole : cut
          expect({ type, after, outcome, notes }).toEqual(expected)
          if (error) expect(error).toMatchObject({ retryable: true })
        }
      }
    },
  },
  {
    title: 'F3 a cut during the reply withdraws the step and retries; no tool runs twice',
    async check(bench) {
      const { model, faults } = bench
      const after = await bytesUntil(bench, 's no')
      model.enqueue(callNote, reply, reply)
      faults.enqueue({ type: 'none' }, { type: 'end', after })
      const finding = await bench.ask({ model: modelOf(bench) })
      expect(finding).toMatchObject(noted)
      expect(model.requests).toHaveLength(3 + MEASURED)
      expect(
        typesOf(finding).filter((type) => type.startsWith('step') || type === 'retry'),
      ).toEqual([
        'step-start',
        'step-end',
        'step-start',
        'step-reset',
        'retry',
        'step-start',
        'step-end',
      ])
      expect(eventsOf(finding, 'retry')).toMatchObject([
        { attempt: 1, error: { code: 'stream-incomplete', retryable: true } },
      ])
      expect(eventsOf(finding, 'step-start').map(({ step, attempt }) => [step, attempt])).toEqual([
        [1, 1],
        [2, 1],
        [2, 2],
      ])
    },
  },
  {
    title: 'a connection cut before any text was shown is retried silently',
    async check(bench) {
      const after = await bytesUntil(bench, 'data:')
      bench.model.enqueue(reply, reply)
      bench.faults.enqueue({ type: 'reset', after })
      const finding = await bench.ask({ model: modelOf(bench) })
      expect(finding).toMatchObject({ outcome: 'completed', text: REPLY })
      expect(eventsOf(finding, 'retry')).toHaveLength(1)
      expect(typesOf(finding)).not.toContain('step-reset')
    },
  },
  {
    title: 'F8 refused connections are retried, and reported with their likely causes',
    async check(bench) {
      bench.model.enqueue(reply)
      bench.faults.enqueue({ type: 'refuse' }, { type: 'refuse' })
      const again = await bench.ask({ model: modelOf(bench) })
      expect(again).toMatchObject({ outcome: 'completed', text: REPLY })
      expect(eventsOf(again, 'retry')[0]).toMatchObject({ error: { code: 'network' } })

      const nobody = { ...noRetries, baseURL: 'http://127.0.0.1:9/v1' }
      const { error } = await bench.ask({ model: modelOf(bench, nobody) })
      expect(error).toMatchObject({ code: 'network', retryable: true })
      for (const cause of ["isn't running", 'CORS', 'Local network', 'offline'])
        expect(error?.message).toContain(cause)
    },
  },
  {
    title: 'F3 time limits apply to missing first content, silence and comments',
    async check(bench) {
      const hasty = { ...noRetries, timeouts: { firstChunkMs: 600 } }
      bench.model.enqueue({ pieces: [], end: 'hang' })
      const { error } = await bench.ask({ model: modelOf(bench, hasty) })
      const details = { phase: 'first-chunk', limitMs: 600 }
      expect(error).toMatchObject({ code: 'timeout', retryable: true, details })

      // Long enough for what does arrive to arrive, on the busiest machine.
      const timeouts = { firstChunkMs: 60_000, idleMs: 4_000 }
      bench.model.enqueue(
        { ...reply, end: 'hang', pieces: begun },
        { ...reply, end: 'hang', pieces: [...begun, ...signsOfLife(22, 200)] },
        { pieces: [...begun, ...(reply.pieces ?? [])] },
      )
      const finding = await bench.ask({ model: modelOf(bench, { timeouts }) })
      expect(finding).toMatchObject({ outcome: 'completed', text: `Well. ${REPLY}` })
      expect(eventsOf(finding, 'retry').map((retry) => retry.error.details)).toEqual([
        { phase: 'idle', limitMs: 4_000 },
        { phase: 'idle', limitMs: 4_000 },
      ])
      expect(eventsOf(finding, 'step-reset')).toHaveLength(2)
    },
  },
  {
    title: 'F9 Retry-After is honoured if the page may read it; quota errors are not retried',
    async check(bench) {
      bench.model.enqueue(limited('rate_limit_error', { 'retry-after-ms': '300' }), reply)
      const told = await bench.ask({ model: modelOf(bench) })
      expect(told).toMatchObject({ outcome: 'completed', text: REPLY })
      const [retry] = eventsOf(told, 'retry')
      expect(retry).toMatchObject({ error: { code: 'rate-limited' } })
      expect(retry?.delayMs).toBeGreaterThanOrEqual(300)

      const hidden = { 'retry-after-ms': '300', 'access-control-expose-headers': 'x-other' }
      bench.model.enqueue(limited('rate_limit_error', hidden), reply)
      const untold = await bench.ask({ model: modelOf(bench) })
      expect(untold.outcome).toBe('completed')
      expect(eventsOf(untold, 'retry')[0]?.delayMs).toBeLessThan(300)

      bench.model.enqueue(limited('rate_limit_error', { 'retry-after': '3600' }))
      const late = await bench.ask({ model: modelOf(bench) })
      expect(late).toMatchObject({ outcome: 'failed', error: { code: 'rate-limited' } })

      bench.model.enqueue(limited('insufficient_quota'))
      const { error, events } = await bench.ask({ model: modelOf(bench) })
      expect(error).toMatchObject({ code: 'quota-exceeded', retryable: false })
      expect(error?.message).toContain('words of insufficient_quota')
      expect(events.map(({ type }) => type)).not.toContain('retry')
    },
  },
  {
    title: 'F10 after a 401 the key function is called once more, with the reason',
    async check(bench) {
      const before = bench.model.requests.length
      bench.model.enqueue(unauthorized('old-key-1234'), reply)
      const keys = ['old-key-1234', 'new-key-1234']
      const finding = await bench.ask({ model: modelOf(bench), keys })
      expect(finding).toMatchObject({ outcome: 'completed', rejected: [false, true] })
      const sent = bench.model.requests.slice(before).map(({ headers }) => headers['authorization'])
      expect(sent).toEqual(keys.map((key) => `Bearer ${key}`))

      bench.model.enqueue(unauthorized('old-key-1234'), unauthorized('new-key-1234'))
      const refused = await bench.ask({ model: modelOf(bench), keys })
      expect(refused).toMatchObject({ outcome: 'failed', error: { code: 'authentication' } })
      expect(JSON.stringify(refused.events)).not.toMatch(/(old|new)-key/)
    },
  },
  {
    title: 'F8 redirects and CORS refusals end the request, and nothing is sent elsewhere',
    async check(bench) {
      const { baseURL, requests } = bench.model
      const location = `${baseURL}/elsewhere`
      for (const headers of [
        { location },
        { 'access-control-allow-origin': 'https://a.example' },
      ]) {
        const before = requests.length
        bench.model.enqueue({ status: 'location' in headers ? 307 : 200, headers, pieces: [] })
        const finding = await bench.ask({
          model: modelOf(bench, noRetries),
          keys: ['a-secret-key'],
        })
        expect(finding).toMatchObject({ outcome: 'failed', error: { code: 'network' } })
        expect(requests.slice(before)).toHaveLength(1)
      }
    },
  },
  {
    title: 'F5 invalid answers keep the server’s message',
    async check(bench) {
      const words = 'The kitten in charge is asleep'
      const html = { 'content-type': 'text/html' }
      bench.model.enqueue(
        { headers: html, pieces: [{ raw: `<html><title>${words}</title></html>` }], end: 'close' },
        { pieces: [...begun, { data: { error: { message: words, code: 400 } } }] },
      )
      for (const code of ['bad-response', 'bad-request']) {
        const { outcome, error } = await bench.ask({ model: modelOf(bench, noRetries) })
        expect({ outcome, code: error?.code }).toEqual({ outcome: 'failed', code })
        expect(error?.message).toContain(words)
      }
    },
  },
  {
    title: 'F7 an abort closes the connection at once',
    async check(bench) {
      bench.model.enqueue({ pieces: begun, end: 'hang' })
      const finding = await bench.ask({ model: modelOf(bench), abortAt: 'text-delta' })
      expect(finding).toMatchObject({ outcome: 'aborted', text: 'Well. ' })
      const request = bench.model.requests.at(-1)
      await expect.poll(() => request?.abortedAt).toBeGreaterThan(0)
    },
  },
  {
    title: 'a long answer sent faster than it is read arrives complete',
    async check(bench) {
      const text = 'The quick brown fox — 🦊 — jumps. '.repeat(6_000)
      bench.model.enqueue(say(text, { pieceLength: 50 }))
      const finding = await bench.ask({ model: modelOf(bench) })
      expect(finding.outcome).toBe('completed')
      expect(finding.text === text).toBe(true)
    },
  },
]

const begun: readonly MockPiece[] = [
  { data: { choices: [{ index: 0, delta: { content: 'Well. ' }, finish_reason: null }] } },
]

function signsOfLife(count: number, everyMs: number): MockPiece[] {
  return Array.from({ length: count }, () => [{ waitMs: everyMs }, { raw: ': alive\n\n' }]).flat()
}

function limited(type: string, headers: MockResponse['headers'] = {}): MockResponse {
  return { status: 429, headers, body: { error: { message: `The words of ${type}`, type } } }
}

/** A server that quotes the key it refuses. */
function unauthorized(key: string): MockResponse {
  return { status: 401, body: { error: { message: `Incorrect API key provided: ${key}` } } }
}

/** Quick to try again; each row changes what it is about. */
function modelOf({ faults, transport }: Bench, more: Partial<Probe['model']> = {}): Probe['model'] {
  return {
    provider: 'openai-compatible',
    model: 'mock',
    baseURL: `${faults.url}/v1`,
    transport,
    retry: { maxRetries: 2, baseDelayMs: 10, maxDelayMs: 5_000 },
    ...more,
  }
}

/** Requests that `bytesUntil` makes. */
const MEASURED = 1

/** Bytes of the reply's answer on the wire before this word. */
async function bytesUntil(bench: Bench, word: string): Promise<number> {
  bench.model.enqueue(reply)
  await bench.ask({ model: modelOf(bench) })
  return bench.faults.lastAnswer.indexOf(word)
}

function typesOf({ events }: Finding): RunEvent['type'][] {
  return events.map(({ type }) => type)
}

function eventsOf<Type extends RunEvent['type']>(
  { events }: Finding,
  type: Type,
): Extract<RunEvent, { type: Type }>[] {
  return events.filter((event): event is Extract<RunEvent, { type: Type }> => event.type === type)
}
