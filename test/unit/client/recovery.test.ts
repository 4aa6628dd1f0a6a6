import { expect, onTestFinished, test, vi } from 'vitest'
import { createAgent } from '../../../src/client/api/create-agent.ts'
import type { WorkerLike } from '../../../src/client/worker-link/spawn-worker.ts'
import type { RunEvent } from '../../../src/protocol/event.ts'
import { createTestStorage, inProcessWorker } from '../../../src/testing/index.ts'
import { until, asStored } from './fake-worker.ts'
import { someOf } from '../more.ts'

/** The real worker in this process, which the test can silence as `terminate()` would. */
function mortal() {
  const spawn = inProcessWorker({ storage: createTestStorage() })
  const workers: WorkerLike[] = []
  const worker = () => {
    const made = spawn()
    workers.push(made)
    return made
  }
  return { worker, workers, kill: () => workers.at(-1)!.terminate!() }
}

const paced = (paceMs: number) => ({
  provider: 'scripted',
  model: 'scripted',
  script: {
    steps: [
      { text: 'Buying. ', toolCalls: [{ toolName: 'buy', input: {} }] },
      { text: 'Bought, and that is all there is to say.' },
    ],
    paceMs,
  },
})

test.each(['while its tool runs', 'while text streams', 'while a person is asked'])(
  'a run survives the death of its worker %s, and the tool runs once',
  async (moment) => {
    const { worker, workers, kill } = mortal()
    const needsApproval = moment.includes('person')
    const execute = vi.fn(async () => {
      if (moment.includes('tool')) await until(() => workers.length === 2)
      // The text stands still until the worker is dead.
      if (moment.includes('text')) agent.configure({ model: paced(600_000) })
      return 'ok'
    })
    const agent = createAgent({
      model: paced(5),
      tools: [{ name: 'buy', description: 'Buys.', needsApproval, execute }],
      worker,
      heartbeatMs: 20,
    })
    onTestFinished(() => agent.dispose())
    const { subscribe, getSnapshot } = agent.conversation('c1')
    subscribe(() => {})
    const run = agent.run('Buy it', { conversationId: 'c1' })
    if (needsApproval) await until(() => getSnapshot().status === 'waiting')
    else if (moment.includes('tool')) await until(() => execute.mock.calls.length)
    else await until(() => JSON.stringify(getSnapshot().messages).includes('Boug'))
    kill()
    agent.configure({ model: paced(5) })
    if (needsApproval) {
      await until(() => workers.length === 2)
      await until(() => getSnapshot().status === 'waiting')
      expect(await agent.approve(getSnapshot().pending[0]!.toolCallId)).toBe(true)
    }
    const result = await run.result
    expect(result).toMatchObject({
      outcome: 'completed',
      text: 'Bought, and that is all there is to say.',
      toolCalls: [{ toolName: 'buy', status: 'succeeded' }],
    })
    expect(execute).toHaveBeenCalledTimes(1)
    expect(workers.length).toBe(2)
    // A module that is loaded separately updates the snapshot.
    await until(() => getSnapshot().status === 'idle')
    expect(asStored(getSnapshot().messages)).toEqual(
      (await agent.conversations.get('c1'))!.messages,
    )
    const events: RunEvent[] = []
    for await (const event of run) events.push(event)
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at))
  },
)

test('text before a call is shown before the tool runs, every time', async () => {
  const { worker } = mortal()
  let seen = ''
  const early: number[] = []
  const agent = createAgent({
    model: {
      provider: 'scripted',
      model: 'scripted',
      script: {
        steps: [
          { text: 'Before the tool.', toolCalls: [{ toolName: 'look', input: {} }] },
          { text: 'After.' },
        ],
      },
    },
    tools: [
      {
        name: 'look',
        description: 'Looks.',
        execute: () => void (seen === 'Before the tool.' || early.push(1)),
      },
    ],
    storage: 'memory',
    worker,
  })
  onTestFinished(() => agent.dispose())
  for (let trial = 0; trial < someOf(200); trial++) {
    seen = ''
    for await (const event of agent.run('Go')) if (event.type === 'text-delta') seen += event.delta
  }
  expect(early).toEqual([])
}, 240_000)
