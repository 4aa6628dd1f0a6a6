import type { ResumeOptions } from '../../../src/index.ts'
import type { Turns } from '../stage/played-model.ts'
import type { Followed, Stage } from '../stage/stage.ts'
import type { ToolName } from '../stage/toolbox.ts'

const usage = { inputTokens: 4, outputTokens: 2 }
export const loop: Turns = [
  {
    reasoning: 'So.',
    text: 'I look and write.',
    calls: [{ tool: 'read' }, { tool: 'write', input: { note: 'n' } }],
    usage,
  },
  { text: 'Written.', usage, paceMs: 20 },
]
export const using = (tool: ToolName): Turns => [
  { text: 'I use it.', calls: [{ tool, input: { note: 'x' } }], usage },
  { text: 'Used.', usage },
]

/** Resumes the unfinished run, and answers its questions, until it ends or waits. */
export async function takeUp(on: Stage, how: ResumeOptions = {}): Promise<Followed | null> {
  const run = await on.resume('talk', how)
  if (run) await Promise.race([on.end(run), on.pause(30_000)])
  return run
}
