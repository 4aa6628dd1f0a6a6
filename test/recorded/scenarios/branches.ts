import type { Scenario } from '../record.ts'
import type { Stage } from '../stage/stage.ts'

function choose(on: Stage, messageId?: string): Promise<unknown> {
  const conversation = on.agent.conversation('talk')
  const id = messageId ?? conversation.getSnapshot().messages[0]?.id ?? ''
  return on.ask('switchBranch', () => conversation.switchBranch(id))
}

/** Recorded with format 2: there were no branches before. */
export const branches: readonly Scenario[] = [
  {
    name: 'the branch under a message is chosen, and gone on with after a reload',
    turns: [{ text: 'I answer.' }],
    play: async (on) => {
      await on.end(on.run('One'))
      await on.pause(100)
      await choose(on)
      await on.reload()
      await on.end(on.run('Two'))
    },
  },
  {
    name: 'no branch is chosen while a run is open, nor one of a message that is not there',
    turns: [{ text: 'A slow answer.', paceMs: 50 }],
    play: async (on) => {
      const run = on.run('One')
      await on.event('text-delta')
      await on.pause(100)
      await choose(on)
      await on.end(run)
      await choose(on, 'no-such-message')
    },
  },
]
