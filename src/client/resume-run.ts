import type { ResumeRun } from '../protocol/commands.ts'
import type { AgentScope } from '../protocol/scope.ts'
import { adopt } from './adopt.ts'
import type { AgentParts } from './agent-parts.ts'
import { checkId } from './check-input.ts'
import type { ResumeOptions } from './options.ts'
import { wasPageLeft } from './page-left.ts'
import { pageRegistry } from './page-registry.ts'
import { rejoin } from './rejoin.ts'
import type { Run } from './run.ts'
import type { RunHandle } from './run-handle.ts'

const RESUME = { interrupted: 'tell-model', waitForToolsMs: 10_000 } as const

type Resume = Partial<Omit<ResumeRun, keyof AgentScope>>

/** Resumes a run, and its child runs in the background. Null if none is unfinished, or another tab or device has it. */
export async function resumeRun(agent: AgentParts, command: Resume): Promise<Run | null> {
  const run = await takeUpRun(agent, command)
  if (run) void rejoin(agent, run.conversationId, command.takesOver)
  return run
}

/** Resumes a run without its child runs. */
export async function takeUpRun(agent: AgentParts, command: Resume): Promise<Run | null> {
  const { ask, scope } = agent
  const { conversationId = '' } = command
  const afterCrash = !wasPageLeft && !pageRegistry().touched.has(conversationId)
  const full = { ...RESUME, afterCrash, ...command, ...scope() }
  return taken(conversationId, await adopt(agent, () => ask('resumeRun', full)))
}

/** Takes a run over from another tab or device. */
export async function takeOverRun(
  agent: AgentParts,
  conversationId: string,
  how: ResumeOptions,
): Promise<Run | null> {
  checkId(conversationId)
  const { ask, scope } = agent
  const command = { ...RESUME, ...how, ...scope(), conversationId, afterCrash: false }
  const run = taken(conversationId, await adopt(agent, () => ask('takeOver', command)))
  if (run) void rejoin(agent, run.conversationId, true)
  return run
}

function taken(conversationId: string, handle: RunHandle | null): Run | null {
  const { touched } = pageRegistry()
  touched.add(conversationId)
  if (handle) touched.add(handle.run.conversationId)
  return handle && handle.run
}
