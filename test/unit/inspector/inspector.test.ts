import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { emptyState, fold, type Row } from '../../../src/conversation/index.ts'
import type { AgentOptions, RunEvent } from '../../../src/index.ts'
import {
  EventLog,
  eventLines,
  summaryOf,
  Filtered,
} from '../../../src/ui/inspector/parts/event-log.ts'
import { readFile } from '../../../src/ui/inspector/parts/inspection-file.ts'
import { testOf } from '../../../src/ui/inspector/views/report.ts'
import { ReportFile } from '../../../src/ui/shared/report-file.ts'
import { rowWindow } from '../../../src/ui/inspector/list-window.ts'
import { coveredMs, Timeline, timesOf } from '../../../src/ui/inspector/parts/timeline.ts'
import { Journal, Recording } from '../../../src/ui/inspector/recording.ts'
import { createTestAgent, createTestStorage } from '../../../src/testing/index.ts'

const KEY = 'sk-dummy-key-that-is-nowhere'

/** A conversation of many runs, with calls, one of which failed, and what its agent can export. */
async function playedTalk(runs: number) {
  const agent = createTestAgent({
    model: {
      provider: 'scripted',
      model: 'm',
      apiKey: KEY,
      script: {
        scenes: [
          {
            match: ['add'],
            steps: [
              {
                text: 'I add.',
                toolCalls: [
                  { toolName: 'add', input: { sku: 'mug' } },
                  { toolName: 'fail', input: {} },
                ],
              },
              { text: 'Done.' },
            ],
          },
        ],
      },
    },
    tools: [
      { name: 'add', title: 'Add', description: 'Adds.', execute: () => 'Added.' },
      {
        name: 'fail',
        description: 'Fails.',
        execute: () => {
          throw new Error('No.')
        },
      },
    ],
  })
  for (let at = 0; at < runs; at += 1) await agent.run('add it', { conversationId: 'talk' }).result
  const found = await agent.conversations.rows('talk')
  return { agent, rows: found?.rows ?? [] }
}

const at = (seq: number, ms: number, fact: object): Row =>
  ({ format: 2, conversationId: 'c', seq, runId: 'r', at: ms, appendId: `a${ms}`, ...fact }) as Row

describe('time travel', () => {
  test('the state at every row equals a fresh fold of the rows before it', async () => {
    const { agent, rows } = await playedTalk(15)
    expect(rows.length).toBeGreaterThan(130)
    const journal = new Journal('talk')
    for (const row of rows) expect(journal.add(row)).toBe(true)
    for (let count = 0; count <= rows.length; count += 1)
      expect(journal.stateAt(count)).toEqual(fold(emptyState('talk'), rows.slice(0, count)))
    await agent.dispose()
  }, 60_000)

  test('takes rows only in order, and none after a fault', () => {
    const journal = new Journal('c')
    expect(journal.add(at(2, 1, { type: 'renamed', title: 'x' }))).toBe(false)
    expect(journal.add(at(1, 1, { type: 'renamed', title: 'x' }))).toBe(true)
    journal.markBroken('damaged')
    expect(journal.add(at(2, 1, { type: 'renamed', title: 'y' }))).toBe(false)
    expect(journal.stateAt(Infinity).title).toBe('x')
  })
})

test('an exported run matches the store up to its end and contains no key', async () => {
  const { agent, rows } = await playedTalk(3)
  const journal = new Journal('talk')
  for (const row of rows) journal.add(row)
  const [, second = ''] = journal.runIds()
  const through = journal.spanOf(second)?.to ?? 0
  const inspection = {
    runId: second,
    exportedAt: '2026-01-01T00:00:00.000Z',
    browser: 'a browser',
    firstTokens: [[`${second} 1`, 7]] as const,
  }
  const exported = await agent.conversations.export('talk', { through })
  const text = new ReportFile(await new Response(exported).text()).textWith(inspection, new Set())
  expect(text).not.toContain(KEY)
  const opened = readFile('run.jsonl', text)
  expect(opened.inspection).toEqual(inspection)
  const [read] = opened.journals
  expect(read?.fault).toBeNull()
  expect(read?.rows.length).toBe(through)
  expect(read?.stateAt(Infinity)).toEqual(journal.stateAt(through))
  // The file can also be imported as conversations.
  expect((await agent.conversations.import(text)).refused).toEqual([])
  await agent.dispose()
})

describe('a report', () => {
  const inspection = {
    runId: null,
    exportedAt: '2026-01-01T00:00:00.000Z',
    browser: 'a browser',
    firstTokens: [],
  }
  const SECRET = 'only-in-an-output'

  /** Calls of a plain tool, a failing one, a composite one, a question, and a sub-agent, all of which return SECRET. */
  async function reportOf(): Promise<ReportFile> {
    const testStorage = createTestStorage()
    const call = (toolName: string, input: object = {}) => ({ toolName, input: input as never })
    const helper = createTestAgent({
      testStorage,
      script: { steps: [{ text: `It is ${SECRET}.` }] },
    })
    const agent = createTestAgent({
      testStorage,
      controlTools: ['ask_user'],
      script: {
        steps: [
          {
            toolCalls: [
              call('read'),
              call('fail'),
              call('both'),
              call('ask_user', { question: 'Which?' }),
              call('help', { prompt: 'Help' }),
            ],
          },
          { text: 'Done.' },
        ],
      },
      tools: [
        { name: 'read', description: 'Reads.', execute: () => ({ value: SECRET }) },
        {
          name: 'fail',
          description: 'Fails.',
          execute: () => {
            throw new Error(SECRET)
          },
        },
        {
          name: 'both',
          description: 'Reads in steps.',
          version: '1',
          run: async (
            _: unknown,
            {
              call,
              step,
            }: {
              call: (name: string) => unknown
              step: (key: string, run: () => string) => unknown
            },
          ) => {
            await call('read')
            return step('more', () => SECRET)
          },
        } as never,
        helper.asTool({ name: 'help', description: 'Helps.' }),
      ],
    })
    const run = agent.run('Read', { conversationId: 'talk' })
    for await (const event of run) if (event.type === 'question') await agent.answer(event, SECRET)
    const text = await new Response(await agent.conversations.export('talk')).text()
    await agent.dispose()
    await helper.dispose()
    return new ReportFile(text)
  }

  test('lists the tools with outputs, and leaves out those of the chosen ones', async () => {
    const report = await reportOf()
    const names = ['read', 'fail', 'both', 'ask_user', 'help']
    expect(report.tools.map(({ toolName, count }) => [toolName, count]).toSorted()).toEqual(
      names.map((name) => [name, name === 'read' ? 2 : 1]).toSorted(),
    )
    const whole = report.textWith(inspection, new Set())
    expect(readFile('f', whole).journals).toHaveLength(2)
    expect(whole.split(SECRET).length).toBeGreaterThan(6)
    // Each tool holds the text by itself.
    for (const name of names) {
      const others = new Set(names.filter((each) => each !== name))
      expect(report.textWith(inspection, others), name).toContain(SECRET)
    }
    const text = report.textWith(inspection, new Set(names))
    expect(text).not.toContain(SECRET)
    expect(text).toContain('Left out of the report.')
    const { journals } = readFile('f', text)
    expect(journals.map(({ conversationId, fault }) => [conversationId, fault])).toEqual([
      ['talk', null],
    ])
    // The file can be imported, so its checksums fit.
    const agent = createTestAgent({})
    expect(await agent.conversations.import(text)).toMatchObject({
      refused: [],
      imported: [{ from: 'talk' }],
    })
    await agent.dispose()
  })

  test('without outputs still replays, and a failure still fails', async () => {
    const text = (await reportOf()).textWith(inspection, new Set(['read', 'fail', 'both']))
    const tools = [
      { name: 'read', description: 'Reads.', execute: () => 'x' },
      { name: 'fail', description: 'Fails.', execute: () => Promise.reject(new Error('Again.')) },
      {
        name: 'both',
        description: 'Reads in steps.',
        version: '1',
        run: (_: unknown, { call }: { call: (name: string) => unknown }) => call('read'),
      },
      {
        name: 'help',
        description: 'Helps.',
        inputSchema: { type: 'object', properties: { prompt: { type: 'string' } } },
        execute: () => 'x',
      },
    ] as unknown as NonNullable<AgentOptions['tools']>
    const agent = createTestAgent({ recording: text, tools, controlTools: ['ask_user'] })
    await expect(agent.replay()).rejects.toThrow(/^Step 1: fail\(\{\}\) failed: Again\.$/)
    await agent.dispose()
  })

  test('becomes a test whose texts cannot break out of their strings', () => {
    const name = `a'\\\n\`\${x}".jsonl`
    const title = "'); process.exit(); ('"
    const text = testOf(name, title)
    const literals = [/^test\((.*), async/m, /new URL\((.*), import/].map((pattern) => {
      const [, literal = ''] = pattern.exec(text) ?? []
      expect(literal).toMatch(/^'(?:[^'\\]|\\.)*'$/)
      return runInNewContext(literal) as unknown
    })
    expect(literals).toEqual([title, `./${name}`])
  })
})

test.each([
  ['no file', 'hello', 'no exported file'],
  ['another format', '{"offstage":"offstage-conversations","version":1,"format":99}', 'newer'],
  ['another version', '{"offstage":"offstage-conversations","version":99,"format":2}', 'newer'],
  [
    'nothing in it',
    '{"offstage":"offstage-conversations","version":1,"format":2}',
    'no conversation',
  ],
])('a file that is not an export is refused: %s', (_, text, why) => {
  expect(() => readFile('f', text)).toThrow(why)
})

const HEAD = { offstage: 'offstage-conversations', version: 1, format: 2 }
/** A value that makes `String()` throw. */
const WORDLESS = { toString: 1, valueOf: 1 }
const INSPECTOR = { runId: 'r', exportedAt: '2026', browser: 'b', firstTokens: [] }
const TALK = { conversation: { conversationId: 'c' } }
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
const linesOf = (...lines: (object | string)[]): string =>
  lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')

test.each([
  [
    'a time of export',
    linesOf({ ...HEAD, inspector: { ...INSPECTOR, exportedAt: WORDLESS } }, TALK),
  ],
  ['a browser', linesOf({ ...HEAD, inspector: { ...INSPECTOR, browser: 7 } }, TALK)],
  ['a deep first line', linesOf(`{"a":${nested(20_000)}}`, TALK)],
  ['an id', linesOf(HEAD, { conversation: { conversationId: WORDLESS } })],
  ['an id that is a list', linesOf(HEAD, { conversation: { conversationId: ['c'] } })],
])('a file with %s of a wrong type is refused as damaged', (_, text) => {
  expect(() => readFile('f', text)).toThrow(/^The file is damaged: /)
})

test.each([
  ['deep down', `{"row":{"seq":2,"runId":"r","at":2,"type":"renamed","title":${nested(20_000)}}}`],
  [
    'deep down in an input',
    `{"row":{"seq":2,"runId":"r","at":2,"type":"call-proposed","path":["t"],"toolName":"x","input":${nested(20_000)}}}`,
  ],
  ['without words', { row: { seq: 2, runId: 'r', at: 2, type: 'renamed', title: WORDLESS } }],
])('when a row is %s, the rows before it are still shown', (_, row) => {
  const first = { row: { seq: 1, runId: null, at: 1, type: 'renamed', title: 'x' } }
  const [journal] = readFile('f', linesOf(HEAD, TALK, first, row)).journals
  expect(journal?.rows).toHaveLength(1)
  expect(journal?.fault).toBe("The rows after row 1 can't be shown.")
})

test('an input with any property names is shown', () => {
  const input = { toString: 1 }
  const row = {
    seq: 1,
    runId: 'r',
    at: 1,
    type: 'output-requested',
    path: ['t'],
    input,
    asks: true,
  }
  const [journal] = readFile('f', linesOf(HEAD, TALK, { row })).journals
  expect(journal?.fault ?? '').not.toContain('The rows after')
})

test('a forged file is shown up to its first unreadable row', () => {
  const head = '{"offstage":"offstage-conversations","version":1,"format":2}'
  const rows = [
    { seq: 1, runId: 'r', at: 1, type: 'run-started', parentId: null, message: null, limits: {} },
    { seq: 2, runId: 'r', at: 2, type: 'model-output', step: 1, calls: 7, message: null },
    { seq: 3, runId: 'r', at: 3, type: 'call-settled', path: 'none' },
  ]
  const lines = [
    head,
    '{"conversation":{"conversationId":"c"}}',
    ...rows.map((row) => JSON.stringify({ row })),
  ]
  const [journal] = readFile('f', lines.join('\n')).journals
  if (!journal) throw new Error('There is no journal.')
  const recording = new Recording(journal)
  for (const row of journal.rows) recording.processRow(row, false)
  expect(journal.fault).toMatch(/Row \d/)
  expect(() => recording.snapshotAt(1)).not.toThrow()
  expect(() => recording.timeline.lines()).not.toThrow()
})

test.each(['1e999', '-1e999', '8640000000000001', 'null'])(
  'a row with the invalid time %s marks where the file is damaged',
  (time) => {
    const first = { row: { seq: 1, runId: null, at: 1, type: 'renamed', title: 'x' } }
    const second = `{"row":{"seq":2,"runId":null,"at":${time},"type":"renamed","title":"y"}}`
    const [journal] = readFile('f', linesOf(HEAD, TALK, first, second)).journals
    expect(journal?.rows).toHaveLength(1)
    expect(journal?.fault).toBe("Row 2 can't be read.")
  },
)

test('an invalid time to the first token is left out', () => {
  const inspector = JSON.stringify({ ...INSPECTOR, firstTokens: [['r 1', 7]] })
  const head = JSON.stringify(HEAD).replace('}', `,"inspector":${inspector.replace('7', '1e999')}}`)
  expect(readFile('f', linesOf(head, TALK)).inspection?.firstTokens).toEqual([])
})

test('when the checksum differs, a fault is reported and the rows are still shown', async () => {
  const { agent, rows } = await playedTalk(1)
  const text = await new Response(await agent.conversations.export('talk')).text()
  expect(readFile('f', text).journals[0]?.fault).toBeNull()
  // An editor may give lines other ends.
  expect(readFile('f', text.replaceAll('\n', '\r\n')).journals[0]?.fault).toBeNull()
  const [journal] = readFile('f', text.replaceAll('I add.', 'I odd.')).journals
  expect(text).toContain('I add.')
  expect(journal?.rows).toHaveLength(rows.length)
  expect(journal?.fault).toMatch(/checksum/)
  await agent.dispose()
})

test('the timeline has the durations of runs, steps and calls', () => {
  const timeline = new Timeline()
  const call = { type: 'tool-call', toolCallId: 't', toolName: 'order', input: {} }
  const output = {
    type: 'model-output',
    step: 1,
    message: { parts: [call] },
    calls: [{ toolCallId: 't', title: 'Order' }],
    finishReason: 'tool-calls',
  }
  const facts: [number, object][] = [
    [100, { type: 'run-started', message: { parts: [{ type: 'text', text: 'A mug' }] } }],
    [100, { type: 'step-started', step: 1 }],
    [400, output],
    [410, { type: 'approval-requested', path: ['t'] }],
    [5410, { type: 'approval-answered', path: ['t'], approved: true }],
    [5420, { type: 'call-started', path: ['t'] }],
    [5620, { type: 'call-settled', path: ['t'], status: 'succeeded' }],
    [5620, { type: 'step-started', step: 2 }],
  ]
  facts.forEach(([ms, fact], index) => timeline.add(at(index + 1, ms, fact)))
  timeline.firstToken('r', 1, 120)
  const [run, step, order, open] = timeline.lines()
  expect(run).toMatchObject({ kind: 'run', name: 'A mug', isOpen: true, commits: 6 })
  expect(step).toMatchObject({ name: 'Step 1', firstTokenMs: 120, status: 'tool-calls' })
  expect(timesOf(step!)).toEqual({ total: 300, model: 300, tool: 0, person: 0 })
  expect(order).toMatchObject({ name: 'Order', status: 'succeeded', lastSeq: 7, isOpen: false })
  expect(timesOf(order!)).toEqual({ total: 5220, model: 0, tool: 200, person: 5000 })
  expect(timesOf(run!)).toEqual({ total: 5520, model: 300, tool: 200, person: 5000 })
  expect(open).toMatchObject({ name: 'Step 2', isOpen: true })
  timeline.add(at(9, 6620, { type: 'run-ended', end: { outcome: 'aborted', reason: 'x' } }))
  expect(timesOf(timeline.lines()[3]!)).toMatchObject({ total: 1000, model: 1000 })
  expect(timeline.lines()[0]).toMatchObject({ status: 'aborted', isOpen: false })
})

test('overlapping time spans count once', () => {
  expect(
    coveredMs([
      [10, 20],
      [15, 30],
      [40, 50],
      [41, 42],
    ]),
  ).toBe(30)
  expect(coveredMs([])).toBe(0)
})

const event = (body: object, seq: number): RunEvent =>
  ({ runId: 'r', conversationId: 'c', seq, ...body }) as RunEvent

test('deltas of one text merge into one entry, even between raw events, until another event', () => {
  const bodies = [
    { type: 'text-start', partId: 'p' },
    { type: 'raw', data: 1 },
    { type: 'text-delta', partId: 'p', delta: 'Hel' },
    { type: 'raw', data: 2 },
    { type: 'text-delta', partId: 'p', delta: 'lo' },
    { type: 'text-end', partId: 'p' },
    { type: 'text-delta', partId: 'p', delta: '!' },
  ]
  const [merged, single] = [new EventLog(true), new EventLog(false)]
  bodies.forEach((body, seq) => {
    merged.add({ at: seq, event: event(body, seq) })
    single.add({ at: seq, event: event(body, seq) })
  })
  expect(merged.entries.map((entry) => [entry.type, entry.events.length])).toEqual([
    ['text-start', 1],
    ['raw', 2],
    ['text-delta', 2],
    ['text-end', 1],
    ['text-delta', 1],
  ])
  expect(summaryOf(merged.entries[2]!)).toBe('Hello')
  expect(single.entries).toHaveLength(7)
  expect(
    eventLines(merged.entries)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).seq)
      .toSorted(),
  ).toEqual([0, 1, 2, 3, 4, 5, 6])
})

test('a filter reads only new entries and the last one again', () => {
  let read = 0
  const filtered = new Filtered<{ type: string; text: string }>(({ text }) => {
    read += 1
    return text
  })
  const entries = Array.from({ length: 1000 }, (_, index) => ({ type: 't', text: `n${index}` }))
  expect(filtered.apply(entries, { type: '', text: 'N99' })).toHaveLength(11)
  read = 0
  entries.push({ type: 't', text: 'more' })
  expect(filtered.apply(entries, { type: '', text: 'N99' })).toHaveLength(11)
  entries[1000]!.text = 'n99 by now'
  expect(filtered.apply(entries, { type: '', text: 'N99' })).toHaveLength(12)
  expect(filtered.apply(entries, { type: '', text: 'N99' })).toHaveLength(12)
  expect(read).toBeLessThan(6)
  expect(filtered.apply(entries, { type: 'u', text: '' })).toHaveLength(0)
})

test('in a long list only the visible rows and a few around them are rendered', () => {
  const view = { height: 280, row: 28 }
  for (const top of [0, 14, 10_000, 139_720, 1e9]) {
    const { from, to } = rowWindow(5000, { top, ...view })
    expect(to - from).toBeLessThan(30)
    expect(from).toBeLessThanOrEqual(Math.min(4990, Math.floor(top / 28)))
    expect(to).toBeGreaterThanOrEqual(Math.min(5000, Math.ceil((top + 280) / 28)))
  }
  expect(rowWindow(3, { top: 0, ...view })).toEqual({ from: 0, to: 3 })
})

test('a file with missing or added lines reports a fault', async () => {
  const { agent } = await playedTalk(1)
  const text = await new Response(await agent.conversations.export('talk')).text()
  await agent.dispose()
  const lines = text.trim().split('\n')
  const faultOf = (of: readonly string[]): string | null | undefined =>
    readFile('f', of.join('\n')).journals[0]?.fault
  expect(faultOf(lines)).toBeNull()
  const without = (type: string): string[] => lines.filter((line) => !line.startsWith(`{"${type}"`))
  const changed = lines.map((line) => line.replace('"I add."', '"I take."'))
  expect(faultOf(changed)).toMatch(/checksum/)
  expect(faultOf(changed.filter((line) => !line.startsWith('{"end"')))).toMatch(
    /end of a conversation/,
  )
  expect(faultOf(without('conversations'))).toMatch(/cut off/)
  expect(faultOf(without('end').slice(0, -1))).toMatch(/cut off/)
  expect(faultOf([...lines.slice(0, -1), '{"conversations":3}'])).toMatch(/number of conversations/)
  const [row = ''] = lines.filter((line) => line.startsWith('{"row"'))
  expect(faultOf([...lines.slice(0, -1), row, ...lines.slice(-1)])).toMatch(/to no conversation/)
  expect(faultOf([...lines.slice(0, 1), row, ...lines.slice(1)])).toMatch(/to no conversation/)
  expect(faultOf([...lines.slice(0, -1), '{"else":1}', ...lines.slice(-1)])).toMatch(
    /unknown kind of line/,
  )
  expect(faultOf([...lines, row])).toMatch(/after its end/)
})
