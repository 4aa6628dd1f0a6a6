import type { RunEventBody } from '../../../src/protocol/event.ts'
import type { Random } from '../../torture/random.ts'
import { replyUntil, type Reply } from '../stage/reply.ts'
import type { Followed, Stage } from '../stage/stage.ts'

/** An event in the course of a run. `happen` returns the handle that follows the run from then on. */
interface Turnabout {
  readonly name: string
  happen(on: Stage, run: Followed): Promise<Followed | null>
}

const resume = async (on: Stage, interrupted: 'ask' | 'tell-model'): Promise<Followed | null> => {
  const { agent } = on
  const run = await on.resume('talk', { interrupted })
  return on.agent === agent ? run : null
}

const turnabouts: readonly [Turnabout, ...Turnabout[]] = [
  {
    name: 'an abort',
    happen: async (_, run) => {
      run.run.abort('by chance')
      return run
    },
  },
  {
    name: 'a reload',
    happen: async (on) => {
      await on.reload()
      return resume(on, 'tell-model')
    },
  },
  {
    name: 'a crash',
    happen: async (on) => {
      on.crash()
      return resume(on, 'tell-model')
    },
  },
  {
    name: 'a crash, and questions',
    happen: async (on) => {
      on.crash()
      return resume(on, 'ask')
    },
  },
  {
    name: 'the death of the worker',
    happen: async (on, run) => {
      on.page.killWorker()
      return run
    },
  },
  {
    name: 'a second agent',
    happen: async (on, run) => {
      on.open({}, ['talk'])
      return (await resume(on, 'tell-model')) ?? run
    },
  },
  {
    name: 'another tab',
    happen: async (on) => {
      on.newPage()
      return resume(on, 'tell-model')
    },
  },
  {
    name: 'a full storage',
    happen: async (on, run) => {
      on.storage.fault = 'storage-full'
      await on.pause(2500)
      on.storage.fault = null
      return run
    },
  },
  {
    name: 'a run in its place',
    happen: async (on) => on.run('Rather this', { ifBusy: 'replace' }),
  },
  {
    name: 'fewer tools',
    happen: async (on, run) => {
      on.agent.setEnabledTools(['read', 'add'])
      return run
    },
  },
]

const moments: readonly [RunEventBody['type'], ...RunEventBody['type'][]] = [
  'step-start',
  'text-delta',
  'text-end',
  'tool-call',
  'tool-execution-start',
  'tool-result',
  'tool-result',
  'tool-approval-request',
]

interface Moment {
  readonly type: RunEventBody['type']
  readonly nth: number
  readonly turnabout: Turnabout
}

export interface Course {
  readonly name: string
  play(on: Stage): Promise<void>
}

/** Up to two things that happen in a run, and what a person says to what it asks. */
export function randomCourse(random: Random): Course {
  const happenings = Array.from({ length: random.pick([1, 1, 1, 2]) }, (): Moment => {
    const [type, turnabout] = [random.pick(moments), random.pick(turnabouts)]
    return { type, nth: random.pick([1, 1, 2]), turnabout }
  })
  const words = Array.from({ length: 8 }, () => random.below(4))
  const isFollowed = random.chance(0.3)
  const names = happenings.map(({ type, nth, turnabout }) => `${turnabout.name} at ${type} ${nth}`)
  return {
    name: names.join(', then '),
    async play(on) {
      const reply = replyWith(words)
      await playRun(on, { happenings, reply })
      if (isFollowed) await playRun(on, { happenings: [], reply })
    },
  }
}

async function playRun(
  on: Stage,
  { happenings, reply }: { readonly happenings: readonly Moment[]; readonly reply: Reply },
): Promise<void> {
  let run: Followed | null = on.run('Do something', { ifBusy: 'replace' })
  for (const { type, nth, turnabout } of happenings) {
    const { events }: Followed = run
    const isOver = (): boolean => events.filter((event) => event.type === type).length >= nth
    await replyUntil(on, run, { reply, isOver })
    if (run.result) break
    run = await turnabout.happen(on, run)
    if (run === null) return
  }
  const deadline = on.world.now + 60_000
  void on.pause(60_000)
  await replyUntil(on, run, { reply, isOver: () => on.world.now >= deadline })
  run.run.abort('long enough')
  await on.end(run)
}

/** The n-th call that waits gets the n-th of these words. */
function replyWith(words: readonly number[]): Reply {
  let at = 0
  return (on, { kind, toolCallId, toolName }) => {
    const word = words[at++ % words.length]
    switch (kind) {
      case 'approval':
        if (word === 0) return on.ask('deny', (agent) => agent.deny(toolCallId, 'No.'))
        if (word === 1 && toolName === 'remove') {
          return on.ask('edit', (agent) => agent.approve(toolCallId, { input: { id: 5 } }))
        }
        return on.ask('approve', (agent) => agent.approve(toolCallId))
      case 'answer':
        return on.ask('answer', (agent) => agent.answer(toolCallId, `Word ${word}.`))
      case 'decision': {
        const verdicts = ['happened', 'did-not-happen', 'run-again'] as const
        const verdict = verdicts[(word ?? 0) % verdicts.length] ?? 'happened'
        return on.ask('resolve', (agent) => agent.resolveInterrupted(toolCallId, verdict))
      }
      case 'output':
      case 'settlement':
        return false
      default:
        return kind satisfies never
    }
  }
}
