import type { Scenario } from '../record.ts'
import type { Turns } from '../stage/played-model.ts'
import type { Followed, Stage } from '../stage/stage.ts'

const slow: Turns = [
  { reasoning: 'Hm, hm.', text: 'I look.', calls: [{ tool: 'slow' }], paceMs: 30 },
  { text: 'It is done, after all this time.', paceMs: 60 },
]
const consent: Turns = [
  { text: 'May I?', calls: [{ tool: 'remove', input: { id: 1 } }] },
  { text: 'Done.', paceMs: 60 },
]

interface Act {
  readonly name: string
  /** Acts in the second tab while the first one drives the run. */
  act(on: Stage): Promise<unknown>
}

const acts: readonly Act[] = [
  { name: 'resumes it', act: async (on) => ended(on, await on.resume()) },
  { name: 'begins another run', act: async (on) => ended(on, on.run('Me, too')) },
  {
    name: 'begins another run after it',
    act: async (on) => ended(on, on.run('Me, too', { ifBusy: 'queue' })),
  },
  {
    name: 'begins another run in its place',
    act: async (on) => ended(on, on.run('Rather this', { ifBusy: 'replace' })),
  },
  {
    name: 'gives its consent',
    act: (on) => on.ask('approve', (agent) => agent.approve('c1.0.1')),
  },
  {
    name: 'clears the history',
    act: (on) => on.ask('clear', (agent) => agent.conversations.clearHistory('talk')),
  },
  {
    name: 'deletes the conversation',
    act: (on) => on.ask('delete', (agent) => agent.conversations.delete('talk')),
  },
]

/** Waits for what ends by itself. */
async function ended(on: Stage, run: Followed | null): Promise<void> {
  if (run) await Promise.race([on.end(run), on.pause(15_000)])
}

/** Two tabs that know of each other. */
export const tabs: readonly Scenario[] = (
  [
    ['answers', slow, (on) => on.event('text-delta')],
    ['asks for consent', consent, (on) => on.event('tool-approval-request')],
  ] as [string, Turns, (on: Stage) => Promise<unknown>][]
).flatMap(([when, turns, moment]) =>
  acts.map(({ name, act }) => ({
    name: `while a run ${when}, another tab ${name}`,
    turns,
    tools: ['slow', 'remove'] as const,
    locks: true,
    play: async (on: Stage) => {
      const first = on.agent
      const run = on.run()
      await moment(on)
      // The run may already have reported that it waits. Then nobody holds the lock any more.
      await on.pause(20)
      on.newPage()
      await act(on)
      await ended(on, run)
      on.agent = first
      if (!run.result) await on.ask('deny', (agent) => agent.deny('c1.0.1'))
      await ended(on, run)
    },
  })),
)
