import { OffstageError } from '../../../protocol/error.ts'
import type { ConsentScope, Rememberable } from '../../../protocol/fact.ts'
import type { JsonValue } from '../../../protocol/json.ts'
import type { CallState, Consent } from '../../../protocol/state.ts'
import type { Taint } from '../../../protocol/taint.ts'
import type { ToolDescriptor } from '../../../protocol/tool.ts'
import type { FactDraft } from '../../store/fact-draft.ts'
import { callContext, type RunContext } from '../run-context.ts'
import { mayMislead } from './is-asked.ts'

/** A call's tool and input, with the taint of its request. */
export interface JudgedCall {
  readonly tool: ToolDescriptor
  readonly input: JsonValue
  readonly taint: readonly Taint[]
}

/** The consent that a person may give for later calls, too. Null: they must see each call. */
export async function rememberableOf(
  context: RunContext,
  call: CallState,
  { tool, input, taint }: JudgedCall,
): Promise<Rememberable | null> {
  const { annotations, remote, describes, commits } = tool
  if (annotations.destructive || describes || commits || mayMislead(call, tool, taint)) return null
  if (context.conversation.sealed.isUnclear(call.toolCallId)) return null
  // Annotations count only if the tool's server is trusted.
  const isOpenWorld = remote
    ? !remote.trusted || annotations.openWorld !== false
    : annotations.openWorld
  const effect = isOpenWorld
    ? ({ openWorld: true, ...(remote && { source: remote.source }) } as const)
    : {}
  if (!tool.hasConsentKey) return isOpenWorld && !remote ? null : effect
  const key = await context.page.consentKey(callContext(context, call, input))
  return key === null ? null : { key, ...effect }
}

/** Finds a consent for this tool and key that is in force and was given in this browser. */
export async function consentFor(
  context: RunContext,
  { name: toolName, definition }: ToolDescriptor,
  { key }: Rememberable,
): Promise<Consent | undefined> {
  const { conversation, effects } = context
  const consent = conversation.state.consents.find(
    ({ scope, until }) =>
      scope.toolName === toolName &&
      scope.definition === definition &&
      scope.key === key &&
      (until === undefined || effects.now() < until),
  )
  const isOwn =
    consent &&
    (await conversation.claims.isNoted('consents', scopeOf(context, consent), consent.consentId))
  return isOwn ? consent : undefined
}

/** Identifies a consent by its id and scope, and by the run if it holds for one run only. */
function scopeOf(
  { runId }: RunContext,
  { consentId, scope }: Pick<Consent, 'consentId' | 'scope'>,
): readonly unknown[] {
  return [consentId, scope, scope.within === 'run' && runId]
}

/** The consent that a person gives with an approval. Throws `invalid-input` if each call needs its own approval. */
export async function consentGiven(
  context: RunContext,
  call: CallState,
  { within, input }: Pick<ConsentScope, 'within'> & { readonly input?: JsonValue | undefined },
): Promise<FactDraft> {
  const { rememberable, decidedBy, toolName, title } = call
  const isEdited = input !== undefined && rememberable?.key !== undefined
  const key = isEdited
    ? await context.page.consentKey(callContext(context, call, input))
    : rememberable?.key
  if (!rememberable || !decidedBy || key === null)
    throw new OffstageError(
      'invalid-input',
      `Calls of ${toolName} can't be allowed in advance: approve it without remember.`,
    )
  const consentId = context.effects.newId('consent-')
  const scope = {
    ...rememberable,
    ...(key !== undefined && { key }),
    toolName,
    ...(title && { title }),
    definition: decidedBy.definition,
    within,
  }
  await context.conversation.claims.note('consents', scopeOf(context, { consentId, scope }))
  return { type: 'consent-given', consentId, scope }
}
