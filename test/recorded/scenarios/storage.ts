import type { ErrorCode } from '../../../src/protocol/error.ts'
import type { FactType } from '../../../src/protocol/fact.ts'
import type { Scenario } from '../record.ts'
import type { Turns } from '../stage/played-model.ts'
import type { Stage } from '../stage/stage.ts'

const turns: Turns = [
  { text: 'I write.', calls: [{ tool: 'write', input: { note: 'n' } }] },
  { text: 'Written.' },
]

const facts: readonly FactType[] = ['run-started', 'model-output', 'call-settled', 'run-ended']

/** The storage refuses appends that hold the fact. */
function refuse(on: Stage, fault: ErrorCode, fact?: FactType): void {
  on.storage.fault = fault
  on.storage.faulty = fact ? ({ rows }) => rows.some(({ type }) => type === fact) : null
}

const full: readonly Scenario[] = facts.flatMap((fact) => [
  {
    name: `a full storage at ${fact}, and room after a while`,
    turns,
    tools: ['write' as const],
    play: async (on: Stage) => {
      refuse(on, 'storage-full', fact)
      const run = on.run()
      await on.event('run-paused')
      await on.pause(5000)
      on.storage.fault = null
      await on.end(run)
    },
  },
  {
    name: `a full storage at ${fact}, and going on`,
    turns,
    tools: ['write' as const],
    play: async (on: Stage) => {
      refuse(on, 'storage-full', fact)
      const run = on.run()
      await on.event('run-paused')
      await on.goOn()
      on.storage.fault = null
      await on.goOn()
      await on.end(run)
    },
  },
  {
    name: `a full storage at ${fact}, and an abort`,
    turns,
    tools: ['write' as const],
    play: async (on: Stage) => {
      refuse(on, 'storage-full', fact)
      const run = on.run()
      await on.event('run-paused')
      run.run.abort('no room')
      await on.end(run)
      on.storage.fault = null
      await on.pause(60_000)
    },
  },
])

const others: readonly Scenario[] = [
  ...(['storage-blocked', 'storage-newer', 'storage-failed'] as const).map((fault) => ({
    name: `a run that meets ${fault}`,
    turns,
    tools: ['write' as const],
    play: async (on: Stage) => {
      const run = on.run()
      await on.event('tool-execution-start')
      refuse(on, fault)
      await on.pause(10_000)
      on.storage.fault = null
      await on.end(run)
    },
  })),
  {
    name: 'a first commit that meets storage-failed',
    turns,
    tools: ['write'],
    play: async (on) => {
      refuse(on, 'storage-failed')
      const run = on.run()
      await on.pause(10_000)
      on.storage.fault = null
      await on.end(run)
    },
  },
  {
    name: 'an approval that can not be stored now',
    turns: [{ calls: [{ tool: 'remove', input: { id: 1 } }] }, { text: 'Removed.' }],
    tools: ['remove'],
    play: async (on) => {
      const run = on.run()
      await on.event('tool-approval-request')
      refuse(on, 'storage-full')
      await on.ask('approve', (agent) => agent.approve(on.asked))
      on.storage.fault = null
      await on.ask('approve', (agent) => agent.approve(on.asked))
      await on.end(run)
    },
  },
  {
    name: 'a reload while the storage is full',
    turns,
    tools: ['write'],
    play: async (on) => {
      refuse(on, 'storage-full', 'call-settled')
      on.run()
      await on.event('run-paused')
      await on.reload()
      on.storage.fault = null
      const run = await on.resume()
      if (run) await on.end(run)
    },
  },
  {
    name: 'the worker dies while the storage is full',
    turns,
    tools: ['write'],
    play: async (on) => {
      refuse(on, 'storage-full', 'call-settled')
      const run = on.run()
      await on.event('run-paused')
      on.page.killWorker()
      on.storage.fault = null
      await on.end(run)
    },
  },
  {
    name: 'the worker dies while the first commit waits',
    turns,
    tools: ['write'],
    play: async (on) => {
      refuse(on, 'storage-full', 'run-started')
      const run = on.run()
      await on.event('run-paused')
      on.page.killWorker()
      on.storage.fault = null
      await on.end(run)
    },
  },
  {
    name: 'a run in the place of one that waits for room',
    turns,
    tools: ['write'],
    play: async (on) => {
      refuse(on, 'storage-full', 'model-output')
      const runs = [on.run('One')]
      await on.event('run-paused')
      runs.push(on.run('Two', { ifBusy: 'replace' }))
      await on.pause(1000)
      on.storage.fault = null
      for (const run of runs) await on.end(run)
    },
  },
  {
    name: 'a run is deleted while it waits for room',
    turns,
    tools: ['write'],
    play: async (on) => {
      refuse(on, 'storage-full', 'model-output')
      const run = on.run('One')
      await on.event('run-paused')
      await on.ask('delete', (agent) => agent.conversations.delete('talk'))
      await on.end(run)
    },
  },
]

export const storage: readonly Scenario[] = [...full, ...others]
