import { expect, test } from 'vitest'
import { EngineConnection } from '../../../src/engines/engine-connection.ts'
import { OffstageError } from '../../../src/protocol/error.ts'
import {
  all,
  ask,
  config,
  connect,
  finish,
  say,
  saying,
  settle,
  streaming,
  text,
} from './support.ts'

test('output of an engine arrives in order, with its end', async () => {
  const { connection } = connect(saying('Two ', 'mugs', '.'))
  const parts = await all(connection.stream(ask('hi'), config))
  expect(parts).toEqual([...say('Two '), ...say('mugs'), ...say('.'), ...finish])
})

test('several turns on one connection stay separate', async () => {
  const { connection } = connect(
    streaming(async function* (request) {
      const word = request.messages[0]?.parts[0]
      for (let turn = 0; turn < 40; turn++) {
        await new Promise((resolve) => setTimeout(resolve, 0))
        yield say(word?.type === 'text' ? word.text : '?')
      }
    }),
  )
  const turns = await Promise.all(
    ['a', 'b', 'c'].map((word) => all(connection.stream(ask(word), config))),
  )
  expect(turns.map(text)).toEqual(['a', 'b', 'c'].map((word) => word.repeat(40)))
})

test('an engine is at most one window ahead of its reader', async () => {
  let made = 0
  const { connection } = connect(
    streaming(async function* () {
      for (; made < 500; made++) yield say('x')
      yield finish
    }),
  )
  const parts = connection.stream(ask('hi'), config)
  await parts.next()
  await settle()
  expect(made).toBeLessThanOrEqual(16)
  const rest = await all(parts)
  expect(made).toBe(500)
  expect(text(rest)).toHaveLength(499)
  expect(rest.at(-1)).toEqual(finish[0])
})

test('an abort reaches the engine and ends the turn, even if the engine hangs', async () => {
  let aborted = false
  const { connection } = connect(
    streaming(async function* (_request, _config, { signal }) {
      signal.addEventListener('abort', () => (aborted = true))
      yield say('Hm')
      await new Promise<never>(() => undefined)
    }),
  )
  const stop = new AbortController()
  const parts = connection.stream(ask('hi'), config, stop.signal)
  expect((await parts.next()).value).toEqual(say('Hm'))
  stop.abort('enough')
  const [last] = await all(parts)
  expect(last).toMatchObject({ type: 'error', error: { code: 'aborted' } })
  await settle()
  expect(aborted).toBe(true)
})

test('a reader that leaves stops the engine, even while it waits for credit', async () => {
  let ended = false
  const { connection } = connect(
    streaming(async function* () {
      try {
        for (;;) yield say('x')
      } finally {
        ended = true
      }
    }),
  )
  for await (const batch of connection.stream(ask('hi'), config)) {
    expect(batch).toEqual(say('x'))
    break
  }
  await settle()
  expect(ended).toBe(true)
})

test.each([
  ['its own words', new Error('The GPU is on fire.'), 'provider-error'],
  [
    'a full context',
    new Error('Prompt tokens exceed context window size: 5000; context window size: 4096'),
    'context-overflow',
  ],
  ['a typed error', new OffstageError('model-not-found', 'No such model.'), 'model-not-found'],
])('an error thrown by an engine ends the turn with %s', async (_name, thrown, code) => {
  const { connection } = connect(
    // oxlint-disable-next-line require-yield -- It fails before it says anything.
    streaming(async function* () {
      throw thrown
    }),
  )
  expect(await all(connection.stream(ask('hi'), config))).toEqual([
    { type: 'error', error: expect.objectContaining({ code, message: thrown.message }) },
  ])
})

test("parts that can't be cloned end the turn with an error, not silently", async () => {
  const { connection } = connect(
    streaming(async function* () {
      yield [{ type: 'raw', data: () => 1 }]
    }),
  )
  const [last] = await all(connection.stream(ask('hi'), config))
  expect(last).toMatchObject({ type: 'error' })
})

test('prepare reports its progress', async () => {
  const told: unknown[] = []
  const { connection } = connect(
    {
      ...saying('hi'),
      async prepare({ model }, { progress }) {
        progress({ loaded: 1, total: 2, text: `half of ${model}` })
        progress({ loaded: 2, total: 2 })
      },
    },
    { onProgress: ({ model }, progress) => told.push({ model, ...progress }) },
  )
  await connection.prepare(config)
  expect(told).toEqual([
    { model: 'tiny', loaded: 1, total: 2, text: 'half of tiny' },
    { model: 'tiny', loaded: 2, total: 2 },
  ])
})

test('an aborted prepare rejects, and the engine is notified', async () => {
  let aborted = false
  const { connection } = connect({
    ...saying('hi'),
    prepare: (_config, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          aborted = true
          reject(new Error('stopped'))
        })
      }),
  })
  const stop = new AbortController()
  const prepared = connection.prepare(config, stop.signal)
  setTimeout(() => stop.abort(), 5)
  await expect(prepared).rejects.toMatchObject({ code: 'aborted' })
  await settle()
  expect(aborted).toBe(true)
})

test('a closed port ends open turns with worker-lost, once', async () => {
  let lost = 0
  const { connection, closeEngine } = connect(
    streaming(async function* () {
      yield say('Hm')
      await new Promise<never>(() => undefined)
    }),
    { onLost: () => (lost += 1) },
  )
  const turns = [connection.stream(ask('a'), config), connection.stream(ask('b'), config)]
  for (const turn of turns) await turn.next()
  closeEngine()
  for (const turn of turns) {
    expect(await all(turn)).toEqual([
      { type: 'error', error: expect.objectContaining({ code: 'worker-lost', retryable: true }) },
    ])
  }
  expect(lost).toBe(1)
  const after = await all(connection.stream(ask('c'), config))
  expect(after).toMatchObject([{ type: 'error', error: { code: 'worker-lost' } }])
})

test('without locks, a silent engine is dead, and a slow one is not', async () => {
  const pings = { intervalMs: 5, limit: 3 }
  const thinking = connect(
    streaming(async function* () {
      await new Promise((resolve) => setTimeout(resolve, 80))
      yield say('done')
    }),
    { watch: 'ping', pings },
  )
  expect(await all(thinking.connection.stream(ask('a'), config))).toEqual(say('done'))

  const { port1, port2 } = new MessageChannel()
  const silent = new EngineConnection(
    { port: port2, instance: 'silent', watch: 'ping' },
    { onProgress: () => undefined, onLost: () => undefined, pings },
  )
  expect(await all(silent.stream(ask('b'), config))).toMatchObject([
    { type: 'error', error: { code: 'worker-lost' } },
  ])
  port1.close()
})
