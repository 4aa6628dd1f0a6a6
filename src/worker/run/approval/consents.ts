import { OffstageError } from '../../../protocol/error.ts'
import type { ConsentScope, Rememberable } from '../../../protocol/fact.ts'
import type { JsonValue } from '../../../protocol/json.ts'
import type { CallState, ConversationState } from '../../../protocol/state.ts'
import type { ToolDescriptor } from '../../../protocol/tool.ts'
import type { FactDraft } from '../../store/fact-draft.ts'
import { callContext, type RunContext } from '../run-context.ts'
import { mayMislead } from './is-asked.ts'
import type { JudgedCall } from './must-ask.ts'

/** What a person may consent to beyond the call; null: to nothing, since they are to see each one. */
export async function rememberableOf(
  context: RunContext,
  call: CallState,
  { tool, input, about }: JudgedCall,
): Promise<Rememberable | null> {
  const { annotations, remote, describes, commits } = tool
  if (annotations.destructive || describes || commits || mayMislead(call, tool, about)) return null
  if (context.conversation.sealed.isUnclear(call.toolCallId)) return null
  // Only what a trusted server says of its own tool counts.
  const isOpenWorld = remote
    ? !remote.trusted || annotations.openWorld !== false
    : annotations.openWorld
  const effect = isOpenWorld ? ({ openWorld: true } as const) : {}
  if (!tool.hasConsentKey) return isOpenWorld ? null : {}
  const key = await context.page.consentKey(callContext(context, call, input))
  return key === null ? null : { key, ...effect }
}

/** A consent in force that is for calls of the tool, with this key. */
export function consentFor(
  { conversation, effects }: RunContext,
  { name: toolName, definition }: ToolDescriptor,
  { key }: Rememberable,
): ConversationState['consents'][number] | undefined {
  return conversation.state.consents.find(
    ({ scope, until }) =>
      scope.toolName === toolName &&
      scope.definition === definition &&
      scope.key === key &&
      (until === undefined || effects.now() < until),
  )
}

/** The consent that a person gives with their approval of a call. Throws `invalid-input` where they are asked each time. */
export async function consentGiven(
  context: RunContext,
  call: CallState,
  { within, input }: Pick<ConsentScope, 'within'> & { readonly input?: JsonValue },
): Promise<FactDraft> {
  const { rememberable, decidedBy, toolName, title } = call
  const isEdited = input !== undefined && rememberable?.key !== undefined
  const key = isEdited
    ? await context.page.consentKey(callContext(context, call, input))
    : rememberable?.key
  if (!rememberable || !decidedBy || key === null)
    throw new OffstageError(
      'invalid-input',
      `A person is asked about each call of ${toolName}, or about this one in any case: approve it without remember.`,
    )
  return {
    type: 'consent-given',
    consentId: context.effects.newId('consent-'),
    scope: {
      ...rememberable,
      ...(key !== undefined && { key }),
      toolName,
      ...(title && { title }),
      definition: decidedBy.definition,
      within,
    },
  }
}
