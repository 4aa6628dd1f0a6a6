import { headId } from '../../conversation/tree.ts'
import { contextOn } from '../../conversation/context.ts'
import { originOfSkill, originOfTools } from '../../conversation/taint-walk.ts'
import { sameJson } from '../../lib/same-json.ts'
import type { StepContext } from '../../protocol/questions.ts'
import type { ConversationState } from '../../protocol/state.ts'
import type { RunContext } from './run-context.ts'

type Offered = Pick<StepContext, 'tools' | 'skills'>

/**
 * Stores the origins of untrusted tool and skill descriptions in the step's request, if they differ from the last
 * request's. The model reads descriptions as it reads results, so they taint, too.
 */
export async function takeDescriptions(
  { conversation, runId }: Pick<RunContext, 'conversation' | 'runId'>,
  offered: Offered,
): Promise<void> {
  const origins = describers(offered)
  if (isKnown(conversation.state, origins)) return
  await conversation.append((run) => {
    const { state } = conversation
    if (run?.runId !== runId || run.end !== null || isKnown(state, origins)) return null
    return [{ type: 'descriptions-taken-in', after: headId(state), origins }]
  })
}

/** Origins of the descriptions, except the app itself and sources that it trusts. */
function describers({ tools, skills = [] }: Offered): readonly string[] {
  const sources = tools.flatMap(({ remote }) =>
    remote && !remote.trusted ? originOfTools(remote.source) : [],
  )
  const loaded = skills.flatMap(({ name, loaded: isLoaded }) =>
    isLoaded ? originOfSkill(name) : [],
  )
  return [...new Set([...sources, ...loaded])].toSorted()
}

function isKnown(state: ConversationState, origins: readonly string[]): boolean {
  const newest = contextOn(state).findLast((row) => row.type === 'descriptions-taken-in')
  return sameJson([...(newest?.origins ?? [])], [...origins])
}
