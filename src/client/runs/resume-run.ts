import type { ResumeRun } from '../../protocol/worker-calls.ts'
import { type AgentScope, type RunRef, storageKey } from '../../protocol/conversation.ts'
import type { AgentParts } from '../api/agent-parts.ts'
import { checkId } from './check-message.ts'
import type { ResumeOptions } from '../api/options.ts'
import { pageRegistry } from '../page-life/page-registry.ts'
import type { Run, RunHandle } from './run.ts'
import { reportThrown } from '../api/failures.ts'
import { findChildRunResumer } from '../page-life/child-run-resumers.ts'
import { loadPart } from '../api/load-part.ts'

/**
 * Returns the handle of the run that the worker resumes. Events arrive on another port than the answer, perhaps
 * earlier. They are kept from before the request on, so that the handle gets all of them.
 */
export async function adopt(
  { link, runs, scope, signal }: AgentParts,
  request: () => Promise<RunRef | null>,
): Promise<RunHandle | null> {
  const expected = link().feeds.expect(storageKey(scope().storage))
  try {
    const ref = await request()
    if (!ref || signal.aborted) return null
    const existing = runs.openRuns.get(ref.runId)
    if (existing) return existing
    const handle = runs.handleOf(ref)
    expected.claim(ref, handle)
    return handle
  } finally {
    expected.close()
  }
}

/**
 * Resumes the child runs that calls of the conversation wait for. With `takesOver`, also takes over child runs from
 * another device. Resolves once each was tried.
 */
export async function resumeChildRuns(
  agent: AgentParts,
  conversationId: string,
  takesOver = false,
): Promise<void> {
  if (!agent.registry.all().some(({ tool }) => findChildRunResumer(tool))) return
  try {
    const { rejoinChildren } = await loadPart(() => import('../sub-agents/child-runs.ts'))
    await rejoinChildren(agent, conversationId, takesOver)
  } catch (thrown) {
    // A disposed agent isn't an error: another agent resumes its runs.
    if (!agent.signal.aborted) reportThrown(thrown)
  }
}

const LEFT_KEY = 'offstage.left'

/**
 * Whether the previous page in this tab was left by a reload or a navigation. A page that crashed sets no mark. False
 * without session storage.
 */
const wasPageLeft: boolean = consumeMark()

function consumeMark(): boolean {
  try {
    const storage = globalThis.sessionStorage
    const isMarked = storage.getItem(LEFT_KEY) !== null
    const unmark = (): void => storage.removeItem(LEFT_KEY)
    unmark()
    globalThis.addEventListener?.('pagehide', () => storage.setItem(LEFT_KEY, ''))
    // A page that the back/forward cache restored may still crash, so it removes its mark.
    globalThis.addEventListener?.('pageshow', unmark)
    return isMarked
  } catch {
    return false
  }
}

const RESUME_DEFAULTS = { interrupted: 'tell-model', waitForToolsMs: 10_000 } as const

type ResumeCommand = Partial<Omit<ResumeRun, keyof AgentScope>>

/**
 * Resumes a run, and its child runs in the background. Null if no run is unfinished, or another tab or device drives
 * it.
 */
export async function resumeRun(agent: AgentParts, command: ResumeCommand): Promise<Run | null> {
  const run = await resumeWithoutChildren(agent, command)
  if (run) void resumeChildRuns(agent, run.conversationId, command.takesOver)
  return run
}

/** Resumes a run without its child runs. */
export async function resumeWithoutChildren(
  agent: AgentParts,
  command: ResumeCommand,
): Promise<Run | null> {
  const { callWorker, scope } = agent
  const { conversationId = '' } = command
  const afterCrash = !wasPageLeft && !pageRegistry().touched.has(conversationId)
  const resumeCommand = { ...RESUME_DEFAULTS, afterCrash, ...command, ...scope() }
  return recordTouched(
    conversationId,
    await adopt(agent, () => callWorker('resumeRun', resumeCommand)),
  )
}

/** Takes a run over from another tab or device. */
export async function takeOverRun(
  agent: AgentParts,
  conversationId: string,
  options: ResumeOptions,
): Promise<Run | null> {
  checkId(conversationId)
  const { callWorker, scope } = agent
  const command = { ...RESUME_DEFAULTS, ...options, ...scope(), conversationId, afterCrash: false }
  const run = recordTouched(
    conversationId,
    await adopt(agent, () => callWorker('takeOver', command)),
  )
  if (run) void resumeChildRuns(agent, run.conversationId, true)
  return run
}

function recordTouched(conversationId: string, handle: RunHandle | null): Run | null {
  const { touched } = pageRegistry()
  touched.add(conversationId)
  if (handle) touched.add(handle.run.conversationId)
  return handle && handle.run
}
