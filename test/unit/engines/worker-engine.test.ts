import { expect, onTestFinished, test, vi } from 'vitest'
import { EngineConnection } from '../../../src/engines/engine-connection.ts'
import type { EngineDefinition } from '../../../src/engines/engine-definition.ts'
import { workerEngine } from '../../../src/engines/worker-engine.ts'
import type { EngineLine } from '../../../src/protocol/engine.ts'
import { all, ask, config, engineWorker, saying, settle, text, type TestWorker } from './support.ts'

function provided(
  definition: EngineDefinition | ((options: never) => EngineDefinition),
  options = {},
) {
  const workers: TestWorker[] = []
  const engine = workerEngine({
    id: 'mine',
    worker: () => {
      const worker = engineWorker(definition)
      workers.push(worker)
      return worker
    },
    options: () => options,
  })
  return { engine, workers }
}

function read(line: EngineLine): Promise<string> {
  const connection = new EngineConnection(line, {
    onProgress: () => undefined,
    onLost: () => undefined,
  })
  return all(connection.stream(ask('hi'), config)).then(text)
}

test('nothing starts before the first use of the engine; then agents share a worker', async () => {
  const { engine, workers } = provided(saying('Hello'))
  expect(workers).toHaveLength(0)
  const lines = await Promise.all([engine.open({ agentId: 'a' }), engine.open({ agentId: 'b' })])
  expect(await Promise.all(lines.map(read))).toEqual(['Hello', 'Hello'])
  expect(workers).toHaveLength(1)
  expect(lines[0]?.instance).toBe(lines[1]?.instance)
  expect(workers[0]?.heard, 'tokens go by the line, not by the worker').toEqual([
    'offstage-engine-ready',
    'offstage-engine-ready',
  ])
})

test('the page’s options reach the definition of the engine', async () => {
  const { engine } = provided(
    (options: { readonly name: string }) => saying(`I am ${options.name}`),
    {
      name: 'Ann',
    },
  )
  expect(await read(await engine.open({ agentId: 'a' }))).toBe('I am Ann')
})

test('an agent’s new connection closes its old one, and no other', async () => {
  const aborted: string[] = []
  const { engine } = provided({
    id: 'mine',
    async *stream(_request, { model }, { signal }) {
      signal.addEventListener('abort', () => aborted.push(model))
      yield [{ type: 'text-delta', delta: 'Hm' }]
      await new Promise<never>(() => undefined)
    },
  })
  for (const agentId of ['a', 'b']) {
    const line = await engine.open({ agentId })
    const idle = { onProgress: () => undefined, onLost: () => undefined }
    const turn = new EngineConnection(line, idle).stream(ask('hi'), { ...config, model: agentId })
    await turn.next()
  }
  await engine.open({ agentId: 'a' })
  await settle()
  expect(aborted).toEqual(['a'])
})

test('when the last agent releases it, the model is freed, then the worker ends', async () => {
  const dispose = vi.fn(async () => settle())
  const { engine, workers } = provided({ ...saying('x'), dispose })
  await engine.open({ agentId: 'a' })
  await engine.open({ agentId: 'b' })
  engine.release('a')
  engine.release('unknown')
  await settle()
  expect(dispose).not.toHaveBeenCalled()
  engine.release('b')
  await vi.waitFor(() => expect(workers[0]?.terminated).toBe(true))
  expect(dispose).toHaveBeenCalledOnce()
  expect(await read(await engine.open({ agentId: 'a' }))).toBe('x')
  expect(workers).toHaveLength(2)
})

test('a dead instance is replaced, and a late report of it is ignored', async () => {
  const { engine, workers } = provided(saying('x'))
  const first = await engine.open({ agentId: 'a' })
  const second = await engine.open({ agentId: 'a', lost: first.instance })
  expect(second.instance).not.toBe(first.instance)
  expect(workers.map(({ terminated }) => terminated)).toEqual([true, false])
  const third = await engine.open({ agentId: 'b', lost: first.instance })
  expect(third.instance).toBe(second.instance)
})

test('a worker that fails to load is a typed error; the next try starts another', async () => {
  let tries = 0
  const engine = workerEngine({
    id: 'mine',
    worker: () => {
      tries += 1
      if (tries === 1) throw new Error('blocked by CSP')
      if (tries === 3) return engineWorker(saying('up'))
      const broken = new EventTarget()
      setTimeout(() => broken.dispatchEvent(Object.assign(new Event('error'), { message: '' })), 5)
      return Object.assign(broken, { postMessage: () => undefined })
    },
  })
  const failed = { code: 'worker-load-failed', message: expect.stringContaining('blocked by CSP') }
  await expect(engine.open({ agentId: 'a' })).rejects.toMatchObject(failed)
  await expect(engine.open({ agentId: 'a' })).rejects.toMatchObject({
    code: 'worker-load-failed',
    message: expect.stringContaining('could not be loaded'),
  })
  expect(await read(await engine.open({ agentId: 'a' }))).toBe('up')
})

test('options that cannot be posted fail the opening, and nothing is rejected later', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const late: unknown[] = []
  const note = (thrown: unknown): void => void late.push(thrown)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  const { engine } = provided(saying('x'), { onLoad: () => undefined })
  await expect(engine.open({ agentId: 'a' })).rejects.toThrow()
  await vi.advanceTimersByTimeAsync(31_000)
  vi.useRealTimers()
  await settle()
  expect(late).toEqual([])
})
