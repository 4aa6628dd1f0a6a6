import type { Scenario } from '../record.ts'
import type { Followed, Stage } from '../stage/stage.ts'

const slow = [{ text: 'One moment.', calls: [{ tool: 'slow' }] }, { text: 'Both.' }] as const

function say(
  on: Stage,
  { run }: Followed,
  text: string,
  when: 'next-step' | 'now' | 'after-run' = 'next-step',
): ReturnType<Followed['run']['send']> {
  const sent = run.send(text, { when })
  void on.ask('outcome', () => sent.outcome)
  return sent
}

/** Recorded with format 2: nothing could be said to an open run before. */
export const steering: readonly Scenario[] = [
  {
    name: 'a message is delivered before the next step',
    turns: slow,
    tools: ['slow'],
    play: async (on) => {
      const run = on.run('One')
      await on.event('tool-execution-start')
      say(on, run, 'And a vase')
      await on.end(run)
    },
  },
  {
    name: 'of two messages one is taken back',
    turns: slow,
    tools: ['slow'],
    play: async (on) => {
      const run = on.run('One')
      await on.event('tool-execution-start')
      const { cancel } = say(on, run, 'Two')
      say(on, run, 'Three')
      await on.ask('cancel', cancel)
      await on.end(run)
    },
  },
  {
    name: 'a message is returned when the run ends without it',
    turns: [{ text: 'A slow answer.', paceMs: 50 }],
    play: async (on) => {
      const run = on.run('One')
      await on.event('text-delta')
      say(on, run, 'Two')
      await on.end(run)
    },
  },
  {
    name: 'an answer is cut short for a message',
    turns: [{ text: 'A slow answer.', paceMs: 50 }, { text: 'Short.' }],
    play: async (on) => {
      const run = on.run('One')
      await on.event('text-delta')
      say(on, run, 'Be brief', 'now')
      await on.end(run)
    },
  },
  {
    name: 'a call is stopped for a message',
    turns: slow,
    tools: ['slow'],
    play: async (on) => {
      const run = on.run('One')
      await on.event('tool-execution-start')
      say(on, run, 'Never mind', 'now')
      await on.end(run)
    },
  },
  {
    name: 'an answer is rejected, and given again',
    turns: [{ text: 'Four.' }, { text: 'Five.' }],
    options: {
      verify: ({ text }) => (text === 'Five.' ? { ok: true } : { feedback: 'Count again.' }),
    },
    play: async (on) => on.end(on.run('How many?')),
  },
  {
    name: 'an answer gets remarks beside it',
    turns: [{ text: 'Four.' }, { text: 'That is not all of them.' }],
    options: { reflect: { mode: 'annotate', instructions: 'Is it all?' } },
    play: async (on) => on.end(on.run('How many?')),
  },
  {
    name: 'a better answer takes the place of the first one',
    turns: [{ text: 'Four.' }, { text: 'Five.' }],
    options: { reflect: { mode: 'replace', instructions: 'Count again.' } },
    play: async (on) => on.end(on.run('How many?')),
  },
  {
    name: 'what a person wrote is sent with more behind it',
    turns: [{ text: 'Noted.' }],
    options: { beforeModel: () => ({ appendToLastUser: 'It is raining.' }) },
    play: async (on) => on.end(on.run('What shall I wear?')),
  },
  {
    name: 'messages begin the next run',
    turns: slow,
    tools: ['slow'],
    play: async (on) => {
      const run = on.run('One')
      await on.event('tool-execution-start')
      const sent = run.run.send('Two', { when: 'after-run' })
      run.run.send('Three', { when: 'after-run' })
      await on.end(run)
      await on.ask('outcome', async () => {
        const outcome = await sent.outcome
        const next = outcome.status === 'delivered' ? await outcome.run?.result : undefined
        return next?.outcome ?? outcome.status
      })
    },
  },
]
